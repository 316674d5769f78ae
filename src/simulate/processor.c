/* processor.c: drives the worker's side, and knows when each unit ends.
 *
 * A worker is not stepped unit by unit.  Of the job at its processor only the next milestone is an
 * event: the side says at how many units anything happens.  A handler that needs to know more (a
 * chunk arrives, the worker leaves, its speed changes) brings the side up to date first.
 */
#include <assert.h>
#include <math.h>

#include "simulate/engine_private.h"
#include "simulate/presence_private.h"
#include "simulate/processor_private.h"
#include "simulate/speed.h"

/* A unit that ends this much (relative) after a loss still ends at its very instant: the sums that
 * lead to the two times differ in their last digits. */
static const double SAME_INSTANT = 1e-12;

static struct ls_speed find_speed(const struct ls_engine *engine, uint32_t number) {
  const struct ls_simulation *setup = engine->setup;
  bool is_slowed = engine->is_scheduling && engine->workers[number].model->is_on_master;
  return (struct ls_speed){.pieces = setup->availability ? setup->availability[number] : NULL,
                           .count = setup->availability ? setup->availability_count[number] : 0,
                           .factor = is_slowed ? engine->platform->master_share : 1.0};
}

/* When the first `units` units of the job at the processor are done. */
static double find_end(const struct ls_engine *engine, uint32_t number, uint64_t units) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  double work = (double)units;
  if (engine->work_before) {
    const double *before = worker->job_iteration == engine->iteration
                               ? engine->work_before
                               : ls_engine_work_sums(engine, worker->job_iteration);
    work = before[worker->first + units] - before[worker->first];
  }
  double left_s = worker->compute.per_unit_s * work - worker->base_work_s;
  if (worker->is_plain) return left_s > 0 ? worker->base_s + left_s : worker->base_s;
  struct ls_speed speed = find_speed(engine, number);
  return ls_speed_end(&speed, worker->base_s, left_s);
}

static struct ls_engine_chunk *find_chunk(struct ls_engine *engine, uint32_t number) {
  const struct ls_worker_side *side = &engine->workers[number].side;
  assert(side->is_running);
  return &engine->chunks[side->running.payload];
}

/* A WORK event that may be on its way is not valid any more. */
static void renew_stamp(struct ls_engine_worker *worker) {
  worker->stamp++;
  worker->milestone = 0;
}

/* Nothing more becomes of its units: there are none, or it missed what became of them. */
static void rest(struct ls_engine_worker *worker) {
  worker->phase = LS_PHASE_IDLE;
  renew_stamp(worker);
}

static void push_work(struct ls_engine *engine, uint32_t number, double time_s) {
  uint32_t stamp = ++engine->workers[number].stamp;
  if (isfinite(time_s))
    ls_engine_push(engine, time_s, LS_ENGINE_WORK, (uint64_t)stamp << 32 | number);
}

/* Makes the next milestone of the job at the processor an event, unless it is one. */
static void schedule(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (worker->phase != LS_PHASE_COMPUTING || worker->is_still) return;
  uint64_t milestone = worker->done + ls_worker_side_milestone(&worker->side);
  if (milestone == worker->milestone) return;
  worker->milestone = milestone;
  push_work(engine, number, find_end(engine, number, milestone));
}

/* The work of the job begins at `time_s`. */
static void begin_work(struct ls_engine_worker *worker, double time_s) {
  worker->phase = LS_PHASE_COMPUTING;
  worker->base_s = worker->last_end_s = time_s;
  worker->base_work_s = 0;
  renew_stamp(worker);
}

static void begin_computing(struct ls_engine *engine, struct ls_engine_worker *worker) {
  worker->compute_start_s = engine->now_s;
  begin_work(worker, engine->now_s + worker->compute.latency_s);
}

