/* handle_resumed.c: workers come back.
 *
 * One whose connection stood has all that it was sent, and what it asked for still stands.  Over a
 * new connection it tells what it has: what it does not know never arrived, or is done and on its
 * way; what it must not have any more is cancelled.
 */
#include "coordinator/coordinator_private.h"

/* Is the unit among what the worker says that it has? */
static bool is_held(const struct ls_event_resumed *resumed, uint64_t chunk, uint64_t unit) {
  for (size_t i = 0; i < resumed->held_count; i++) {
    const struct ls_event_held *held = &resumed->held[i];
    if (held->chunk == chunk && unit >= held->units.first &&
        unit - held->units.first < held->units.count)
      return true;
  }
  return false;
}

/* What it ran was given back, and nobody took it: it goes on with it.  Else it has it in vain. */
static void take_up(struct ls_coordinator *c, uint32_t slot,
                    const struct ls_event_resumed *resumed) {
  const struct ls_visit *visit = &c->visits[slot];
  if (!visit->has_given_back || !c->is_open || visit->unit >= c->ledger.units) return;
  if (!ls_late_has(&c->late, slot, visit->chunk, visit->unit)) return;
  if (resumed->is_told && !is_held(resumed, visit->chunk, visit->unit)) return;
  if (c->ledger.state[visit->unit] != LS_UNIT_WAITING || c->is_stopping) {
    ls_step_act(c, LS_ACTION_CANCEL, slot)->chunk = visit->chunk;
    return;
  }
  enum ls_status status = ls_ledger_claim(&c->ledger, visit->unit);
  if (status == LS_OK)
    status = ls_ledger_adopt(&c->ledger, slot, visit->chunk, visit->unit, c->now_s);
  ls_step_fail(c, status);
  ls_rooms_forget(&c->rooms, slot, visit->chunk, (struct ls_range){visit->unit, 1});
}

/* The first units of the range that are not held; count 0: all are. */
static struct ls_range find_gap(const struct ls_event_resumed *resumed, uint64_t chunk,
                                struct ls_range range) {
  uint64_t end = range.first + range.count, first = range.first;
  for (size_t i = 0; i < resumed->held_count; i++) {
    const struct ls_event_held *held = &resumed->held[i];
    if (held->chunk != chunk || first < held->units.first ||
        first - held->units.first >= held->units.count)
      continue;
    first = held->units.first + held->units.count;
    i = SIZE_MAX; /* another one may go on from there */
    if (first >= end) return (struct ls_range){end, 0};
  }
  for (size_t i = 0; i < resumed->held_count; i++) {
    const struct ls_event_held *held = &resumed->held[i];
    if (held->chunk == chunk && held->units.first > first && held->units.first < end)
      end = held->units.first;
  }
  return (struct ls_range){first, end - first};
}

/* The first units of the slot that its worker has not; LS_INDEX_NONE: it has all. */
static uint32_t find_missing(const struct ls_coordinator *c, uint32_t slot,
                             const struct ls_event_resumed *resumed, struct ls_range *missing) {
  for (uint32_t i = c->ledger.slots[slot].first; i != LS_INDEX_NONE; i = c->ledger.chunks[i].next) {
    const struct ls_chunk *chunk = &c->ledger.chunks[i];
    uint32_t cursor = LS_INDEX_NONE;
    struct ls_range range;
    while (ls_ledger_next_range(&c->ledger, chunk, &cursor, &range)) {
      *missing = find_gap(resumed, chunk->id, range);
      if (missing->count > 0) return i;
    }
  }
  return LS_INDEX_NONE;
}

