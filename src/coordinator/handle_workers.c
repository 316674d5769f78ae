/* handle_workers.c: workers join, leave, fall silent, are suspended and come back.
 *
 * For the policies a suspended or leaving worker is a lost one: its units and what was reserved for
 * it must be free for the others meanwhile.
 */
#include <math.h>

#include "coordinator/coordinator_private.h"

static void note(struct ls_coordinator *c, enum ls_note_kind kind, uint32_t slot, uint64_t units) {
  ls_step_note(c, &(struct ls_note){.kind = kind, .worker = slot, .units = units});
}

static void move(struct ls_coordinator *c, uint32_t slot, enum ls_presence presence) {
  bool was_active = c->roster.is_present[slot];
  ls_roster_move(&c->roster, slot, presence, c->now_s);
  bool is_active = presence == LS_PRESENCE_ACTIVE;
  c->is_ranked = false;
  if (was_active != is_active) c->was_changed = true;
  if (is_active && c->config.silence_s > 0) ls_step_wake(c, c->now_s + c->config.silence_s);
}

void ls_worker_await(struct ls_coordinator *c) {
  uint32_t slot;
  if (c->policy == NULL) return;
  while ((slot = ls_roster_find_forsaken(&c->roster)) != LS_WORKER_NONE) {
    (void)ls_roster_stop_awaiting(&c->roster, slot);
    c->has_returned = true;
    ls_request_tell(c, slot, LS_CHUNKING_LOST, 0);
  }
}

/* A sizing wants fewer workers by now than when it asked for this one. */
static bool is_surplus(const struct ls_coordinator *c) {
  return c->config.sizing != NULL && c->is_open && !c->is_stopping &&
         ls_roster_active(&c->roster) >= c->roster.wanted;
}

static void note_release(struct ls_coordinator *c, uint32_t slot) {
  ls_step_act(c, LS_ACTION_RELEASE, slot)->was_silent = false;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_RELEASED,
                                    .worker = slot,
                                    .units = ls_roster_active(&c->roster),
                                    .extra = c->roster.wanted});
}

static void admit(struct ls_coordinator *c, uint32_t slot) {
  ls_rooms_vacate(&c->rooms, slot);
  /* What was measured of a slot's former worker is not known of this one. */
  if (!ls_roster_is(&c->roster, slot, LS_PRESENCE_ABSENT))
    c->weights[slot] = ls_step_weight(c, slot);
  move(c, slot, LS_PRESENCE_ACTIVE);
  ls_record_begin(&c->record, slot, c->now_s, true);
  ls_step_note(c,
               &(struct ls_note){
                   .kind = LS_NOTE_JOINED, .worker = slot, .extra = ls_roster_active(&c->roster)});
  ls_request_tell(c, slot, LS_CHUNKING_JOINED, 0);
  if (c->is_finished) ls_step_act(c, LS_ACTION_RELEASE, slot)->was_silent = false;
}

void ls_worker_on_joined(struct ls_coordinator *c, uint32_t slot) {
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
  bool was_asked_for = ls_roster_expect_fewer(&c->roster);
  ls_worker_await(c);
  if (!was_asked_for || !is_surplus(c)) {
    admit(c, slot);
    return;
  }
  /* It goes as it has come: for the sizing, the workers of the iteration were the same throughout.
   */
  move(c, slot, LS_PRESENCE_RELEASED);
  note_release(c, slot);
  c->has_returned = true;
  if (was_awaited) ls_request_tell(c, slot, LS_CHUNKING_LOST, 0);
}

/* The unit that ran when its worker died is blamed; one that killed too many is given up, here and
 * wherever else it runs. */
static void blame(struct ls_coordinator *c, uint32_t slot, uint64_t unit) {
  struct ls_range range = {unit, 1}, taken;
  uint32_t chunk = c->ledger.slots[slot].first;
  uint64_t id = c->ledger.chunks[chunk].id, kills = 0;
  if (c->config.kills_max == 0) return;
  enum ls_status status = ls_ledger_count_kill(&c->ledger, unit, &kills);
  if (status == LS_OK && kills < c->config.kills_max) return;
  if (status == LS_OK) status = ls_ledger_take(&c->ledger, chunk, &range, &taken);
  ls_step_fail(c, status);
  if (status != LS_OK) return;
  ls_result_settle(c, slot, id, range, LS_OUTCOME_GIVEN_UP);
  ls_step_note(
      c, &(struct ls_note){
             .kind = LS_NOTE_GIVEN_UP, .worker = slot, .chunk = id, .units = unit, .extra = kills});
}

