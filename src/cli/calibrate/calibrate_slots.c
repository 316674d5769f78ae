#include "cli/calibrate/calibrate_slots.h"

#include <stdlib.h>

enum ls_status ls_probe_slots_open(struct ls_probe_slots *slots, size_t count,
                                   struct ls_error *err) {
  struct ls_probe_slot *items = calloc(count, sizeof *items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  for (size_t i = 0; i < count; i++) items[i].number = i;
  *slots = (struct ls_probe_slots){.items = items, .count = count};
  return LS_OK;
}

void ls_probe_slots_close(struct ls_probe_slots *slots) {
  free(slots->items);
  *slots = (struct ls_probe_slots){.items = NULL};
}

size_t ls_probe_slots_in(const struct ls_probe_slots *slots, enum ls_probe_state state) {
  size_t count = 0;
  for (size_t i = 0; i < slots->count; i++) count += slots->items[i].state == state;
  return count;
}

static void enter(struct ls_probe_slots *slots, struct ls_probe_slot *slot,
                  enum ls_probe_state state) {
  slot->state = state;
  slot->turn = ++slots->turns;
}

/* The one that has been in this state longest; NULL: none is. */
static struct ls_probe_slot *find_first(const struct ls_probe_slots *slots,
                                        enum ls_probe_state state) {
  struct ls_probe_slot *first = NULL;
  for (size_t i = 0; i < slots->count; i++) {
    struct ls_probe_slot *slot = &slots->items[i];
    if (slot->state == state && (first == NULL || slot->turn < first->turn)) first = slot;
  }
  return first;
}

void ls_probe_slots_reap(struct ls_probe_slots *slots, const struct ls_probe_world *world) {
  for (size_t i = 0; i < slots->count; i++) {
    struct ls_probe_slot *slot = &slots->items[i];
    if (slot->state != LS_PROBE_BUSY) continue;
    double now_s = world->now_s(world->context);
    if (!world->has_ended(world->context, slot)) continue;
    slot->end_s = now_s;
    enter(slots, slot, LS_PROBE_ENDED);
  }
}

enum ls_status ls_probe_slots_fill(struct ls_probe_slots *slots, const struct ls_probe_world *world,
                                   struct ls_error *err) {
  struct ls_probe_slot *slot;
  while ((slot = find_first(slots, LS_PROBE_IDLE)) != NULL) {
    bool is_started = false;
    enum ls_status status = world->start(world->context, slot, &is_started, err);
    if (status != LS_OK || !is_started) return status;
    enter(slots, slot, LS_PROBE_BUSY);
    ls_probe_slots_reap(slots, world);
  }
  return LS_OK;
}

struct ls_probe_slot *ls_probe_slots_take(struct ls_probe_slots *slots) {
  struct ls_probe_slot *slot = find_first(slots, LS_PROBE_ENDED);
  if (slot != NULL) enter(slots, slot, LS_PROBE_IDLE);
  return slot;
}
