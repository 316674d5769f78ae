/* world_units.c: the book of the units, and of who is there to have them. */
#include <inttypes.h>
#include <math.h>

#include "world.h"

/* One of the two is gone; the other one, if there is one, is left. */
static void drop_replica(struct world_unit *unit, uint32_t worker) {
  if (unit->owner == worker) {
    unit->owner = unit->replica_owner;
    unit->chunk = unit->replica_chunk;
  }
  unit->replica_owner = LS_WORKER_NONE;
}

static bool has_unit(const struct world_unit *unit, uint32_t worker) {
  return unit->owner == worker || unit->replica_owner == worker;
}

/* Its units wait again, but for the one that runs, if it keeps that. */
static void take_units(struct world *world, uint32_t number, bool keeps_running) {
  uint64_t chunk = 0, running = WORLD_UNITS_MAX;
  if (keeps_running) (void)world_find_running(world, number, &chunk, &running);
  for (uint64_t i = 0; i < count_units(world); i++) {
    struct world_unit *unit = &world->units[i];
    uint64_t left = unit->owner == number ? unit->chunk : unit->replica_chunk;
    if (!has_unit(unit, number) || unit->is_settled || i == running) continue;
    drop_replica(unit, number);
    world_doubt(world, number, i, left);
  }
}

/* The unit that ran, and those of its chunk that may be one task with it. */
static void blame(struct world *world, uint32_t number, uint64_t chunk, uint64_t running) {
  uint64_t most = world->rules.config.task_units_max, units = count_units(world);
  if (most == 0) most = 1;
  for (uint64_t i = running; i < units && i - running < most; i++) {
    struct world_unit *unit = &world->units[i];
    uint64_t its_chunk = unit->owner == number ? unit->chunk : unit->replica_chunk;
    if (i == running || (has_unit(unit, number) && its_chunk == chunk)) unit->losses++;
  }
}

/* It is gone.  A process that died by itself counts against the unit that ran. */
static void lose_worker(struct world *world, uint32_t number, enum ls_loss cause) {
  struct world_worker *worker = &world->workers[number];
  uint64_t chunk, running;
  bool is_by_itself = worker->presence == PRESENCE_THERE ||
                      (worker->presence == PRESENCE_SUSPENDED && worker->reason >= LS_AWAY_SILENT);
  if (worker->presence == PRESENCE_LOST) return;
  bool is_over = world_is_over(world, number);
  bool is_away = worker->presence == PRESENCE_SUSPENDED;
  if (world_find_running(world, number, &chunk, &running)) {
    world->summary.losses++;
    if (cause == LS_LOSS_CRASHED && is_by_itself && !is_over) blame(world, number, chunk, running);
    if (is_over && !is_away && !world_is_told_to_stop(world) && !world->chunks[chunk].is_cancelled)
      world_note_end(world, running, (double)NAN);
  }
  bool is_presumed = cause == LS_LOSS_SILENT && is_away && worker->reason >= LS_AWAY_SILENT;
  if (!is_presumed) worker->presence = PRESENCE_LOST;
  take_units(world, number, false);
  world_trust(world, number, is_presumed);
  worker->presence = PRESENCE_LOST;
}

/* Failures after which the unit has failed.  One more than the retries where the last of them left
 * the unit to another replica: a failure is no valid result, so that it does not decide while
 * somebody else may have one.  More than one more it never is, a unit that was left so gets no new
 * replica; but where it has two when that comes late. */
static uint32_t allow_failures(const struct world *world, const struct world_unit *unit) {
  return world->rules.config.retries + 1 + unit->lefts;
}

/* The master's clock begins anew with each session: sums are rounded otherwise there. */
bool world_is_waiting(const struct world *world, uint64_t unit) {
  const struct world_unit *at = &world->units[unit];
  bool is_paused = world->now_s < at->paused_until_s - 1e-9;
  return !at->is_settled && at->owner == LS_WORKER_NONE && !is_paused;
}

bool world_is_delayed(const struct world *world) {
  double delay_s = world->rules.config.start_delay_s;
  bool has_started = !(world->started_s < 0);
  return delay_s > 0 && has_started && world->now_s < world->started_s + delay_s + 1e-9;
}

