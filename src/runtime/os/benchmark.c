#include "runtime/os/benchmark.h"

#include <math.h>

#include "runtime/os/clock.h"

const double ls_benchmark_master_s = 0.1;

/* The clock is looked at once in so many rounds, some microseconds. The best of the slices counts:
 * the others had less of a processor. */
enum { ROUNDS_AT_ONCE = 1024, SLICES = 5 };
static const double LOOK_S = 0.02, MOST_S = 1, SECONDS_LEAST = 1e-9;

/* Whole and floating numbers by turns, each of which needs the one before. */
static double compute(double value, uint64_t rounds) {
  uint64_t bits = 88172645463325252;
  for (uint64_t i = 0; i < rounds; ++i) {
    bits ^= bits << 13;
    bits ^= bits >> 7;
    bits ^= bits << 17;
    value = 3.75 * value * (1 - value) + (double)(bits >> 40) * 0x1p-48;
    value -= floor(value);
  }
  return value;
}

/* What is computed is looked at, so that no compiler leaves it out. */
static _Thread_local volatile double seen;

/* The rounds done within the limit, a whole number of looks or all; `*spent_s`: how long. */
static uint64_t spend(uint64_t rounds, double most_s, double *spent_s) {
  double begun_s = ls_clock_s(), value = 0.3;
  uint64_t done = 0;
  *spent_s = 0;
  while (done < rounds && *spent_s < most_s) {
    uint64_t left = rounds - done;
    uint64_t next = left < ROUNDS_AT_ONCE ? left : ROUNDS_AT_ONCE;
    value = compute(value, next);
    done += next;
    *spent_s = ls_clock_s() - begun_s;
  }
  seen = value;
  *spent_s = fmax(*spent_s, SECONDS_LEAST);
  return done;
}

/* Rounds per second. */
static double find_rate(uint64_t rounds, double most_s) {
  double best = 0, spent_s;
  uint64_t each = rounds / SLICES + (rounds % SLICES > 0);
  for (int i = 0; i < SLICES; ++i) {
    uint64_t done = spend(each, most_s / SLICES, &spent_s);
    best = fmax(best, (double)done / spent_s);
  }
  return best;
}

uint64_t ls_benchmark_rounds(double seconds) {
  double rounds = fmin(find_rate(UINT64_MAX, LOOK_S) * seconds, 0x1p53);
  return rounds > 1 ? (uint64_t)rounds : 1;
}

double ls_benchmark_run_s(uint64_t rounds) {
  return (double)rounds / find_rate(rounds, MOST_S);
}
