/* handle_absence.c: workers are suspended, fall silent, and leave slowly.
 *
 * What waits at a worker that is away, or leaves, waits for the others at once.  What runs there
 * stays a possible result: an idle worker that finds nothing else gets a replica of it, and after
 * as long as the unit takes it waits again, too; whoever is done first settles it.  One that fell
 * silent, or was cut off, goes on with all that it has, so that the others get that last
 * (docs/decisions/0018).  A worker that was away for so long that another one costs no more is
 * lost.  For the policies a suspended or leaving worker is a lost one.
 */
#include <math.h>

#include "coordinator/handlers_private.h"

static struct ls_chunk *get_running(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  return at->chunks > 0 ? &c->ledger.chunks[at->first] : NULL;
}

double ls_absence_expect(const struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  const struct ls_record_slot *record = &c->record.slots[slot];
  double expected_s = ls_record_expect(&c->record, unit) / ls_step_speed(c, slot);
  if (!isnan(expected_s)) return expected_s;
  if (record->units > 0) return record->seconds / record->units;
  if (c->record.seen.units > 0) return c->record.seen.seconds / (double)c->record.seen.units;
  return (double)NAN;
}

static double get_silence(const struct ls_coordinator *c, uint32_t slot) {
  return ls_patience_silence(&c->patience, c->visits[slot].answer_s);
}

/* What runs there now, and how long it takes. */
static void look_at_running(struct ls_coordinator *c, uint32_t slot) {
  struct ls_visit *visit = &c->visits[slot];
  const struct ls_chunk *running = get_running(c, slot);
  visit->expected_s = (double)NAN;
  visit->ran_s = 0;
  visit->has_given_back = visit->was_replaced = false;
  if (running == NULL) return;
  visit->expected_s = ls_absence_expect(c, slot, running->range.first);
  visit->ran_s = c->now_s - fmax(running->sent_s, c->record.slots[slot].result_s);
}

/* The part of a chunk left the slot without a result, which may come late.  A worker that is away
 * has it until it says otherwise. */
static void remember_range(struct ls_coordinator *c, const struct ls_late_entry *entry) {
  bool keeps_room = ls_rooms_are_limited(&c->rooms) &&
                    ls_roster_is(&c->roster, entry->slot, LS_PRESENCE_SUSPENDED);
  if (entry->units.count == 0) return;
  ls_step_fail(c, ls_late_add(&c->late, &c->ledger, entry));
  for (uint64_t k = 0; k < entry->units.count && keeps_room && !c->has_failed; k++)
    ls_step_fail(
        c, ls_rooms_keep(&c->rooms,
                         &(struct ls_remnant){entry->chunk, entry->units.first + k, entry->slot}));
}

/* The first unit of the oldest chunk runs. */
static void remember(struct ls_coordinator *c, uint32_t slot, bool is_running_kept) {
  const struct ls_ledger *ledger = &c->ledger;
  uint32_t first = ledger->slots[slot].first;
  for (uint32_t i = first; i != LS_INDEX_NONE && !c->has_failed; i = ledger->chunks[i].next) {
    uint32_t cursor = LS_INDEX_NONE;
    struct ls_late_entry entry = {.chunk = ledger->chunks[i].id, .slot = slot};
    bool is_first = i == first;
    while (!c->has_failed &&
           ls_ledger_next_range(ledger, &ledger->chunks[i], &cursor, &entry.units)) {
      if (is_first) {
        struct ls_late_entry running = {entry.chunk, {entry.units.first, 1}, slot, true};
        if (!is_running_kept) remember_range(c, &running);
        entry.units = (struct ls_range){entry.units.first + 1, entry.units.count - 1};
        is_first = false;
      }
      if (!c->has_failed) remember_range(c, &entry);
    }
  }
}

void ls_absence_remember(struct ls_coordinator *c, uint32_t slot) {
  remember(c, slot, false);
}

/* ---- limits ---- */

