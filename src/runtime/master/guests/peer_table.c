/* peer_table.c: a hash table whose removals leave no marks behind. */
#include "runtime/master/guests/peer_table.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

enum { SIZE_LEAST = 16 };

/* Peer numbers count up: a multiplication by an odd constant spreads them (Fibonacci hashing). */
static size_t find_home(const struct ls_peer_table *table, struct ls_peer peer) {
  uint64_t key = (peer.number ^ ((uint64_t)peer.endpoint << 48)) * UINT64_C(0x9e3779b97f4a7c15);
  return (size_t)(key >> 32) & (table->size - 1);
}

static bool is_same(struct ls_peer a, struct ls_peer b) {
  return a.endpoint == b.endpoint && a.number == b.number;
}

/* The entry of the peer, or the free one where it belongs. */
static size_t find_entry(const struct ls_peer_table *table, struct ls_peer peer) {
  size_t i = find_home(table, peer);
  while (table->entries[i].slot != LS_PEER_TABLE_NONE && !is_same(table->entries[i].peer, peer)) {
    i = (i + 1) & (table->size - 1);
  }
  return i;
}

uint32_t ls_peer_table_find(const struct ls_peer_table *table, struct ls_peer peer) {
  if (table->size == 0) return LS_PEER_TABLE_NONE;
  return table->entries[find_entry(table, peer)].slot;
}

static enum ls_status grow(struct ls_peer_table *table) {
  struct ls_peer_table larger = {.size = table->size == 0 ? SIZE_LEAST : 2 * table->size,
                                 .count = table->count};
  larger.entries = calloc(larger.size, sizeof *larger.entries);
  if (larger.entries == NULL) return LS_ENOMEM;
  for (size_t i = 0; i < larger.size; ++i) larger.entries[i].slot = LS_PEER_TABLE_NONE;
  for (size_t i = 0; i < table->size; ++i) {
    const struct ls_peer_table_entry *entry = &table->entries[i];
    if (entry->slot == LS_PEER_TABLE_NONE) continue;
    larger.entries[find_entry(&larger, entry->peer)] = *entry;
  }
  free(table->entries);
  *table = larger;
  return LS_OK;
}

enum ls_status ls_peer_table_put(struct ls_peer_table *table, struct ls_peer peer, uint32_t slot) {
  assert(slot != LS_PEER_TABLE_NONE);
  if (2 * (table->count + 1) > table->size && grow(table) != LS_OK) return LS_ENOMEM;
  struct ls_peer_table_entry *entry = &table->entries[find_entry(table, peer)];
  if (entry->slot == LS_PEER_TABLE_NONE) ++table->count;
  *entry = (struct ls_peer_table_entry){peer, slot};
  return LS_OK;
}

/* An entry further on that was pushed past the free place moves there: so every entry is found from
 * its home without a gap. */
void ls_peer_table_remove(struct ls_peer_table *table, struct ls_peer peer) {
  if (ls_peer_table_find(table, peer) == LS_PEER_TABLE_NONE) return;
  size_t mask = table->size - 1, gap = find_entry(table, peer);
  for (size_t i = (gap + 1) & mask; table->entries[i].slot != LS_PEER_TABLE_NONE;
       i = (i + 1) & mask) {
    size_t home = find_home(table, table->entries[i].peer);
    if (((i - home) & mask) < ((i - gap) & mask)) continue;
    table->entries[gap] = table->entries[i];
    gap = i;
  }
  table->entries[gap].slot = LS_PEER_TABLE_NONE;
  --table->count;
}

void ls_peer_table_close(struct ls_peer_table *table) {
  free(table->entries);
  *table = (struct ls_peer_table){0};
}
