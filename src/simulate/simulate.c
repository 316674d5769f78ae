/* simulate.c: the very coordinator that runs, in virtual time: the queue and its loop. */
#include "simulate/simulate.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "simulate/engine_private.h"

void ls_engine_fail(struct ls_engine *engine, enum ls_status status) {
  if (engine->status != LS_OK) return;
  engine->status = status;
  if (status == LS_ENOMEM) ls_fail(engine->err, LS_ENOMEM, "no memory for the simulation");
}

void ls_engine_push(struct ls_engine *engine, double time_s, enum ls_engine_event kind,
                    uint64_t payload) {
  assert(time_s >= engine->now_s);
  enum ls_status status = ls_heap_push(&engine->events, time_s, (uint32_t)kind, payload);
  if (status != LS_OK) ls_engine_fail(engine, status);
}

void ls_engine_span(struct ls_engine *engine, const struct ls_span *span) {
  if (!engine->timeline || !engine->setup->wants_spans) return;
  if (span->end_s > span->start_s) ls_timeline_add_span(engine->timeline, span);
}

double ls_engine_delay(const struct ls_engine *engine, uint32_t worker) {
  const struct ls_worker_model *model = &engine->platform->workers[worker];
  return model->is_on_master ? 0 : model->delay_s;
}

/* Prefix sums make the work of any range one subtraction; compensated, since many are added. */
static bool sum_work(struct ls_engine *engine) {
  const struct ls_simulation *setup = engine->setup;
  if (!setup->task_work) return true;
  if (setup->units >= SIZE_MAX / sizeof(double)) return false;
  engine->work_before = malloc((size_t)(setup->units + 1) * sizeof(double));
  if (!engine->work_before) return false;
  struct ls_sum sum = {0};
  engine->work_before[0] = 0;
  for (uint64_t i = 0; i < setup->units; i++) {
    ls_sum_add(&sum, setup->task_work[i]);
    engine->work_before[i + 1] = ls_sum_value(&sum);
  }
  return true;
}

static bool make_workers(struct ls_engine *engine) {
  const struct ls_simulation *setup = engine->setup;
  size_t count = engine->platform->workers_count;
  engine->workers = calloc(count, sizeof *engine->workers);
  if (!engine->workers) return false;
  for (uint32_t i = 0; i < count; i++) {
    engine->workers[i].left_s = (double)INFINITY;
    engine->workers[i].served_rank = i;
    engine->workers[i].fresh.worker = engine->workers[i].carried.worker = i;
    if (engine->platform->workers[i].is_on_master) engine->has_on_master = true;
  }
  engine->served_count = (uint32_t)count;
  for (size_t i = 0; i < setup->join_count; i++)
    engine->workers[setup->join[i].worker].join_s = setup->join[i].time_s;
  for (uint32_t i = 0; i < count; i++)
    ls_engine_push(engine, engine->workers[i].join_s, LS_ENGINE_JOIN, i);
  for (size_t i = 0; i < setup->leave_count; i++)
    ls_engine_push(engine, setup->leave[i].time_s, LS_ENGINE_LEAVE, setup->leave[i].worker);
  return true;
}

static enum ls_status open_engine(struct ls_engine *engine) {
  struct ls_coordinator_config config = engine->setup->config;
  config.workers = config.workers_max = engine->platform->workers_count;
  /* Losses are given, not guessed from silence: nobody sends heartbeats here. */
  config.silence_s = config.suspension_s = 0;
  engine->is_pushed = config.chunking->is_pushed;
  engine->has_feedback = config.chunking->on_report != NULL;
  engine->is_scheduling = engine->setup->units > 0;
  engine->actions.wants_notes = engine->timeline && engine->setup->wants_notes;
  enum ls_status status = ls_coordinator_create(&config, &engine->coordinator, engine->err);
  if (status != LS_OK) return status;
  if (!sum_work(engine) || !make_workers(engine)) {
    ls_engine_fail(engine, LS_ENOMEM);
    return engine->status;
  }
  ls_master_step(engine, &(struct ls_event){.kind = LS_EVENT_ITERATION,
                                            .units = {.count = engine->setup->units}});
  return engine->status;
}

static void close_engine(struct ls_engine *engine) {
  for (size_t i = 0; engine->workers && i < engine->platform->workers_count; i++)
    free(engine->workers[i].queue);
  free(engine->workers);
  free(engine->work_before);
  free(engine->chunks);
  free(engine->pieces);
  free(engine->reports);
  free(engine->outbox);
  ls_heap_close(&engine->requests);
  ls_heap_close(&engine->ports[0].waiting);
  ls_heap_close(&engine->ports[1].waiting);
  ls_heap_close(&engine->events);
  ls_actions_close(&engine->actions);
  ls_coordinator_destroy(engine->coordinator);
}

