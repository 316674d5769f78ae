/* world_master.c: the way to the coordinator, and the book that is kept of its decisions. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    if (has_unit(unit, number) && !unit->is_settled && i != running) drop_replica(unit, number);
  }
}

/* It is gone.  A process that died by itself counts against the unit that ran. */
static void lose_worker(struct world *world, uint32_t number, enum ls_loss cause) {
  struct world_worker *worker = &world->workers[number];
  uint64_t chunk, running;
  bool is_by_itself = worker->presence == PRESENCE_THERE ||
                      (worker->presence == PRESENCE_SUSPENDED && worker->reason >= LS_AWAY_SILENT);
  if (worker->presence == PRESENCE_LOST) return;
  if (world_find_running(world, number, &chunk, &running)) {
    world->summary.losses++;
    world->units[running].losses += cause == LS_LOSS_CRASHED && is_by_itself;
  }
  take_units(world, number, false);
  worker->presence = PRESENCE_LOST;
}

/* Failures after which the unit has failed.  One more than the retries where the last of them left
 * the unit to another replica: a failure is no valid result, so that it does not decide while
 * somebody else may have one.  More than one more it never is: a unit that was left so gets no new
 * replica. */
static uint32_t allow_failures(const struct world *world, const struct world_unit *unit) {
  return world->rules.config.retries + 1 + (unit->was_left ? 1 : 0);
}

static void note_failure(struct world *world, struct world_unit *unit) {
  unit->failures++;
  bool runs_elsewhere = unit->owner != LS_WORKER_NONE;
  if (!runs_elsewhere || unit->failures <= world->rules.config.retries) return;
  if (unit->was_left)
    world_complain(world, "unit %td was copied though it had failed once too often",
                   unit - world->units);
  unit->was_left = true;
  world->summary.left++;
}

static void suspend_worker(struct world *world, uint32_t number, enum ls_away reason,
                           bool is_vacated) {
  struct world_worker *worker = &world->workers[number];
  worker->presence = PRESENCE_SUSPENDED;
  worker->reason = reason;
  worker->is_vacated = is_vacated || world->rules.plan.has_returns;
  worker->has_given_back = false;
  take_units(world, number, !worker->is_vacated);
}

static bool is_held(const struct ls_event *event, uint64_t chunk, uint64_t unit) {
  if (event->kind != LS_EVENT_RESUMED || !event->resumed.is_told) return true;
  for (size_t i = 0; i < event->resumed.held_count; i++) {
    const struct ls_event_held *held = &event->resumed.held[i];
    if (held->chunk == chunk && unit >= held->units.first &&
        unit - held->units.first < held->units.count)
      return true;
  }
  return false;
}

