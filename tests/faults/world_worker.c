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
  double arrives_s = world->now_s + draw_delay(world);
  if (arrives_s < worker->outbox_s) arrives_s = worker->outbox_s;
  worker->outbox_s = arrives_s;
  bool is_result = event->kind == LS_EVENT_RESULT;
  int copies = is_result && world_chance(world, world->rules.duplicate) ? 2 : 1;
  for (int i = 0; i < copies; i++) {
    double late_s = i == 0 ? 0 : world_draw(world, 0, 3);
    struct happening *happening =
        world_plan(world, arrives_s - world->now_s + late_s, HAPPENS_TO_MASTER, number);
    happening->event = *event;
    happening->event.worker = number;
    happening->is_fragile = world_chance(world, 0.3);
  }
}

static void tell_result(struct world *world, uint32_t number, const struct ls_side_result *result) {
  world_tell_master(
      world, number,
      &(struct ls_event){.kind = LS_EVENT_RESULT,
                         .result = {.chunk = result->chunk,
                                    .units = result->units,
                                    .outcome = result->outcome,
                                    .seconds = result->seconds,
                                    .squares = result->squares,
                                    .latest = world->side_actions.times + result->first_time,
                                    .latest_count = result->times_count}});
}

/* What was started runs for a while. */
static void start(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  worker->stamp++;
  double seconds = world_draw(world, 0.02, 0.6) * (double)worker->side.running.units.count;
  worker->ends_s = world->now_s + seconds;
  world_plan(world, seconds, HAPPENS_ENDED, number)->stamp = worker->stamp;
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
    default:
      break;
  }
}

/* The side hears something, and what it wants is done; true: it wants what runs to be stopped. */
static bool hear(struct world *world, uint32_t number, struct ls_side_event event) {
  struct world_worker *worker = &world->workers[number];
  bool is_to_stop = false;
  worker->side.settings.units_max = 1 + ls_random_below(&world->random, 3);
  if (ls_worker_side_step(&worker->side, &event, &world->side_actions) != LS_OK) abort();
  for (size_t i = 0; i < world->side_actions.count; i++) {
    const struct ls_side_action *action = &world->side_actions.items[i];
    is_to_stop = is_to_stop || action->kind == LS_SIDE_ACTION_STOP;
    perform(world, number, action);
  }
  return is_to_stop;
}

static void hear_plain(struct world *world, uint32_t number, enum ls_side_event_kind kind) {
  (void)hear(world, number, (struct ls_side_event){.kind = kind});
}

static void end_units(struct world *world, uint32_t number, uint64_t units,
                      enum ls_outcome outcome) {
  double seconds = 0.1 * (double)units;
  struct ls_side_ended ended = {
      .units = units, .outcome = outcome, .seconds = seconds, .squares = 0.1 * seconds};
  if (units == 0) return;
  (void)hear(world, number, (struct ls_side_event){.kind = LS_SIDE_EVENT_ENDED, .ended = ended});
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
  world_tell_master(world, number, &(struct ls_event){.kind = LS_EVENT_JOINED});
  world_enter(world, number);
  world_plan(world, 1, HAPPENS_HEARTBEAT, number);
}

/* Units end as runs of one outcome; the driver may let them wait for others, or not. */
void world_end_job(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  const struct ls_range units = worker->side.running.units;
  uint64_t done = 0;
  for (uint64_t unit = units.first; unit < units.first + units.count; unit++) {
    enum unit_fate fate = world_fate(world, unit, world->units[unit].failures);
    if (fate == FATE_DONE) {
      done++;
      continue;
    }
    end_units(world, number, done, LS_OUTCOME_DONE);
    if (fate == FATE_KILLS) {
      world_crash(world, number);
      return;
    }
    end_units(world, number, 1, fate == FATE_FAILS ? LS_OUTCOME_FAILED : LS_OUTCOME_TIMED_OUT);
    done = 0;
  }
  end_units(world, number, done, LS_OUTCOME_DONE);
  if (world_chance(world, 0.5)) hear_plain(world, number, LS_SIDE_EVENT_DUE);
}

static struct ls_side_event read_parcel(const struct parcel *parcel) {
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_RELEASE};
  if (parcel->kind == LS_ACTION_SEND) {
    event.kind = LS_SIDE_EVENT_CHUNK;
    event.arrived = (struct ls_side_chunk){
        .chunk = parcel->chunk, .ranges = parcel->ranges, .ranges_count = parcel->ranges_count};
  } else if (parcel->kind == LS_ACTION_CANCEL) {
    event.kind = LS_SIDE_EVENT_CANCEL;
    event.chunk = parcel->chunk;
  }
  return event;
}

/* Nobody promises anything of a worker that was away: it may have what it was told to forget. */
static void check_room(struct world *world, uint32_t number, const struct parcel *parcel) {
  const struct world_worker *worker = &world->workers[number];
  const struct ls_coordinator_config *config = &world->rules.config;
  uint64_t units = 0, held = worker->side.queue.units;
  if (worker->slot >= config->rooms_count || worker->was_suspended) return;
  const struct ls_room *room = &config->rooms[worker->slot];
  for (size_t i = 0; i < parcel->ranges_count; i++) units += parcel->ranges[i].count;
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
  if (parcel->kind == LS_ACTION_SEND) check_room(world, number, parcel);
  if (hear(world, number, read_parcel(parcel))) {
    worker->stamp++;
    end_units(world, number, worker->side.running.units.count, LS_OUTCOME_CANCELLED);
  }
  if (parcel->kind == LS_ACTION_RELEASE && !worker->side.is_running) world_crash(world, number);
}

/* The process is gone. Mostly somebody notices; else the silence tells.  For a suspended worker no
 * silence is too long when a suspension may last for ever, and the master may take it for suspended
 * whose RESUMED is lost with it: there somebody always notices, else the run rightly waits. */
void world_crash(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_alive) return;
  worker->is_alive = false;
  worker->stamp++;
  bool may_wait = worker->was_suspended && !(world->rules.config.suspension_s > 0);
  if (world_chance(world, 0.7) || may_wait) {
    struct happening *happening =
        world_plan(world, world_draw(world, 0, 2), HAPPENS_TO_MASTER, number);
    happening->event = (struct ls_event){.kind = LS_EVENT_LOST, .worker = number};
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
  world_plan(world, left_s, HAPPENS_ENDED, number)->stamp = worker->stamp;
}

/* Once a second a living worker says so, and something may befall it. */
void world_heartbeat(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_alive) return;
  world_plan(world, 1, HAPPENS_HEARTBEAT, number);
  if (worker->is_frozen) return;
  world_tell_master(world, number, &(struct ls_event){.kind = LS_EVENT_HEARTBEAT});
  const struct world_rules *rules = &world->rules;
  if (worker->is_reliable || world->now_s > rules->chaos_until_s) return;
  double in_s = world_draw(world, 0, 1);
  if (world_chance(world, rules->crash))
    world_plan(world, in_s, HAPPENS_CRASH, number);
  else if (world_chance(world, rules->hang))
    world_plan(world, in_s, HAPPENS_HANG, number);
  else if (world_chance(world, rules->suspend))
    world_plan(world, in_s, HAPPENS_SUSPEND, number);
}