/* The first range of a chunk is received and pays the latency; the others follow. */
static void start(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_job *job = &worker->side.running;
  const struct ls_engine_chunk *chunk = &engine->chunks[job->payload];
  worker->phase = LS_PHASE_IDLE;
  if (!worker->is_present) return;
  worker->first = job->units.first;
  worker->done = 0;
  worker->job_iteration = chunk->iteration;
  if (!job->is_first) {
    begin_work(worker, engine->now_s);
    return;
  }
  double end_s = engine->now_s;
  if (worker->side.settings.has_receive)
    end_s += ls_engine_cost(&worker->model->costs[LS_OPERATION_RECEIVE], chunk->units);
  if (!(end_s > engine->now_s)) {
    begin_computing(engine, worker);
    return;
  }
  worker->phase = LS_PHASE_RECEIVING;
  worker->phase_end_s = end_s;
  renew_stamp(worker);
  if (ls_engine_has_spans(engine))
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                 .operation = LS_OPERATION_RECEIVE,
                                                 .worker = number,
                                                 .chunk = chunk->number,
                                                 .units = chunk->units,
                                                 .start_s = engine->now_s,
                                                 .end_s = end_s});
  push_work(engine, number, end_s);
}

/* The computed units of a chunk, up to `end_s`, count. */
static void count_chunk(struct ls_engine *engine, uint32_t number,
                        const struct ls_engine_chunk *chunk, double end_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->computing_s += end_s - worker->compute_start_s;
  if (end_s > engine->makespan_s) engine->makespan_s = end_s;
  if (ls_engine_has_spans(engine))
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                 .operation = LS_OPERATION_COMPUTE,
                                                 .worker = number,
                                                 .chunk = chunk->number,
                                                 .units = chunk->units_done,
                                                 .start_s = worker->compute_start_s,
                                                 .end_s = end_s});
}

/* Results that have a load take it to the master. */
static void reply(struct ls_engine *engine, uint32_t place) {
  const struct ls_engine_chunk *chunk = &engine->chunks[place];
  const struct ls_worker_model *model = engine->workers[chunk->worker].model;
  if (chunk->units_done == chunk->units && !chunk->is_weightless &&
      ls_engine_cost(&model->costs[LS_OPERATION_REPLY], chunk->units) > 0)
    ls_network_ask(engine, place, true);
  else
    ls_engine_chunk_drop(engine, place);
}

/* So many units of a chunk have ended or are cancelled. */
static void drop(struct ls_engine *engine, uint32_t number, const struct ls_side_drop *dropped) {
  uint32_t place = (uint32_t)dropped->payload;
  struct ls_engine_chunk *chunk = &engine->chunks[place];
  assert(chunk->units_left >= dropped->units);
  chunk->units_left -= dropped->units;
  if (chunk->units_left > 0) return;
  if (chunk->units_done == chunk->units)
    count_chunk(engine, number, chunk, fmin(engine->workers[number].last_end_s, engine->now_s));
  if (!chunk->is_held) reply(engine, place);
}

/* The side hears an event, and its actions are done; true: it wants the running units to be
 * stopped. */
static bool hear(struct ls_engine *engine, uint32_t number, const struct ls_side_event *event) {
  struct ls_engine_worker *worker = &engine->workers[number];
  bool is_stopped = false, has_mail = false;
  enum ls_status status = ls_worker_side_step(&worker->side, event, &engine->side_actions);
  if (status != LS_OK) {
    /* The run ends with this instant; until then the side and its processor do not agree. */
    ls_engine_fail(engine, status);
    rest(worker);
    return false;
  }
  if (!worker->side.is_running && worker->phase != LS_PHASE_IDLE) rest(worker);
  for (size_t i = 0; i < engine->side_actions.count; i++) {
    const struct ls_side_action *action = &engine->side_actions.items[i];
    switch (action->kind) {
      case LS_SIDE_ACTION_START:
        start(engine, number);
        break;
      case LS_SIDE_ACTION_DROP:
        drop(engine, number, &action->drop);
        break;
      case LS_SIDE_ACTION_LET_GO:
        has_mail = true;
        reply(engine, (uint32_t)action->let_go.payload);
        break;
      case LS_SIDE_ACTION_BYE:
        ls_outside_bye(engine, number);
        break;
      case LS_SIDE_ACTION_STOP:
        is_stopped = true;
        break;
      case LS_SIDE_ACTION_ASK:
      case LS_SIDE_ACTION_TELL:
        has_mail = true;
        break;
      case LS_SIDE_ACTION_COUNT:
        break;
    }
  }
  if (has_mail) ls_mail_write(engine, number);
  return is_stopped;
}

