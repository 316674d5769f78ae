/* rounding.h: the roundings of the published formulas.
 *
 * A formula evaluated in floating point may miss the whole number it means by a few last digits;
 * so floors and ceilings forgive 1e-9.  Quotients of whole numbers are computed in whole numbers.
 */
#ifndef LS_POLICIES_CHUNKING_ROUNDING_H
#define LS_POLICIES_CHUNKING_ROUNDING_H

#include <math.h>
#include <stdint.h>

/* ceil(a / b), b >= 1; cannot overflow. */
static inline uint64_t ls_divide_up(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

/* A real number of units >= 0 as a count: NaN and everything below 0 is 0, too much is the most. */
static inline uint64_t ls_units_of(double x) {
  if (!(x > 0)) return 0;
  return x < 0x1p64 ? (uint64_t)x : UINT64_MAX;
}

static inline uint64_t ls_units_ceil(double x) {
  return ls_units_of(ceil(x - 1e-9));
}

static inline uint64_t ls_units_floor(double x) {
  return ls_units_of(floor(x + 1e-9));
}

/* Half goes up. */
static inline uint64_t ls_units_nearest(double x) {
  return ls_units_of(floor(x + 0.5));
}

static inline uint64_t ls_units_max(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static inline uint64_t ls_units_min(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

#endif
