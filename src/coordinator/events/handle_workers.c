/* handle_workers.c: workers come, are lost and are released.
 *
 * Only a process that dies by itself says something of the unit that ran there: who was told to go,
 * was reclaimed or fell silent is no failure of its unit.
 */
#include <math.h>

#include "coordinator/handlers_private.h"
#include "coordinator/running.h"

static void note(struct ls_coordinator *c, enum ls_note_kind kind, uint32_t slot, uint64_t units) {
  ls_step_note(c, &(struct ls_note){.kind = kind, .worker = slot, .units = units});
}

void ls_worker_move(struct ls_coordinator *c, uint32_t slot, enum ls_presence presence) {
  bool was_active = c->roster.is_present[slot];
  ls_roster_move(&c->roster, slot, presence, c->now_s);
  bool is_active = presence == LS_PRESENCE_ACTIVE;
  c->is_ranked = false;
  if (was_active != is_active) c->was_changed = true;
}

static void note_release(struct ls_coordinator *c, uint32_t slot) {
  ls_step_act(c, LS_ACTION_RELEASE, slot)->release = (struct ls_action_release){0};
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_RELEASED,
                                    .worker = slot,
                                    .units = ls_roster_active(&c->roster),
                                    .extra = c->roster.wanted});
}

static void admit(struct ls_coordinator *c, uint32_t slot, const struct ls_visit *visit,
                  const char *labels) {
  ls_rooms_vacate(&c->rooms, slot);
  /* What was measured of a slot's former worker is not known of this one. */
  if (!ls_roster_is(&c->roster, slot, LS_PRESENCE_ABSENT))
    c->weights[slot] = ls_step_weight(c, slot);
  ls_worker_move(c, slot, LS_PRESENCE_ACTIVE);
  c->visits[slot] = *visit;
  ls_lane_admit(c, slot, labels);
  ls_absence_wake(c, slot);
  ls_record_begin(&c->record, slot, c->now_s, true);
  ls_speed_recall(c, slot, visit->place);
  ls_step_note(c,
               &(struct ls_note){
                   .kind = LS_NOTE_JOINED, .worker = slot, .extra = ls_roster_active(&c->roster)});
  ls_request_tell(c, slot, LS_CHUNKING_JOINED, 0);
  if (c->is_finished)
    ls_step_act(c, LS_ACTION_RELEASE, slot)->release = (struct ls_action_release){0};
}

void ls_worker_on_joined(struct ls_coordinator *c, uint32_t slot,
                         const struct ls_event_joined *joined) {
  enum ls_status status = ls_step_add_slots(c, (size_t)slot + 1);
  ls_step_fail(c, status);
  if (status != LS_OK) return;
  enum ls_presence presence = c->roster.slots[slot].presence;
  bool is_free = presence == LS_PRESENCE_ABSENT || presence == LS_PRESENCE_LOST ||
                 presence == LS_PRESENCE_RELEASED;
  if (!is_free) {
    note(c, LS_NOTE_IGNORED, slot, 0);
    return;
  }
  bool was_awaited = ls_roster_stop_awaiting(&c->roster, slot);
  double asked_for_s = ls_patience_join(&c->patience, c->roster.expected, c->now_s);
  bool was_asked_for = ls_roster_expect_fewer(&c->roster);
  struct ls_visit visit = ls_visit_begin(joined, asked_for_s, c->now_s);
  if (joined->lease != 0) c->has_leases = true;
  visit.was_asked_for = was_asked_for;
  ls_worker_await(c);
  if (!was_asked_for || !ls_worker_is_surplus(c)) {
    admit(c, slot, &visit, joined->labels);
    if (joined->held_count > 0 && !c->is_finished) ls_absence_on_returned(c, slot, joined);
    return;
  }
  /* It goes as it has come: for the sizing, the workers of the iteration were the same throughout.
   */
  ls_worker_move(c, slot, LS_PRESENCE_RELEASED);
  note_release(c, slot);
  c->has_returned = true;
  if (was_awaited) ls_request_tell(c, slot, LS_CHUNKING_LOST, 0);
}

