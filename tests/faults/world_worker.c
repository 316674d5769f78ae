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

static void consider_asking(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (world->rules.config.chunking->is_pushed || worker->side.is_released) return;
  uint64_t units = ls_worker_side_ask(&worker->side, world->rules.batches);
  if (units == 0) return;
  world_tell_master(world, number,
                    &(struct ls_event){.kind = LS_EVENT_READY, .units = {.count = units}});
}

void world_join(struct world *world) {
  if (world->workers_count == WORLD_WORKERS_MAX) return;
  uint32_t number = world->workers_count++;
  struct world_worker *worker = &world->workers[number];
  memset(worker, 0, sizeof *worker);
  ls_worker_side_init(&worker->side, world->rules.prefetch);
  worker->is_alive = true;
  worker->is_reliable = number >= WORLD_CHAOS_WORKERS;
  world_tell_master(world, number, &(struct ls_event){.kind = LS_EVENT_JOINED});
  consider_asking(world, number);
  world_plan(world, 1, HAPPENS_HEARTBEAT, number);
}

void world_run_next(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  if (!worker->is_alive || worker->is_frozen || worker->side.is_running) return;
  uint64_t units = 1 + ls_random_below(&world->random, 3);
  if (!ls_worker_side_take(&worker->side, units, &worker->job)) return;
  worker->stamp++;
  double seconds = world_draw(world, 0.02, 0.6) * (double)worker->job.units.count;
  worker->ends_s = world->now_s + seconds;
  world_plan(world, seconds, HAPPENS_ENDED, number)->stamp = worker->stamp;
}

static void answer(struct world *world, uint32_t number, struct ls_range range,
                   enum ls_outcome outcome) {
  if (range.count == 0) return;
  struct world_worker *worker = &world->workers[number];
  double seconds = 0.1 * (double)range.count;
  world_tell_master(world, number,
                    &(struct ls_event){.kind = LS_EVENT_RESULT,
                                       .outcome = outcome,
                                       .chunk = worker->job.chunk,
                                       .units = range,
                                       .seconds = seconds,
                                       .squares = seconds * seconds,
                                       .last_seconds = 0.1});
}

/* Results go unit by unit or as runs of one outcome. */
void world_end_job(struct world *world, uint32_t number) {
  struct world_worker *worker = &world->workers[number];
  const struct ls_job job = worker->job;
  struct ls_range run = {job.units.first, 0};
  for (uint64_t i = 0; i < job.units.count; i++) {
    uint64_t unit = job.units.first + i;
    enum unit_fate fate = world_fate(world, unit, world->units[unit].failures);
    if (fate == FATE_DONE) {
      run.count++;
      continue;
    }
    answer(world, number, run, LS_OUTCOME_DONE);
    if (fate == FATE_KILLS) {
      world_crash(world, number);
      return;
    }
    answer(world, number, (struct ls_range){unit, 1},
           fate == FATE_FAILS ? LS_OUTCOME_FAILED : LS_OUTCOME_TIMED_OUT);
    run = (struct ls_range){unit + 1, 0};
  }
  answer(world, number, run, LS_OUTCOME_DONE);
  ls_worker_side_end(&worker->side);
  consider_asking(world, number);
  world_run_next(world, number);
  consider_asking(world, number);
}

/* What waits of the chunk goes back; what runs is stopped. */
static void on_cancel(struct world *world, uint32_t number, uint64_t chunk) {
  struct world_worker *worker = &world->workers[number];
  struct ls_worker_side *side = &worker->side;
  for (size_t i = 0; i < side->count; i++) {
    const struct ls_job *job = &side->jobs[(side->head + i) % side->capacity];
    if (job->chunk != chunk) continue;
    world_tell_master(world, number,
                      &(struct ls_event){.kind = LS_EVENT_RESULT,
                                         .outcome = LS_OUTCOME_CANCELLED,
                                         .chunk = chunk,
                                         .units = job->units});
  }
  (void)ls_worker_side_cancel(side, chunk, NULL, NULL);
  if (side->is_running && worker->job.chunk == chunk) {
    worker->stamp++;
    answer(world, number, worker->job.units, LS_OUTCOME_CANCELLED);
    ls_worker_side_end(side);
  }
}

void world_arrive(struct world *world, uint32_t number, const struct parcel *parcel) {
  struct world_worker *worker = &world->workers[number];
  struct ls_worker_side *side = &worker->side;
  if (parcel->kind == LS_ACTION_SEND) {
    for (size_t i = 0; i < parcel->ranges_count; i++) {
      struct ls_job job = {.chunk = parcel->chunk, .units = parcel->ranges[i]};
      if (ls_worker_side_arrive(side, &job) != LS_OK) abort();
    }
  }
  if (parcel->kind == LS_ACTION_CANCEL) on_cancel(world, number, parcel->chunk);
  if (parcel->kind == LS_ACTION_SET_PREFETCH) side->prefetch = parcel->prefetch;
  if (parcel->kind == LS_ACTION_RELEASE) {
    side->is_released = true;
    if (!side->is_running && side->count == 0) {
      world_crash(world, number);
      return;
    }
  }
  world_run_next(world, number);
  consider_asking(world, number);
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
  if (worker->side.is_running) {
    worker->stamp++;
    double left_s = worker->ends_s > 0 ? worker->ends_s : 0;
    worker->ends_s = world->now_s + left_s;
    world_plan(world, left_s, HAPPENS_ENDED, number)->stamp = worker->stamp;
  } else {
    world_run_next(world, number);
  }
  consider_asking(world, number);
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
