/* levels.h: the levels of branch and bound, as the master has them.
 *
 * A level's prefixes are its units; their children, one row longer, that may lead to the bound are
 * the prefixes of the next level.  The bound stays as it is during a level, so what is kept does
 * not depend on who scored which prefix, and when; it rises between two levels, when the best child
 * is completed.
 */
#ifndef MOTIF_LEVELS_H
#define MOTIF_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <loadstar.h>

#include "alignment.h"

/* Bytes for the bits of the children of one prefix. */
static inline size_t levels_stride(const struct space *space) {
  return (size_t)(space->positions_most + 7) / 8;
}

struct level_count {
  uint64_t prefixes, kept; /* units, and of their children those that are kept */
};

struct levels {
  const struct space *space; /* borrowed */
  size_t depth;              /* rows of the prefixes of this level */
  uint64_t *prefixes;        /* `count` of them, in order */
  uint64_t count;
  uint8_t *kept;           /* count x stride: a bit for each child; of the last level none */
  struct best best, child; /* the best vector known, the best child of this level */
  struct level_count counts[SEQUENCES_MAX + 1]; /* by depth */
};

/* The first level: the positions of the first sequence. */
enum ls_status levels_begin(struct levels *levels, const struct space *space,
                            struct ls_range starts, struct ls_error *err);
void levels_close(struct levels *levels);
/* Are the children whole vectors? */
static inline bool levels_is_last(const struct levels *levels) {
  return levels->depth + 1 == levels->space->sequences;
}
/* All results of the level are there: its children become the next one. */
enum ls_status levels_next(struct levels *levels, struct ls_error *err);

/* Takes what a worker answers for some prefixes: the best child (answer.h) and, unless they are
 * whole vectors, the bits of all children, `stride` bytes for each prefix. */
enum ls_status levels_merge(struct levels *levels, const struct ls_unit_result *result,
                            struct ls_error *err);

/* As bytes, and back; `space` as with levels_begin. */
void levels_store(const struct levels *levels, struct ls_bytes *bytes);
enum ls_status levels_restore(struct levels *levels, const struct space *space,
                              const struct ls_bytes *bytes, struct ls_error *err);

#endif
