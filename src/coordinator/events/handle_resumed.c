/* handle_resumed.c: workers come back.
 *
 * One whose connection stood has all that it was sent, and what it asked for still stands.  Over a
 * new connection it tells what it has: running, waiting, or done and on its way; what it does not
 * know never arrived, and what it must not have any more is cancelled.  What it may have gone on
 * with is its own again, if nobody else took that.  One that was lost comes back as another worker,
 * in a slot of its own, and keeps what it ran, too.
 */
#include <stdlib.h>

#include "base/array.h"
#include "coordinator/books/holdings.h"
#include "coordinator/handlers_private.h"

/* The unit, which nobody has, is one of this chunk of the slot again. */
static void own(struct ls_coordinator *c, uint32_t slot, uint64_t chunk, uint64_t unit) {
  ls_step_fail(c, ls_ledger_adopt(&c->ledger, slot, chunk, unit, c->now_s));
  ls_rooms_forget(&c->rooms, slot, chunk, (struct ls_range){unit, 1});
  c->visits[slot].has_worked = true;
}

/* The same of one that waits. */
static void adopt(struct ls_coordinator *c, uint32_t slot, uint64_t chunk, uint64_t unit) {
  enum ls_status status = ls_ledger_claim(&c->ledger, unit);
  ls_step_fail(c, status);
  if (status == LS_OK) own(c, slot, chunk, unit);
}

/* What it ran was given back, and nobody took it: it goes on with it.  Else it has it in vain.
 * NULL: it has all, over the same connection. */
static void take_up(struct ls_coordinator *c, uint32_t slot, const struct ls_holdings *holdings) {
  const struct ls_visit *visit = &c->visits[slot];
  if (!visit->has_given_back || !c->is_open || visit->unit >= c->ledger.units) return;
  if (!ls_late_has(&c->late, slot, visit->chunk, visit->unit)) return;
  if (holdings != NULL && !ls_holdings_have(holdings, visit->chunk, visit->unit)) return;
  if (c->ledger.state[visit->unit] != LS_UNIT_WAITING || c->is_stopping) {
    ls_step_act(c, LS_ACTION_CANCEL, slot)->chunk = visit->chunk;
    return;
  }
  adopt(c, slot, visit->chunk, visit->unit);
}

/* The unit, which the slot's worker may have, is its own again; false: it has not. */
static bool take_back(struct ls_coordinator *c, uint32_t slot, const struct ls_holdings *holdings,
                      uint64_t unit) {
  uint64_t chunk = ls_late_find(&c->late, slot, unit);
  bool is_told = holdings == NULL || ls_holdings_have(holdings, chunk, unit);
  if (chunk == LS_LATE_NONE || !is_told) return false;
  own(c, slot, chunk, unit);
  return true;
}

/* What the slot's worker may have gone on with, and nobody took: what it has, running, waiting or
 * done, is its own again; the rest waits in its place.  NULL: it has all, and was recalled. */
static void clear_up(struct ls_coordinator *c, uint32_t slot, const struct ls_holdings *holdings) {
  struct ls_piece_list asked, missing;
  ls_piece_list_init(&asked);
  ls_piece_list_init(&missing);
  ls_ledger_ask(&c->ledger, slot, &asked);
  while (asked.count > 0 && !c->has_failed) {
    struct ls_range range = ls_piece_pop(&c->ledger.pieces, &asked);
    for (uint64_t i = 0; i < range.count && !c->has_failed; i++) {
      struct ls_range unit = {range.first + i, 1};
      if (take_back(c, slot, holdings, unit.first)) continue;
      ls_step_fail(c, ls_ledger_gather(&c->ledger, &missing, unit));
    }
  }
  if (c->has_failed || missing.count == 0) return;
  (void)ls_ledger_put_back(&c->ledger, &missing);
  c->has_returned = true;
}

/* Units of a chunk of the slot that its worker has not. */
struct missing {
  uint32_t chunk;
  struct ls_range units;
};

struct missing_list {
  struct missing *items;
  size_t count, capacity;
};

static void add_missing(struct ls_coordinator *c, struct missing_list *list,
                        const struct missing *missing) {
  void *items = list->items;
  enum ls_status status =
      ls_array_reserve(&items, &list->capacity, list->count + 1, sizeof *list->items);
  list->items = items;
  ls_step_fail(c, status);
  if (status == LS_OK) list->items[list->count++] = *missing;
}

