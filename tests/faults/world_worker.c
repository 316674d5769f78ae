/* world_worker.c: workers: a real worker side, a processor, and what befalls it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "world.h"

/* Links keep the order of their messages; some are held up. */
static double draw_delay(struct world *world) {
  double delay_s = world_draw(world, 0, world->rules.delay_s);
  return world_chance(world, 0.03) ? delay_s + 1 : delay_s;
}

void world_tell_master(struct world *world, uint32_t number, const struct ls_event *event) {
  struct world_worker *worker = &world->workers[number];
  const struct open_result *open =
      event->kind == LS_EVENT_RESULT ? world_open_result(world, number, event) : NULL;
  double arrives_s = world->now_s + draw_delay(world);
  if (worker->is_cut && event->kind != LS_EVENT_LOST) return;
  if (arrives_s < worker->outbox_s) arrives_s = worker->outbox_s;
  worker->outbox_s = arrives_s;
  bool is_result = event->kind == LS_EVENT_RESULT;
  int copies = is_result && world_chance(world, world->rules.duplicate) ? 2 : 1;
  for (int i = 0; i < copies; i++) {
    double late_s = i == 0 ? 0 : world_draw(world, 0, 3);
    struct happening *happening =
        world_plan_at(world, arrives_s + late_s, HAPPENS_TO_MASTER, number);
    happening->event = *event;
    happening->event.worker = number;
    happening->link = worker->link;
    happening->open = open;
    /* Of a worker that has left, or never came, somebody tells for certain. */
    happening->is_fragile = world_chance(world, 0.3) && event->kind != LS_EVENT_LOST;
  }
}

/* The times outlive the message. */
static const double *copy_times(struct world *world, const struct ls_side_result *result) {
  if (result->times_count == 0) return NULL;
  world->summary.reported++;
  double *times = ls_arena_array(&world->arena, NULL, result->times_count, sizeof *times);
  if (!times) abort();
  memcpy(times, world->side_actions.times + result->first_time,
         result->times_count * sizeof *times);
  return times;
}

static void tell_result(struct world *world, uint32_t number, const struct ls_side_result *result) {
  struct ls_event event = {
      .kind = LS_EVENT_RESULT,
      .result = {.chunk = result->chunk,
                 .units = result->units,
                 .outcome = result->outcome,
                 .seconds = result->seconds,
                 .squares = result->squares,
                 .latest = copy_times(world, result),
                 .latest_count = result->times_count,
                 .is_whole = world->rules.has_tasks && result->outcome == LS_OUTCOME_DONE &&
                             result->units.count > 1}};
  world_note_told(world, number, result);
  if (!result->is_held) {
    world_tell_master(world, number, &event);
    return;
  }
  struct kept_result *kept = ls_arena_take(&world->arena, sizeof *kept);
  struct kept_result **last = &world->workers[number].kept;
  if (!kept) abort();
  kept->event = event;
  while (*last) last = &(*last)->next;
  *last = kept;
}

static void let_go(struct world *world, uint32_t number, uint64_t chunk) {
  struct kept_result **at = &world->workers[number].kept;
  while (*at) {
    const struct kept_result *kept = *at;
    if (kept->event.result.chunk != chunk) {
      at = &(*at)->next;
      continue;
    }
    *at = kept->next;
    world_tell_master(world, number, &kept->event);
  }
}

/* Some units of the job end next: all of them where their driver does not know its progress. */
static void plan_end(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  worker->ends_units = worker->side.running.units.count;
  if (worker->side.settings.has_progress)
    worker->ends_units =
        1 + ls_random_below(&world->extra, ls_worker_side_milestone(&worker->side));
  double seconds = world_draw(world, 0.02, 0.6) * (double)worker->ends_units;
  if (worker->side.running.units.first % 7 == 0) seconds += world->rules.slow;
  worker->ends_s = world->now_s + seconds;
  struct happening *happening = world_plan(world, seconds, HAPPENS_ENDED, number);
  happening->stamp = worker->stamp;
  happening->units = worker->ends_units;
  if (!world_is_stopper(world, worker->side.running.units.first)) return;
  /* By whatever it does first. */
  happening = world_plan(world, 0, HAPPENS_SUSPEND, number);
  happening->stamp = worker->stamp;
  happening->is_inside = true;
}

/* What was started runs for a while. */
static void start(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  worker->stamp++;
  if (worker->side.has_begun) {
    plan_end(world, number);
    return;
  }
  double seconds = world_draw(world, 0, 0.3);
  worker->ends_s = world->now_s + seconds;
  world_plan(world, seconds, HAPPENS_BEGUN, number)->stamp = worker->stamp;
}

