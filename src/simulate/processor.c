/* processor.c: drives the worker's side, and tells it when its units end.
 *
 * A worker is not stepped unit by unit (computing.c).  A handler that needs to know more than the
 * next milestone (a chunk arrives, the worker leaves, its speed changes) brings the side up to date
 * first.
 */
#include <assert.h>
#include <math.h>

#include "simulate/computing_private.h"
#include "simulate/engine_private.h"
#include "simulate/presence_private.h"
#include "simulate/processor_private.h"

/* A unit that ends this much (relative) after a loss still ends at its very instant: the sums that
 * lead to the two times differ in their last digits. */
static const double SAME_INSTANT = 1e-12;

/* Results that have a load take it to the master. */
static void reply(struct ls_engine *engine, uint32_t place) {
  const struct ls_engine_chunk *chunk = &engine->chunks[place];
  const struct ls_worker_model *model = engine->workers[chunk->worker].model;
  if (chunk->units_done == chunk->units && !chunk->is_weightless &&
      ls_engine_cost(&ls_worker_costs(model, (double)chunk->units)[LS_OPERATION_REPLY],
                     chunk->units) > 0)
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
    ls_computing_count(engine, number, chunk, ls_engine_last_end_s(engine, number));
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
    ls_computing_rest(worker);
    return false;
  }
  if (!worker->side.is_running && worker->phase != LS_PHASE_IDLE) ls_computing_rest(worker);
  /* None of these makes the side hear anything else. */
  const struct ls_side_action *action = engine->side_actions.items;
  const struct ls_side_action *end = action + engine->side_actions.count;
  for (; action < end; action++) {
    switch (action->kind) {
      case LS_SIDE_ACTION_START:
        ls_computing_start(engine, number);
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
  ls_computing_schedule(engine, number);
}

/* The next `units` units of the job end at `end_s`. */
static void end_units(struct ls_engine *engine, uint32_t number, uint64_t units, double end_s) {
  struct ls_engine_worker *worker = &engine->workers[number];
  struct ls_side_event event = {.kind = LS_SIDE_EVENT_ENDED,
                                .ended = {.units = units, .outcome = LS_OUTCOME_DONE}};
  if (!ls_computing_measure(engine, number, end_s, &event.ended)) {
    ls_computing_rest(worker);
    return;
  }
  ls_engine_running_chunk(engine, number)->units_done += units;
  worker->done += units;
  drive(engine, number, &event);
}

/* Finds out how many of the first `most` units of the job are done at `time_s`. */
static void bring_up_to(struct ls_engine *engine, uint32_t number, double time_s, uint64_t most) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  uint64_t low = worker->done, high = most;
  while (low < high) {
    uint64_t middle = low + (high - low + 1) / 2;
    if (ls_computing_end(engine, number, middle) <= time_s)
      low = middle;
    else
      high = middle - 1;
  }
  if (low > worker->done)
    end_units(engine, number, low - worker->done, ls_computing_end(engine, number, low));
}

/* The ends before the next milestone are known; the milestone has an event of its own. */
static void bring_up(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  if (engine->setup->has_whole_chunks) return;
  if (worker->phase == LS_PHASE_COMPUTING && worker->milestone > worker->done + 1)
    bring_up_to(engine, number, engine->now_s, worker->milestone - 1);
}

/* Finished units count, also at this very instant. */
static void catch_up(struct ls_engine *engine, uint32_t number) {
  const struct ls_engine_worker *worker = &engine->workers[number];
  double now_s = engine->now_s;
  if (worker->phase != LS_PHASE_COMPUTING || worker->is_still) return;
  double time_s = now_s + SAME_INSTANT * fmax(1.0, now_s);
  uint64_t all = worker->done + worker->side.running.units.count;
  if (engine->setup->has_whole_chunks && !(ls_computing_end(engine, number, all) <= time_s)) return;
  bring_up_to(engine, number, time_s, all);
}

/* How many units a run would tell together. */
static uint64_t count_told(const struct ls_engine_worker *worker) {
  double units = ceil(LS_SIDE_HOLD_S / worker->compute.per_unit_s);
  return units < 0x1p53 ? (uint64_t)fmax(units, 1) : 0;
}

void ls_processor_open(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  struct ls_side_settings settings = engine->side_settings;
  settings.room = ls_worker_room(worker->model).units;
  uint64_t told = engine->setup->tells_units ? count_told(worker) : 0;
  if (told > 0 && (settings.report_every == 0 || told == 1)) settings.report_every = told;
  settings.has_receive = ls_worker_has_cost(worker->model, LS_OPERATION_RECEIVE);
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
  ls_reader_look(engine, number);
}