/* What it has not never came to it. */
static void compare_held(struct world *world, const struct ls_event *event) {
  for (uint64_t i = 0; i < count_units(world); i++) {
    struct world_unit *unit = &world->units[i];
    bool is_original = unit->owner == event->worker;
    if (unit->is_settled || !has_unit(unit, event->worker)) continue;
    if (!is_held(event, is_original ? unit->chunk : unit->replica_chunk, i))
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
  if (!was_away || !worker->has_given_back) return;
  worker->has_given_back = false;
  if (unit->is_settled || unit->owner != LS_WORKER_NONE) return;
  if (!is_held(event, worker->back_chunk, worker->back_unit)) return;
  for (size_t i = 0; i < world->actions.count; i++) {
    const struct ls_action *action = &world->actions.items[i];
    if (action->kind == LS_ACTION_CANCEL && action->worker == number &&
        action->chunk == worker->back_chunk)
      return;
  }
  unit->owner = number;
  unit->chunk = worker->back_chunk;
}

/* The book before the step: who is there. */
static void note_event(struct world *world, const struct ls_event *event) {
  struct world_worker *worker = &world->workers[event->worker];
  if (event->kind == LS_EVENT_JOINED && worker->presence == PRESENCE_NONE)
    worker->presence = PRESENCE_THERE;
  if (event->kind == LS_EVENT_LOST) lose_worker(world, event->worker, event->lost);
  if (event->kind == LS_EVENT_SUSPENDED && worker->presence == PRESENCE_THERE)
    suspend_worker(world, event->worker, event->suspended.reason, event->suspended.is_vacated);
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
}

/* The coordinator's own decisions on who is there. */
static void note_decisions(struct world *world, const struct ls_event *event) {
  for (size_t i = 0; i < world->actions.notes_count; i++) {
    const struct ls_note *note = &world->actions.notes[i];
    enum presence presence =
        note->worker != LS_WORKER_NONE ? world->workers[note->worker].presence : PRESENCE_NONE;
    bool is_own = event->kind == LS_EVENT_TIMER || event->kind == LS_EVENT_STOP ||
                  event->kind == LS_EVENT_SUSPENDED;
    if (note->kind == LS_NOTE_LOST) lose_worker(world, note->worker, (enum ls_loss)note->extra);
    if (note->kind == LS_NOTE_SUSPENDED && presence == PRESENCE_THERE)
      suspend_worker(world, note->worker, (enum ls_away)note->extra, false);
    if (note->kind == LS_NOTE_BACK && is_own) note_back(world, note->worker);
    if (note->kind == LS_NOTE_RESUMED) resume_worker(world, note->worker, event, PRESENCE_THERE);
    if (note->kind != LS_NOTE_LEAVING) continue;
    resume_worker(world, note->worker, event, PRESENCE_LEAVING);
    if (!world->rules.plan.has_returns) take_units(world, note->worker, true);
  }
  if (event->kind == LS_EVENT_RESUMED && event->resumed.is_told) compare_held(world, event);
}

static bool is_dropped(const struct world *world, uint64_t chunk) {
  for (size_t i = 0; i < world->actions.notes_count; i++)
    if (world->actions.notes[i].kind == LS_NOTE_DROPPED && world->actions.notes[i].chunk == chunk)
      return true;
  return false;
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

/* Behind the step: what a result says of units that are really there, or were taken away. */
static void note_result(struct world *world, const struct ls_event *event) {
  const struct ls_event_result *result = &event->result;
  for (uint64_t i = 0; i < result->units.count; i++) {
    uint64_t index = result->units.first + i;
    struct world_unit *unit = &world->units[index];
    bool is_wanted;
    if (index >= count_units(world) || unit->is_settled ||
        !world_was_sent(world, event->worker, result->chunk, index, &is_wanted))
      continue;
    if (has_unit(unit, event->worker)) note_owed(world, event, unit);
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

static void on_send(struct world *world, const struct ls_action *action) {
  if (action->worker >= WORLD_WORKERS_MAX ||
      world->workers[action->worker].presence != PRESENCE_THERE) {
    world_complain(world, "chunk %" PRIu64 " is sent to worker %" PRIu32 ", which is not there",
                   action->send.chunk, action->worker);
    return;
  }
  for (size_t i = 0; i < action->send.ranges_count; i++) {
    struct ls_range range = world->actions.ranges[action->send.first_range + i];
    for (uint64_t unit = range.first; unit < range.first + range.count; unit++) {
      bool is_replica = is_replica_of(world, action->send.chunk, unit) && range.count == 1 &&
                        world->units[unit].owner != action->worker &&
                        world->units[unit].replica_owner == LS_WORKER_NONE;
      if (unit < count_units(world) && world->units[unit].owner != LS_WORKER_NONE && is_replica &&
          !world->units[unit].is_settled) {
        world->units[unit].replica_owner = action->worker;
        world->units[unit].replica_chunk = action->send.chunk;
        world->summary.replicas++;
        continue;
      }
      if (unit >= count_units(world) || world->units[unit].is_settled ||
          world->units[unit].owner != LS_WORKER_NONE) {
        world_complain(world, "unit %" PRIu64 " is sent though it does not wait", unit);
        return;
      }
      world->units[unit].owner = action->worker;
      world->units[unit].chunk = action->send.chunk;
    }
  }
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
    is_right = config->kills_max > 0 && unit->losses >= config->kills_max;
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
}

static void on_settle(struct world *world, const struct ls_action *action) {
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
static void check_units(struct world *world) {
  for (uint64_t i = 0; i < count_units(world); i++) {
    const struct world_unit *unit = &world->units[i];
    if (unit->is_settled) continue;
    if (unit->is_computed) world_complain(world, "unit %" PRIu64 " is computed, not settled", i);
    if (unit->failures >= allow_failures(world, unit))
      world_complain(world, "unit %" PRIu64 " is tried too often", i);
  }
}

static void check_all_settled(struct world *world) {
  for (uint64_t i = 0; i < count_units(world); i++)
    if (!world->units[i].is_settled)
      world_complain(world, "the iteration ends, but unit %" PRIu64 " is not settled", i);
}

/* Two chunks of one answer stand one behind the other. */
static bool is_followed(const struct world *world, const struct ls_action *action) {
  const struct ls_action *next = action + 1;
  return !world->is_plain && next < world->actions.items + world->actions.count &&
         next->kind == LS_ACTION_SEND && next->worker == action->worker;
}

static void post(struct world *world, const struct ls_action *action,
                 const struct ls_side_event *event) {
  struct world_worker *worker = &world->workers[action->worker];
  double arrives_s = world->now_s + world_draw(world, 0, world->rules.delay_s);
  if (arrives_s < worker->inbox_s) arrives_s = worker->inbox_s;
  worker->inbox_s = arrives_s;
  world_send(world, action->worker, arrives_s)->event = *event;
}

static void post_chunk(struct world *world, const struct ls_action *action) {
  const struct ls_action_send *send = &action->send;
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_CHUNK,
                                .arrived = {.chunk = send->chunk,
                                            .ranges_count = send->ranges_count,
                                            .is_held = send->way == LS_RESULT_HELD,
                                            .is_followed = is_followed(world, action)}};
  if (send->ranges_count > WORLD_RANGES_MAX) abort();
  post(world, action, &event);
  memcpy(world->parcels[world->parcels_count - 1].ranges, world->actions.ranges + send->first_range,
         send->ranges_count * sizeof(struct ls_range));
}

static void post_order(struct world *world, const struct ls_action *action,
                       enum ls_side_event_kind kind, uint64_t chunk) {
  post(world, action, &(struct ls_side_event){.kind = kind, .chunk = chunk});
}

/* To everybody who is there. */
static void post_prefetch(struct world *world, uint64_t prefetch) {
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_PREFETCH, .prefetch = prefetch};
  for (uint32_t i = 0; i < world->workers_count; i++)
    if (world->workers[i].presence == PRESENCE_THERE)
      post(world, &(struct ls_action){.worker = i}, &event);
}

/* Who was refused is not asked for again; somebody else starts as many by hand, some time. */
static void refuse(struct world *world, uint64_t count) {
  world->summary.refused += count;
  world_plan(world, world_draw(world, 0, 1), HAPPENS_TO_MASTER, 0)->event =
      (struct ls_event){.kind = LS_EVENT_REFUSED, .refused = count};
  for (uint64_t i = 0; i < count; i++) world_plan(world, world_draw(world, 1, 9), HAPPENS_JOIN, 0);
}

/* The pool gives what is asked for, as long as there are numbers; not every pool says so before. */
static void on_request(struct world *world, uint64_t count) {
  if (world_may(world, world->rules.refuse)) {
    uint64_t refused = 1 + ls_random_below(&world->extra, count);
    refuse(world, refused);
    count -= refused;
  }
  if (count == 0) return;
  double granted_s = world_draw(world, 0, 1);
  const struct ls_coordinator_config *config = &world->rules.config;
  /* Some start and say nothing: only a coordinator that was told of all grants can miss them. */
  bool may_vanish = config->grant_s > 0 && config->heartbeat_s > 0;
  if (world_chance(world, 0.5) || may_vanish)
    world_plan(world, granted_s, HAPPENS_TO_MASTER, 0)->event =
        (struct ls_event){.kind = LS_EVENT_GRANTED, .granted = count};
  may_vanish = may_vanish && world->workers_count < WORLD_CHAOS_WORKERS;
  for (uint64_t i = 0; i < count; i++)
    if (!may_vanish || !world_may(world, world->rules.never))
      world_plan(world, granted_s + world_draw(world, 0, 2),
                 world_may(world, world->rules.never) ? HAPPENS_NEVER : HAPPENS_JOIN, 0);
}

static size_t count_owned(const struct world *world, uint32_t number) {
  size_t owned = 0;
  for (uint64_t i = 0; i < count_units(world); i++)
    owned += has_unit(&world->units[i], number) && !world->units[i].is_settled;
  return owned;
}

static bool owns_units(const struct world *world, uint32_t number) {
  return count_owned(world, number) > 0;
}

/* A spare replica that is stopped for units that wait is not there any more; a stop at once cancels
 * what remains where it is. */
static void on_cancel(struct world *world, const struct ls_action *action) {
  if (world->is_stopping) return;
  for (uint64_t i = 0; i < count_units(world); i++) {
    struct world_unit *unit = &world->units[i];
    bool is_replica = unit->replica_owner == action->worker && unit->replica_chunk == action->chunk;
    if (is_replica && !unit->is_settled) unit->replica_owner = LS_WORKER_NONE;
  }
}

static void perform(struct world *world, const struct ls_action *action) {
  switch (action->kind) {
    case LS_ACTION_SEND:
      on_send(world, action);
      world_note_sent(world, action);
      if (world->problem[0] == '\0') post_chunk(world, action);
      if (world->rules.config.chunking->is_pushed)
        world_plan(world, world_draw(world, 0, 0.1), HAPPENS_FREE, 0);
      break;
    case LS_ACTION_CANCEL:
      on_cancel(world, action);
      world_note_freed(world, action);
      post_order(world, action, LS_SIDE_EVENT_CANCEL, action->chunk);
      break;
    case LS_ACTION_RECALL:
      world->summary.recalled++;
      post(world, action, &(struct ls_side_event){.kind = LS_SIDE_EVENT_RECALL});
      break;
    case LS_ACTION_RELEASE:
      if (owns_units(world, action->worker) &&
          world->workers[action->worker].presence == PRESENCE_THERE)
        world_complain(world, "worker %" PRIu32 " is released with units", action->worker);
      world->workers[action->worker].presence = PRESENCE_LOST;
      if (!world->is_finished) world->summary.released++;
      post_order(world, action, LS_SIDE_EVENT_RELEASE, 0);
      break;
    case LS_ACTION_SETTLE:
      on_settle(world, action);
      break;
    case LS_ACTION_REQUEST_WORKERS:
      on_request(world, action->workers);
      break;
    case LS_ACTION_WAKE_AT: {
      double in_s = action->time_s + world->base_s - world->now_s;
      struct happening *timer = world_plan(world, in_s > 0 ? in_s : 0, HAPPENS_TIMER, 0);
      timer->stamp = ++world->timer_stamp;
      timer->event = (struct ls_event){.kind = LS_EVENT_TIMER, .now_s = action->time_s};
      break;
    }
    case LS_ACTION_ITERATION_DONE:
      check_all_settled(world);
      world->is_between = true;
      world_plan(world, world_draw(world, 0, 0.5), HAPPENS_ITERATION, 0);
      break;
    case LS_ACTION_AWAIT_FREE:
      world->summary.paced++;
      world_plan(world, world_draw(world, 0, 0.1), HAPPENS_FREE, 0);
      break;
    case LS_ACTION_FINISH:
      world->is_finished = true;
      break;
    case LS_ACTION_FETCH:
      world->summary.fetched++;
      world_note_freed(world, action);
      post_order(world, action, LS_SIDE_EVENT_FETCH, action->chunk);
      break;
    case LS_ACTION_SET_PREFETCH:
      post_prefetch(world, action->prefetch);
      break;
    case LS_ACTION_COUNT:
      world_complain(world, "action %s has no reason here", ls_action_name(action->kind));
      break;
  }
}

static void print_step(struct world *world, const struct ls_event *event) {
  struct ls_bytes text = {0};
  fprintf(world->trace, "%8.3f %s worker %" PRIu32, world->now_s, ls_event_name(event->kind),
          event->worker);
  const struct ls_event_result *result = &event->result;
  if (event->kind == LS_EVENT_RESULT)
    fprintf(world->trace, " chunk %" PRIu64 " units %" PRIu64 "+%" PRIu64 " %s", result->chunk,
            result->units.first, result->units.count, ls_outcome_name(result->outcome));
  if (event->kind == LS_EVENT_READY) fprintf(world->trace, " x%" PRIu64, event->ready_units);
  if (event->kind == LS_EVENT_ITERATION)
    fprintf(world->trace, " x%" PRIu64, event->iteration_units);
  fputc('\n', world->trace);
  for (size_t i = 0; i < world->actions.count; i++) {
    ls_bytes_clear(&text);
    ls_action_write(&world->actions, &world->actions.items[i], &text);
    fprintf(world->trace, "           -> %s\n", ls_bytes_text(&text));
  }
  for (size_t i = 0; i < world->actions.notes_count; i++) {
    ls_bytes_clear(&text);
    ls_note_write(&world->actions.notes[i], &text);
    fprintf(world->trace, "           %s\n", ls_bytes_text(&text));
  }
  ls_bytes_close(&text);
  fflush(world->trace);
}

/* Who is suspended with units must be told to forget them, but for the one that may run on: others
 * get them at once. */
static void check_cancelled(struct world *world, uint32_t number) {
  bool is_vacated = world->workers[number].is_vacated;
  for (size_t i = 0; i < world->actions.count; i++)
    if (world->actions.items[i].kind == (is_vacated ? LS_ACTION_CANCEL : LS_ACTION_RECALL) &&
        world->actions.items[i].worker == number)
      return;
  world_complain(world, "worker %" PRIu32 " is suspended and may keep its units", number);
}

/* The coordinator knows slots.  Whoever joins gets the lowest one that is free; what a worker still
 * says when another one is in its slot reaches nobody: false. */
static bool find_slot(struct world *world, const struct ls_event *event, uint32_t *slot) {
  struct world_worker *worker = &world->workers[event->worker];
  switch (event->kind) {
    case LS_EVENT_JOINED:
      if (worker->presence != PRESENCE_NONE) break;
      worker->slot = 0;
      while (world->holders[worker->slot] != 0 &&
             world->workers[world->holders[worker->slot] - 1].presence != PRESENCE_LOST)
        worker->slot++;
      if (worker->slot >= WORLD_SLOTS_MAX) abort();
      if (worker->slot < worker - world->workers) world->summary.reused++;
      world->holders[worker->slot] = event->worker + 1;
      /* Until now it asked as if it had any room. */
      worker->side.settings.room = worker->slot < world->rules.config.rooms_count
                                       ? world->rules.rooms[worker->slot].units
                                       : 0;
      break;
    case LS_EVENT_READY:
    case LS_EVENT_RESULT:
    case LS_EVENT_HEARTBEAT:
    case LS_EVENT_LEAVING:
    case LS_EVENT_LOST:
    case LS_EVENT_SUSPENDED:
    case LS_EVENT_RESUMED:
      break;
    default:
      return true;
  }
  *slot = worker->slot;
  return world->holders[worker->slot] == event->worker + 1;
}

/* What the coordinator says of slots is meant for the workers in them. */
static void name_workers(struct world *world) {
  for (size_t i = 0; i < world->actions.count; i++) {
    struct ls_action *action = &world->actions.items[i];
    if (action->worker != LS_WORKER_NONE) action->worker = world->holders[action->worker] - 1;
  }
  for (size_t i = 0; i < world->actions.notes_count; i++) {
    struct ls_note *note = &world->actions.notes[i];
    if (note->worker != LS_WORKER_NONE) note->worker = world->holders[note->worker] - 1;
  }
}

/* Its request has no answer: it was told of nothing since. */
static void note_asking(struct world *world, const struct ls_event *event) {
  struct world_worker *worker = &world->workers[event->worker];
  bool is_new = event->kind == LS_EVENT_RESUMED && event->resumed.is_told;
  bool is_vacated = event->kind == LS_EVENT_SUSPENDED && event->suspended.is_vacated;
  if (event->kind == LS_EVENT_READY) worker->is_asking = true;
  if (is_new || is_vacated || event->kind == LS_EVENT_JOINED) worker->is_asking = false;
  for (size_t i = 0; i < world->actions.count; i++)
    if (world->actions.items[i].kind == LS_ACTION_SEND)
      world->workers[world->actions.items[i].worker].is_asking = false;
}

/* What runs at a worker that is away, or leaves, and nowhere else; WORLD_WORKERS_MAX: nothing. */
static uint32_t find_forsaken(const struct world *world) {
  for (uint32_t i = 0; i < world->workers_count; i++) {
    enum presence presence = world->workers[i].presence;
    uint64_t chunk, unit;
    bool is_wanted, is_absent = presence == PRESENCE_SUSPENDED || presence == PRESENCE_LEAVING;
    if (!is_absent || !world_find_running(world, i, &chunk, &unit)) continue;
    if (!world_was_sent(world, i, chunk, unit, &is_wanted) || !is_wanted) continue;
    const struct world_unit *at = &world->units[unit];
    if (at->replica_owner == LS_WORKER_NONE && at->failures <= world->rules.config.retries)
      return i;
  }
  return WORLD_WORKERS_MAX;
}

/* No worker idles while a unit waits, or while what runs at one that is away has no replica.  Some
 * policies keep units for others; rooms, pacing and advice hold some back. */
static void check_lively(struct world *world) {
  const struct world_rules *rules = &world->rules;
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(world->coordinator, &totals);
  bool is_running = !totals.is_stopping && !totals.is_finished && !world->is_between;
  if (!is_running || rules->config.chunking->is_pushed || rules->config.rooms_count > 0) return;
  if (rules->config.is_paced || rules->has_advice) return;
  bool is_selfish = strcmp(totals.chunking->name, "ss") == 0;
  for (uint32_t i = 0; i < world->workers_count; i++) {
    const struct world_worker *worker = &world->workers[i];
    if (worker->presence != PRESENCE_THERE || !worker->is_asking || owns_units(world, i)) continue;
    if (totals.waiting > 0 && is_selfish)
      world_complain(world, "worker %" PRIu32 " idles while %" PRIu64 " units wait", i,
                     totals.waiting);
    uint32_t forsaken = totals.waiting == 0 ? find_forsaken(world) : WORLD_WORKERS_MAX;
    if (forsaken < WORLD_WORKERS_MAX)
      world_complain(world, "worker %" PRIu32 " idles while worker %" PRIu32 " is away with a unit",
                     i, forsaken);
    return;
  }
}

/* A master that stood still itself cannot say who was silent meanwhile. */
static void check_judgement(struct world *world) {
  bool is_fresh = world->stalled_s > 8 && world->now_s < world->stalled_until_s + 2;
  for (size_t i = 0; i < world->actions.notes_count && is_fresh; i++) {
    const struct ls_note *note = &world->actions.notes[i];
    if (note->kind == LS_NOTE_SUSPENDED && note->extra == LS_AWAY_SILENT)
      world_complain(world, "worker %" PRIu32 " is called silent by a master that was",
                     note->worker);
  }
}

void world_step(struct world *world, struct ls_event *event) {
  struct ls_error err = {0};
  uint32_t number = event->worker, slot = number;
  if (world->is_finished || world->problem[0] != '\0') return;
  bool is_to_cancel = event->kind == LS_EVENT_SUSPENDED &&
                      world->workers[number].presence == PRESENCE_THERE &&
                      count_owned(world, number) > (event->suspended.is_vacated ? 0 : 1);
  /* The difference may lie a rounding error before the wished time; a clock never does. */
  event->now_s = fmax(world->now_s - world->base_s, fmax(event->now_s, world->heard_s));
  world->heard_s = event->now_s;
  if (!find_slot(world, event, &slot)) return;
  note_event(world, event);
  event->worker = slot;
  world->actions.wants_notes = true;
  if (ls_coordinator_step(world->coordinator, event, &world->actions, &err) != LS_OK) {
    world_complain(world, "%s is refused: %s", ls_event_name(event->kind), err.text);
    return;
  }
  event->worker = number;
  name_workers(world);
  if (world->trace) print_step(world, event);
  bool is_failure =
      event->kind == LS_EVENT_RESULT &&
      (event->result.outcome == LS_OUTCOME_FAILED || event->result.outcome == LS_OUTCOME_TIMED_OUT);
  bool counts =
      event->kind == LS_EVENT_RESULT && !(is_failure && is_dropped(world, event->result.chunk));
  /* A silent worker is back with its result before that counts. */
  note_decisions(world, event);
  if (counts) note_result(world, event);
  for (size_t i = 0; i < world->actions.count && world->problem[0] == '\0'; i++)
    perform(world, &world->actions.items[i]);
  /* A stop at once has cancelled everything before. */
  bool is_there = world->workers[event->worker].presence == PRESENCE_SUSPENDED;
  if (is_to_cancel && is_there && !world->is_stopping) check_cancelled(world, event->worker);
  check_units(world);
  if (!world->is_plain) {
    note_asking(world, event);
    check_judgement(world);
    check_lively(world);
  }
  world_note_plan(world);
  if (!ls_coordinator_is_sound(world->coordinator))
    world_complain(world, "the coordinator is not sound after %s", ls_event_name(event->kind));
}

/* What an earlier session settled, as ranges of one unit: the worst case. */
static void restore(struct world *world) {
  struct ls_range done[WORLD_UNITS_MAX], failed[WORLD_UNITS_MAX];
  struct ls_coordinator_past past = {.iteration = world->iteration, .done = done, .failed = failed};
  struct ls_error err = {0};
  for (uint64_t i = 0; i < count_units(world); i++) {
    struct world_unit *unit = &world->units[i];
    if (!unit->is_settled) {
      *unit = (struct world_unit){.owner = LS_WORKER_NONE, .replica_owner = LS_WORKER_NONE};
      continue;
    }
    if (unit->outcome == LS_OUTCOME_DONE)
      done[past.done_count++] = (struct ls_range){i, 1};
    else
      failed[past.failed_count++] = (struct ls_range){i, 1};
  }
  if (ls_coordinator_restore(world->coordinator, &past, &err) != LS_OK)
    world_complain(world, "restore: %s", err.text);
}

void world_start_master(struct world *world) {
  struct ls_error err = {0};
  ls_coordinator_destroy(world->coordinator);
  world->coordinator = NULL;
  if (ls_coordinator_create(&world->rules.config, &world->coordinator, &err) != LS_OK) {
    world_complain(world, "create: %s", err.text);
    return;
  }
  for (uint32_t i = 0; i < world->workers_count; i++) ls_worker_side_close(&world->workers[i].side);
  memset(world->workers, 0, sizeof world->workers);
  memset(world->holders, 0, sizeof world->holders);
  world->workers_count = 0;
  world->chunks_count = 0;
  world_open_plan(world);
  world->base_s = world->now_s;
  world->heard_s = 0;
  world->is_between = false;
  world->timer_stamp++;
  struct ls_coordinator_times times = {.expected = world->rules.expected, .count = WORLD_UNITS_MAX};
  if (world->rules.knows_times) times.actual = world->rules.expected;
  if (ls_coordinator_declare(world->coordinator, &times, &err) != LS_OK)
    world_complain(world, "declare: %s", err.text);
  if (world->session > 0) restore(world);
  struct ls_event opening = {.kind = LS_EVENT_ITERATION};
  world_open_units(world, &opening);
  world_step(world, &opening);
  /* As a real master does: what is not wanted is not started, and nobody may wait for it. */
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(world->coordinator, &totals);
  for (size_t i = 0; i < totals.workers_wanted; i++)
    world_plan(world, world_draw(world, 0, 1), HAPPENS_JOIN, 0);
  if (world->rules.config.chunking->is_pushed) world_plan(world, 0, HAPPENS_FREE, 0);
}