/* The units of the slot's worker wait again; their number. */
static uint64_t withdraw(struct ls_coordinator *c, uint32_t slot) {
  struct ls_piece_list back;
  uint64_t units = c->ledger.slots[slot].units;
  ls_piece_list_init(&back);
  enum ls_status status = ls_ledger_withdraw(&c->ledger, slot, &back);
  ls_step_fail(c, status);
  if (status == LS_OK && units > 0) ls_ledger_return(&c->ledger, &back);
  return units;
}

/* A worker loses what it holds; the units that wait again. */
static uint64_t lose_units(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  const struct ls_ledger_slot *at = &c->ledger.slots[slot];
  bool is_blamed = at->chunks > 0 && cause == LS_LOSS_CRASHED;
  uint64_t chunk = at->chunks > 0 ? c->ledger.chunks[at->first].id : 0;
  uint64_t running = at->chunks > 0 ? c->ledger.chunks[at->first].range.first : 0;
  /* Also where it runs elsewhere, too: else one that kills its workers is replicated for ever. */
  bool is_elsewhere = is_blamed && ls_replicas_have(&c->replicas, running);
  if (is_elsewhere) blame(c, slot, running);
  /* Units that also run elsewhere are not lost. */
  if (c->replicas.count > 0) ls_replica_leave(c, slot);
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_LOST,
                                    .worker = slot,
                                    .chunk = chunk,
                                    .units = at->units,
                                    .extra = (uint64_t)cause});
  if (is_blamed && !is_elsewhere && !c->has_failed) blame(c, slot, running);
  return withdraw(c, slot);
}

static void lose_present(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  bool was_active = c->roster.is_present[slot];
  move(c, slot, LS_PRESENCE_LOST);
  uint64_t units = lose_units(c, slot, cause);
  /* The policy took a leaving worker for lost already. */
  if (was_active) {
    ls_request_tell(c, slot, LS_CHUNKING_LOST, units);
  } else {
    ls_request_return(c, units);
  }
}

/* A suspended worker has nothing; one that never came may have a share kept for it. */
static void lose_absent(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  bool was_suspended = c->roster.slots[slot].presence == LS_PRESENCE_SUSPENDED;
  bool was_awaited = ls_roster_stop_awaiting(&c->roster, slot);
  move(c, slot, LS_PRESENCE_LOST);
  if (!was_suspended) {
    (void)ls_roster_expect_fewer(&c->roster);
    if (was_awaited) ls_request_tell(c, slot, LS_CHUNKING_LOST, 0);
  }
  ls_step_note(c,
               &(struct ls_note){.kind = LS_NOTE_LOST, .worker = slot, .extra = (uint64_t)cause});
}

/* `is_overdue`: the coordinator itself noticed it; the worker may hang, and is told to go. */
static void lose(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause, bool is_overdue) {
  enum ls_presence presence = c->roster.slots[slot].presence;
  if (presence == LS_PRESENCE_LOST || presence == LS_PRESENCE_RELEASED) {
    note(c, LS_NOTE_IGNORED, slot, 0);
    return;
  }
  c->lost++;
  if (presence == LS_PRESENCE_ACTIVE || presence == LS_PRESENCE_LEAVING) {
    lose_present(c, slot, cause);
  } else {
    lose_absent(c, slot, cause);
  }
  c->has_returned = true; /* units that a policy reserved for it are free now, too */
  if (is_overdue) ls_step_act(c, LS_ACTION_RELEASE, slot)->was_silent = true;
  ls_worker_request(c);
  ls_worker_await(c);
}

void ls_worker_on_lost(struct ls_coordinator *c, uint32_t slot, enum ls_loss cause) {
  enum ls_status status = ls_step_add_slots(c, (size_t)slot + 1);
  ls_step_fail(c, status);
  if (status == LS_OK) lose(c, slot, cause, false);
}

void ls_worker_cancel(struct ls_coordinator *c, uint32_t slot) {
  for (uint32_t i = c->ledger.slots[slot].first; i != LS_INDEX_NONE; i = c->ledger.chunks[i].next) {
    struct ls_chunk *chunk = &c->ledger.chunks[i];
    if (chunk->is_cancelled) continue;
    chunk->is_cancelled = true;
    ls_step_act(c, LS_ACTION_CANCEL, slot)->chunk = chunk->id;
  }
}

void ls_worker_on_suspended(struct ls_coordinator *c, uint32_t slot) {
  ls_worker_cancel(c, slot);
  move(c, slot, LS_PRESENCE_SUSPENDED);
  if (c->replicas.count > 0) ls_replica_leave(c, slot);
  uint64_t units = withdraw(c, slot);
  ls_rooms_vacate(&c->rooms, slot); /* nothing may be heard of them */
  c->has_returned = true;
  note(c, LS_NOTE_SUSPENDED, slot, units);
  ls_request_tell(c, slot, LS_CHUNKING_LOST, units);
  if (c->config.suspension_s > 0) ls_step_wake(c, c->now_s + c->config.suspension_s);
}

