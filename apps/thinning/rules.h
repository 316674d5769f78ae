/* rules.h: which black pixels a thinning algorithm deletes, 64 pixels of a row at a time. Pure.
 *
 * Black is 1.  A pixel is bit 63 - x % 64 of word x / 64 of its row.  All pixels of a step are
 * judged by what was there before it.
 */
#ifndef THINNING_RULES_H
#define THINNING_RULES_H

#include <stddef.h>
#include <stdint.h>

/* 64 pixels of a row, and their neighbours: in each word the bit of a pixel is the one to the north
 * of it, to the north-east, and so on; ww: two to the west, ss: two to the south. */
struct around {
  uint64_t here, n, ne, e, se, s, sw, w, nw, ww, ss;
};

/* The pixels of `here` that go. */
typedef uint64_t (*delete_fn)(const struct around *around);

enum { STEPS_MAX = 2, HALO_MAX = 2 };

struct algorithm {
  const char *name;
  size_t steps; /* of one iteration */
  delete_fn deletes[STEPS_MAX];
  size_t above, below; /* rows on which the pixels of a row depend in an iteration; <= HALO_MAX */
};

/* By its name; NULL: there is none. */
const struct algorithm *algorithm_find(const char *name);
/* All of them, as many as there are with a name. */
extern const struct algorithm algorithms[];

#endif