/* Units that the worker has not never arrived, or their result is on its way: they go back. */
static uint64_t take_missing(struct ls_coordinator *c, uint32_t slot,
                             const struct ls_event_resumed *resumed) {
  struct ls_piece_list back;
  struct ls_range missing, taken;
  uint64_t before = c->ledger.waiting.units;
  uint32_t chunk;
  ls_piece_list_init(&back);
  while (!c->has_failed && (chunk = find_missing(c, slot, resumed, &missing)) != LS_INDEX_NONE) {
    enum ls_status status = ls_late_add(
        &c->late, &c->ledger, &(struct ls_late_entry){c->ledger.chunks[chunk].id, missing, slot});
    if (status == LS_OK) status = ls_ledger_take(&c->ledger, chunk, &missing, &taken);
    for (uint64_t i = 0; i < missing.count && status == LS_OK; i++)
      if (!ls_replica_withdraw(c, missing.first + i))
        status = ls_ledger_gather(&c->ledger, &back, (struct ls_range){missing.first + i, 1});
    ls_step_fail(c, status);
  }
  if (!c->has_failed && back.count > 0) ls_ledger_return(&c->ledger, &back);
  return c->ledger.waiting.units - before;
}

/* What the worker has and must not have any more is cancelled, or called back where a part of the
 * chunk is still its own. */
static void cancel_unwanted(struct ls_coordinator *c, uint32_t slot,
                            const struct ls_event_resumed *resumed) {
  bool is_recalled = false;
  for (size_t i = 0; i < resumed->held_count; i++) {
    const struct ls_event_held *held = &resumed->held[i];
    uint32_t chunk = ls_ledger_find(&c->ledger, slot, held->chunk);
    if (chunk == LS_INDEX_NONE) {
      bool is_next = i > 0 && held[-1].chunk == held->chunk;
      if (!is_next) ls_step_act(c, LS_ACTION_CANCEL, slot)->chunk = held->chunk;
      continue;
    }
    for (uint64_t k = 0; k < held->units.count && !is_recalled; k++)
      is_recalled = ls_ledger_holding(&c->ledger, slot, held->units.first + k) != chunk;
  }
  if (is_recalled) (void)ls_step_act(c, LS_ACTION_RECALL, slot);
}

/* The worker told what it has; its connection, and what it asked for, are new. */
static void reconcile(struct ls_coordinator *c, uint32_t slot,
                      const struct ls_event_resumed *resumed) {
  ls_roster_unpark(&c->roster, slot);
  uint64_t units = take_missing(c, slot, resumed);
  ls_rooms_vacate(&c->rooms, slot);
  cancel_unwanted(c, slot, resumed);
  if (units == 0) return;
  c->has_returned = true;
  ls_step_note(
      c,
      &(struct ls_note){
          .kind = LS_NOTE_BACK, .worker = slot, .units = units, .extra = c->ledger.waiting.units});
  ls_request_return(c, units);
}

/* Somebody else has its place meanwhile: what it runs is welcome, and then it goes. */
static bool is_in_excess(const struct ls_coordinator *c, uint32_t slot) {
  return ls_worker_is_surplus(c) ||
         (c->roster.slots[slot].is_replaced && ls_roster_active(&c->roster) >= c->roster.wanted);
}

void ls_absence_on_resumed(struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_resumed *resumed) {
  if (ls_roster_is(&c->roster, slot, LS_PRESENCE_ACTIVE) && resumed->is_told) {
    reconcile(c, slot, resumed);
    return;
  }
  if (!ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED)) {
    ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_IGNORED, .worker = slot});
    return;
  }
  take_up(c, slot, resumed);
  if (is_in_excess(c, slot)) {
    if (resumed->is_told) reconcile(c, slot, resumed);
    if (c->has_failed) return;
    ls_absence_on_leaving(c, slot);
    return;
  }
  uint64_t owed = resumed->is_told ? 0 : c->roster.slots[slot].owed_units;
  ls_worker_move(c, slot, LS_PRESENCE_ACTIVE);
  ls_record_begin(&c->record, slot, c->now_s, false);
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_RESUMED, .worker = slot});
  ls_request_tell(c, slot, LS_CHUNKING_RESUMED, 0);
  if (resumed->is_told) reconcile(c, slot, resumed);
  ls_absence_wake(c, slot);
  if (owed == 0) return;
  (void)ls_roster_greet(&c->roster, slot);
  ls_roster_park(&c->roster, slot, owed);
  c->has_returned = true;
}