/* It has told all; the master hears that it has gone. */
static void say_bye(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  world->summary.departed++;
  world_tell_master(world, number, &(struct ls_event){.kind = LS_EVENT_LOST, .lost = LS_LOSS_LEFT});
  worker->is_alive = false;
  worker->stamp++;
}

static void perform(struct world *world, uint32_t number, const struct ls_side_action *action) {
  switch (action->kind) {
    case LS_SIDE_ACTION_START:
      start(world, number);
      break;
    case LS_SIDE_ACTION_ASK:
      world_tell_master(world, number,
                        &(struct ls_event){.kind = LS_EVENT_READY, .ready_units = action->units});
      break;
    case LS_SIDE_ACTION_TELL:
      tell_result(world, number, &action->result);
      break;
    case LS_SIDE_ACTION_LET_GO:
      let_go(world, number, action->let_go.chunk);
      break;
    case LS_SIDE_ACTION_BYE:
      say_bye(world, number);
      break;
    default:
      break;
  }
}

static void take_some(struct world *world, uint32_t number);

/* The side hears something, and what it wants is done; true: it wants what runs to be stopped. */
static bool hear(struct world *world, uint32_t number, struct ls_side_event event) {
  struct world_worker *worker = &world->workers[number];
  bool is_to_stop = false, has_started = false;
  worker->side.settings.units_max = 1 + ls_random_below(&world->random, 3);
  if (world_may(world, world->rules.hold_back)) {
    event.is_held_back = true;
    world_send(world, number, world->now_s + 0.05)->event =
        (struct ls_side_event){.kind = LS_SIDE_EVENT_DUE};
    world->happenings[world->happenings_count - 1].is_inside = true;
  }
  if (ls_worker_side_step(&worker->side, &event, &world->side_actions) != LS_OK) abort();
  for (size_t i = 0; i < world->side_actions.count; i++) {
    const struct ls_side_action *action = &world->side_actions.items[i];
    is_to_stop = is_to_stop || action->kind == LS_SIDE_ACTION_STOP;
    has_started = has_started || action->kind == LS_SIDE_ACTION_START;
    perform(world, number, action);
  }
  if (has_started) take_some(world, number);
  return is_to_stop;
}

/* A command line holds some of the units that were started. */
static void take_some(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_TAKEN};
  if (!world->rules.has_tasks || !worker->side.is_running) return;
  event.taken = 1 + ls_random_below(&world->extra, worker->side.running.units.count);
  (void)hear(world, number, event);
}

static void hear_plain(struct world *world, uint32_t number, enum ls_side_event_kind kind) {
  (void)hear(world, number, (struct ls_side_event){.kind = kind});
}

static void end_units_after(struct world *world, uint32_t number, uint64_t units,
                            enum ls_outcome outcome, double seconds) {
  double times[WORLD_UNITS_MAX];
  struct ls_side_ended ended = {.units = units,
                                .outcome = outcome,
                                .seconds = seconds,
                                .squares = 0.1 * seconds,
                                .has_output = world_may(world, world->rules.output)};
  if (units == 0) return;
  if (world->rules.tells_times) {
    for (uint64_t i = 0; i < units; i++) times[i] = 0.1;
    ended.times = times;
    ended.times_count = (size_t)units;
  }
  (void)hear(world, number, (struct ls_side_event){.kind = LS_SIDE_EVENT_ENDED, .ended = ended});
}

static void end_units(struct world *world, uint32_t number, uint64_t units,
                      enum ls_outcome outcome) {
  bool was_slow = world->workers[number].side.running.units.first % 7 == 0;
  end_units_after(world, number, units, outcome,
                  0.1 * (double)units + (was_slow ? world->rules.slow : 0));
}

void world_enter(struct world *world, uint32_t number) {
  hear_plain(world, number, LS_SIDE_EVENT_JOINED);
}

void world_join(struct world *world) {
  if (world->workers_count == WORLD_WORKERS_MAX) return;
  uint32_t number = world->workers_count++;
  struct world_worker *worker = &world->workers[number];
  memset(worker, 0, sizeof *worker);
  ls_worker_side_init(&worker->side, &world->rules.side);
  worker->is_alive = true;
  worker->is_reliable = number >= WORLD_CHAOS_WORKERS;
  worker->has_lifeline = world_may(world, world->rules.lifelines);
  struct ls_event joined = {.kind = LS_EVENT_JOINED,
                            .joined = {.has_lifeline = worker->has_lifeline}};
  double share = world->rules.stops ? 0.9 : world->rules.lifetime > 0 ? 0.5 : 0;
  bool is_mortal = !worker->is_reliable && world_may(world, share);
  if (is_mortal) {
    joined.joined.lifetime_s = world->rules.lifetime * (0.5 + ls_random_real(&world->extra));
    world_plan(world, 0.8 * joined.joined.lifetime_s, HAPPENS_LEAVE, number);
    world_plan(world, joined.joined.lifetime_s, HAPPENS_CRASH, number)->event.lost =
        LS_LOSS_RECLAIMED;
  }
  world_tell_master(world, number, &joined);
  world_enter(world, number);
  world_plan(world, 1, HAPPENS_HEARTBEAT, number);
}

