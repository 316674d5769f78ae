/* late.h: units that left a chunk without a result, whose worker may deliver one all the same.
 *
 * A worker that was away, or lost, goes on with what it runs: its result is as good as another's
 * while the unit is not settled.  Whoever was lost comes back in another slot, so that from then on
 * the number of the chunk alone tells.  Of the open iteration, and no more than LS_LATE_MAX: the
 * settled ones are forgotten first, then the oldest.
 */
#ifndef LS_COORDINATOR_BOOKS_LATE_H
#define LS_COORDINATOR_BOOKS_LATE_H

#include "coordinator/books/ledger.h"

#define LS_LATE_NONE UINT64_MAX

enum { LS_LATE_MAX = 4096 };

struct ls_late_entry {
  uint64_t chunk;
  struct ls_range units;
  uint32_t slot; /* LS_INDEX_NONE: its worker is lost */
  bool has_run;  /* they ran there; else they waited */
};

struct ls_late {
  struct ls_late_entry *entries; /* the oldest first */
  size_t count, capacity;
  size_t present; /* so many have a slot */
};

void ls_late_close(struct ls_late *late);
/* Another iteration begins. */
void ls_late_clear(struct ls_late *late);
LS_CHECKED enum ls_status ls_late_add(struct ls_late *late, const struct ls_ledger *ledger,
                                      const struct ls_late_entry *entry);
/* The slot's worker is lost; it may come back in any slot. */
void ls_late_free(struct ls_late *late, uint32_t slot);
/* The last chunk of the slot's worker that the unit left so; LS_LATE_NONE: none, or it is not known
 * any more. */
uint64_t ls_late_find(const struct ls_late *late, uint32_t slot, uint64_t unit);
/* Did the unit leave the chunk so, and may the slot's worker have it? */
bool ls_late_has(const struct ls_late *late, uint32_t slot, uint64_t chunk, uint64_t unit);
/* ... and is it the worker that had it, and was not lost since? */
bool ls_late_is_known(const struct ls_late *late, uint32_t slot, uint64_t chunk, uint64_t unit);
/* The slot's worker has these units of the chunk no more: it has told how they ended. */
LS_CHECKED enum ls_status ls_late_forget(struct ls_late *late, const struct ls_ledger *ledger,
                                         const struct ls_late_entry *told);
/* For tests. */
bool ls_late_is_sound(const struct ls_late *late);

#endif
