/* replicas.c: units at two slots. */
#include "coordinator/books/replicas.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

void ls_replicas_close(struct ls_replicas *replicas) {
  free(replicas->items);
  free(replicas->due);
  *replicas = (struct ls_replicas){0};
}

enum ls_status ls_replicas_open(struct ls_replicas *replicas, const struct ls_ledger *ledger,
                                uint64_t count) {
  const uint64_t *order = ledger->waiting.order;
  void *due = replicas->due;
  assert(replicas->count == 0 && count <= ledger->waiting.units);
  replicas->due_count = 0;
  enum ls_status status =
      ls_array_reserve(&due, &replicas->due_capacity, (size_t)count, sizeof *replicas->due);
  replicas->due = due;
  for (uint64_t i = 0; replicas->due_count < count && status == LS_OK; i++) {
    uint64_t unit = order != NULL ? order[i] : i;
    if (ledger->state[unit] == LS_UNIT_WAITING) replicas->due[replicas->due_count++] = unit;
  }
  return status;
}

size_t ls_replicas_find(const struct ls_replicas *replicas, uint64_t unit) {
  size_t i = 0;
  while (i < replicas->count && replicas->items[i].unit != unit) i++;
  return i;
}

uint32_t ls_replicas_find_holder(const struct ls_ledger *ledger, uint64_t unit) {
  assert(ledger->state[unit] == LS_UNIT_SENT);
  for (uint32_t i = 0; i < ledger->slots_count; i++)
    if (ledger->slots[i].chunks > 0 && ls_ledger_holding(ledger, i, unit) != LS_INDEX_NONE)
      return i;
  return LS_INDEX_NONE;
}

enum ls_status ls_replicas_send(struct ls_replicas *replicas, struct ls_ledger *ledger,
                                const struct ls_replica *replica, double now_s, uint32_t *chunk) {
  void *items = replicas->items;
  assert(replica->slots[0] != replica->slots[1] && !ls_replicas_have(replicas, replica->unit));
  enum ls_status status =
      ls_array_reserve(&items, &replicas->capacity, replicas->count + 1, sizeof *replicas->items);
  replicas->items = items;
  if (status == LS_OK)
    status = ls_ledger_send_replica(ledger, replica->slots[1], replica->unit, now_s, chunk);
  if (status != LS_OK) return status;
  replicas->items[replicas->count++] = *replica;
  replicas->sent++;
  return LS_OK;
}

bool ls_replicas_take_due(struct ls_replicas *replicas, const struct ls_ledger *ledger,
                          const struct ls_replica_asker *asker, struct ls_replica *replica) {
  uint32_t slot = asker->slot;
  size_t kept = 0;
  bool is_found = false;
  for (size_t i = 0; i < replicas->due_count; i++) {
    uint64_t unit = replicas->due[i];
    bool is_sent = ledger->state[unit] == LS_UNIT_SENT; /* what waits runs nowhere */
    bool is_hopeless = ls_ledger_failures(ledger, unit) > asker->failures_max;
    if (ledger->state[unit] >= LS_UNIT_DONE || is_hopeless) continue;
    if (is_sent && ls_replicas_have(replicas, unit)) continue;
    if (!is_found && is_sent) {
      uint32_t holder = ls_replicas_find_holder(ledger, unit);
      is_found = holder != slot && holder != LS_INDEX_NONE &&
                 asker->suits(asker->context, holder, slot, unit);
      if (is_found) {
        *replica = (struct ls_replica){.unit = unit, .slots = {holder, slot}};
        continue;
      }
    }
    replicas->due[kept++] = unit;
  }
  replicas->due_count = kept;
  return is_found;
}

void ls_replicas_forget(struct ls_replicas *replicas, size_t index) {
  assert(index < replicas->count);
  replicas->items[index] = replicas->items[--replicas->count];
}

enum ls_status ls_replicas_end(struct ls_replicas *replicas, struct ls_ledger *ledger, size_t index,
                               int which, struct ls_replica_end *end) {
  assert(index < replicas->count && (which == 0 || which == 1));
  struct ls_replica replica = replicas->items[index];
  uint32_t slot = replica.slots[which];
  uint32_t chunk = ls_ledger_holding(ledger, slot, replica.unit);
  struct ls_range unit = {replica.unit, 1}, taken;
  assert(chunk != LS_INDEX_NONE);
  const struct ls_chunk *at = &ledger->chunks[chunk];
  *end = (struct ls_replica_end){.unit = replica.unit,
                                 .slot = slot,
                                 .chunk = at->id,
                                 .was_original = !at->is_replica,
                                 .is_chunk_over = at->units == 1 && !at->is_cancelled};
  enum ls_status status = ls_ledger_take(ledger, chunk, &unit, &taken);
  if (status == LS_OK) ls_replicas_forget(replicas, index);
  return status;
}

bool ls_replicas_are_sound(const struct ls_replicas *replicas, const struct ls_ledger *ledger) {
  for (size_t i = 0; i < replicas->count; i++) {
    const struct ls_replica *replica = &replicas->items[i];
    if (ls_replicas_find(replicas, replica->unit) != i || replica->slots[0] == replica->slots[1] ||
        ledger->state[replica->unit] != LS_UNIT_SENT)
      return false;
    for (int k = 0; k < 2; k++)
      if (ls_ledger_holding(ledger, replica->slots[k], replica->unit) == LS_INDEX_NONE)
        return false;
  }
  return true;
}