static void handle(struct ls_engine *engine, const struct ls_heap_item *item) {
  uint64_t payload = item->payload;
  switch ((enum ls_engine_event)ls_heap_priority(item)) {
    case LS_ENGINE_JOIN:
      ls_processor_join(engine, (uint32_t)payload);
      break;
    case LS_ENGINE_WORK:
      ls_processor_work(engine, (uint32_t)(payload & 0xffffffff), (uint32_t)(payload >> 32));
      break;
    case LS_ENGINE_LEAVE:
      ls_processor_leave(engine, (uint32_t)payload);
      break;
    case LS_ENGINE_SENT:
      ls_master_sent(engine);
      break;
    case LS_ENGINE_PORT_END:
      ls_network_end(engine, (size_t)payload);
      break;
    case LS_ENGINE_ARRIVED:
      ls_processor_arrive(engine, payload);
      break;
    case LS_ENGINE_REPORT:
      ls_master_report(engine, &engine->reports[payload]);
      break;
    case LS_ENGINE_REQUEST:
      ls_master_request(engine, (uint32_t)payload);
      break;
    case LS_ENGINE_GRANT:
      ls_network_grant(engine, (size_t)payload);
      break;
    case LS_ENGINE_SERVE:
      ls_master_serve(engine);
      break;
    case LS_ENGINE_TIMER:
      ls_master_step(engine, &(struct ls_event){.kind = LS_EVENT_TIMER});
      break;
  }
}

/* The run is over when the coordinator says so and the last reply is back. */
static bool is_over(const struct ls_engine *engine) {
  return engine->status != LS_OK || (engine->is_finished && ls_network_is_idle(engine));
}

static enum ls_status play(struct ls_engine *engine) {
  struct ls_heap_item item;
  while (!is_over(engine) && ls_heap_pop(&engine->events, &item)) {
    engine->now_s = item.time_s;
    handle(engine, &item);
  }
  if (engine->status != LS_OK) return engine->status;
  if (engine->is_finished) return LS_OK;
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(engine->coordinator, &totals);
  return ls_fail(engine->err, LS_EINVAL,
                 "the run cannot end: %" PRIu64 " of %" PRIu64
                 " units are not computed at %g s, and %s",
                 totals.waiting + totals.sent, totals.units, engine->now_s,
                 totals.workers_present == 0 ? "no worker is left, nor will one join"
                                             : "no worker that is left ever computes them");
}

static double measure_efficiency(const struct ls_engine *engine) {
  struct ls_sum computing = {0}, present = {0};
  for (size_t i = 0; i < engine->platform->workers_count; i++) {
    const struct ls_engine_worker *worker = &engine->workers[i];
    ls_sum_add(&computing, worker->computing_s);
    ls_sum_add(&present, fmax(0, fmin(worker->left_s, engine->makespan_s) - worker->join_s));
  }
  double present_s = ls_sum_value(&present);
  return present_s > 0 ? ls_sum_value(&computing) / present_s : 0;
}

static enum ls_status finish_timeline(struct ls_engine *engine) {
  struct ls_timeline *timeline = engine->timeline;
  if (!timeline) return LS_OK;
  for (size_t i = 0; i < engine->platform->workers_count; i++) {
    const struct ls_engine_worker *worker = &engine->workers[i];
    bool has_left = worker->left_s < engine->makespan_s;
    ls_timeline_add_worker(timeline, engine->platform->workers[i].name, worker->join_s,
                           has_left ? worker->left_s : (double)INFINITY);
  }
  timeline->makespan_s = engine->makespan_s;
  timeline->seed = engine->setup->config.seed;
  return ls_timeline_finish(timeline, engine->err);
}

enum ls_status ls_simulate(const struct ls_simulation *simulation, struct ls_simulated *result,
                           struct ls_timeline *timeline, struct ls_error *err) {
  enum ls_status status = ls_simulation_check(simulation, err);
  if (status != LS_OK) return status;
  struct ls_engine engine = {
      .setup = simulation, .platform = simulation->platform, .timeline = timeline, .err = err};
  status = open_engine(&engine);
  if (status == LS_OK) status = play(&engine);
  if (status == LS_OK) status = finish_timeline(&engine);
  if (status == LS_OK)
    *result = (struct ls_simulated){.makespan_s = engine.makespan_s,
                                    .efficiency = measure_efficiency(&engine),
                                    .chunks = engine.chunks_count,
                                    .units_done = engine.done_units};
  close_engine(&engine);
  return status;
}
