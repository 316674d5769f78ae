/* lptf.c: Largest Processing Time First.
 *
 * Reference:  graham1969; heymann2001, chapter 3.
 * Assumes:    that the times of the tasks are known beforehand: in a simulation those that they
 *             will take, in a run those that the user declares.
 * Answers:    decreasing times, ties by number; at most 4/3 - 1/(3n) times the optimum on n equal
 *             workers.  LS_EINVAL when no times are known.
 * Cost:       O(N log N) for N units.
 * Symbols:    none.
 */
#include "policies/ordering.h"
#include "theory/list_schedule.h"

static enum ls_status arrange_known(uint64_t *order, const struct ls_ordering_view *view,
                                    struct ls_error *err) {
  const double *seconds = view->actual != NULL ? view->actual : view->expected;
  if (seconds == NULL) {
    return ls_fail(err, LS_EINVAL,
                   "order lptf: the times of the tasks are not known, expected declared ones");
  }
  return ls_list_sort(seconds, (size_t)view->units, order, err);
}

const struct ls_ordering ls_ordering_lptf = {
    .name = "lptf",
    .summary = "largest first, by the times that the tasks will take (known or declared)",
    .reference = "Graham 1969",
    .needs_times = true,
    .arrange = arrange_known,
};