static void note_failure(struct world *world, struct world_unit *unit) {
  const struct ls_coordinator_config *config = &world->rules.config;
  unit->failures++;
  bool runs_elsewhere = unit->owner != LS_WORKER_NONE;
  if (!runs_elsewhere && unit->failures <= config->retries)
    unit->paused_until_s = world->now_s + config->retry_delay_s;
  if (!runs_elsewhere || unit->failures <= world->rules.config.retries) return;
  if (unit->lefts > (unit->was_left_to_two ? 1 : 0))
    world_complain(world, "unit %td was copied though it had failed once too often",
                   unit - world->units);
  unit->lefts++;
  world->summary.left++;
}

/* At a worker that does not owe it any more.  Where somebody else has it, that decides. */
static void note_late_failure(struct world *world, struct world_unit *unit) {
  bool is_paused = world->now_s < unit->paused_until_s - 1e-9;
  bool is_last = unit->failures == world->rules.config.retries;
  world->summary.late_failures++;
  if (unit->owner == LS_WORKER_NONE && !is_paused) {
    unit->doubted = 0; /* it waits in front of all others */
    note_failure(world, unit);
    return;
  }
  if (unit->failures > world->rules.config.retries) return;
  unit->failures++;
  if (unit->owner == LS_WORKER_NONE || !is_last) return;
  unit->lefts++;
  unit->was_left_to_two = unit->replica_owner != LS_WORKER_NONE;
  world->summary.left++;
}

static void suspend_worker(struct world *world, uint32_t number, enum ls_away reason,
                           bool is_vacated) {
  struct world_worker *worker = &world->workers[number];
  worker->presence = PRESENCE_SUSPENDED;
  worker->reason = reason;
  worker->is_vacated = is_vacated || world_is_ordered(world);
  worker->has_given_back = false;
  if (!is_vacated && world_count_owned(world, number) > 0) world_note_vacated(world);
  take_units(world, number, !worker->is_vacated);
}

/* What it has not never came to it. */
static void compare_held(struct world *world, const struct ls_event *event) {
  for (uint64_t i = 0; i < count_units(world); i++) {
    struct world_unit *unit = &world->units[i];
    bool is_original = unit->owner == event->worker;
    /* It makes room for what was settled elsewhere. */
    if (unit->is_settled && is_original) unit->owner = LS_WORKER_NONE;
    if (unit->is_settled || !has_unit(unit, event->worker)) continue;
    if (!world_is_held(event, is_original ? unit->chunk : unit->replica_chunk, i))
      drop_replica(unit, event->worker);
  }
}

/* It is back; what it ran is its own again, where nobody else has it. */
static void resume_worker(struct world *world, uint32_t number, const struct ls_event *event,
                          enum presence presence) {
  struct world_worker *worker = &world->workers[number];
  struct world_unit *unit = &world->units[worker->back_unit];
  bool was_away = worker->presence == PRESENCE_SUSPENDED;
  worker->presence = presence;
  if (!was_away) return;
  world_clear_up(world, number, event);
  if (!worker->has_given_back) return;
  worker->has_given_back = false;
  if (unit->is_settled || unit->owner != LS_WORKER_NONE) return;
  if (!world_is_held(event, worker->back_chunk, worker->back_unit)) return;
  for (size_t i = 0; i < world->actions.count; i++) {
    const struct ls_action *action = &world->actions.items[i];
    if (action->kind == LS_ACTION_CANCEL && action->worker == number &&
        action->chunk == worker->back_chunk)
      return;
  }
  unit->owner = number;
  unit->chunk = worker->back_chunk;
  unit->doubted = 0;
}