/* When what runs at a worker that is away, or leaves, is given back. */
static double find_return_s(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_visit *visit = &c->visits[slot];
  double silence_s = get_silence(c, slot);
  /* Behind a stop, and in a planned order, a worker that leaves is waited for as the others are. */
  bool is_awaited = (c->is_stopping || ls_return_is_ordered(c)) &&
                    ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING);
  if (get_running(c, slot) == NULL || is_awaited || c->config.is_once) return HUGE_VAL;
  return c->roster.slots[slot].away_s +
         ls_patience_return(silence_s, visit->expected_s, visit->ran_s);
}

static double find_replacement_s(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_roster_slot *at = &c->roster.slots[slot];
  double grant_s = ls_patience_grant(&c->patience);
  bool is_kept = c->visits[slot].has_lifeline && c->visits[slot].reason == LS_AWAY_STOPPED;
  /* Nobody takes the place of one who came beyond those that are wanted. */
  bool is_missed = ls_roster_active(&c->roster) < c->roster.wanted;
  bool may_be_replaced = is_missed && !at->is_replaced && !is_kept && grant_s > 0 &&
                         c->config.replacing != LS_REPLACING_NEVER;
  return may_be_replaced ? at->away_s + grant_s : HUGE_VAL;
}

/* A local worker that somebody stopped keeps its place, unless somebody told how long. */
static double find_lost_s(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_roster_slot *at = &c->roster.slots[slot];
  const struct ls_visit *visit = &c->visits[slot];
  bool is_leaving = at->presence == LS_PRESENCE_LEAVING;
  bool is_watched = visit->has_lifeline && !(c->patience.patience_s > 0);
  if (is_watched || (is_leaving && visit->has_lifeline)) return HUGE_VAL;
  double patience_s = ls_patience_loss(&c->patience, get_silence(c, slot), visit->expected_s);
  double since_s = is_leaving ? at->heard_s : at->away_s;
  return fmax(since_s, c->patience.judged_from_s) + patience_s;
}

static double find_silent_s(const struct ls_coordinator *c, uint32_t slot) {
  if (c->visits[slot].has_lifeline) return HUGE_VAL;
  return fmax(c->roster.slots[slot].heard_s, c->patience.judged_from_s) + get_silence(c, slot);
}

/* When one that is active is to be looked at next.  More often than every quarter of the limit
 * would not find the silent much earlier; more rarely than every half of it, a driver that stood
 * still until its workers had given up on it would not be late enough to know that. */
static double find_look_s(const struct ls_coordinator *c, uint32_t slot) {
  double silent_s = find_silent_s(c, slot), silence_s = get_silence(c, slot);
  if (!isfinite(silent_s)) return HUGE_VAL;
  return fmin(fmax(silent_s, c->now_s + silence_s / 4), c->now_s + silence_s / 2);
}

void ls_absence_give_back(struct ls_coordinator *c, uint32_t slot) {
  struct ls_visit *visit = &c->visits[slot];
  const struct ls_chunk *running = get_running(c, slot);
  visit->has_given_back = true;
  visit->chunk = running->id;
  visit->unit = running->range.first;
  uint64_t units = ls_worker_withdraw(c, slot, true);
  c->has_returned = true;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_BACK,
                                    .worker = slot,
                                    .chunk = visit->chunk,
                                    .units = units,
                                    .extra = ls_ledger_waiting(&c->ledger)});
  ls_request_return(c, units);
}

/* ---- away ---- */

/* What waits at the slot waits for the others; the number of units. */
static uint64_t take_waiting(struct ls_coordinator *c, uint32_t slot) {
  struct ls_piece_list back;
  uint64_t before = ls_ledger_waiting(&c->ledger);
  remember(c, slot, true);
  ls_replica_leave_waiting(c, slot);
  ls_piece_list_init(&back);
  enum ls_status status = ls_ledger_withdraw_waiting(&c->ledger, slot, &back);
  ls_step_fail(c, status);
  if (status == LS_OK) ls_worker_take_back(c, slot, &back, ls_absence_is_doubtful(c, slot));
  return ls_ledger_waiting(&c->ledger) - before;
}

