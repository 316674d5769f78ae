/* handle_results.c: a result is accepted once, for units that its worker still owes, and for no
 * other.
 */
#include <float.h>

#include "coordinator/handlers_private.h"

/* What became of the units of one RESULT. */
struct verdicts {
  uint64_t done, failed, failed_finally, attempt;
  uint64_t left;             /* failed, but run at another worker, too */
  uint64_t paused;           /* of the failed ones: they come back later */
  struct ls_piece_list back; /* to wait again, in the order of the chunk */
  uint64_t back_units;
  struct ls_record_entry durations; /* of the whole result */
  bool has_durations, is_report_due;
  bool gives_up; /* the first unit: ends of time stopped it too often */
};

/* Which attempt at the unit this was: 1 is the first. Failures and kills are counted already. */
static uint64_t count_attempts(const struct ls_coordinator *c, uint64_t unit,
                               enum ls_outcome outcome) {
  uint64_t attempts = ls_ledger_failures(&c->ledger, unit) + ls_ledger_kills(&c->ledger, unit);
  /* An end of a worker's time is no failure of its own. */
  return outcome == LS_OUTCOME_DONE || attempts == 0 ? attempts + 1 : attempts;
}

/* Does the SETTLE of these units say the same as the last action, but for the units? */
static bool joins_last(const struct ls_actions *actions, const struct ls_action_settle *last,
                       const struct ls_action_settle *settle) {
  return actions->items[actions->count - 1].kind == LS_ACTION_SETTLE &&
         last->outcome != LS_OUTCOME_GIVEN_UP && last->chunk == settle->chunk &&
         last->outcome == settle->outcome && last->attempt == settle->attempt;
}

/* The SETTLE; it joins the last one where both say the same. */
static inline void add_settlement(struct ls_coordinator *c, uint32_t slot,
                                  const struct ls_action_settle *settle) {
  struct ls_actions *actions = c->actions;
  if (actions->count > 0) {
    struct ls_action_settle *last = &actions->items[actions->count - 1].settle;
    if (joins_last(actions, last, settle)) {
      if (last->units.first + last->units.count == settle->units.first) {
        last->units.count += settle->units.count;
        return;
      }
      if (settle->units.first + settle->units.count == last->units.first) {
        last->units.first = settle->units.first;
        last->units.count += settle->units.count;
        return;
      }
    }
  }
  ls_step_act(c, LS_ACTION_SETTLE, slot)->settle = *settle;
}

static inline void settle(struct ls_coordinator *c, uint32_t slot,
                          struct ls_action_settle *settlement) {
  enum ls_outcome outcome = settlement->outcome;
  ls_ledger_settle(&c->ledger, &settlement->units, outcome);
  if (c->expiries.count > 0)
    ls_expiries_settle(&c->expiries, settlement->units, outcome != LS_OUTCOME_GIVEN_UP);
  settlement->attempt = count_attempts(c, settlement->units.first, outcome);
  add_settlement(c, slot, settlement);
  /* The replicas that lost are stopped behind the result that won. */
  if (c->replicas.count > 0) ls_replica_settle(c, slot, &settlement->units);
}

void ls_result_settle(struct ls_coordinator *c, uint32_t slot, uint64_t chunk,
                      const struct ls_range *units, enum ls_outcome outcome) {
  struct ls_action_settle settlement = {
      .chunk = chunk, .units = {units->first, units->count}, .outcome = outcome};
  settle(c, slot, &settlement);
}

void ls_result_give_up(struct ls_coordinator *c, uint32_t slot, uint64_t chunk,
                       struct ls_range units, bool is_outlasted) {
  struct ls_action_settle settlement = {
      .chunk = chunk, .units = units, .outcome = LS_OUTCOME_GIVEN_UP};
  const struct ls_expiry *expiry = ls_expiries_find(&c->expiries, units.first);
  if (is_outlasted) {
    settlement.ends = expiry->ends;
    settlement.ran_s = expiry->ran_s;
  } else {
    settlement.kills = ls_ledger_kills(&c->ledger, units.first);
  }
  settle(c, slot, &settlement);
}

static void gather(struct ls_coordinator *c, struct ls_range units, struct verdicts *verdicts) {
  enum ls_status status = ls_ledger_gather(&c->ledger, &verdicts->back, units);
  ls_step_fail(c, status);
  if (status == LS_OK) verdicts->back_units += units.count;
}

