/* random_order.c: random order.
 *
 * Reference:  knuth1997, section 3.4.2, algorithm P (the shuffle of Fisher and Yates).
 * Assumes:    nothing.
 * Answers:    the same order for the same seed and iteration, on every machine; another one for
 *             each iteration.
 * Cost:       O(N) for N units.
 * Symbols:    none.
 */
#include <stdio.h>

#include "base/random.h"
#include "policies/ordering.h"

void ls_ordering_shuffle(uint64_t *order, const struct ls_ordering_view *view) {
  char stream[32];
  struct ls_random random;
  /* A stream of its own for each iteration: resuming in the middle of a run finds the same order
   * without drawing those of the iterations before. */
  snprintf(stream, sizeof stream, "order-%u", (unsigned)view->iteration);
  ls_random_init(&random, view->seed, stream);
  for (uint64_t i = 0; i < view->units; i++) order[i] = i;
  ls_random_shuffle(&random, order, (size_t)view->units);
}

static enum ls_status arrange_random(uint64_t *order, const struct ls_ordering_view *view,
                                     struct ls_error *err) {
  (void)err;
  ls_ordering_shuffle(order, view);
  return LS_OK;
}

const struct ls_ordering ls_ordering_random = {
    .name = "random",
    .summary = "tasks in an order drawn from the seed, another one for each iteration",
    .reference = "Knuth 1997",
    .arrange = arrange_random,
};