static void note(struct ls_coordinator *c, enum ls_note_kind kind, uint32_t slot, uint64_t units) {
  ls_step_note(
      c,
      &(struct ls_note){
          .kind = kind, .worker = slot, .units = units, .extra = (uint64_t)c->visits[slot].reason});
}

static void suspend(struct ls_coordinator *c, uint32_t slot,
                    const struct ls_event_suspended *suspended) {
  uint64_t held = c->ledger.slots[slot].units, units;
  /* In a planned order of results nobody waits for one who is away. */
  bool is_vacated = suspended->is_vacated || ls_return_is_ordered(c);
  look_at_running(c, slot);
  c->visits[slot].reason = suspended->reason;
  if (is_vacated) ls_worker_cancel(c, slot);
  ls_worker_move(c, slot, LS_PRESENCE_SUSPENDED);
  if (is_vacated) {
    c->roster.slots[slot].owed_units = 0; /* it forgets what it asked for */
    units = ls_worker_withdraw(c, slot, false);
    ls_rooms_vacate(&c->rooms, slot); /* nothing may be heard of them */
    if (units > 0 && !suspended->is_vacated) ls_return_on_vacated(c);
  } else {
    units = take_waiting(c, slot);
    if (held > c->ledger.slots[slot].units) (void)ls_step_act(c, LS_ACTION_RECALL, slot);
  }
  c->has_returned = true;
  note(c, LS_NOTE_SUSPENDED, slot, units);
  ls_request_tell(c, slot, LS_CHUNKING_LOST, units);
}

/* While the driver stood still its workers gave up on it: they are back over new connections as
 * soon as they can, and until then no more is known of them than that they are silent. */
static bool is_excused(const struct ls_coordinator *c, uint32_t slot, enum ls_away reason) {
  double judged_from_s = c->patience.judged_from_s;
  return reason == LS_AWAY_CUT && judged_from_s > 0 &&
         c->now_s < judged_from_s + get_silence(c, slot);
}

void ls_absence_on_suspended(struct ls_coordinator *c, uint32_t slot,
                             const struct ls_event_suspended *suspended) {
  if (is_excused(c, slot, suspended->reason)) {
    ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_IGNORED, .worker = slot});
    return;
  }
  suspend(c, slot, suspended);
  ls_absence_wake(c, slot);
}

void ls_absence_on_changed(struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_suspended *suspended) {
  c->visits[slot].reason = suspended->reason;
  if (suspended->is_vacated && c->ledger.slots[slot].units > 0) ls_absence_give_back(c, slot);
  /* It stands still, or has nothing any more: nobody goes on with what it had. */
  bool is_doubtful = ls_absence_is_doubtful(c, slot) && !suspended->is_vacated;
  if (!is_doubtful && ls_ledger_trust(&c->ledger, slot)) c->has_returned = true;
  if (!suspended->is_vacated) return;
  /* There is nothing to take up again. */
  c->visits[slot].has_given_back = false;
  c->roster.slots[slot].owed_units = 0;
  ls_rooms_vacate(&c->rooms, slot);
}

void ls_absence_on_leaving(struct ls_coordinator *c, uint32_t slot) {
  bool was_active = c->roster.is_present[slot];
  if (was_active) look_at_running(c, slot);
  ls_worker_move(c, slot, LS_PRESENCE_LEAVING);
  /* Out of an absence it does not come back for what waited there. */
  (void)ls_ledger_trust(&c->ledger, slot);
  /* Results that it holds for their turn look as if they waited. */
  uint64_t units = ls_return_is_ordered(c) ? 0 : take_waiting(c, slot);
  note(c, LS_NOTE_LEAVING, slot, c->ledger.slots[slot].units);
  if (was_active)
    ls_request_tell(c, slot, LS_CHUNKING_LOST, units);
  else
    ls_request_return(c, units);
  c->has_returned = true;
  ls_worker_release_leaving(c, slot);
  ls_absence_wake(c, slot);
  ls_worker_request(c);
  ls_worker_await(c);
}