static void hear_begun(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  if (worker->phase != LS_PHASE_COMPUTING || worker->side.has_begun) return;
  (void)hear(engine, number, &(struct ls_side_event){.kind = LS_SIDE_EVENT_BEGUN});
}

/* The side hears an event, and goes on with its units. */
static void drive(struct ls_engine *engine, uint32_t number, const struct ls_side_event *event) {
  (void)hear(engine, number, event);
  hear_begun(engine, number);
  schedule(engine, number);
}

/* The times of the next `units` units of the job, which end at `end_s`; one by one as far as they
 * are wanted. */
static bool measure(struct ls_engine *engine, uint32_t number, double end_s,
                    struct ls_side_ended *ended) {
  struct ls_engine_worker *worker = &engine->workers[number];
  double last_s = worker->last_end_s;
  ended->seconds = end_s - last_s;
  worker->last_end_s = end_s;
  uint64_t history = engine->side_settings.history;
  if (!engine->has_listeners) return true;
  uint64_t wanted = ended->units < history ? ended->units : history;
  if (!ls_engine_grow(engine, (void **)&engine->times, &engine->times_capacity, (size_t)wanted,
                      sizeof *engine->times))
    return false;
  ended->seconds = 0;
  for (uint64_t i = 0; i < ended->units; i++) {
    double unit_s = i + 1 < ended->units ? find_end(engine, number, worker->done + i + 1) : end_s;
    double seconds = unit_s - last_s;
    ended->seconds += seconds;
    ended->squares += seconds * seconds;
    if (i >= ended->units - wanted) engine->times[i - (ended->units - wanted)] = seconds;
    last_s = unit_s;
  }
  ended->times = engine->times;
  ended->times_count = (size_t)wanted;
  return true;
}

/* The next `units` units of the job end at `end_s`. */
static void end_units(struct ls_engine *engine, uint32_t number, uint64_t units, double end_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_ENDED,
                                .ended = {.units = units, .outcome = LS_OUTCOME_DONE}};
  if (!measure(engine, number, end_s, &event.ended)) {
    rest(worker);
    return;
  }
  find_chunk(engine, number)->units_done += units;
  worker->done += units;
  drive(engine, number, &event);
}

/* Finds out how many of the first `most` units of the job are done at `time_s`. */
static void bring_up_to(struct ls_engine *engine, uint32_t number, double time_s, uint64_t most) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t low = worker->done, high = most;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (find_end(engine, number, middle) <= time_s)
      low = middle;
    else
      high = middle - 1;
  }
  if (low > worker->done)
    end_units(engine, number, low - worker->done, find_end(engine, number, low));
}

/* The ends before the next milestone are known; the milestone has an event of its own. */
static void bring_up(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  if (worker->phase == LS_PHASE_COMPUTING && worker->milestone > worker->done + 1)
    bring_up_to(engine, number, engine->now_s, worker->milestone - 1);
}

/* Finished units count, also at this very instant. */
static void catch_up(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  double now_s = engine->now_s;
  if (worker->phase != LS_PHASE_COMPUTING || worker->is_still) return;
  bring_up_to(engine, number, now_s + SAME_INSTANT * fmax(1.0, now_s),
              worker->done + worker->side.running.units.count);
}

