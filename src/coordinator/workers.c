/* workers.c: workers join, leave, fall silent, are suspended and come back.
 *
 * For the policies a suspended worker is a lost one, and a resumed one joins: its units and what
 * was reserved for it must be free for the others meanwhile.
 */
#include <math.h>

#include "coordinator/coordinator_private.h"

static void ignore(struct ls_coordinator *c, uint32_t worker) {
  assert(c->actions != NULL);
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_IGNORED, .worker = worker});
}

/* Numbers below `members_seen` are looked at by everything that walks over the workers. */
static void see(struct ls_coordinator *c, uint32_t worker) {
  assert(worker < c->config.workers_max);
  if (worker >= c->members_seen) c->members_seen = worker + 1;
}

static void arrive(struct ls_coordinator *c, uint32_t worker) {
  assert(!c->is_active[worker]);
  ls_worker_count_time(c);
  c->members[worker].presence = LS_PRESENCE_ACTIVE;
  c->members[worker].heard_s = c->now_s;
  c->members[worker].has_asked = false;
  c->newcomers++;
  c->is_active[worker] = true;
  c->active++;
  c->learning.was_changed = true;
  if (c->config.silence_s > 0) ls_worker_wake(c, c->now_s + c->config.silence_s);
}

static void leave(struct ls_coordinator *c, uint32_t worker, enum ls_presence presence) {
  assert(c->is_active[worker] && c->active > 0);
  ls_worker_count_time(c);
  ls_request_unpark(c, worker);
  c->members[worker].presence = presence;
  c->members[worker].report = (struct ls_chunking_report){0};
  c->is_active[worker] = false;
  c->active--;
  if (!c->members[worker].has_asked) c->newcomers--;
  c->learning.was_changed = true;
}

static void expect_fewer(struct ls_coordinator *c) {
  assert(c->expected <= SIZE_MAX - c->requested);
  if (c->expected > 0) {
    c->expected--;
  } else if (c->requested > 0) {
    c->requested--;
  }
}

/* The worker has come, or will not come. True: a policy may keep something for it. */
static bool stop_awaiting(struct ls_coordinator *c, uint32_t worker) {
  struct ls_member *member = &c->members[worker];
  if (!member->is_awaited) return false;
  assert(c->awaited > 0);
  member->is_awaited = false;
  c->awaited--;
  return true;
}

void ls_worker_await(struct ls_coordinator *c) {
  uint32_t worker = (uint32_t)c->config.workers;
  if (c->policy_state == NULL) return;
  while (c->awaited > c->expected + c->requested) {
    assert(worker > 0);
    if (!stop_awaiting(c, --worker)) continue;
    c->has_returned = true;
    ls_request_tell_worker(c, worker, LS_CHUNKING_LOST, 0);
  }
}

/* A sizing wants fewer workers by now than when it asked for this one. */
static bool is_surplus(const struct ls_coordinator *c) {
  assert(c->wanted >= 1);
  return c->config.sizing != NULL && c->is_open && !c->is_stopping && c->active >= c->wanted;
}

/* It goes as it has come: for the sizing, the workers of the iteration were the same throughout. */
static void turn_away(struct ls_coordinator *c, uint32_t worker) {
  assert(!c->is_active[worker] && c->members[worker].units == 0);
  c->members[worker].presence = LS_PRESENCE_RELEASED;
  ls_actions_add(c, LS_ACTION_RELEASE, worker);
  ls_note_add(
      c, &(struct ls_note){
             .kind = LS_NOTE_RELEASED, .worker = worker, .units = c->active, .extra = c->wanted});
}

void ls_worker_on_joined(struct ls_coordinator *c, uint32_t worker) {
  struct ls_member *member = &c->members[worker];
  if (member->presence != LS_PRESENCE_UNKNOWN) {
    ignore(c, worker);
    return;
  }
  see(c, worker);
  bool was_awaited = stop_awaiting(c, worker);
  member->reported_s = c->now_s;
  bool was_asked_for = c->expected + c->requested > 0;
  expect_fewer(c);
  ls_worker_await(c);
  if (was_asked_for && is_surplus(c)) {
    turn_away(c, worker);
    c->has_returned = true;
    if (was_awaited) ls_request_tell_worker(c, worker, LS_CHUNKING_LOST, 0);
    return;
  }
  arrive(c, worker);
  assert(member->units == 0 && member->chunks == 0);
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_JOINED, .worker = worker, .extra = c->active});
  ls_request_tell_worker(c, worker, LS_CHUNKING_JOINED, 0);
  if (c->is_finished) ls_actions_add(c, LS_ACTION_RELEASE, worker);
}

