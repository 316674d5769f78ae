#include "base/random.h"

#include <assert.h>
#include <string.h>

#include "base/digest.h"

static uint64_t rotate_left(uint64_t x, int bits) {
  return (x << bits) | (x >> (64 - bits));
}

/* SplitMix64: turns any seed, even 0, into well mixed words. */
static uint64_t split_mix(uint64_t *state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

void ls_random_init(struct ls_random *random, uint64_t seed, const char *stream) {
  uint64_t name = ls_digest_add(LS_DIGEST_START, stream, strlen(stream));
  /* The seed is mixed before the name enters, so that no pair (seed, name) cancels another. */
  uint64_t state = split_mix(&seed) ^ split_mix(&name);
  for (int i = 0; i < 4; i++) random->state[i] = split_mix(&state);
}

uint64_t ls_random_u64(struct ls_random *random) {
  uint64_t *s = random->state;
  uint64_t result = rotate_left(s[1] * 5, 7) * 9;
  uint64_t shifted = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= shifted;
  s[3] = rotate_left(s[3], 45);
  return result;
}

double ls_random_real(struct ls_random *random) {
  return (double)(ls_random_u64(random) >> 11) * 0x1p-53;
}

uint64_t ls_random_below(struct ls_random *random, uint64_t n) {
  assert(n >= 1);
  /* The lowest 2^64 mod n values are refused, so that every remainder is equally likely. */
  uint64_t refused = (0 - n) % n;
  uint64_t value;
  do {
    value = ls_random_u64(random);
  } while (value < refused);
  return value % n;
}

void ls_random_shuffle(struct ls_random *random, uint64_t *items, size_t count) {
  for (size_t i = count; i > 1; i--) {
    size_t j = (size_t)ls_random_below(random, i);
    uint64_t moved = items[i - 1];
    items[i - 1] = items[j];
    items[j] = moved;
  }
}