void ls_processor_work(struct ls_engine *engine, uint32_t number, uint32_t stamp) {
  struct ls_engine_worker *worker = &engine->workers[number];
  if (!worker->is_present || worker->stamp != stamp) return;
  if (worker->phase == LS_PHASE_RECEIVING) {
    ls_computing_received(engine, number);
    hear_begun(engine, number);
    ls_computing_schedule(engine, number);
    return;
  }
  assert(worker->phase == LS_PHASE_COMPUTING);
  uint64_t units = worker->milestone - worker->done;
  worker->milestone = 0;
  end_units(engine, number, units, engine->now_s);
}

void ls_processor_staged(struct ls_engine *engine, uint32_t number) {
  ls_computing_take_up(engine, number);
  hear_begun(engine, number);
  ls_computing_schedule(engine, number);
}

/* Of the chunk at the processor the units that have not begun are given up: what is left is all of
 * it. */
static void cut_chunk(struct ls_engine *engine, uint32_t number) {
  const struct ls_worker_side *side = &engine->workers[number].side;
  if (!side->is_running) return;
  struct ls_engine_chunk *chunk = ls_engine_running_chunk(engine, number);
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
    ls_computing_break_off(engine, number);
    ls_computing_renew(&engine->workers[number]);
    struct ls_side_ended ended = {.units = side->running.units.count,
                                  .outcome = LS_OUTCOME_CANCELLED};
    (void)hear(engine, number,
               &(struct ls_side_event){.kind = LS_SIDE_EVENT_ENDED, .ended = ended});
  }
  if (event->kind == LS_SIDE_EVENT_LEAVE || event->kind == LS_SIDE_EVENT_RECALL)
    cut_chunk(engine, number);
  hear_begun(engine, number);
  ls_computing_schedule(engine, number);
  ls_reader_look(engine, number);
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
  if (worker->side.merged.units.count > 0)
    (void)hear(engine, number, &(struct ls_side_event){.kind = LS_SIDE_EVENT_DUE});
  ls_computing_break_off(engine, number);
  worker->is_still = false;
  ls_computing_renew(worker);
  ls_reader_clear(engine, number);
  drop_chunks(engine, &worker->side);
  ls_worker_side_clear(&worker->side);
  worker->phase = LS_PHASE_IDLE;
}

void ls_processor_stand(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  catch_up(engine, number);
  worker->phase_left_s = fmax(0, worker->phase_end_s - engine->now_s);
  /* The latency of a chunk may not be over. */
  if (worker->phase == LS_PHASE_COMPUTING) {
    worker->phase_left_s = fmax(0, worker->base_s - engine->now_s);
    ls_computing_rebase(engine, number);
  }
  ls_computing_renew(worker);
  ls_reader_stand(engine, number);
  worker->is_still = true;
}

void ls_processor_go_on(struct ls_engine *engine, uint32_t number) {
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->is_still = false;
  ls_reader_go_on(engine, number);
  if (worker->phase == LS_PHASE_RECEIVING) {
    /* As if what it did before had been done just before. */
    worker->phase_start_s += engine->now_s - worker->paused_s;
    worker->phase_end_s = engine->now_s + worker->phase_left_s;
    ls_computing_push(engine, number, worker->phase_end_s);
  } else if (worker->phase == LS_PHASE_COMPUTING) {
    worker->base_s = engine->now_s + worker->phase_left_s;
    worker->compute_start_s += engine->now_s - worker->paused_s;
    worker->last_end_s += engine->now_s - worker->paused_s;
    ls_computing_schedule(engine, number);
  }
}

void ls_processor_share(struct ls_engine *engine, bool is_scheduling) {
  for (uint32_t number = 0; number < engine->workers_count; number++) {
    struct ls_engine_worker *worker = &engine->workers[number];
    if (!worker->model->is_on_master || worker->phase != LS_PHASE_COMPUTING) continue;
    if (worker->is_still) continue;
    bring_up(engine, number);
    ls_computing_rebase(engine, number);
    ls_computing_renew(worker);
  }
  engine->is_scheduling = is_scheduling;
  for (uint32_t number = 0; number < engine->workers_count; number++)
    if (engine->workers[number].model->is_on_master) ls_computing_schedule(engine, number);
}