/* The book before the step: who is there. */
void world_note_event(struct world *world, const struct ls_event *event) {
  struct world_worker *worker = &world->workers[event->worker];
  if (event->kind == LS_EVENT_JOINED && worker->presence == PRESENCE_NONE)
    worker->presence = PRESENCE_THERE;
  if (event->kind == LS_EVENT_JOINED && event->joined.lifetime_s > 0) {
    double lifetime_s = event->joined.lifetime_s;
    worker->lives_until_s = event->now_s + lifetime_s;
    if (world->rules.stops)
      world_plan(world, lifetime_s - fmin(1, 0.1 * lifetime_s), HAPPENS_EXPIRE, event->worker);
  }
  if (event->kind == LS_EVENT_LOST) lose_worker(world, event->worker, event->lost);
  /* Of a connection that is gone the coordinator makes its own mind up: world_check_cut. */
  bool is_told = event->kind == LS_EVENT_SUSPENDED && event->suspended.reason != LS_AWAY_CUT;
  if (is_told && worker->presence == PRESENCE_THERE)
    suspend_worker(world, event->worker, event->suspended.reason, event->suspended.is_vacated);
  else if (is_told && worker->presence == PRESENCE_SUSPENDED)
    worker->reason = event->suspended.reason;
  bool stands_still = event->kind == LS_EVENT_SUSPENDED &&
                      (event->suspended.reason < LS_AWAY_SILENT || event->suspended.is_vacated);
  if (stands_still) world_trust(world, event->worker, false);
  if (event->kind == LS_EVENT_RESULT) world_check_freed(world, event);
}

/* What runs at a worker that is away for so long waits again. */
static void note_back(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  uint64_t chunk, unit;
  if (!world_find_running(world, number, &chunk, &unit)) return;
  worker->has_given_back = true;
  worker->back_chunk = chunk;
  worker->back_unit = unit;
  drop_replica(&world->units[unit], number);
  world_doubt(world, number, unit, chunk);
  /* Who leaves where the order of results is not kept any more ends only what runs. */
  if (world->course.is_abandoned && worker->presence == PRESENCE_LEAVING)
    take_units(world, number, false);
}

/* The coordinator's own decisions on who is there. */
void world_note_decisions(struct world *world, const struct ls_event *event) {
  for (size_t i = 0; i < world->actions.notes_count; i++) {
    const struct ls_note *note = &world->actions.notes[i];
    enum presence presence =
        note->worker != LS_WORKER_NONE ? world->workers[note->worker].presence : PRESENCE_NONE;
    bool is_own = event->kind == LS_EVENT_TIMER || event->kind == LS_EVENT_STOP ||
                  event->kind == LS_EVENT_SUSPENDED;
    world->summary.taken_back += note->kind == LS_NOTE_RECALLED;
    if (note->kind == LS_NOTE_LOST) lose_worker(world, note->worker, (enum ls_loss)note->extra);
    if (note->kind == LS_NOTE_SUSPENDED && presence == PRESENCE_THERE)
      suspend_worker(world, note->worker, (enum ls_away)note->extra, false);
    if (note->kind == LS_NOTE_BACK && is_own) note_back(world, note->worker);
    /* There is nothing to come back to. */
    if (event->kind == LS_EVENT_SUSPENDED && event->suspended.is_vacated)
      world->workers[event->worker].has_given_back = false;
    if (note->kind == LS_NOTE_RESUMED) resume_worker(world, note->worker, event, PRESENCE_THERE);
    if (note->kind != LS_NOTE_LEAVING) continue;
    /* Who leaves out of an absence does not take up again what was given back. */
    if (event->kind == LS_EVENT_LEAVING && world->workers[note->worker].reason != LS_AWAY_SILENT)
      world->workers[note->worker].has_given_back = false;
    if (event->kind == LS_EVENT_LEAVING) world_trust(world, note->worker, false);
    resume_worker(world, note->worker, event, PRESENCE_LEAVING);
    if (!world_is_ordered(world)) take_units(world, note->worker, true);
  }
  if (event->kind == LS_EVENT_RESUMED && event->resumed.is_told) compare_held(world, event);
}

/* A result of a unit that its worker owes. */
static void note_owed(struct world *world, const struct ls_event *event, struct world_unit *unit) {
  bool is_original = unit->owner == event->worker;
  if ((is_original ? unit->chunk : unit->replica_chunk) != event->result.chunk) return;
  drop_replica(unit, event->worker);
  if (event->result.outcome == LS_OUTCOME_DONE) {
    unit->is_computed = true;
    unit->owner = LS_WORKER_NONE;
    if (!is_original) world->summary.replicas_won++;
  }
  if (event->result.outcome == LS_OUTCOME_FAILED || event->result.outcome == LS_OUTCOME_TIMED_OUT)
    note_failure(world, unit);
}