/* Everything that is at the worker, in the order of sending, leaves its chunks. */
static uint64_t withdraw(struct ls_coordinator *c, uint32_t worker, struct ls_piece_list *back) {
  struct ls_member *member = &c->members[worker];
  uint64_t units = 0;
  ls_piece_list_init(back);
  while (member->chunks > 0) {
    struct ls_live_chunk *chunk = &c->chunks[member->first_chunk];
    units += chunk->units;
    chunk->units = 0;
    ls_piece_splice(&c->pieces, back, &chunk->pieces);
    ls_chunk_remove(c, worker, member->first_chunk);
  }
  assert(units == member->units);
  member->units = 0;
  return units;
}

/* The unit that ran when its worker died is blamed; true when it is given up, and then it has left
 * the list. */
static bool blame(struct ls_coordinator *c, uint32_t worker, uint64_t chunk,
                  struct ls_piece_list *back) {
  if (c->config.kills_max == 0 || back->pieces == 0) return false;
  uint32_t index = back->first;
  struct ls_piece *piece = &c->pieces.items[index];
  struct ls_range unit = {piece->units.first, 1};
  assert(c->kills != NULL && c->kills[unit.first] < c->config.kills_max);
  if (++c->kills[unit.first] < c->config.kills_max) return false;
  if (piece->units.count > 1) {
    piece->units.first++;
    piece->units.count--;
  } else {
    back->first = piece->next;
    back->pieces--;
    if (back->pieces == 0) ls_piece_list_init(back);
    ls_piece_drop(&c->pieces, index);
  }
  ls_result_settle(c, worker, chunk, &unit, LS_VERDICT_GIVEN_UP);
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_GIVEN_UP,
                                   .worker = worker,
                                   .chunk = chunk,
                                   .units = unit.first,
                                   .extra = c->kills[unit.first]});
  return true;
}

/* The unit that ran is blamed where it also runs elsewhere, too: else one that kills its workers
 * would be copied for ever. True: a twin ran. */
static bool blame_twin(struct ls_coordinator *c, uint32_t worker, uint64_t chunk) {
  const struct ls_member *member = &c->members[worker];
  if (member->chunks == 0) return false;
  uint64_t unit = c->pieces.items[c->chunks[member->first_chunk].pieces.first].units.first;
  if (!ls_twins_has(c, unit)) return false;
  if (c->config.kills_max == 0) return true;
  assert(c->kills != NULL && c->kills[unit] < c->config.kills_max);
  if (++c->kills[unit] < c->config.kills_max) return true;
  ls_result_settle(c, worker, chunk, &(struct ls_range){unit, 1}, LS_VERDICT_GIVEN_UP);
  ls_chunk_drop_unit(c, worker, unit, false);
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_GIVEN_UP,
                                   .worker = worker,
                                   .chunk = chunk,
                                   .units = unit,
                                   .extra = c->kills[unit]});
  return true;
}

/* A worker that was present loses what it holds. */
static uint64_t lose_units(struct ls_coordinator *c, uint32_t worker, bool is_overdue) {
  struct ls_member *member = &c->members[worker];
  bool has_units = member->chunks > 0;
  uint64_t chunk = has_units ? c->chunks[member->first_chunk].id : 0;
  struct ls_piece_list back;
  leave(c, worker, LS_PRESENCE_LOST);
  c->learning.losses++;
  bool ran_twin = c->twins.count > 0 && blame_twin(c, worker, chunk);
  /* What also runs elsewhere is not lost. */
  if (c->twins.count > 0) ls_twins_leave(c, worker);
  uint64_t units = withdraw(c, worker, &back);
  ls_note_add(c, &(struct ls_note){.kind = is_overdue ? LS_NOTE_SILENT : LS_NOTE_LOST,
                                   .worker = worker,
                                   .chunk = chunk,
                                   .units = units});
  if (!ran_twin && blame(c, worker, chunk, &back)) units--;
  ls_waiting_return(c, &back, units);
  assert(member->units == 0);
  return units;
}

