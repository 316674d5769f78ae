/* rooms.h: how many units each slot's worker still has room for.
 *
 * A unit takes room from its sending until its result is heard.  That is as long as the ledger
 * knows it at the slot, and longer for a remnant: a unit that was taken out of a chunk (a replica
 * that another result overtook) while the worker still has it, or is about to get it.
 */
#ifndef LS_COORDINATOR_BOOKS_ROOMS_H
#define LS_COORDINATOR_BOOKS_ROOMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/range.h"
#include "base/status.h"
#include "model/room.h"

struct ls_remnant {
  uint64_t chunk, unit;
  uint32_t slot;
};

struct ls_rooms {
  const struct ls_room *told; /* of the first slots, borrowed; all others have any room */
  size_t told_count;          /* 0: nothing has to be counted */
  uint64_t *free;             /* by slot: units of one chunk, when it was measured last */
  size_t slots, capacity;
  struct ls_remnant *remnants;
  size_t remnants_count, remnants_capacity;
};

void ls_rooms_close(struct ls_rooms *rooms);
/* Slots below `slots` exist from now on. */
LS_CHECKED enum ls_status ls_rooms_add_slots(struct ls_rooms *rooms, size_t slots);
static inline bool ls_rooms_are_limited(const struct ls_rooms *rooms) {
  return rooms->told_count > 0;
}
/* The most units that one chunk for the slot may have now, where the ledger counts `units`. */
uint64_t ls_rooms_measure(struct ls_rooms *rooms, uint32_t slot, uint64_t units);
/* The unit left the chunk, but not the worker. */
LS_CHECKED enum ls_status ls_rooms_keep(struct ls_rooms *rooms, const struct ls_remnant *remnant);
/* The worker told of these units of the chunk. */
void ls_rooms_forget(struct ls_rooms *rooms, uint32_t slot, uint64_t chunk, struct ls_range units);
/* Another worker is in the slot, or none. */
void ls_rooms_vacate(struct ls_rooms *rooms, uint32_t slot);
/* Remnants are of slots that exist, each one once, and none where nothing is counted. For tests. */
bool ls_rooms_are_sound(const struct ls_rooms *rooms);

#endif
