/* world_master.c: the way to the coordinator, and what it orders. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

static bool is_dropped(const struct world *world, uint64_t chunk) {
  for (size_t i = 0; i < world->actions.notes_count; i++)
    if (world->actions.notes[i].kind == LS_NOTE_DROPPED && world->actions.notes[i].chunk == chunk)
      return true;
  return false;
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
  /* The news of a grant may come after those that were granted. */
  double late_s = world_may(world, 0.3) ? 3 * ls_random_real(&world->extra) : 0;
  if (world_chance(world, 0.5) || may_vanish)
    world_plan(world, granted_s + late_s, HAPPENS_TO_MASTER, 0)->event =
        (struct ls_event){.kind = LS_EVENT_GRANTED, .granted = count};
  may_vanish = may_vanish && world->workers_count < WORLD_CHAOS_WORKERS;
  for (uint64_t i = 0; i < count; i++)
    if (!may_vanish || !world_may(world, world->rules.never))
      world_plan(world, granted_s + world_draw(world, 0, 2),
                 world_may(world, world->rules.never) ? HAPPENS_NEVER : HAPPENS_JOIN, 0);
}

static void perform(struct world *world, const struct ls_action *action) {
  switch (action->kind) {
    case LS_ACTION_SEND:
      world_note_owners(world, action);
      world_note_sent(world, action);
      if (world->problem[0] == '\0') post_chunk(world, action);
      if (world->rules.config.chunking->is_pushed)
        world_plan(world, world_draw(world, 0, 0.1), HAPPENS_FREE, 0);
      break;
    case LS_ACTION_CANCEL:
      world_note_cancelled(world, action);
      world_note_freed(world, action);
      post_order(world, action, LS_SIDE_EVENT_CANCEL, action->chunk);
      break;
    case LS_ACTION_RECALL:
      world->summary.recalled++;
      post(world, action, &(struct ls_side_event){.kind = LS_SIDE_EVENT_RECALL});
      break;
    case LS_ACTION_RELEASE:
      if (world_count_owned(world, action->worker) > 0 &&
          world->workers[action->worker].presence == PRESENCE_THERE)
        world_complain(world, "worker %" PRIu32 " is released with units", action->worker);
      world->workers[action->worker].presence = PRESENCE_LOST;
      if (!world->is_finished) world->summary.released++;
      post_order(world, action, LS_SIDE_EVENT_RELEASE, 0);
      break;
    case LS_ACTION_SETTLE:
      world_note_settled(world, action);
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
      world_check_all_settled(world);
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
    ls_note_write(&world->actions.notes[i], "unit", &text);
    fprintf(world->trace, "           %s\n", ls_bytes_text(&text));
  }
  ls_bytes_close(&text);
  fflush(world->trace);
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

/* Does the worker owe all the units of the result, and nobody has settled one? */
static bool is_all_owed(const struct world *world, const struct ls_event *event) {
  const struct ls_event_result *result = &event->result;
  for (uint64_t i = 0; i < result->units.count; i++) {
    const struct world_unit *unit = &world->units[result->units.first + i];
    if (unit->is_settled || unit->owner != event->worker || unit->chunk != result->chunk)
      return false;
  }
  return true;
}

/* An output of several units cannot be divided: all of them are done by it, or none, and then the
 * result is as cancelled. False: it is. */
static bool check_whole(struct world *world, const struct ls_event *event) {
  uint64_t done = 0;
  if (event->kind != LS_EVENT_RESULT || !event->result.is_whole) return true;
  for (size_t i = 0; i < world->actions.count; i++) {
    const struct ls_action *action = &world->actions.items[i];
    if (action->kind == LS_ACTION_SETTLE && action->settle.outcome == LS_OUTCOME_DONE)
      done += action->settle.units.count;
  }
  world->summary.whole += done > 0;
  world->summary.torn += done == 0;
  if (done != 0 && done != event->result.units.count)
    world_complain(world, "%" PRIu64 " of %" PRIu64 " units of a whole result are done", done,
                   event->result.units.count);
  if (done == 0 && is_all_owed(world, event))
    world_complain(world, "a whole result of units that are owed is dropped");
  return done > 0;
}

/* What the coordinator says of slots is meant for the workers in them. */
static void name_workers(struct world *world) {
  for (size_t i = 0; i < world->actions.count; i++) {
    struct ls_action *action = &world->actions.items[i];
    if (action->worker != LS_WORKER_NONE) action->worker = world->holders[action->worker] - 1;
  }
  for (size_t i = 0; i < world->actions.notes_count; i++) {
    struct ls_note *note = &world->actions.notes[i];
    if (note->kind == LS_NOTE_RECALLED) note->extra = world->holders[note->extra] - 1;
    if (note->worker != LS_WORKER_NONE) note->worker = world->holders[note->worker] - 1;
  }
}

void world_step(struct world *world, struct ls_event *event) {
  struct ls_error err = {0};
  uint32_t number = event->worker, slot = number;
  if (world->is_finished || world->problem[0] != '\0') return;
  bool is_to_cancel = event->kind == LS_EVENT_SUSPENDED &&
                      world->workers[number].presence == PRESENCE_THERE &&
                      world_count_owned(world, number) > (event->suspended.is_vacated ? 0 : 1);
  /* The difference may lie a rounding error before the wished time; a clock never does. */
  event->now_s = fmax(world->now_s - world->base_s, fmax(event->now_s, world->heard_s));
  world->heard_s = event->now_s;
  if (!find_slot(world, event, &slot)) return;
  uint64_t stopped;
  bool is_end = world_is_end(world, event, &stopped);
  if (is_end) world_note_end(world, stopped, event->result.seconds);
  world_note_event(world, event);
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
  world_note_decisions(world, event);
  struct ls_event heard = *event;
  if (!check_whole(world, event)) heard.result.outcome = LS_OUTCOME_CANCELLED;
  if (counts) world_note_result(world, &heard);
  world_note_ended(world, &heard);
  for (size_t i = 0; i < world->actions.count && world->problem[0] == '\0'; i++)
    perform(world, &world->actions.items[i]);
  /* A stop at once has cancelled everything before. */
  bool is_there = world->workers[event->worker].presence == PRESENCE_SUSPENDED;
  if (is_to_cancel && is_there && !world->is_stopping) world_check_cancelled(world, event->worker);
  if (is_end) world_check_end(world, stopped);
  world_check_units(world);
  world_check_cut(world, event);
  if (!world->is_plain) {
    world_note_asking(world, event);
    world_check_judgement(world);
    world_check_lively(world);
    world_check_crowded(world);
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
  world->started_s = -1;
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