/* The units are to wait again, but for those that go on at another worker; their number. */
static uint64_t send_back(struct ls_coordinator *c, struct ls_range units,
                          struct verdicts *verdicts) {
  uint64_t before = verdicts->back_units;
  if (c->replicas.count == 0) {
    gather(c, units, verdicts);
    return verdicts->back_units - before;
  }
  for (uint64_t i = 0; i < units.count && !c->has_failed; i++)
    if (!ls_replica_withdraw(c, units.first + i))
      gather(c, (struct ls_range){units.first + i, 1}, verdicts);
  return verdicts->back_units - before;
}

/* The unit is to be tried again later, but where it goes on at another worker: 0. */
static uint64_t pause_unit(struct ls_coordinator *c, uint64_t unit, struct verdicts *verdicts) {
  if (c->replicas.count > 0 && ls_replica_withdraw(c, unit)) return 0;
  ls_retry_pause(c, unit);
  verdicts->paused++;
  return 1;
}

/* A unit that failed.  Of one that runs elsewhere, too, even the last failure is not final: only a
 * valid result wins.  It gets no further replica from then on, so that it is left to another worker
 * but once. */
static void fail_unit(struct ls_coordinator *c, uint32_t slot, uint64_t chunk, uint64_t unit,
                      struct verdicts *verdicts) {
  struct ls_range range = {unit, 1};
  enum ls_status status = ls_ledger_count_failure(&c->ledger, unit, &verdicts->attempt);
  ls_step_fail(c, status);
  if (status != LS_OK) return;
  if (verdicts->attempt <= c->config.retries) {
    uint64_t back =
        c->config.retry_delay_s > 0 ? pause_unit(c, unit, verdicts) : send_back(c, range, verdicts);
    verdicts->failed += back;
    verdicts->left += 1 - back;
  } else if (c->replicas.count > 0 && ls_replica_withdraw(c, unit)) {
    verdicts->left++;
  } else {
    ls_result_settle(c, slot, chunk, &range, LS_OUTCOME_FAILED);
    verdicts->failed_finally++;
  }
}

/* What the result tells of durations; false: nothing. */
static bool read_durations(const struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_result *result, struct ls_record_entry *entry) {
  bool is_told = result->seconds >= 0 && result->seconds <= DBL_MAX;
  bool has_squares = result->squares > 0 && result->squares <= DBL_MAX;
  double mean = result->seconds / (double)result->units.count;
  size_t listed = result->latest_count;
  if (listed > result->units.count) listed = (size_t)result->units.count;
  if (!is_told || result->outcome != LS_OUTCOME_DONE) return false;
  entry->slot = slot;
  entry->units.first = result->units.first;
  entry->units.count = result->units.count;
  entry->seconds = result->seconds;
  entry->squares = has_squares ? result->squares : mean * result->seconds;
  entry->latest = listed > 0 ? result->latest + (result->latest_count - listed) : NULL;
  entry->latest_count = listed;
  entry->speed = ls_step_speed(c, slot);
  return true;
}

/* The durations of those units that are done count. */
static void record(struct ls_coordinator *c, const struct ls_range *done,
                   struct verdicts *verdicts) {
  bool is_due;
  struct ls_record_entry part;
  const struct ls_record_entry *entry = &verdicts->durations;
  if (done->count < entry->units.count) {
    part = ls_record_cut(entry, *done);
    entry = &part;
  }
  /* Of units that are told together nobody knows which one was slow. */
  if (c->config.replication != NULL && done->count == 1)
    ls_replica_learn(c, entry->slot, done->first, entry->seconds);
  if (c->config.learns_speeds && ls_speed_is_learnt(c)) ls_record_compare(&c->record, entry);
  if (c->record.tasks.is_learning) ls_record_time(&c->record, &verdicts->durations, *done);
  double units_before = c->record.slots[entry->slot].units;
  ls_step_fail(c, ls_record_add(&c->record, entry, c->now_s, &is_due));
  ls_weight_note(c, entry->slot, units_before);
  verdicts->is_report_due |= is_due;
  c->is_ranked = false;
}