/* It counts as one of those that joined and were lost, in a slot where nobody was.  Reliable ones
 * do come. */
void world_never_join(struct world *world) {
  if (world->workers_count >= WORLD_CHAOS_WORKERS) {
    world_join(world);
    return;
  }
  uint32_t number = world->workers_count, slot = 0;
  while (world->holders[slot] != 0) slot++;
  struct world_worker *worker = &world->workers[number];
  memset(worker, 0, sizeof *worker);
  ls_worker_side_init(&worker->side, &world->rules.side);
  worker->slot = slot;
  world->holders[slot] = number + 1;
  world->workers_count++;
  world_tell_master(world, number,
                    &(struct ls_event){.kind = LS_EVENT_LOST, .lost = LS_LOSS_NEVER_CAME});
}

void world_begin_job(struct world *world, uint32_t number) {
  hear_plain(world, number, LS_SIDE_EVENT_BEGUN);
  plan_end(world, number);
}

void world_leave(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_alive || worker->is_frozen || worker->side.is_leaving) return;
  if (world->rules.is_announced)
    world_tell_master(world, number, &(struct ls_event){.kind = LS_EVENT_LEAVING});
  hear_plain(world, number, LS_SIDE_EVENT_LEAVE);
}

void world_expire(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  bool runs = worker->is_alive && !worker->is_frozen && worker->side.is_leaving &&
              worker->side.is_running && worker->side.has_begun;
  if (!runs) return;
  worker->stamp++;
  end_units_after(world, number, worker->side.running.units.count, LS_OUTCOME_CANCELLED,
                  world_draw(world, 0.1, 0.6 * world->rules.lifetime));
}

/* Units end as runs of one outcome; the driver may let them wait for others, or not. */
static void end_some(struct world *world, uint32_t number, uint64_t count) {
  const struct ls_range units = {world->workers[number].side.running.units.first, count};
  uint64_t done = 0;
  for (uint64_t unit = units.first; unit < units.first + units.count; unit++) {
    enum unit_fate fate = world_fate(world, unit, world->units[unit].failures);
    if (fate == FATE_DONE) {
      done++;
      continue;
    }
    end_units(world, number, done, LS_OUTCOME_DONE);
    if (fate == FATE_KILLS) {
      world_crash(world, number, LS_LOSS_CRASHED);
      return;
    }
    end_units(world, number, 1, fate == FATE_FAILS ? LS_OUTCOME_FAILED : LS_OUTCOME_TIMED_OUT);
    done = 0;
  }
  end_units(world, number, done, LS_OUTCOME_DONE);
  if (world_chance(world, 0.5)) hear_plain(world, number, LS_SIDE_EVENT_DUE);
}

void world_end_job(struct world *world, uint32_t number, uint64_t units) {
  struct world_worker *worker = &world->workers[number];
  uint32_t stamp = worker->stamp;
  /* Those behind the first may have been given up meanwhile. */
  if (units > worker->side.running.units.count) units = worker->side.running.units.count;
  end_some(world, number, units);
  /* The rest of the same job. */
  if (worker->stamp == stamp && worker->side.is_running) plan_end(world, number);
}

struct parcel *world_send(struct world *world, uint32_t number, double at_s) {
  if (world->parcels_count == world->parcels_capacity) {
    world->parcels_capacity = 2 * world->parcels_capacity + 64;
    world->parcels = realloc(world->parcels, world->parcels_capacity * sizeof *world->parcels);
    if (!world->parcels) abort();
  }
  struct happening *sent = world_plan_at(world, at_s, HAPPENS_TO_WORKER, number);
  sent->parcel = world->parcels_count;
  /* The next connection carries none of it. */
  sent->link = world->workers[number].is_cut ? UINT32_MAX : world->workers[number].link;
  return &world->parcels[world->parcels_count++];
}

