/* lptf_expectation.c: Largest Processing Time First, by expectation.
 *
 * Reference:  heymann2001, chapter 3.
 * Assumes:    that the user declares what the tasks usually take.
 * Answers:    decreasing declared times, ties by number, the same order in every iteration.
 *             LS_EINVAL when nothing is declared.
 * Cost:       O(N log N) for N units.
 * Symbols:    none.
 */
#include "policies/ordering.h"
#include "theory/list_schedule.h"

static enum ls_status arrange_expected(uint64_t *order, const struct ls_ordering_view *view,
                                       struct ls_error *err) {
  if (view->expected == NULL) {
    return ls_fail(err, LS_EINVAL,
                   "order lptf-expectation: no expected times of the tasks were declared");
  }
  return ls_list_sort(view->expected, (size_t)view->units, order, err);
}

const struct ls_ordering ls_ordering_lptf_expectation = {
    .name = "lptf-expectation",
    .summary = "largest first, by the declared times, the same in every iteration",
    .reference = "Heymann 2001",
    .needs_times = true,
    .arrange = arrange_expected,
};
