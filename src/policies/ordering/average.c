/* average.c: Random & Average.
 *
 * Reference:  heymann2001, chapter 3; predictors other than the mean are ours.
 * Assumes:    that a task keeps its number from one iteration to the next.
 * Answers:    a random order while nothing is known; then decreasing predicted times.  A task
 *             without history goes first: unknown is treated as large.  Ties: task number.
 * Cost:       O(N log N) for N units.
 * Symbols:    none.
 */
#include <math.h>
#include <stdlib.h>

#include "policies/ordering.h"
#include "theory/list_schedule.h"

static const struct ls_parameter average_parameters[] = {
    {"predictor", "of a task's next time, from the earlier iterations", LS_PARAMETER_CHOICE,
     LS_PREDICTOR_MEAN, 0, LS_PREDICTOR_CHOSEN, ls_predictor_names},
    {0}};

static enum ls_status arrange_predicted(uint64_t *order, const struct ls_ordering_view *view,
                                        struct ls_error *err) {
  if (view->history == NULL || ls_task_history_is_empty(view->history)) {
    ls_ordering_shuffle(order, view);
    return LS_OK;
  }
  enum ls_predictor_kind kind =
      (enum ls_predictor_kind)ls_arguments_get(&view->arguments, average_parameters, "predictor");
  double *seconds = calloc(view->units + 1, sizeof *seconds);
  if (seconds == NULL) {
    return ls_fail(err, LS_ENOMEM, "no memory for the expected times of %llu tasks",
                   (unsigned long long)view->units);
  }
  for (uint64_t i = 0; i < view->units; i++) {
    seconds[i] = ls_task_history_predict(view->history, kind, i);
    if (isnan(seconds[i])) seconds[i] = (double)INFINITY;
  }
  enum ls_status status = ls_list_sort(seconds, (size_t)view->units, order, err);
  free(seconds);
  return status;
}

const struct ls_ordering ls_ordering_average = {
    .name = "average",
    .summary = "largest first, by what the tasks took in earlier iterations; the first one random",
    .reference = "Heymann 2001",
    .parameters = average_parameters,
    .learns = true,
    .arrange = arrange_predicted,
};
