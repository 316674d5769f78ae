/* benchmark.h: a fixed amount of arithmetic, by which machines are compared before any has done
 * units.
 */
#ifndef LS_RUNTIME_OS_BENCHMARK_H
#define LS_RUNTIME_OS_BENCHMARK_H

#include <stdint.h>

/* So long it takes the master: longer than what other programs do in between, and little beside a
 * worker's start. */
extern const double ls_benchmark_master_s;

/* The rounds that take so long here, found in a few hundredths of a second; >= 1. */
uint64_t ls_benchmark_rounds(double seconds);
/* The seconds that so many rounds take, > 0; a machine that has less than a tenth of
 * the master's speed does a part, and says what the whole would take. */
double ls_benchmark_run_s(uint64_t rounds);

#endif