/* Nobody promises anything of a worker that was away: it may have what it was told to forget. */
static void check_room(struct world *world, uint32_t number, const struct ls_side_chunk *arrived) {
  const struct world_worker *worker = &world->workers[number];
  const struct ls_coordinator_config *config = &world->rules.config;
  uint64_t units = 0, held = worker->side.queue.units;
  if (worker->slot >= config->rooms_count || worker->was_suspended) return;
  const struct ls_room *room = &config->rooms[worker->slot];
  for (size_t i = 0; i < arrived->ranges_count; i++) units += arrived->ranges[i].count;
  if (worker->side.is_running) held += worker->side.running.units.count;
  if (room->units > 0 && held + units > room->units)
    world_complain(world, "worker %u has %llu units and gets %llu more, its room is %llu", number,
                   (unsigned long long)held, (unsigned long long)units,
                   (unsigned long long)room->units);
  if (room->chunk_units > 0 && units > room->chunk_units)
    world_complain(world, "worker %u gets a chunk of %llu units, no more than %llu may be in one",
                   number, (unsigned long long)units, (unsigned long long)room->chunk_units);
  world->summary.filled += room->units > 0 && held + units == room->units;
}

/* Who is released goes at once when nothing runs. */
void world_arrive(struct world *world, uint32_t number, const struct parcel *parcel) {
  struct world_worker *worker = &world->workers[number];
  struct ls_range ranges[WORLD_RANGES_MAX];
  struct ls_side_event event = parcel->event;
  /* Parcels may move while this one is read. */
  if (event.kind == LS_SIDE_EVENT_CHUNK) {
    memcpy(ranges, parcel->ranges, event.arrived.ranges_count * sizeof *ranges);
    event.arrived.ranges = ranges;
    check_room(world, number, &event.arrived);
  }
  if (hear(world, number, event)) {
    worker->stamp++;
    end_units(world, number, worker->side.running.units.count, LS_OUTCOME_CANCELLED);
  }
  if (event.kind == LS_SIDE_EVENT_RELEASE && !worker->side.is_running)
    world_crash(world, number, LS_LOSS_CRASHED);
}

/* The process is gone. Mostly somebody notices; else the silence tells.  For a suspended worker no
 * silence is too long when a suspension may last for ever, and the master may take it for suspended
 * whose RESUMED is lost with it: there somebody always notices, else the run rightly waits. */
void world_crash(struct world *world, uint32_t number, enum ls_loss cause) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_alive) return;
  worker->is_alive = false;
  worker->stamp++;
  bool may_wait = worker->was_suspended && !(world->rules.config.patience_s > 0);
  if (world_chance(world, 0.7) || may_wait || worker->has_lifeline) {
    struct happening *happening =
        world_plan(world, world_draw(world, 0, 2), HAPPENS_TO_MASTER, number);
    happening->event = (struct ls_event){.kind = LS_EVENT_LOST, .worker = number, .lost = cause};
  }
}

void world_freeze(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  assert(worker->is_alive && !worker->is_frozen);
  worker->is_frozen = true;
  worker->stamp++;
  worker->ends_s -= world->now_s;
}

void world_thaw(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  assert(worker->is_alive && worker->is_frozen);
  worker->is_frozen = false;
  if (!worker->side.is_running) return;
  worker->stamp++;
  double left_s = worker->ends_s > 0 ? worker->ends_s : 0;
  worker->ends_s = world->now_s + left_s;
  enum happening_kind kind = worker->side.has_begun ? HAPPENS_ENDED : HAPPENS_BEGUN;
  struct happening *happening = world_plan(world, left_s, kind, number);
  happening->stamp = worker->stamp;
  happening->units = worker->ends_units;
}

/* Once a second a living worker says so, and something may befall it. */
void world_heartbeat(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_alive) return;
  world_plan(world, 1, HAPPENS_HEARTBEAT, number);
  if (worker->is_frozen) return;
  struct ls_event beat = {.kind = LS_EVENT_HEARTBEAT};
  if (world->rules.config.heartbeat_s > 0 && world_may(world, 0.2))
    beat.answer_s = 2 * ls_random_real(&world->extra);
  world_tell_master(world, number, &beat);
  const struct world_rules *rules = &world->rules;
  if (worker->is_reliable || world->now_s > rules->chaos_until_s) return;
  double in_s = world_draw(world, 0, 1);
  if (world_chance(world, rules->crash))
    world_plan(world, in_s, HAPPENS_CRASH, number)->event.lost =
        world_may(world, rules->reclaim) ? LS_LOSS_RECLAIMED : LS_LOSS_CRASHED;
  else if (world_chance(world, rules->hang))
    world_plan(world, in_s, HAPPENS_HANG, number);
  else if (world_chance(world, rules->suspend))
    world_plan(world, in_s, HAPPENS_SUSPEND, number);
  else if (world_may(world, rules->leave))
    world_plan(world, in_s, HAPPENS_LEAVE, number);
  else if (world_may(world, rules->cut))
    world_plan(world, in_s, HAPPENS_CUT, number);
}
