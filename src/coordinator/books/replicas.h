/* replicas.h: units that run at two workers.
 *
 * Both slots have the unit in a chunk, and the ledger counts it once.  The first slot that settles
 * it wins; a replica that comes to nothing leaves the unit to the other.  There are never more of
 * them than slots, so that they are looked for one by one.  Knows the ledger, and no policy.
 */
#ifndef LS_COORDINATOR_BOOKS_REPLICAS_H
#define LS_COORDINATOR_BOOKS_REPLICAS_H

#include "coordinator/books/ledger.h"

struct ls_replica {
  uint64_t unit;
  uint32_t slots[2]; /* that of the original first */
  bool is_spare;     /* made for an idle worker, and given up when units come back */
};

struct ls_replicas {
  struct ls_replica *items;
  size_t count, capacity;
  uint64_t *due; /* units that are to get a replica with the first request behind their sending */
  size_t due_count, due_capacity;
  uint64_t sent, won; /* of the run */
  double lost_s;      /* of those runs of their units that were stopped */
};

/* The end of one replica: its unit left this chunk of this slot. */
struct ls_replica_end {
  uint64_t unit;
  uint32_t slot;
  uint64_t chunk; /* number */
  bool was_original;
  bool is_chunk_over; /* nothing else is in it: it can be cancelled */
};

void ls_replicas_close(struct ls_replicas *replicas);
/* A new iteration, of which nothing was sent: the first `count` units that wait are due. */
LS_CHECKED enum ls_status ls_replicas_open(struct ls_replicas *replicas,
                                           const struct ls_ledger *ledger, uint64_t count);
/* Index of the unit's replica; the count: it has none. */
size_t ls_replicas_find(const struct ls_replicas *replicas, uint64_t unit);
static inline bool ls_replicas_have(const struct ls_replicas *replicas, uint64_t unit) {
  return ls_replicas_find(replicas, unit) < replicas->count;
}
/* The slot that has the unit, which is sent; LS_INDEX_NONE: none. */
uint32_t ls_replicas_find_holder(const struct ls_ledger *ledger, uint64_t unit);
/* Sends the unit of `replica.slots[0]` to `replica.slots[1]`, too. */
LS_CHECKED enum ls_status ls_replicas_send(struct ls_replicas *replicas, struct ls_ledger *ledger,
                                           const struct ls_replica *replica, double now_s,
                                           uint32_t *chunk);
/* Who asks for a due unit. */
struct ls_replica_asker {
  uint32_t slot;
  uint64_t failures_max;
  /* May the unit, which the holder has, be this one's? */
  bool (*suits)(const void *context, uint32_t holder, uint32_t slot, uint64_t unit);
  const void *context;
};

/* The first due unit that another slot has and that suits the asker, no longer due; false: there is
 * none now. A unit that is settled, runs twice already or has failed more than `failures_max` times
 * is due no more.
 */
bool ls_replicas_take_due(struct ls_replicas *replicas, const struct ls_ledger *ledger,
                          const struct ls_replica_asker *asker, struct ls_replica *replica);
/* Forgets the replica at `index`; its unit leaves the chunk at the slot `which` (0 or 1). */
LS_CHECKED enum ls_status ls_replicas_end(struct ls_replicas *replicas, struct ls_ledger *ledger,
                                          size_t index, int which, struct ls_replica_end *end);
/* Forgets it; the unit is in no chunk of the other slot any more. */
void ls_replicas_forget(struct ls_replicas *replicas, size_t index);
/* Each stands in a chunk at two slots, once. For tests. */
bool ls_replicas_are_sound(const struct ls_replicas *replicas, const struct ls_ledger *ledger);

#endif