void ls_worker_on_lost(struct ls_coordinator *c, uint32_t worker, bool is_overdue) {
  struct ls_member *member = &c->members[worker];
  enum ls_presence presence = member->presence;
  if (presence == LS_PRESENCE_LOST || presence == LS_PRESENCE_RELEASED) {
    ignore(c, worker);
    return;
  }
  see(c, worker);
  c->lost++;
  if (presence == LS_PRESENCE_ACTIVE) {
    uint64_t units = lose_units(c, worker, is_overdue);
    ls_request_tell_worker(c, worker, LS_CHUNKING_LOST, units);
  } else {
    /* A suspended worker has nothing; one that never came may have a share kept for it. */
    member->presence = LS_PRESENCE_LOST;
    if (presence == LS_PRESENCE_SUSPENDED) {
      assert(c->suspended > 0 && member->units == 0);
      c->suspended--;
    } else {
      expect_fewer(c);
      if (stop_awaiting(c, worker)) ls_request_tell_worker(c, worker, LS_CHUNKING_LOST, 0);
    }
    ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_LOST, .worker = worker});
  }
  c->has_returned = true; /* also what a policy kept for it is free now */
  if (is_overdue) ls_actions_add(c, LS_ACTION_RELEASE, worker)->count = 1;
  ls_worker_request(c);
  ls_worker_await(c);
}

void ls_worker_on_suspended(struct ls_coordinator *c, uint32_t worker) {
  struct ls_piece_list back;
  assert(c->members[worker].presence == LS_PRESENCE_ACTIVE);
  ls_chunks_cancel(c, worker);
  leave(c, worker, LS_PRESENCE_SUSPENDED);
  c->suspended++;
  c->members[worker].suspended_s = c->now_s;
  if (c->twins.count > 0) (void)ls_twins_leave(c, worker);
  uint64_t units = withdraw(c, worker, &back);
  ls_waiting_return(c, &back, units);
  c->has_returned = true;
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_SUSPENDED, .worker = worker, .units = units});
  ls_request_tell_worker(c, worker, LS_CHUNKING_LOST, units);
  if (c->config.suspension_s > 0) ls_worker_wake(c, c->now_s + c->config.suspension_s);
}

void ls_worker_on_resumed(struct ls_coordinator *c, uint32_t worker) {
  if (c->members[worker].presence != LS_PRESENCE_SUSPENDED) {
    ignore(c, worker);
    return;
  }
  assert(c->suspended > 0);
  c->suspended--;
  if (is_surplus(c)) {
    turn_away(c, worker);
    return;
  }
  c->members[worker].reported_s = c->now_s;
  arrive(c, worker);
  ls_note_add(c, &(struct ls_note){.kind = LS_NOTE_RESUMED, .worker = worker});
  ls_request_tell_worker(c, worker, LS_CHUNKING_JOINED, 0);
}

void ls_worker_on_timer(struct ls_coordinator *c) {
  double silence_s = c->config.silence_s, suspension_s = c->config.suspension_s;
  double silent_at_s = HUGE_VAL, ended_at_s = HUGE_VAL;
  c->wake_s = HUGE_VAL;
  for (uint32_t i = 0; i < c->members_seen; i++) {
    const struct ls_member *member = &c->members[i];
    if (member->presence == LS_PRESENCE_ACTIVE && silence_s > 0) {
      double due_s = member->heard_s + silence_s;
      if (due_s <= c->now_s) {
        ls_worker_on_lost(c, i, true);
      } else {
        silent_at_s = fmin(silent_at_s, due_s);
      }
    } else if (member->presence == LS_PRESENCE_SUSPENDED && suspension_s > 0) {
      double due_s = member->suspended_s + suspension_s;
      if (due_s <= c->now_s) {
        ls_worker_on_lost(c, i, true);
      } else {
        ended_at_s = fmin(ended_at_s, due_s);
      }
    }
  }
  if (c->config.deadline_s > 0 && !c->is_stopping) {
    if (c->config.deadline_s <= c->now_s) {
      ls_iteration_stop(c, false);
    } else {
      ended_at_s = fmin(ended_at_s, c->config.deadline_s);
    }
  }
  /* Looking more often than every quarter of the limit would not find the silent much earlier. */
  silent_at_s = fmax(silent_at_s, c->now_s + silence_s / 4);
  ls_worker_wake(c, fmin(silent_at_s, ended_at_s));
  assert(c->wake_s >= c->now_s);
}