/* In the order of the slot; the caller's. */
static struct missing_list find_missing(struct ls_coordinator *c, uint32_t slot,
                                        const struct ls_holdings *holdings) {
  struct missing_list list = {0};
  for (uint32_t i = c->ledger.slots[slot].first; i != LS_INDEX_NONE; i = c->ledger.chunks[i].next) {
    const struct ls_chunk *chunk = &c->ledger.chunks[i];
    uint32_t cursor = LS_INDEX_NONE;
    struct ls_range range;
    while (!c->has_failed && ls_ledger_next_range(&c->ledger, chunk, &cursor, &range)) {
      uint64_t end = range.first + range.count;
      struct ls_range gap = ls_holdings_find_gap(holdings, chunk->id, range);
      while (gap.count > 0 && !c->has_failed) {
        add_missing(c, &list, &(struct missing){i, gap});
        gap.first += gap.count;
        gap.count = end - gap.first;
        if (gap.count > 0) gap = ls_holdings_find_gap(holdings, chunk->id, gap);
      }
    }
  }
  return list;
}

/* Units that the worker has not never arrived, or their result is on its way: they go back. */
static uint64_t take_missing(struct ls_coordinator *c, uint32_t slot,
                             const struct ls_holdings *holdings) {
  struct ls_piece_list back;
  struct ls_range taken;
  uint64_t before = ls_ledger_waiting(&c->ledger);
  struct missing_list list = find_missing(c, slot, holdings);
  ls_piece_list_init(&back);
  for (size_t k = 0; k < list.count && !c->has_failed; k++) {
    uint32_t chunk = list.items[k].chunk;
    const struct ls_late_entry entry = {
        .chunk = c->ledger.chunks[chunk].id, .units = list.items[k].units, .slot = slot};
    enum ls_status status = ls_late_add(&c->late, &c->ledger, &entry);
    if (status == LS_OK) status = ls_ledger_take(&c->ledger, chunk, &entry.units, &taken);
    for (uint64_t i = 0; i < entry.units.count && status == LS_OK; i++)
      if (!ls_replica_withdraw(c, entry.units.first + i))
        status = ls_ledger_gather(&c->ledger, &back, (struct ls_range){entry.units.first + i, 1});
    ls_step_fail(c, status);
  }
  free(list.items);
  if (!c->has_failed && back.count > 0) ls_ledger_return(&c->ledger, &back);
  return ls_ledger_waiting(&c->ledger) - before;
}

/* What the worker has and must not have any more is cancelled, or called back where a part of the
 * chunk is still its own: it has all of that.  What was cancelled before is cancelled again: that
 * word may have been on its way over the connection that is gone. */
static void cancel_unwanted(struct ls_coordinator *c, uint32_t slot,
                            const struct ls_holdings *holdings) {
  bool is_recalled = false;
  for (size_t i = 0; i < holdings->count;) {
    uint64_t id = holdings->items[i].chunk, units = ls_holdings_count_chunk(holdings, &i);
    uint32_t chunk = ls_ledger_find(&c->ledger, slot, id);
    if (chunk == LS_INDEX_NONE || c->ledger.chunks[chunk].is_cancelled)
      ls_step_act(c, LS_ACTION_CANCEL, slot)->chunk = id;
    else
      is_recalled = is_recalled || units > c->ledger.chunks[chunk].units;
  }
  if (is_recalled) (void)ls_step_act(c, LS_ACTION_RECALL, slot);
}

/* A worker that is lost by now ran the unit, it waits, and this one says that it has it still.  The
 * master's book is walked, not the worker's words: those may be as many as they like. */
static const struct ls_late_entry *find_kept(const struct ls_coordinator *c,
                                             const struct ls_holdings *holdings) {
  for (size_t i = 0; i < c->late.count; i++) {
    const struct ls_late_entry *entry = &c->late.entries[i];
    uint64_t unit = entry->units.first; /* one alone runs */
    if (entry->slot != LS_INDEX_NONE || !entry->has_run) continue;
    if (c->ledger.state[unit] == LS_UNIT_WAITING && ls_holdings_have(holdings, entry->chunk, unit))
      return entry;
  }
  return NULL;
}

/* Is this the lost worker that may have some of the units that wait? */
static bool recognise(struct ls_coordinator *c, uint32_t slot, const struct ls_holdings *holdings) {
  if (ls_ledger_doubtful(&c->ledger) == 0) return false;
  for (size_t i = 0; i < c->late.count; i++) {
    const struct ls_late_entry *entry = &c->late.entries[i];
    for (uint64_t k = 0; entry->slot == LS_INDEX_NONE && k < entry->units.count; k++) {
      uint64_t unit = entry->units.first + k;
      if (c->ledger.state[unit] == LS_UNIT_WAITING &&
          ls_holdings_have(holdings, entry->chunk, unit) &&
          ls_ledger_recognise(&c->ledger, slot, unit))
        return true;
    }
  }
  return false;
}