/* Cancelled units wait again. */
static void accept_cancelled(struct ls_coordinator *c, uint32_t slot,
                             const struct ls_event_result *result, struct ls_range units,
                             struct verdicts *verdicts) {
  if (verdicts->gives_up && units.first == result->units.first) {
    ls_result_give_up(c, slot, result->chunk, (struct ls_range){units.first, 1}, true);
    units = (struct ls_range){units.first + 1, units.count - 1};
  }
  if (units.count > 0) (void)send_back(c, units, verdicts);
}

static void accept(struct ls_coordinator *c, uint32_t slot, const struct ls_event_result *result,
                   const struct ls_range *units, struct verdicts *verdicts) {
  if (result->outcome == LS_OUTCOME_DONE) {
    ls_result_settle(c, slot, result->chunk, units, LS_OUTCOME_DONE);
    verdicts->done += units->count;
    if (verdicts->has_durations) record(c, units, verdicts);
  } else if (result->outcome == LS_OUTCOME_CANCELLED) {
    accept_cancelled(c, slot, result, *units, verdicts);
  } else {
    for (uint64_t i = 0; i < units->count && !c->has_failed; i++)
      fail_unit(c, slot, result->chunk, units->first + i, verdicts);
  }
}

static void note_units(struct ls_coordinator *c, struct ls_note *note, enum ls_note_kind kind,
                       uint64_t units) {
  if (units == 0) return;
  note->kind = kind;
  note->units = units;
  ls_step_note(c, note);
}

static void note_verdicts(struct ls_coordinator *c, uint32_t slot, uint64_t chunk,
                          const struct verdicts *verdicts) {
  const struct ls_ledger *ledger = &c->ledger;
  struct ls_note note = {.worker = slot, .chunk = chunk, .extra = verdicts->attempt};
  note_units(c, &note, LS_NOTE_FAILED_FINALLY, verdicts->failed_finally);
  note_units(c, &note, LS_NOTE_FAILED, verdicts->failed);
  note_units(c, &note, LS_NOTE_LEFT, verdicts->left);
  note.extra = ledger->units - ledger->done - ledger->failed - ledger->given_up;
  note_units(c, &note, LS_NOTE_DONE, verdicts->done);
  note.extra = ls_ledger_waiting(ledger);
  note_units(c, &note, LS_NOTE_BACK, verdicts->back_units + verdicts->paused - verdicts->failed);
}

static void drop(struct ls_coordinator *c, uint32_t slot, uint64_t chunk, uint64_t units) {
  c->results_dropped++;
  c->actions->units_dropped += units;
  ls_step_note(c, &(struct ls_note){
                      .kind = LS_NOTE_DROPPED, .worker = slot, .chunk = chunk, .units = units});
}

/* What waits again waits for somebody who is there. */
static void put_back(struct ls_coordinator *c, struct verdicts *verdicts) {
  c->units_retried += verdicts->failed;
  if (verdicts->back_units == 0) return;
  ls_ledger_return(&c->ledger, &verdicts->back);
  c->has_returned = true;
  ls_request_return(c, verdicts->back_units);
}

/* The live chunk that the result, of units of this iteration, is about, or LS_INDEX_NONE. */
static uint32_t find_chunk(const struct ls_coordinator *c, uint32_t slot,
                           const struct ls_event_result *result) {
  return ls_roster_is_there(&c->roster, slot) ? ls_ledger_find(&c->ledger, slot, result->chunk)
                                              : LS_INDEX_NONE;
}

/* Does each of the units count? */
static bool counts_whole(const struct ls_coordinator *c, uint32_t slot, uint32_t chunk,
                         const struct ls_event_result *result) {
  for (uint64_t i = 0; i < result->units.count; i++) {
    uint64_t unit = result->units.first + i;
    bool is_owed = chunk != LS_INDEX_NONE && ls_ledger_holding(&c->ledger, slot, unit) == chunk;
    if (!is_owed && !ls_result_may_be_late(c, slot, result, unit)) return false;
  }
  return true;
}

/* Units that ended leave room, also for a worker that was refused for want of it. */
static void make_room(struct ls_coordinator *c, uint32_t slot,
                      const struct ls_event_result *result) {
  if (slot >= c->rooms.slots) return;
  bool was_full = c->roster.slots[slot].is_parked && !ls_request_has_room(c, slot);
  ls_rooms_forget(&c->rooms, slot, result->chunk, result->units);
  if (was_full) c->has_returned = true;
}

