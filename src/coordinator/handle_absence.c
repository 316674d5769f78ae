/* handle_absence.c: workers are suspended, fall silent, leave slowly, and come back.
 *
 * What waits at a worker that is away, or leaves, waits for the others at once.  What runs there
 * stays a possible result: an idle worker that finds nothing else gets a replica of it, and after
 * as long as the unit takes it waits again, too; whoever is done first settles it.  A worker that
 * was away for so long that another one costs no more is lost.  For the policies a suspended or
 * leaving worker is a lost one.
 */
#include <math.h>

#include "coordinator/coordinator_private.h"

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
  visit->has_given_back = false;
  if (running == NULL) return;
  visit->expected_s = ls_absence_expect(c, slot, running->range.first);
  visit->ran_s = c->now_s - fmax(running->sent_s, c->record.slots[slot].result_s);
}

/* Units leave the slot without a result, which may come late.  A worker that is away has them until
 * it says otherwise. */
static void remember(struct ls_coordinator *c, uint32_t slot, bool is_running_kept) {
  const struct ls_ledger *ledger = &c->ledger;
  uint32_t first = ledger->slots[slot].first;
  bool keeps_room =
      ls_rooms_are_limited(&c->rooms) && ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED);
  for (uint32_t i = first; i != LS_INDEX_NONE && !c->has_failed; i = ledger->chunks[i].next) {
    uint32_t cursor = LS_INDEX_NONE;
    struct ls_range range;
    bool is_first = is_running_kept && i == first;
    while (!c->has_failed && ls_ledger_next_range(ledger, &ledger->chunks[i], &cursor, &range)) {
      if (is_first) range = (struct ls_range){range.first + 1, range.count - 1};
      is_first = false;
      if (range.count == 0) continue;
      ls_step_fail(c, ls_late_add(&c->late, ledger,
                                  &(struct ls_late_entry){ledger->chunks[i].id, range, slot}));
      for (uint64_t k = 0; k < range.count && keeps_room && !c->has_failed; k++)
        ls_step_fail(c, ls_rooms_keep(&c->rooms, &(struct ls_remnant){ledger->chunks[i].id,
                                                                      range.first + k, slot}));
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
  if (get_running(c, slot) == NULL || is_awaited) return HUGE_VAL;
  return c->roster.slots[slot].away_s +
         ls_patience_return(silence_s, visit->expected_s, visit->ran_s);
}

static double find_replacement_s(const struct ls_coordinator *c, uint32_t slot) {
  const struct ls_roster_slot *at = &c->roster.slots[slot];
  double grant_s = ls_patience_grant(&c->patience);
  bool is_kept = c->visits[slot].has_lifeline && c->visits[slot].reason == LS_AWAY_STOPPED;
  return at->is_replaced || is_kept || !(grant_s > 0) ? HUGE_VAL : at->away_s + grant_s;
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
                                    .extra = c->ledger.waiting.units});
  ls_request_return(c, units);
}

/* ---- away ---- */

/* What waits at the slot waits for the others; the number of units. */
static uint64_t take_waiting(struct ls_coordinator *c, uint32_t slot) {
  struct ls_piece_list back;
  uint64_t before = c->ledger.waiting.units;
  remember(c, slot, true);
  ls_replica_leave_waiting(c, slot);
  ls_piece_list_init(&back);
  enum ls_status status = ls_ledger_withdraw_waiting(&c->ledger, slot, &back);
  ls_step_fail(c, status);
  if (status == LS_OK && back.count > 0) ls_ledger_return(&c->ledger, &back);
  return c->ledger.waiting.units - before;
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
  } else {
    units = take_waiting(c, slot);
    if (held > c->ledger.slots[slot].units) (void)ls_step_act(c, LS_ACTION_RECALL, slot);
  }
  c->has_returned = true;
  note(c, LS_NOTE_SUSPENDED, slot, units);
  ls_request_tell(c, slot, LS_CHUNKING_LOST, units);
}

void ls_absence_on_suspended(struct ls_coordinator *c, uint32_t slot,
                             const struct ls_event_suspended *suspended) {
  suspend(c, slot, suspended);
  ls_absence_wake(c, slot);
}

void ls_absence_on_leaving(struct ls_coordinator *c, uint32_t slot) {
  bool was_active = c->roster.is_present[slot];
  if (was_active) look_at_running(c, slot);
  ls_worker_move(c, slot, LS_PRESENCE_LEAVING);
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
    ls_worker_request(c);
  }
  double next_s = fmin(find_lost_s(c, slot), find_return_s(c, slot));
  return is_suspended ? fmin(next_s, find_replacement_s(c, slot)) : next_s;
}

/* When the slot is to be looked at next; HUGE_VAL: never. */
static double look_at(struct ls_coordinator *c, uint32_t slot) {
  enum ls_presence presence = c->roster.slots[slot].presence;
  if (presence == LS_PRESENCE_ACTIVE) {
    double silent_s = find_silent_s(c, slot);
    /* Looking more often than every quarter of the limit would not find the silent much earlier. */
    if (silent_s > c->now_s) return fmax(silent_s, c->now_s + get_silence(c, slot) / 4);
    suspend(c, slot, &(struct ls_event_suspended){.reason = LS_AWAY_SILENT});
    presence = c->roster.slots[slot].presence;
  }
  bool is_absent = presence == LS_PRESENCE_SUSPENDED || presence == LS_PRESENCE_LEAVING;
  return is_absent ? look_at_absent(c, slot) : HUGE_VAL;
}

double ls_absence_look(struct ls_coordinator *c) {
  double next_s = HUGE_VAL;
  for (uint32_t i = 0; i < c->roster.count; i++) next_s = fmin(next_s, look_at(c, i));
  return next_s;
}

void ls_absence_wake(struct ls_coordinator *c, uint32_t slot) {
  if (c->is_finished) return;
  enum ls_presence presence = c->roster.slots[slot].presence;
  double next_s = HUGE_VAL;
  if (presence == LS_PRESENCE_ACTIVE) {
    next_s = find_silent_s(c, slot);
  } else if (presence == LS_PRESENCE_SUSPENDED || presence == LS_PRESENCE_LEAVING) {
    next_s = fmin(find_lost_s(c, slot), find_return_s(c, slot));
    if (presence == LS_PRESENCE_SUSPENDED) next_s = fmin(next_s, find_replacement_s(c, slot));
  }
  ls_step_wake(c, next_s);
}

/* ---- back ---- */

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
    note(c, LS_NOTE_IGNORED, slot, 0);
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
  note(c, LS_NOTE_RESUMED, slot, 0);
  ls_request_tell(c, slot, LS_CHUNKING_RESUMED, 0);
  if (resumed->is_told) reconcile(c, slot, resumed);
  ls_absence_wake(c, slot);
  if (owed == 0) return;
  (void)ls_roster_greet(&c->roster, slot);
  ls_roster_park(&c->roster, slot, owed);
  c->has_returned = true;
}
