/* mfsc.c: modified Fixed-Size Chunking (mFSC).
 *
 * Reference:  banicescu2013; the formula agrees with the public codes LB4OMP and DLS4LB.
 * Assumes:    nothing of the units; equal workers.
 * Answers:    t = ceil(N/p); 1 when t < 3, else trunc(0.55 + t ln 2 / ln t), always the same: about
 *             as many chunks as factoring makes.
 * Cost:       O(1).
 * Symbols:    N -> units, p -> slots, t -> units_per_worker.
 */
#include <math.h>

#include "policies/chunking.h"
#include "policies/chunking/mfsc.h"
#include "policies/chunking/rounding.h"

uint64_t ls_mfsc_size(uint64_t units, size_t workers) {
  uint64_t units_per_worker = ls_divide_up(units, workers);
  double t = (double)units_per_worker;
  if (units_per_worker < 3) return 1;
  return ls_units_max(ls_units_of(trunc(0.55 + t * log(2) / log(t))), 1);
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  (void)memory;
  (void)worker;
  return ls_mfsc_size(view->units, view->slots);
}

const struct ls_chunking ls_chunking_mfsc = {
    .name = "mfsc",
    .summary = "modified fixed-size chunking: one size, from the load and the workers alone",
    .reference = "Banicescu and others 2013",
    .next_units = give_chunk,
};