/* The running units are lost; the finished ones of their chunk count. */
static void break_off(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  if (worker->phase != LS_PHASE_COMPUTING) return;
  const struct ls_engine_chunk *chunk = find_chunk(engine, number);
  double good_s = worker->compute_start_s;
  if (chunk->units_done > 0) {
    good_s = fmin(worker->last_end_s, engine->now_s);
    count_chunk(engine, number, chunk, good_s);
  }
  if (ls_engine_has_spans(engine))
    ls_engine_add_span(engine, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                 .operation = LS_OPERATION_COMPUTE,
                                                 .outcome = LS_OUTCOME_LOST,
                                                 .worker = number,
                                                 .chunk = chunk->number,
                                                 .start_s = good_s,
                                                 .end_s = engine->now_s});
}

void ls_processor_open(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  const struct ls_cost *receive = &worker->model->costs[LS_OPERATION_RECEIVE];
  struct ls_side_settings settings = engine->side_settings;
  settings.room = ls_worker_room(worker->model).units;
  settings.has_receive = receive->latency_s > 0 || receive->per_unit_s > 0;
  ls_worker_side_init(&worker->side, &settings);
  worker->said.first = worker->held.first = worker->freed.first = LS_ENGINE_NONE;
}

void ls_processor_enter(struct ls_engine *engine, uint32_t number) {
  drive(engine, number, &(struct ls_side_event){.kind = LS_SIDE_EVENT_JOINED});
}

void ls_processor_arrive(struct ls_engine *engine, uint32_t place) {
  const struct ls_engine_chunk *chunk = &engine->chunks[place];
  if (!ls_engine_is_wanted(engine, place)) {
    ls_engine_chunk_drop(engine, place);
    return;
  }
  uint32_t number = chunk->worker;
  if (engine->workers[number].is_still) {
    ls_engine_wait(engine, number, LS_ENGINE_ARRIVED, place);
    return;
  }
  bring_up(engine, number);
  chunk = &engine->chunks[place];
  engine->chunks[place].has_arrived = true;
  bool is_one = chunk->ranges_count == 1;
  drive(engine, number,
        &(struct ls_side_event){.kind = LS_SIDE_EVENT_CHUNK,
                                .arrived = {.chunk = chunk->number,
                                            .payload = place,
                                            .ranges = is_one ? &chunk->first : chunk->ranges,
                                            .ranges_count = chunk->ranges_count,
                                            .is_held = chunk->is_held,
                                            .is_followed = chunk->is_followed}});
  chunk = &engine->chunks[place];
  if (chunk->is_fetched)
    drive(engine, number,
          &(struct ls_side_event){.kind = LS_SIDE_EVENT_FETCH, .chunk = chunk->number});
}

void ls_processor_work(struct ls_engine *engine, uint32_t number, uint32_t stamp) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present || worker->stamp != stamp) return;
  if (worker->phase == LS_PHASE_RECEIVING) {
    begin_computing(engine, worker);
    hear_begun(engine, number);
    schedule(engine, number);
    return;
  }
  assert(worker->phase == LS_PHASE_COMPUTING);
  uint64_t units = worker->milestone - worker->done;
  worker->milestone = 0;
  end_units(engine, number, units, engine->now_s);
}

/* Of the chunk at the processor the units that have not begun are given up: what is left is all of
 * it. */
static void cut_chunk(struct ls_engine *engine, uint32_t number) {
  const struct ls_worker_side *side = &engine->workers[number].side;
  if (!side->is_running) return;
  struct ls_engine_chunk *chunk = find_chunk(engine, number);
  chunk->units = chunk->units_done + side->running.units.count;
}