/* It has what it ran no more, wherever the news of its return are. */
void world_note_ended(struct world *world, const struct ls_event *event) {
  const struct ls_event_result *result = &event->result;
  struct world_worker *worker = &world->workers[event->worker];
  bool is_of_it = event->kind == LS_EVENT_RESULT && worker->back_chunk == result->chunk &&
                  worker->back_unit - result->units.first < result->units.count;
  if (is_of_it && result->outcome != LS_OUTCOME_DONE) worker->has_given_back = false;
}

/* Behind the step: what a result says of units that are really there, or were taken away. */
void world_note_result(struct world *world, const struct ls_event *event) {
  const struct ls_event_result *result = &event->result;
  for (uint64_t i = 0; i < result->units.count; i++) {
    uint64_t index = result->units.first + i;
    struct world_unit *unit = &world->units[index];
    bool is_wanted;
    if (index >= count_units(world)) continue;
    /* It was at the worker until this, wherever it was settled. */
    bool has_left = unit->owner == event->worker && unit->chunk == result->chunk;
    if (unit->is_settled && has_left) unit->owner = LS_WORKER_NONE;
    if (unit->is_settled || !world_was_sent(world, event->worker, result->chunk, index, &is_wanted))
      continue;
    bool is_owed = (unit->owner == event->worker && unit->chunk == result->chunk) ||
                   (unit->replica_owner == event->worker && unit->replica_chunk == result->chunk);
    bool is_failure =
        result->outcome == LS_OUTCOME_FAILED || result->outcome == LS_OUTCOME_TIMED_OUT;
    if (has_unit(unit, event->worker)) note_owed(world, event, unit);
    if (is_failure && !is_owed) note_late_failure(world, unit);
    if (unit->is_computed || result->outcome != LS_OUTCOME_DONE) continue;
    unit->may_be_computed = true;
    unit->is_computed = is_wanted && !world->workers[event->worker].is_vacated;
    world->summary.late += unit->is_computed;
  }
}

static bool is_replica_of(const struct world *world, uint64_t chunk, uint64_t unit) {
  for (size_t i = 0; i < world->actions.notes_count; i++) {
    const struct ls_note *note = &world->actions.notes[i];
    if (note->kind == LS_NOTE_REPLICA && note->chunk == chunk && note->units == unit) return true;
  }
  return false;
}

/* Between two starts is time, whoever they are for. */
static void check_start(struct world *world) {
  double since_s = world->now_s - world->started_s, delay_s = world->rules.config.start_delay_s;
  if (!(world->started_s < 0) && since_s < delay_s - 1e-9)
    world_complain(world, "a start %g s after the one before, with a delay of %g s", since_s,
                   delay_s);
  world->started_s = world->now_s;
}

/* Where a plan is followed, what an end of time stopped is put aside for those who have not its
 * time; back in front, nobody remembers who may have it, and a worker that was silent with it gets
 * it once more. */
static bool is_sent_anew(const struct world *world, uint32_t number, uint64_t unit) {
  const struct world_unit *at = &world->units[unit];
  return world->rules.config.chunking->is_pushed && at->ends > 0 && at->is_back &&
         at->owner == number && !at->is_settled;
}

void world_note_owners(struct world *world, const struct ls_action *action) {
  if (action->worker >= WORLD_WORKERS_MAX ||
      world->workers[action->worker].presence != PRESENCE_THERE) {
    world_complain(world, "chunk %" PRIu64 " is sent to worker %" PRIu32 ", which is not there",
                   action->send.chunk, action->worker);
    return;
  }
  world_check_doubt(world, action);
  check_start(world);
  for (size_t i = 0; i < action->send.ranges_count; i++) {
    struct ls_range range = world->actions.ranges[action->send.first_range + i];
    for (uint64_t unit = range.first; unit < range.first + range.count; unit++) {
      bool is_replica = is_replica_of(world, action->send.chunk, unit) && range.count == 1 &&
                        world->units[unit].owner != action->worker &&
                        world->units[unit].replica_owner == LS_WORKER_NONE;
      if (unit < count_units(world) && world->units[unit].owner != LS_WORKER_NONE && is_replica &&
          !world->units[unit].is_settled) {
        world_check_lifetime(world, action->worker, unit);
        world->units[unit].replica_owner = action->worker;
        world->units[unit].replica_chunk = action->send.chunk;
        world->summary.replicas++;
        continue;
      }
      bool may_go = unit < count_units(world) &&
                    (world_is_waiting(world, unit) || is_sent_anew(world, action->worker, unit));
      if (!may_go) {
        world_complain(world, "unit %" PRIu64 " is sent though it does not wait", unit);
        return;
      }
      world_check_lifetime(world, action->worker, unit);
      world->units[unit].owner = action->worker;
      world->units[unit].doubted = 0;
      world->units[unit].is_orphan = world->units[unit].is_back = false;
      world->units[unit].was_sent = true;
      world->units[unit].chunk = action->send.chunk;
    }
  }
  world->workers[action->worker].was_sent = true;
}