/* ---- the time comes ---- */

/* What is due of a worker that is away, or leaves; when the next thing is. */
static double look_at_absent(struct ls_coordinator *c, uint32_t slot) {
  bool is_suspended = ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED);
  if (find_lost_s(c, slot) <= c->now_s) {
    bool is_told = is_suspended && c->visits[slot].reason <= LS_AWAY_STOPPED;
    ls_worker_lose(c, slot, is_told ? LS_LOSS_RECLAIMED : LS_LOSS_SILENT);
    return HUGE_VAL;
  }
  if (find_return_s(c, slot) <= c->now_s) ls_absence_give_back(c, slot);
  if (is_suspended && find_replacement_s(c, slot) <= c->now_s) {
    ls_roster_replace(&c->roster, slot);
    c->visits[slot].was_replaced = ls_roster_missing(&c->roster) > 0;
    /* Nobody waits for it any more with what would outlast the others. */
    if (c->expiries.count > 0) c->has_returned = true;
    ls_worker_request(c);
  }
  double next_s = fmin(find_lost_s(c, slot), find_return_s(c, slot));
  return is_suspended ? fmin(next_s, find_replacement_s(c, slot)) : next_s;
}

/* When the slot is to be looked at next; HUGE_VAL: never. */
static double look_at(struct ls_coordinator *c, uint32_t slot) {
  enum ls_presence presence = c->roster.slots[slot].presence;
  if (presence == LS_PRESENCE_ACTIVE) {
    if (find_silent_s(c, slot) > c->now_s) return find_look_s(c, slot);
    suspend(c, slot, &(struct ls_event_suspended){.reason = LS_AWAY_SILENT});
    presence = c->roster.slots[slot].presence;
  }
  bool is_absent = presence == LS_PRESENCE_SUSPENDED || presence == LS_PRESENCE_LEAVING;
  return is_absent ? look_at_absent(c, slot) : HUGE_VAL;
}

double ls_absence_look(struct ls_coordinator *c) {
  double next_s = HUGE_VAL;
  for (uint32_t i = 0; i < c->roster.count; i++) next_s = fmin(next_s, look_at(c, i));
  while (ls_ledger_trust_overdue(&c->ledger, c->now_s)) c->has_returned = true;
  return fmin(next_s, ls_ledger_overdue_s(&c->ledger));
}

/* One that was given up since nothing was heard of it may go on, too, for as long as it tries to
 * come back. */
void ls_absence_orphan(struct ls_coordinator *c, uint32_t slot) {
  double silence_s = get_silence(c, slot);
  double until_s = c->roster.slots[slot].away_s + ls_patience_homing(&c->patience, silence_s);
  ls_ledger_orphan(&c->ledger, slot, until_s);
}

void ls_absence_wake(struct ls_coordinator *c, uint32_t slot) {
  if (c->is_finished) return;
  enum ls_presence presence = c->roster.slots[slot].presence;
  double next_s = HUGE_VAL;
  if (presence == LS_PRESENCE_ACTIVE) {
    next_s = find_look_s(c, slot);
  } else if (presence == LS_PRESENCE_SUSPENDED || presence == LS_PRESENCE_LEAVING) {
    next_s = fmin(find_lost_s(c, slot), find_return_s(c, slot));
    if (presence == LS_PRESENCE_SUSPENDED) next_s = fmin(next_s, find_replacement_s(c, slot));
  }
  ls_step_wake(c, next_s);
}

void ls_absence_on_heartbeat(struct ls_coordinator *c, double heartbeat_s) {
  if (!(c->patience.heartbeat_s > 0)) return;
  c->patience.heartbeat_s = heartbeat_s;
  for (uint32_t i = 0; i < c->roster.count; i++) ls_absence_wake(c, i);
}
