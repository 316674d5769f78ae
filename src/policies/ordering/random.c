/* random.c: random order.
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

static void arrange_random(uint64_t *order, uint64_t units, uint32_t iteration, uint64_t seed) {
  char stream[32];
  struct ls_random random;
  /* A stream of its own for each iteration: resuming in the middle of a run finds the same order
   * without drawing those of the iterations before. */
  snprintf(stream, sizeof stream, "order-%u", (unsigned)iteration);
  ls_random_init(&random, seed, stream);
  for (uint64_t i = 0; i < units; i++) order[i] = i;
  ls_random_shuffle(&random, order, (size_t)units);
}

const struct ls_ordering ls_ordering_random = {
    .name = "random",
    .summary = "tasks in an order drawn from the seed, another one for each iteration",
    .reference = "Knuth 1997",
    .arrange = arrange_random,
};