/* Who had nothing else got the units at once, and began: what their time leaves is a message's. */
static void hear_way(struct ls_coordinator *c, uint32_t slot, const struct ls_chunk *chunk,
                     const struct verdicts *verdicts) {
  bool was_idle =
      chunk->previous == LS_INDEX_NONE && !(c->record.slots[slot].result_s > chunk->sent_s);
  bool was_away = c->roster.slots[slot].away_s > chunk->sent_s;
  if (was_idle && !was_away && verdicts->has_durations && verdicts->durations.seconds > 0)
    ls_recalls_hear(&c->recalls, c->now_s - chunk->sent_s - verdicts->durations.seconds);
}

/* What waited and came back says nothing of when the running unit began. */
static bool is_of_running(const struct ls_coordinator *c, uint32_t slot, uint32_t chunk,
                          const struct ls_event_result *result) {
  return chunk == c->ledger.slots[slot].first &&
         result->units.first <= c->ledger.chunks[chunk].range.first;
}

/* A whole chunk that was taken back before it began was no work of this worker: who gets its units
 * next gets a chunk. */
static void count_unbegun(struct ls_coordinator *c, const struct ls_event_result *result,
                          uint64_t sent, uint64_t back) {
  if (result->outcome != LS_OUTCOME_CANCELLED || result->seconds > 0 || back < sent) return;
  c->chunks_unbegun++;
  c->units_unbegun += sent;
}

/* The units that the chunk holds; their number. */
static uint64_t accept_owed(struct ls_coordinator *c, uint32_t slot, uint32_t chunk,
                            const struct ls_event_result *result, struct verdicts *verdicts) {
  bool is_replica = c->ledger.chunks[chunk].is_replica;
  uint64_t sent = c->ledger.chunks[chunk].units_sent;
  bool is_running = is_of_running(c, slot, chunk, result);
  uint64_t accepted = 0;
  verdicts->has_durations = read_durations(c, slot, result, &verdicts->durations);
  verdicts->durations.is_replica = is_replica;
  hear_way(c, slot, &c->ledger.chunks[chunk], verdicts);
  if (ls_lifetime_has_stopped(c, slot, chunk, result))
    verdicts->gives_up = ls_lifetime_note_end(c, slot, result->units.first, result->seconds);
  /* The chunk is forgotten with its last unit. */
  for (uint64_t left = c->ledger.chunks[chunk].units; left > 0 && accepted < result->units.count;) {
    struct ls_range taken;
    enum ls_status status = ls_ledger_take(&c->ledger, chunk, &result->units, &taken);
    ls_step_fail(c, status);
    if (status != LS_OK || taken.count == 0) break;
    left -= taken.count;
    accepted += taken.count;
    accept(c, slot, result, &taken, verdicts);
  }
  if (c->has_failed) return accepted;
  if (c->config.spares_newcomers) ls_request_reconsider(c, slot);
  if (c->config.spares_newcomers && !c->has_results) c->has_returned = true;
  c->has_results = true;
  ls_recall_reconsider(c, slot);
  ls_request_reconsider_kept(c, slot);
  if (!is_replica) count_unbegun(c, result, sent, verdicts->back_units);
  put_back(c, verdicts);
  if (is_replica) {
    /* Also of a replica whose original came to nothing meanwhile: it was made for that. */
    c->replicas.won += verdicts->done;
  } else {
    c->record.slots[slot].report.units_gone += accepted - verdicts->done;
  }
  if (is_running || result->outcome != LS_OUTCOME_CANCELLED)
    c->record.slots[slot].result_s = c->now_s;
  if (verdicts->is_report_due && ls_roster_is(&c->roster, slot, LS_PRESENCE_ACTIVE))
    ls_request_report(c, slot);
  return accepted;
}

/* A unit that the worker does not owe any more failed there all the same: else one that outlasts
 * its limit wherever it runs would go round for ever.  Where somebody else has it, that decides; a
 * pause that it is in goes on. */
static void fail_late(struct ls_coordinator *c, uint32_t slot, const struct ls_event_result *result,
                      uint64_t unit, struct verdicts *verdicts) {
  uint64_t failures = ls_ledger_failures(&c->ledger, unit);
  bool may_try_again = failures < c->config.retries;
  enum ls_unit_state state = (enum ls_unit_state)c->ledger.state[unit];
  if (state == LS_UNIT_SENT || (state == LS_UNIT_PAUSED && may_try_again)) {
    if (failures <= c->config.retries)
      ls_step_fail(c, ls_ledger_count_failure(&c->ledger, unit, &verdicts->attempt));
    verdicts->left += state == LS_UNIT_SENT;
    verdicts->failed += state == LS_UNIT_PAUSED;
    verdicts->paused += state == LS_UNIT_PAUSED;
    return;
  }
  if (state == LS_UNIT_PAUSED)
    ls_ledger_resume(&c->ledger, unit);
  else
    ls_step_fail(c, ls_ledger_claim(&c->ledger, unit));
  if (!c->has_failed) fail_unit(c, slot, result->chunk, unit, verdicts);
}

