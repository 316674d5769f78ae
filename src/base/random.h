/* random.h: chance, from one seed and named streams.
 *
 * Streams with different names are independent, so that a further draw from one ("faults") does not
 * move another ("jitter").  The same seed and name give the same numbers on every machine.
 * Generator: xoshiro256** seeded by SplitMix64 (Blackman, Vigna 2018; public domain algorithms).
 */
#ifndef LS_BASE_RANDOM_H
#define LS_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"

LS_C_BEGIN

struct ls_random {
  uint64_t state[4];
};

void ls_random_init(struct ls_random *random, uint64_t seed, const char *stream);
uint64_t ls_random_u64(struct ls_random *random);
/* Uniform in [0, 1), 53 bits. */
double ls_random_real(struct ls_random *random);
/* Uniform in [0, n), without bias; n >= 1 (asserted). */
uint64_t ls_random_below(struct ls_random *random, uint64_t n);
/* Fisher-Yates shuffle of `count` indices in place. */
void ls_random_shuffle(struct ls_random *random, uint64_t *items, size_t count);

LS_C_END

#endif