void ls_worker_on_resumed(struct ls_coordinator *c, uint32_t slot) {
  if (!ls_roster_is(&c->roster, slot, LS_PRESENCE_SUSPENDED)) {
    note(c, LS_NOTE_IGNORED, slot, 0);
    return;
  }
  if (is_surplus(c)) {
    move(c, slot, LS_PRESENCE_RELEASED);
    note_release(c, slot);
    return;
  }
  move(c, slot, LS_PRESENCE_ACTIVE);
  ls_record_begin(&c->record, slot, c->now_s, false);
  note(c, LS_NOTE_RESUMED, slot, 0);
  ls_request_tell(c, slot, LS_CHUNKING_RESUMED, 0);
}

/* Units that wait there come back as CANCELLED by the worker's own message; running ones go on. */
void ls_worker_on_leaving(struct ls_coordinator *c, uint32_t slot) {
  move(c, slot, LS_PRESENCE_LEAVING);
  note(c, LS_NOTE_LEAVING, slot, c->ledger.slots[slot].units);
  ls_request_tell(c, slot, LS_CHUNKING_LOST, 0);
  c->has_returned = true;
  ls_worker_release_leaving(c, slot);
  ls_worker_request(c);
  ls_worker_await(c);
}

void ls_worker_release_leaving(struct ls_coordinator *c, uint32_t slot) {
  if (!ls_roster_is(&c->roster, slot, LS_PRESENCE_LEAVING) || c->ledger.slots[slot].units > 0)
    return;
  move(c, slot, LS_PRESENCE_RELEASED);
  note_release(c, slot);
}

void ls_worker_on_timer(struct ls_coordinator *c) {
  double next_s = HUGE_VAL;
  c->wake_s = HUGE_VAL;
  for (uint32_t i = 0; i < c->roster.count; i++) {
    double due_s = ls_roster_limit_s(&c->roster, i, c->config.silence_s, c->config.suspension_s);
    bool is_away = c->roster.slots[i].presence == LS_PRESENCE_SUSPENDED;
    if (due_s <= c->now_s) {
      lose(c, i, is_away ? LS_LOSS_RECLAIMED : LS_LOSS_SILENT, true);
    } else if (isfinite(due_s)) {
      /* Looking more often than every quarter of the limit would not find the silent much earlier.
       */
      next_s = fmin(next_s, is_away ? due_s : fmax(due_s, c->now_s + c->config.silence_s / 4));
    }
  }
  if (c->config.deadline_s > 0 && !c->is_stopping) {
    if (c->config.deadline_s <= c->now_s) {
      ls_iteration_stop(c, false);
    } else {
      next_s = fmin(next_s, c->config.deadline_s);
    }
  }
  ls_step_wake(c, next_s);
}

void ls_worker_request(struct ls_coordinator *c) {
  size_t missing = ls_roster_missing(&c->roster);
  if (c->is_finished || c->is_stopping || missing == 0) return;
  if (c->has_started && ls_ledger_is_settled(&c->ledger)) return;
  c->roster.requested += missing;
  ls_step_act(c, LS_ACTION_REQUEST_WORKERS, LS_WORKER_NONE)->workers = missing;
  ls_step_note(c, &(struct ls_note){.kind = LS_NOTE_WANTED,
                                    .worker = LS_WORKER_NONE,
                                    .units = missing,
                                    .extra = c->roster.wanted});
}

/* The slowest of those that are there; of equal ones the highest slot. */
static uint32_t find_slowest(const struct ls_coordinator *c) {
  uint32_t slowest = LS_WORKER_NONE;
  for (uint32_t i = 0; i < c->roster.count; i++) {
    if (!c->roster.is_present[i]) continue;
    if (slowest == LS_WORKER_NONE || ls_step_speed(c, i) <= ls_step_speed(c, slowest)) slowest = i;
  }
  return slowest;
}

void ls_worker_release(struct ls_coordinator *c, uint32_t slot) {
  assert(c->ledger.slots[slot].chunks == 0);
  move(c, slot, LS_PRESENCE_RELEASED);
  note_release(c, slot);
}

void ls_worker_release_surplus(struct ls_coordinator *c) {
  assert(c->ledger.sent == 0);
  if (c->config.sizing == NULL) return;
  while (ls_roster_active(&c->roster) > c->roster.wanted) ls_worker_release(c, find_slowest(c));
}

void ls_worker_introduce(struct ls_coordinator *c) {
  ls_roster_await(&c->roster, c->config.workers);
  for (uint32_t i = 0; i < c->view.slots; i++) {
    /* Units that were finished before are no news to it. */
    ls_record_begin(&c->record, i, c->now_s, false);
    if (!c->roster.is_counted[i]) ls_request_tell(c, i, LS_CHUNKING_LOST, 0);
  }
}