/* The units of the task that runs at a slot with chunks. Where it has begun with fewer than it may
 * have, those behind them count as its own: nobody else knows. */
static struct ls_range find_running(const struct ls_coordinator *c, uint32_t slot) {
  struct ls_range running = c->ledger.chunks[c->ledger.slots[slot].first].range;
  uint64_t most = c->config.task_units_max > 1 ? c->config.task_units_max : 1;
  if (running.count > most) running.count = most;
  return running;
}

/* Nobody has a result of the units, which ran there: they are given up. */
static void give_up(struct ls_coordinator *c, uint32_t slot, struct ls_range units,
                    bool is_outlasted) {
  struct ls_range taken;
  uint32_t chunk = c->ledger.slots[slot].first;
  uint64_t id = c->ledger.chunks[chunk].id;
  enum ls_status status = ls_ledger_take(&c->ledger, chunk, &units, &taken);
  ls_step_fail(c, status);
  if (status == LS_OK) ls_result_give_up(c, slot, id, units, is_outlasted);
}

static void give_up_killers(struct ls_coordinator *c, uint32_t slot, struct ls_range units) {
  uint64_t id = c->ledger.chunks[c->ledger.slots[slot].first].id;
  if (units.count == 0 || c->has_failed) return;
  give_up(c, slot, units, false);
  if (c->has_failed) return;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_GIVEN_UP,
                                    .worker = slot,
                                    .chunk = id,
                                    .units = units.first,
                                    .extra = ls_ledger_kills(&c->ledger, units.first)});
}

/* The units that ran when their worker died are blamed; those that killed too many are given up,
 * here and wherever else they run. */
static void blame(struct ls_coordinator *c, uint32_t slot, struct ls_range running) {
  struct ls_range killers = {running.first, 0};
  bool isolates = ls_request_isolates(c), is_group = isolates && running.count > 1;
  uint32_t most = c->config.kills_max;
  if (most == 0) return;
  /* That of its group is none of its own. */
  if (isolates && most < LS_KILLS_MAX) most++;
  for (uint64_t i = 0; i < running.count && !c->has_failed; i++) {
    uint64_t unit = running.first + i, kills = ls_ledger_kills(&c->ledger, unit);
    /* Of a group that is to be looked at one by one nobody is guilty yet. */
    if (!is_group || kills == 0) ls_step_fail(c, ls_ledger_count_kill(&c->ledger, unit, &kills));
    if (!is_group && kills >= most) {
      killers.count++;
    } else {
      give_up_killers(c, slot, killers);
      killers = (struct ls_range){unit + 1, 0};
    }
  }
  give_up_killers(c, slot, killers);
}

void ls_worker_take_back(struct ls_coordinator *c, uint32_t slot, struct ls_piece_list *units,
                         bool is_doubtful) {
  if (units->count == 0) return;
  if (is_doubtful)
    ls_step_fail(c, ls_ledger_doubt(&c->ledger, slot, units));
  else
    ls_ledger_return(&c->ledger, units);
}

static uint64_t withdraw(struct ls_coordinator *c, uint32_t slot, bool is_doubtful) {
  struct ls_piece_list back;
  if (c->replicas.count > 0) ls_replica_leave(c, slot);
  uint64_t units = c->ledger.slots[slot].units;
  ls_piece_list_init(&back);
  enum ls_status status = ls_ledger_withdraw(&c->ledger, slot, &back);
  ls_step_fail(c, status);
  if (status == LS_OK) ls_worker_take_back(c, slot, &back, is_doubtful);
  return units;
}

uint64_t ls_worker_withdraw(struct ls_coordinator *c, uint32_t slot, bool may_come) {
  if (may_come) ls_absence_remember(c, slot);
  return withdraw(c, slot, may_come && ls_absence_is_doubtful(c, slot));
}

/* What ended the worker, as far as its running unit goes; is_presumed: nobody knows that it did. */
struct guilt {
  bool is_of_unit, is_of_time, is_presumed;
};