void ls_absence_on_returned(struct ls_coordinator *c, uint32_t slot,
                            const struct ls_event_joined *joined) {
  struct ls_holdings holdings;
  bool may_keep = c->is_open && !c->is_stopping;
  ls_step_fail(c, ls_holdings_open(&holdings, joined->held, joined->held_count));
  if (may_keep && !c->has_failed && recognise(c, slot, &holdings)) clear_up(c, slot, &holdings);
  const struct ls_late_entry *kept = may_keep ? find_kept(c, &holdings) : NULL;
  if (kept != NULL) adopt(c, slot, kept->chunk, kept->units.first);
  if (!c->has_failed) cancel_unwanted(c, slot, &holdings);
  ls_holdings_close(&holdings);
}

/* The worker told what it has; its connection, and what it asked for, are new. */
static void reconcile(struct ls_coordinator *c, uint32_t slot, const struct ls_holdings *holdings) {
  ls_roster_unpark(&c->roster, slot);
  c->visits[slot].recalled = 0; /* the order may be lost */
  c->recalls.is_due = true;
  uint64_t units = take_missing(c, slot, holdings);
  ls_rooms_vacate(&c->rooms, slot);
  cancel_unwanted(c, slot, holdings);
  ls_return_repeat(c, slot);
  if (units == 0) return;
  c->has_returned = true;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_BACK,
                                    .worker = slot,
                                    .units = units,
                                    .extra = ls_ledger_waiting(&c->ledger)});
  ls_request_return(c, units);
}

/* Somebody else has its place meanwhile: what it runs is welcome, and then it goes.  Who came by
 * itself, and was not missed, has no other's place. */
static bool is_in_excess(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_visit *visit = &c->visits[slot];
  bool is_filled = ls_roster_active(&c->roster) >= c->roster.wanted;
  return (visit->was_asked_for && ls_worker_is_surplus(c)) || (visit->was_replaced && is_filled);
}

/* `holdings`: NULL: over the same connection it has all. */
static void come_back(struct ls_coordinator *c, uint32_t slot, const struct ls_holdings *holdings) {
  bool is_known = holdings != NULL || c->visits[slot].reason == LS_AWAY_SILENT;
  take_up(c, slot, holdings);
  if (is_known && !c->is_stopping)
    clear_up(c, slot, holdings);
  else if (ls_ledger_trust(&c->ledger, slot))
    c->has_returned = true;
  if (is_in_excess(c, slot)) {
    if (holdings != NULL) reconcile(c, slot, holdings);
    if (c->has_failed) return;
    ls_absence_on_leaving(c, slot);
    return;
  }
  uint64_t owed = holdings != NULL ? 0 : c->roster.slots[slot].owed_units;
  ls_worker_move(c, slot, LS_PRESENCE_ACTIVE);
  ls_record_begin(&c->record, slot, c->now_s, false);
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_RESUMED, .worker = slot});
  ls_request_tell(c, slot, LS_CHUNKING_RESUMED, 0);
  c->recalls.is_due = true; /* what it had may be settled, and its request still stands */
  if (holdings != NULL) reconcile(c, slot, holdings);
  ls_absence_wake(c, slot);
  if (owed == 0) return;
  (void)ls_roster_greet(&c->roster, slot);
  ls_roster_park(&c->roster, slot, owed);
  c->has_returned = true;
}

void ls_absence_on_resumed(struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_resumed *resumed) {
  struct ls_holdings holdings = {0};
  if (resumed->is_told)
    ls_step_fail(c, ls_holdings_open(&holdings, resumed->held, resumed->held_count));
  const struct ls_holdings *told = resumed->is_told ? &holdings : NULL;
  if (c->has_failed) {
    /* There is no memory for it. */
  } else if (ls_roster_is(&c->roster, slot, LS_PRESENCE_ACTIVE) && told != NULL) {
    reconcile(c, slot, told);
  } else if (ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED)) {
    come_back(c, slot, told);
  } else if (ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING) && told != NULL) {
    /* It ends what it has, and goes; what is not wanted of that it need not end, and what it has
     * not is not to wait until then. */
    reconcile(c, slot, told);
    if (!c->has_failed) ls_worker_release_leaving(c, slot);
  } else if (!(resumed->stood_s > 0)) {
    ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_IGNORED, .worker = slot});
  }
  bool is_there = ls_roster_is(&c->roster, slot, LS_PRESENCE_ACTIVE) ||
                  ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING);
  if (is_there && resumed->stood_s > 0)
    ls_roster_stood(&c->roster, slot, resumed->stood_s, c->now_s);
  ls_holdings_close(&holdings);
}