void ls_processor_obey(struct ls_engine *engine, uint32_t number,
                       const struct ls_side_event *event) {
  const struct ls_worker_side *side = &engine->workers[number].side;
  bool is_end = event->kind == LS_SIDE_EVENT_CANCEL && side->is_running &&
                side->running.chunk == event->chunk;
  if (is_end)
    catch_up(engine, number);
  else
    bring_up(engine, number);
  if (hear(engine, number, event)) {
    break_off(engine, number);
    renew_stamp(&engine->workers[number]);
    struct ls_side_ended ended = {.units = side->running.units.count,
                                  .outcome = LS_OUTCOME_CANCELLED};
    (void)hear(engine, number,
               &(struct ls_side_event){.kind = LS_SIDE_EVENT_ENDED, .ended = ended});
  }
  if (event->kind == LS_SIDE_EVENT_LEAVE || event->kind == LS_SIDE_EVENT_RECALL)
    cut_chunk(engine, number);
  hear_begun(engine, number);
  schedule(engine, number);
}

/* The entry of each chunk that is at the worker is free again. */
static void drop_chunks(struct ls_engine *engine, const struct ls_worker_side *side) {
  uint64_t last = UINT64_MAX;
  const struct ls_job *job;
  for (size_t i = 0; i < side->held_count; i++)
    if (engine->chunks[side->held[i].payload].units_left == 0)
      ls_engine_chunk_drop(engine, (uint32_t)side->held[i].payload);
  if (side->is_running) last = side->running.payload;
  if (side->is_running) ls_engine_chunk_drop(engine, (uint32_t)last);
  for (size_t i = 0; (job = ls_job_queue_at(&side->queue, i)) != NULL; i++) {
    if (job->payload == last) continue;
    last = job->payload;
    ls_engine_chunk_drop(engine, (uint32_t)last);
  }
}

void ls_processor_clear(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->is_present = false;
  catch_up(engine, number);
  worker->is_still = false;
  if (worker->side.merged.units.count > 0)
    (void)hear(engine, number, &(struct ls_side_event){.kind = LS_SIDE_EVENT_DUE});
  break_off(engine, number);
  renew_stamp(worker);
  drop_chunks(engine, &worker->side);
  ls_worker_side_clear(&worker->side);
  worker->phase = LS_PHASE_IDLE;
}

/* The work up to this instant is done; the rest begins anew from here on. */
static void rebase(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  struct ls_speed speed = find_speed(engine, number);
  if (!(engine->now_s > worker->base_s)) return;
  worker->base_work_s += ls_speed_work(&speed, worker->base_s, engine->now_s);
  worker->base_s = engine->now_s;
}

void ls_processor_stand(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  catch_up(engine, number);
  worker->phase_left_s = fmax(0, worker->phase_end_s - engine->now_s);
  /* The latency of a chunk may not be over. */
  if (worker->phase == LS_PHASE_COMPUTING) {
    worker->phase_left_s = fmax(0, worker->base_s - engine->now_s);
    rebase(engine, number);
  }
  renew_stamp(worker);
  worker->is_still = true;
}

void ls_processor_go_on(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->is_still = false;
  if (worker->phase == LS_PHASE_RECEIVING) {
    worker->phase_end_s = engine->now_s + worker->phase_left_s;
    push_work(engine, number, worker->phase_end_s);
  } else if (worker->phase == LS_PHASE_COMPUTING) {
    worker->base_s = engine->now_s + worker->phase_left_s;
    /* As if what it did before had been done just before. */
    worker->compute_start_s += engine->now_s - worker->paused_s;
    worker->last_end_s += engine->now_s - worker->paused_s;
    schedule(engine, number);
  }
}

void ls_processor_share(struct ls_engine *engine, bool is_scheduling) {
  for (uint32_t number = 0; number < engine->workers_count; number++) {
    struct ls_engine_worker *worker = &engine->workers[number];
    if (!worker->model->is_on_master || worker->phase != LS_PHASE_COMPUTING) continue;
    if (worker->is_still) continue;
    bring_up(engine, number);
    rebase(engine, number);
    renew_stamp(worker);
  }
  engine->is_scheduling = is_scheduling;
  for (uint32_t number = 0; number < engine->workers_count; number++)
    if (engine->workers[number].model->is_on_master) schedule(engine, number);
}