/* A worker whose time is over took what it ran with it: true, if that is to be given up. */
static bool outlast(struct ls_coordinator *c, uint32_t slot) {
  const struct ls_chunk *chunk = &c->ledger.chunks[c->ledger.slots[slot].first];
  double ran_s = c->now_s - fmax(chunk->sent_s, c->record.slots[slot].result_s);
  return !c->is_stopping && !chunk->is_cancelled &&
         ls_lifetime_note_end(c, slot, chunk->range.first, ran_s);
}

/* A worker loses what it holds; the units that wait again. */
static uint64_t lose_units(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause,
                           struct guilt guilt) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  bool is_outlasted = at->chunks > 0 && guilt.is_of_time && outlast(c, slot);
  bool is_blamed = at->chunks > 0 && cause == LS_LOSS_CRASHED && guilt.is_of_unit;
  uint64_t chunk = at->chunks > 0 ? c->ledger.chunks[at->first].id : 0;
  struct ls_range running = at->chunks > 0 ? find_running(c, slot) : (struct ls_range){0, 0};
  /* Also where it runs elsewhere, too: else one that kills its workers is replicated for ever. */
  bool is_elsewhere = is_blamed && ls_replicas_have(&c->replicas, running.first);
  if (is_elsewhere) blame(c, slot, running);
  ls_absence_remember(c, slot);
  ls_late_free(&c->late, slot);
  /* Units that also run elsewhere are not lost. */
  if (c->replicas.count > 0) ls_replica_leave(c, slot);
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_LOST,
                                    .worker = slot,
                                    .chunk = chunk,
                                    .units = at->units,
                                    .extra = (uint64_t)cause});
  if (is_blamed && !is_elsewhere && !c->has_failed) blame(c, slot, running);
  if (is_outlasted && !c->has_failed) give_up(c, slot, (struct ls_range){running.first, 1}, true);
  /* What waited there stands behind what ran. */
  if (!guilt.is_presumed) (void)ls_ledger_trust(&c->ledger, slot);
  uint64_t units = withdraw(c, slot, guilt.is_presumed);
  if (guilt.is_presumed) ls_absence_orphan(c, slot);
  return units;
}

/* A process that ended after it was told to, or that was stopped, or whose time was over, did not
 * die by itself. */
static struct guilt judge(const struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  bool is_suspended = ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED);
  bool is_over = ls_lifetime_is_over(c, slot);
  bool is_by_itself =
      c->roster.is_present[slot] || (is_suspended && c->visits[slot].reason >= LS_AWAY_SILENT);
  return (struct guilt){.is_of_unit = is_by_itself && !is_over,
                        .is_of_time = is_over && !is_suspended,
                        .is_presumed = cause == LS_LOSS_SILENT && ls_absence_is_doubtful(c, slot)};
}

static void lose_present(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  bool was_active = c->roster.is_present[slot];
  struct guilt guilt = judge(c, slot, cause);
  ls_worker_move(c, slot, LS_PRESENCE_LOST);
  uint64_t units = lose_units(c, slot, cause, guilt);
  /* The policy took a worker that leaves or is suspended for lost already. */
  if (was_active) {
    ls_request_tell(c, slot, LS_CHUNKING_LOST, units);
  } else {
    ls_request_return(c, units);
  }
}

/* One that never came may have a share kept for it. */
static void lose_absent(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  bool was_awaited = ls_roster_stop_awaiting(&c->roster, slot);
  ls_worker_move(c, slot, LS_PRESENCE_LOST);
  (void)ls_patience_join(&c->patience, c->roster.expected, c->now_s);
  (void)ls_roster_expect_fewer(&c->roster);
  if (was_awaited) ls_request_tell(c, slot, LS_CHUNKING_LOST, 0);
  ls_step_note(c,
               &(struct ls_note){.kind = LS_NOTE_LOST, .worker = slot, .extra = (uint64_t)cause});
}