void ls_worker_wake(struct ls_coordinator *c, double time_s) {
  assert(!isnan(time_s));
  if (!(time_s < c->wake_s) || c->is_finished) return;
  c->wake_s = time_s;
  ls_actions_add(c, LS_ACTION_WAKE_AT, LS_WORKER_NONE)->time_s = time_s;
}

void ls_worker_on_granted(struct ls_coordinator *c, uint64_t count) {
  size_t asked = count < c->requested ? (size_t)count : c->requested;
  c->requested -= asked;
  /* What nobody asked for is welcome, but no more than there are numbers for. */
  c->expected += count < c->config.workers_max ? (size_t)count : c->config.workers_max;
  assert(c->expected >= asked);
}

void ls_worker_request(struct ls_coordinator *c) {
  size_t there = c->active + c->suspended + c->expected + c->requested;
  assert(c->wanted >= 1);
  if (c->is_finished || c->is_stopping || there >= c->wanted) return;
  if (c->has_started && c->done + c->failed + c->given_up == c->units) return;
  size_t missing = c->wanted - there;
  c->requested += missing;
  ls_actions_add(c, LS_ACTION_REQUEST_WORKERS, LS_WORKER_NONE)->count = missing;
  ls_note_add(
      c,
      &(struct ls_note){
          .kind = LS_NOTE_WANTED, .worker = LS_WORKER_NONE, .units = missing, .extra = c->wanted});
}

/* The slowest of those that are there; of equal ones the highest number. */
static uint32_t find_slowest(const struct ls_coordinator *c) {
  uint32_t slowest = LS_WORKER_NONE;
  assert(c->active > 0);
  for (uint32_t i = 0; i < c->members_seen; i++) {
    if (!c->is_active[i]) continue;
    if (slowest == LS_WORKER_NONE || c->weights == NULL || c->weights[i] <= c->weights[slowest]) {
      slowest = i;
    }
  }
  return slowest;
}

void ls_worker_release(struct ls_coordinator *c, uint32_t worker) {
  assert(c->members[worker].units == 0 && c->members[worker].chunks == 0);
  leave(c, worker, LS_PRESENCE_RELEASED);
  ls_actions_add(c, LS_ACTION_RELEASE, worker);
  ls_note_add(
      c, &(struct ls_note){
             .kind = LS_NOTE_RELEASED, .worker = worker, .units = c->active, .extra = c->wanted});
}

void ls_worker_release_surplus(struct ls_coordinator *c) {
  assert(c->sent == 0 && c->wanted >= 1);
  if (c->config.sizing == NULL) return;
  while (c->active > c->wanted) ls_worker_release(c, find_slowest(c));
}

void ls_worker_count_time(struct ls_coordinator *c) {
  assert(c->counted_s <= c->now_s);
  c->up_seconds += (double)c->active * (c->now_s - c->counted_s);
  c->counted_s = c->now_s;
}

void ls_worker_introduce(struct ls_coordinator *c) {
  size_t numbers = c->members_seen > c->config.workers ? c->members_seen : c->config.workers;
  assert(c->policy_state != NULL);
  c->awaited = 0;
  for (uint32_t i = 0; i < numbers; i++) {
    struct ls_member *member = &c->members[i];
    bool is_of_platform = i < c->config.workers;
    member->is_awaited = is_of_platform && member->presence == LS_PRESENCE_UNKNOWN;
    c->awaited += member->is_awaited;
    if (member->presence == LS_PRESENCE_ACTIVE) {
      /* What it finished in the iteration before is no news of this one. */
      member->report = (struct ls_chunking_report){0};
      member->reported_s = c->now_s;
      ls_request_tell_worker(c, i, LS_CHUNKING_JOINED, 0);
    } else if (is_of_platform && !member->is_awaited) {
      ls_request_tell_worker(c, i, LS_CHUNKING_LOST, 0);
    }
  }
}