static void settle(struct world *world, uint64_t index, enum ls_outcome verdict) {
  struct world_unit *unit = &world->units[index];
  const struct ls_coordinator_config *config = &world->rules.config;
  bool is_right = false;
  if (verdict == LS_OUTCOME_DONE) is_right = unit->is_computed || unit->may_be_computed;
  if (verdict == LS_OUTCOME_FAILED)
    is_right = !unit->is_computed && unit->owner == LS_WORKER_NONE &&
               unit->failures >= allow_failures(world, unit);
  if (verdict == LS_OUTCOME_GIVEN_UP)
    is_right = (config->kills_max > 0 && unit->losses >= config->kills_max) || unit->ends >= 3;
  if (unit->is_settled)
    world_complain(world, "unit %" PRIu64 " is settled twice", index);
  else if (!is_right)
    world_complain(world, "unit %" PRIu64 " is %s after %" PRIu32 " failures, %" PRIu32 " losses",
                   index, ls_outcome_name(verdict), unit->failures, unit->losses);
  if (verdict == LS_OUTCOME_DONE) world->summary.done++;
  if (verdict == LS_OUTCOME_FAILED) world->summary.failed++;
  if (verdict == LS_OUTCOME_GIVEN_UP) world->summary.given_up++;
  unit->is_settled = true;
  unit->outcome = verdict;
  world->course.vain = 0;
}

void world_note_settled(struct world *world, const struct ls_action *action) {
  for (uint64_t i = 0; i < action->settle.units.count; i++) {
    if (action->settle.units.first + i >= count_units(world)) {
      world_complain(world, "unit %" PRIu64 " is settled and does not exist",
                     action->settle.units.first + i);
      return;
    }
    settle(world, action->settle.units.first + i, action->settle.outcome);
  }
}

/* Results that are there are counted in the same step. */
void world_check_units(struct world *world) {
  for (uint64_t i = 0; i < count_units(world); i++) {
    const struct world_unit *unit = &world->units[i];
    if (unit->is_settled) continue;
    if (unit->is_computed) world_complain(world, "unit %" PRIu64 " is computed, not settled", i);
    if (unit->failures >= allow_failures(world, unit))
      world_complain(world, "unit %" PRIu64 " is tried too often", i);
  }
}

void world_check_all_settled(struct world *world) {
  for (uint64_t i = 0; i < count_units(world); i++)
    if (!world->units[i].is_settled)
      world_complain(world, "the iteration ends, but unit %" PRIu64 " is not settled", i);
}

size_t world_count_owned(const struct world *world, uint32_t number) {
  size_t owned = 0;
  for (uint64_t i = 0; i < count_units(world); i++)
    owned += has_unit(&world->units[i], number) && !world->units[i].is_settled;
  return owned;
}

/* A spare replica that is stopped for units that wait is not there any more; a stop at once cancels
 * what remains where it is. */
void world_note_cancelled(struct world *world, const struct ls_action *action) {
  if (world->is_stopping) return;
  if (action->chunk < world->chunks_count) world->chunks[action->chunk].is_cancelled = true;
  for (uint64_t i = 0; i < count_units(world); i++) {
    struct world_unit *unit = &world->units[i];
    bool is_replica = unit->replica_owner == action->worker && unit->replica_chunk == action->chunk;
    if (is_replica && !unit->is_settled) unit->replica_owner = LS_WORKER_NONE;
  }
}
