/* trapezoid.h: the chunks of trapezoid self-scheduling, for tss and tfss.
 *
 * tzen1993: f, f - delta, f - 2 delta, ..., never below l, with Q = max(2, ceil(2N/(f+l))) chunks
 * meant and delta = floor((f-l)/(Q-1)).  Q >= 2 avoids 0/0 for a single unit.
 */
#ifndef LS_POLICIES_CHUNKING_TRAPEZOID_H
#define LS_POLICIES_CHUNKING_TRAPEZOID_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/chunking/rounding.h"

struct ls_trapezoid {
  uint64_t first_units, last_units;
  double step_units;
};

/* `first_units` 0: ceil(N/2p). `is_real` keeps the step real. */
static inline void ls_trapezoid_choose(struct ls_trapezoid *trapezoid, uint64_t units,
                                       size_t workers, uint64_t first_units, bool is_real) {
  if (first_units == 0) first_units = ls_divide_up(units, 2 * (uint64_t)workers);
  trapezoid->first_units = ls_units_max(first_units, trapezoid->last_units);
  uint64_t ends = trapezoid->first_units + trapezoid->last_units;
  uint64_t chunks_meant = ls_units_max(ls_divide_up(2 * units, ends), 2);
  double height = (double)(trapezoid->first_units - trapezoid->last_units);
  double step = height / (double)(chunks_meant - 1);
  trapezoid->step_units = is_real ? step : floor(step + 1e-9);
}

/* Chunk number `index`, from 0 on. */
static inline uint64_t ls_trapezoid_size(const struct ls_trapezoid *trapezoid, uint64_t index) {
  double size = (double)trapezoid->first_units - (double)index * trapezoid->step_units;
  return ls_units_max(ls_units_floor(size), trapezoid->last_units);
}

#endif