/* `overdue`: the worker is to be told; NULL: it is gone. */
static void lose(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause,
                 const struct ls_action_release *overdue) {
  enum ls_presence presence = c->roster.slots[slot].presence;
  if (presence == LS_PRESENCE_LOST || presence == LS_PRESENCE_RELEASED) {
    note(c, LS_NOTE_IGNORED, slot, 0);
    return;
  }
  c->lost++;
  if (presence == LS_PRESENCE_ABSENT) {
    lose_absent(c, slot, cause);
  } else {
    lose_present(c, slot, cause);
  }
  c->has_returned = true; /* units that a policy reserved for it are free now, too */
  if (overdue != NULL) ls_step_act(c, LS_ACTION_RELEASE, slot)->release = *overdue;
  ls_worker_request(c);
  ls_worker_await(c);
}

/* What ran when the worker was heard last, if it has no result yet: given back since, or there
 * still.
 */
static bool find_last(const struct ls_coordinator *c, uint32_t slot, struct ls_running *running) {
  const struct ls_visit *visit = &c->visits[slot];
  if (ls_coordinator_running(c, slot, running)) return true;
  if (!visit->has_given_back || !c->is_open || visit->unit >= c->ledger.units) return false;
  *running =
      (struct ls_running){visit->chunk, visit->unit, ls_ledger_attempt(&c->ledger, visit->unit)};
  return ls_late_has(&c->late, slot, visit->chunk, visit->unit);
}

void ls_worker_lose(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  struct ls_action_release release = {.was_silent = true};
  release.has_run = find_last(c, slot, &release.running);
  lose(c, slot, cause, &release);
}

void ls_worker_on_lost(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  enum ls_status status = ls_step_add_slots(c, (size_t)slot + 1);
  ls_step_fail(c, status);
  if (status == LS_OK) lose(c, slot, cause, NULL);
  ls_step_wake(c, ls_ledger_overdue_s(&c->ledger));
}

void ls_worker_cancel(struct ls_coordinator *c, uint32_t slot) {
  for (uint32_t i = c->ledger.slots[slot].first; i != LS_INDEX_NONE; i = c->ledger.chunks[i].next) {
    struct ls_chunk *chunk = &c->ledger.chunks[i];
    if (chunk->is_cancelled) continue;
    chunk->is_cancelled = true;
    ls_step_act(c, LS_ACTION_CANCEL, slot)->chunk = chunk->id;
  }
}

void ls_worker_release_leaving(struct ls_coordinator *c, uint32_t slot) {
  if (!ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING) || c->ledger.slots[slot].units > 0)
    return;
  ls_worker_move(c, slot, LS_PRESENCE_RELEASED);
  note_release(c, slot);
}

void ls_worker_on_timer(struct ls_coordinator *c) {
  c->wake_s = HUGE_VAL;
  double next_s = ls_absence_look(c);
  next_s = fmin(next_s, ls_worker_look_at_demand(c));
  next_s = fmin(next_s, ls_lifetime_look(c));
  if (c->recalls.look_s > c->now_s) next_s = fmin(next_s, c->recalls.look_s);
  if (c->config.deadline_s > 0 && !c->is_stopping) {
    if (c->config.deadline_s <= c->now_s) {
      ls_iteration_stop(c, false);
    } else {
      next_s = fmin(next_s, c->config.deadline_s);
    }
  }
  ls_step_wake(c, next_s);
}

void ls_worker_release(struct ls_coordinator *c, uint32_t slot) {
  assert(c->ledger.slots[slot].chunks == 0);
  ls_worker_move(c, slot, LS_PRESENCE_RELEASED);
  note_release(c, slot);
}

void ls_worker_introduce(struct ls_coordinator *c) {
  ls_roster_await(&c->roster, c->config.workers);
  for (uint32_t i = 0; i < c->view.slots; i++) {
    /* Units that were finished before are no news to it. */
    ls_record_begin(&c->record, i, c->now_s, false);
    if (c->crews == NULL && !c->roster.is_counted[i]) ls_request_tell(c, i, LS_CHUNKING_LOST, 0);
  }
  if (c->crews != NULL) ls_lane_introduce(c);
}
