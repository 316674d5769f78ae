/* peer_table.h: from a peer to the slot of its worker, in constant time.
 */
#ifndef LS_RUNTIME_MASTER_GUESTS_PEER_TABLE_H
#define LS_RUNTIME_MASTER_GUESTS_PEER_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "runtime/master/guests/endpoints.h"

struct ls_peer_table_entry {
  struct ls_peer peer;
  uint32_t slot; /* LS_PEER_TABLE_NONE: the entry is free */
};

#define LS_PEER_TABLE_NONE UINT32_MAX

/* Open addressing with linear probing, at most half full; the size is a power of two. Starts as
 * {0}. */
struct ls_peer_table {
  struct ls_peer_table_entry *entries;
  size_t size, count;
};

/* LS_PEER_TABLE_NONE: not there. */
uint32_t ls_peer_table_find(const struct ls_peer_table *table, struct ls_peer peer);
/* Sets the slot of a peer, which may be there already. LS_ENOMEM: nothing changes. */
LS_CHECKED enum ls_status ls_peer_table_put(struct ls_peer_table *table, struct ls_peer peer,
                                            uint32_t slot);
/* A peer that is not there is fine. */
void ls_peer_table_remove(struct ls_peer_table *table, struct ls_peer peer);
void ls_peer_table_close(struct ls_peer_table *table);

#endif
