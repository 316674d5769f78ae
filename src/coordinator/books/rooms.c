#include "coordinator/books/rooms.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"

void ls_rooms_close(struct ls_rooms *rooms) {
  free(rooms->free);
  free(rooms->remnants);
  *rooms = (struct ls_rooms){0};
}

enum ls_status ls_rooms_add_slots(struct ls_rooms *rooms, size_t slots) {
  void *items = rooms->free;
  if (!ls_rooms_are_limited(rooms) || slots <= rooms->slots) return LS_OK;
  enum ls_status status = ls_array_reserve(&items, &rooms->capacity, slots, sizeof *rooms->free);
  rooms->free = items;
  for (size_t i = rooms->slots; i < slots && status == LS_OK; i++) rooms->free[i] = UINT64_MAX;
  if (status == LS_OK) rooms->slots = slots;
  return status;
}

static uint64_t count_remnants(const struct ls_rooms *rooms, uint32_t slot) {
  uint64_t count = 0;
  for (size_t i = 0; i < rooms->remnants_count; i++) count += rooms->remnants[i].slot == slot;
  return count;
}

uint64_t ls_rooms_measure(struct ls_rooms *rooms, uint32_t slot, uint64_t units) {
  assert(slot < rooms->slots);
  uint64_t most = UINT64_MAX;
  if (slot < rooms->told_count) {
    const struct ls_room *room = &rooms->told[slot];
    if (room->chunk_units > 0) most = room->chunk_units;
    uint64_t held = units + count_remnants(rooms, slot);
    uint64_t left = held < room->units ? room->units - held : 0;
    if (room->units > 0 && left < most) most = left;
  }
  rooms->free[slot] = most;
  return most;
}

enum ls_status ls_rooms_keep(struct ls_rooms *rooms, const struct ls_remnant *remnant) {
  if (!ls_rooms_are_limited(rooms)) return LS_OK;
  void *items = rooms->remnants;
  enum ls_status status = ls_array_reserve(&items, &rooms->remnants_capacity,
                                           rooms->remnants_count + 1, sizeof *rooms->remnants);
  rooms->remnants = items;
  if (status == LS_OK) rooms->remnants[rooms->remnants_count++] = *remnant;
  return status;
}

void ls_rooms_forget(struct ls_rooms *rooms, uint32_t slot, uint64_t chunk, struct ls_range units) {
  size_t kept = 0;
  for (size_t i = 0; i < rooms->remnants_count; i++) {
    const struct ls_remnant *remnant = &rooms->remnants[i];
    bool is_told = remnant->slot == slot && remnant->chunk == chunk &&
                   remnant->unit >= units.first && remnant->unit - units.first < units.count;
    if (!is_told) rooms->remnants[kept++] = *remnant;
  }
  rooms->remnants_count = kept;
}

void ls_rooms_vacate(struct ls_rooms *rooms, uint32_t slot) {
  size_t kept = 0;
  for (size_t i = 0; i < rooms->remnants_count; i++)
    if (rooms->remnants[i].slot != slot) rooms->remnants[kept++] = rooms->remnants[i];
  rooms->remnants_count = kept;
}

bool ls_rooms_are_sound(const struct ls_rooms *rooms) {
  if (!ls_rooms_are_limited(rooms) && rooms->remnants_count > 0) return false;
  for (size_t i = 0; i < rooms->remnants_count; i++) {
    const struct ls_remnant *remnant = &rooms->remnants[i];
    if (remnant->slot >= rooms->slots) return false;
    for (size_t k = 0; k < i; k++) {
      const struct ls_remnant *other = &rooms->remnants[k];
      if (other->slot == remnant->slot && other->chunk == remnant->chunk &&
          other->unit == remnant->unit)
        return false;
    }
  }
  return true;
}