static void add_verdicts(struct verdicts *verdicts, const struct verdicts *late) {
  verdicts->done += late->done;
  verdicts->failed += late->failed;
  verdicts->failed_finally += late->failed_finally;
  verdicts->left += late->left;
  verdicts->paused += late->paused;
  verdicts->back_units += late->back_units;
  if (late->attempt > 0) verdicts->attempt = late->attempt;
}

/* Units that the worker does not owe any more, and that are not settled; their number. */
static uint64_t accept_late(struct ls_coordinator *c, uint32_t slot,
                            const struct ls_event_result *result, struct verdicts *verdicts) {
  struct verdicts late = {0};
  uint64_t accepted = 0;
  bool may_be_late = result->chunk == LS_CHUNK_NONE || c->late.count > 0;
  ls_piece_list_init(&late.back);
  for (uint64_t i = 0; i < result->units.count && may_be_late && !c->has_failed; i++) {
    uint64_t unit = result->units.first + i;
    if (ls_result_accept_late(c, slot, result, unit)) {
      late.done++;
    } else if (ls_result_may_fail_late(c, slot, result, unit)) {
      fail_late(c, slot, result, unit, &late);
    } else {
      continue;
    }
    accepted++;
  }
  if (c->has_failed) return accepted;
  put_back(c, &late);
  add_verdicts(verdicts, &late);
  return accepted;
}

/* What has ended without a result is at the worker no more, also where it is back a moment later:
 * its own words and those of who watches it come on different ways. */
static void forget_ended(struct ls_coordinator *c, uint32_t slot,
                         const struct ls_event_result *result) {
  const struct ls_late_entry told = {.chunk = result->chunk, .units = result->units, .slot = slot};
  if (result->outcome == LS_OUTCOME_DONE || c->late.count == 0 || c->has_failed) return;
  ls_step_fail(c, ls_late_forget(&c->late, &c->ledger, &told));
}

static bool has_settled(const struct ls_actions *actions) {
  for (size_t i = 0; i < actions->count; i++)
    if (actions->items[i].kind == LS_ACTION_SETTLE) return true;
  return false;
}

void ls_result_on_result(struct ls_coordinator *c, uint32_t slot,
                         const struct ls_event_result *result) {
  struct ls_event_result cancelled;
  struct verdicts verdicts = {0};
  uint64_t units = result->units.count, accepted = 0;
  if (ls_rooms_are_limited(&c->rooms)) make_room(c, slot, result);
  if (slot >= c->roster.count || units == 0 || !ls_ledger_has(&c->ledger, &result->units)) {
    drop(c, slot, result->chunk, units);
    return;
  }
  uint32_t chunk = find_chunk(c, slot, result);
  /* One output for all of them is of no use where some are settled: the others are as cancelled. */
  if (result->is_whole && result->outcome == LS_OUTCOME_DONE &&
      !counts_whole(c, slot, chunk, result)) {
    cancelled = *result;
    cancelled.outcome = LS_OUTCOME_CANCELLED;
    result = &cancelled;
  }
  ls_piece_list_init(&verdicts.back);
  ls_lane_turn(c, slot, result->units.first);
  if (chunk != LS_INDEX_NONE) accepted = accept_owed(c, slot, chunk, result, &verdicts);
  if (accepted < units && !c->has_failed) accepted += accept_late(c, slot, result, &verdicts);
  forget_ended(c, slot, result);
  if (c->has_failed) return;
  if (accepted > 0 && has_settled(c->actions)) ls_roster_mark(&c->roster, c->now_s);
  if (c->actions->wants_notes) note_verdicts(c, slot, result->chunk, &verdicts);
  if (accepted < units) drop(c, slot, result->chunk, units - accepted);
  if (accepted > 0 && ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING))
    ls_worker_release_leaving(c, slot);
}
