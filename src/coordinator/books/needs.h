/* needs.h: which labels units need, and which of them the worker in each slot has.
 *
 * Each label that some unit needs has a lane, in the order in which they became known, from 1 on;
 * units that need none are in lane 0, which everybody may have.  A slot has what the worker has
 * that came last, or is awaited there.
 */
#ifndef LS_COORDINATOR_BOOKS_NEEDS_H
#define LS_COORDINATOR_BOOKS_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/labels.h"

enum { LS_NEEDS_MAX = 63 /* labels */ };

struct ls_needs_slot {
  char *labels;  /* base/labels.h; NULL: none */
  uint64_t held; /* by bit: it has the label of lane bit + 1 */
};

struct ls_needs {
  char labels[LS_NEEDS_MAX][LS_LABEL_LETTERS_MAX + 1];
  uint32_t count;
  struct ls_needs_slot *slots;
  size_t slots_count, slots_capacity;
};

/* Starts as {0}. */
void ls_needs_close(struct ls_needs *needs);
/* Slots below `slots` exist from now on, at first without labels. */
LS_CHECKED enum ls_status ls_needs_add_slots(struct ls_needs *needs, size_t slots);
/* The slot has these labels, and no others; NULL: none. */
LS_CHECKED enum ls_status ls_needs_tell(struct ls_needs *needs, uint32_t slot, const char *labels);
/* The lane of the label, a new one if need be. LS_EINVAL: it is no label, or one too many. */
LS_CHECKED enum ls_status ls_needs_find_lane(struct ls_needs *needs, const char *label,
                                             uint32_t *lane, struct ls_error *err);
static inline bool ls_needs_are_met(const struct ls_needs *needs, uint32_t slot, uint32_t lane) {
  return lane == 0 ||
         (slot < needs->slots_count && (needs->slots[slot].held >> (lane - 1) & 1) != 0);
}

#endif
