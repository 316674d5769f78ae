#include "coordinator/books/late.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void ls_late_close(struct ls_late *late) {
  free(late->entries);
  *late = (struct ls_late){0};
}

void ls_late_clear(struct ls_late *late) {
  late->count = late->present = 0;
}

static bool is_settled(const struct ls_ledger *ledger, const struct ls_range *units) {
  for (uint64_t i = 0; i < units->count; i++)
    if (ledger->state[units->first + i] < LS_UNIT_DONE) return false;
  return true;
}

static size_t count_present(const struct ls_late *late) {
  size_t present = 0;
  for (size_t i = 0; i < late->count; i++) present += late->entries[i].slot != LS_INDEX_NONE;
  return present;
}

bool ls_late_is_sound(const struct ls_late *late) {
  return late->count <= LS_LATE_MAX && late->present == count_present(late);
}

/* Half of them go, if need be, so that this is done seldom. */
static void make_room(struct ls_late *late, const struct ls_ledger *ledger) {
  size_t kept = 0;
  for (size_t i = 0; i < late->count; i++)
    if (!is_settled(ledger, &late->entries[i].units)) late->entries[kept++] = late->entries[i];
  if (kept > LS_LATE_MAX / 2) {
    size_t surplus = kept - LS_LATE_MAX / 2;
    kept -= surplus;
    memmove(late->entries, late->entries + surplus, kept * sizeof *late->entries);
  }
  late->count = kept;
  late->present = count_present(late);
}

enum ls_status ls_late_add(struct ls_late *late, const struct ls_ledger *ledger,
                           const struct ls_late_entry *entry) {
  void *entries = late->entries;
  enum ls_status status =
      ls_array_reserve(&entries, &late->capacity, LS_LATE_MAX, sizeof *late->entries);
  late->entries = entries;
  if (status != LS_OK) return status;
  if (late->count == LS_LATE_MAX) make_room(late, ledger);
  late->entries[late->count++] = *entry;
  late->present += entry->slot != LS_INDEX_NONE;
  return LS_OK;
}

/* The newest first: a pool that replaces its workers for ever has few that are there. */
void ls_late_free(struct ls_late *late, uint32_t slot) {
  size_t present = late->present;
  for (size_t i = late->count; i > 0 && present > 0; i--) {
    struct ls_late_entry *entry = &late->entries[i - 1];
    if (entry->slot == LS_INDEX_NONE) continue;
    present--;
    if (entry->slot != slot) continue;
    entry->slot = LS_INDEX_NONE;
    late->present--;
  }
}

static bool is_of(const struct ls_late_entry *entry, uint32_t slot, uint64_t unit) {
  bool is_its_own = entry->slot == slot || entry->slot == LS_INDEX_NONE;
  return is_its_own && unit >= entry->units.first && unit - entry->units.first < entry->units.count;
}

uint64_t ls_late_find(const struct ls_late *late, uint32_t slot, uint64_t unit) {
  for (size_t i = late->count; i > 0; i--)
    if (is_of(&late->entries[i - 1], slot, unit)) return late->entries[i - 1].chunk;
  return LS_LATE_NONE;
}

bool ls_late_has(const struct ls_late *late, uint32_t slot, uint64_t chunk, uint64_t unit) {
  for (size_t i = 0; i < late->count; i++)
    if (late->entries[i].chunk == chunk && is_of(&late->entries[i], slot, unit)) return true;
  return false;
}

bool ls_late_is_known(const struct ls_late *late, uint32_t slot, uint64_t chunk, uint64_t unit) {
  for (size_t i = 0; i < late->count; i++) {
    const struct ls_late_entry *entry = &late->entries[i];
    if (entry->chunk == chunk && entry->slot == slot && is_of(entry, slot, unit)) return true;
  }
  return false;
}

/* Both are not empty. */
static bool do_meet(const struct ls_range *a, const struct ls_range *b) {
  return a->first < b->first + b->count && b->first < a->first + a->count;
}

enum ls_status ls_late_forget(struct ls_late *late, const struct ls_ledger *ledger,
                              const struct ls_late_entry *told) {
  uint64_t told_end = told->units.first + told->units.count;
  for (size_t i = late->count; i > 0; i--) {
    struct ls_late_entry *entry = &late->entries[i - 1];
    bool is_its_own = entry->slot == told->slot || entry->slot == LS_INDEX_NONE;
    if (entry->chunk != told->chunk || !is_its_own || !do_meet(&entry->units, &told->units))
      continue;
    struct ls_late_entry behind = *entry;
    uint64_t end = entry->units.first + entry->units.count;
    entry->units.count =
        told->units.first > entry->units.first ? told->units.first - entry->units.first : 0;
    behind.units = (struct ls_range){told_end, end > told_end ? end - told_end : 0};
    if (entry->units.count == 0 && behind.units.count > 0) {
      *entry = behind;
    } else if (entry->units.count == 0) {
      late->present -= entry->slot != LS_INDEX_NONE;
      late->count--;
      memmove(entry, entry + 1, (late->count - (i - 1)) * sizeof *entry);
    } else if (behind.units.count > 0) {
      /* A unit is in a chunk once: there is no other entry of these. */
      return ls_late_add(late, ledger, &behind);
    }
  }
  return LS_OK;
}
