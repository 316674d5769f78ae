/* spt.c: Shortest Processing Time first.
 *
 * Reference:  smith1956; heymann2001, section 3.2, as the complement of largest first.
 * Assumes:    that the times of the tasks are known beforehand: in a simulation those that they
 *             will take, in a run those that the user declares.
 * Answers:    increasing times, ties by number: the least mean of the times at which tasks end, on
 *             equal workers.  LS_EINVAL when no times are known.
 * Cost:       O(N log N) for N units.
 * Symbols:    none.
 */
#include <stdlib.h>

#include "policies/ordering.h"
#include "theory/list_schedule.h"

static enum ls_status arrange_known(uint64_t *order, const struct ls_ordering_view *view,
                                    struct ls_error *err) {
  const double *seconds = view->actual != NULL ? view->actual : view->expected;
  if (seconds == NULL) {
    return ls_fail(err, LS_EINVAL,
                   "order spt: the times of the tasks are not known, expected declared ones");
  }
  double *keys = calloc((size_t)view->units + 1, sizeof *keys);
  if (keys == NULL) return ls_fail(err, LS_ENOMEM, "no memory to sort the tasks");
  for (uint64_t i = 0; i < view->units; i++) keys[i] = -seconds[i];
  enum ls_status status = ls_list_sort(keys, (size_t)view->units, order, err);
  free(keys);
  return status;
}

const struct ls_ordering ls_ordering_spt = {
    .name = "spt",
    .summary = "smallest first, by the times that the tasks will take (known or declared)",
    .reference = "Smith 1956",
    .needs_times = true,
    .arrange = arrange_known,
};
