/* simulate.c: the coordinator that runs use, in virtual time: the queue and its loop. */
#include "simulate/simulate.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/statistics.h"
#include "model/efficiency.h"
#include "model/replay.h"
#include "simulate/computing_private.h"
#include "simulate/engine_private.h"
#include "simulate/iterations_private.h"
#include "simulate/presence_private.h"
#include "simulate/processor_private.h"

void ls_engine_fail(struct ls_engine *engine, enum ls_status status) {
  if (engine->status != LS_OK) return;
  engine->status = status;
  engine->has_failed = true;
  if (status == LS_ENOMEM) ls_fail(engine->err, LS_ENOMEM, "no memory for the simulation");
}

void ls_engine_add_span(struct ls_engine *engine, const struct ls_span *span) {
  /* Computing is the proof of work, also where it takes no time. */
  bool is_proof = span->operation == LS_OPERATION_COMPUTE && span->outcome == LS_OUTCOME_DONE;
  if (span->end_s > span->start_s || is_proof) ls_timeline_add_span(engine->timeline, span);
}

bool ls_engine_grow_more(struct ls_engine *engine, void **items, size_t *capacity, size_t needed,
                         size_t item_bytes) {
  enum ls_status status = ls_array_reserve(items, capacity, needed, item_bytes);
  if (status != LS_OK) ls_engine_fail(engine, status);
  return status == LS_OK;
}

/* Prefix sums make the work of any range one subtraction; compensated, since many are added. */
static bool sum_work(struct ls_engine *engine) {
  const struct ls_simulation *setup = engine->setup;
  const double *work = setup->task_work;
  if (!work) return true;
  uint64_t room = 0;
  for (uint32_t k = 0; k < engine->iterations; k++) {
    uint64_t units = ls_simulated_iteration_units(setup, k);
    if (units >= SIZE_MAX / sizeof(double) - room - 1) return false;
    room += units + 1;
  }
  engine->work_sums = malloc((size_t)room * sizeof(double));
  double *before = engine->work_sums;
  if (!before) return false;
  for (uint32_t k = 0; k < engine->iterations; k++) {
    struct ls_sum sum = {0};
    *before++ = 0;
    for (uint64_t i = ls_simulated_iteration_units(setup, k); i > 0; i--) {
      ls_sum_add(&sum, *work++);
      *before++ = ls_sum_value(&sum);
    }
  }
  return true;
}

static void init_worker(struct ls_engine *engine, uint32_t number) {
  const struct ls_simulation *setup = engine->setup;
  struct ls_engine_worker *worker = &engine->workers[number];
  worker->model = &engine->platform->workers[number];
  worker->compute = worker->model->costs[LS_OPERATION_COMPUTE];
  worker->delay_s = worker->model->is_on_master ? 0 : worker->model->delay_s;
  worker->join_s = worker->left_s = (double)INFINITY;
  worker->served_rank = number;
  if (worker->model->is_on_master) engine->has_on_master = true;
  bool is_steady = !setup->availability || setup->availability_count[number] == 0;
  worker->is_plain = is_steady && !worker->model->is_on_master;
  ls_processor_open(engine, number);
}

static bool make_workers(struct ls_engine *engine) {
  const struct ls_simulation *setup = engine->setup;
  size_t machines = engine->platform->workers_count;
  size_t at_start = setup->grant.at_start > 0 ? setup->grant.at_start : machines;
  engine->workers = calloc(engine->workers_count, sizeof *engine->workers);
  double *join_s = calloc(machines, sizeof *join_s);
  if (engine->workers && join_s) {
    for (uint32_t i = 0; i < engine->workers_count; i++) init_worker(engine, i);
    engine->served_count = (uint32_t)engine->workers_count;
    for (size_t i = 0; i < setup->join_count; i++)
      join_s[setup->join[i].worker] = setup->join[i].time_s;
    for (uint32_t i = 0; i < at_start; i++) {
      engine->workers[i].is_expected = true;
      ls_engine_push(engine, join_s[i], LS_ENGINE_JOIN, i);
    }
    for (size_t i = 0; i < setup->leave_count; i++)
      ls_engine_push(engine, setup->leave[i].time_s, LS_ENGINE_LEAVE, setup->leave[i].worker);
    for (size_t i = 0; i < setup->pauses_count; i++) {
      const struct ls_simulated_pause *pause = &setup->pauses[i];
      if (pause->is_kept)
        ls_engine_push(engine, pause->from_s, LS_ENGINE_STAND, i);
      else
        ls_engine_push(engine, pause->from_s, LS_ENGINE_PAUSE, pause->worker);
      if (isfinite(pause->until_s))
        ls_engine_push(engine, pause->until_s, LS_ENGINE_RESUME, pause->worker);
    }
  }
  free(join_s);
  return engine->workers != NULL && join_s != NULL;
}

static enum ls_status make_coordinator(struct ls_engine *engine) {
  const struct ls_simulation *setup = engine->setup;
  struct ls_coordinator_config config = setup->config;
  size_t machines = engine->platform->workers_count;
  config.workers = setup->grant.at_start > 0 ? setup->grant.at_start : machines;
  config.workers_max = config.weights_count = machines;
  /* Losses are given, not guessed from silence: no worker sends heartbeats here. */
  config.silence_s = config.patience_s = config.heartbeat_s = config.grant_s = 0;
  config.is_paced = true;
  config.spares_newcomers = setup->asking == LS_ASKING_ROOM;
  config.recalls = config.recalls && config.spares_newcomers;
  config.report_every = setup->report_every;
  engine->side_settings = ls_side_settings_of(&config);
  engine->has_listeners = ls_side_has_listeners(&config);
  engine->side_settings.prefetch = setup->prefetch;
  engine->side_settings.has_progress = !setup->has_whole_chunks;
  if (setup->has_whole_chunks) config.task_units_max = UINT64_MAX;
  struct ls_room *rooms = NULL;
  enum ls_status status = ls_platform_rooms(engine->platform, &rooms, engine->err);
  if (status != LS_OK) return status;
  config.rooms = rooms;
  config.rooms_count = rooms != NULL ? machines : 0;
  status = ls_coordinator_create(&config, &engine->coordinator, engine->err);
  free(rooms);
  return status;
}

static enum ls_status open_engine(struct ls_engine *engine) {
  const struct ls_simulation *setup = engine->setup;
  const struct ls_chunking *chunking = setup->config.chunking;
  engine->iterations = setup->iterations > 0 ? setup->iterations : 1;
  engine->workers_count = engine->platform->workers_count;
  engine->chunks_free = engine->mails_free = engine->orders_free = LS_ENGINE_NONE;
  engine->retry.arrival_s = (double)INFINITY;
  engine->is_pushed = chunking->is_pushed;
  engine->actions.wants_notes = engine->timeline && setup->wants_notes;
  enum ls_status status = make_coordinator(engine);
  if (status != LS_OK) return status;
  if (!sum_work(engine) || !make_workers(engine) || !ls_drawn_times_open(engine) ||
      !ls_reclaim_open(engine) || !ls_reader_open(engine) ||
      (engine->platform->ports == LS_PORTS_MULTI && !ls_links_open(engine))) {
    ls_engine_fail(engine, LS_ENOMEM);
    return engine->status;
  }
  ls_outside_open(engine);
  ls_simulated_iteration_open(engine);
  return engine->status;
}

static void close_engine(struct ls_engine *engine) {
  for (size_t i = 0; engine->workers && i < engine->workers_count; i++)
    ls_worker_side_close(&engine->workers[i].side);
  for (uint32_t i = 0; i < engine->chunks_used; i++) free(engine->chunks[i].ranges);
  ls_reclaim_close(engine);
  ls_mail_close(engine);
  ls_drawn_times_close(engine);
  ls_reader_close(engine);
  ls_links_close(engine);
  free(engine->workers);
  free(engine->work_sums);
  free(engine->chunks);
  free(engine->held_entries);
  free(engine->times);
  free(engine->vain);
  free(engine->late);
  free(engine->requests);
  free(engine->outbox);
  ls_side_actions_close(&engine->side_actions);
  ls_heap_close(&engine->ports[0].waiting);
  ls_heap_close(&engine->ports[1].waiting);
  ls_heap_close(&engine->events);
  ls_actions_close(&engine->actions);
  ls_coordinator_destroy(engine->coordinator);
}

static void handle_presence(struct ls_engine *engine, enum ls_engine_event kind, uint64_t payload) {
  uint32_t worker = (uint32_t)(payload & UINT32_MAX);
  uint64_t iteration = payload >> 32;
  if (kind == LS_ENGINE_JOIN) ls_presence_join(engine, worker);
  if (kind == LS_ENGINE_LEAVE) ls_presence_leave(engine, worker, LS_LOSS_CRASHED);
  if (kind == LS_ENGINE_RESUME) ls_presence_resume(engine, worker);
  if (kind == LS_ENGINE_GRANTED && worker == UINT32_MAX) ls_presence_refused(engine, payload >> 32);
  if (kind == LS_ENGINE_GRANTED && worker != UINT32_MAX) ls_presence_granted(engine, worker);
  if (kind == LS_ENGINE_RELEASE) ls_presence_release(engine, worker);
  if (kind != LS_ENGINE_PAUSE) return;
  /* The loss of an iteration has no effect on a later one. */
  if (iteration > 0 && iteration != (uint64_t)engine->iteration + 1) return;
  engine->workers[worker].is_reclaimed = iteration > 0 && engine->workers[worker].is_present;
  ls_presence_pause(engine, worker);
}

static void handle_other(struct ls_engine *engine, enum ls_engine_event kind, uint64_t payload) {
  switch (kind) {
    case LS_ENGINE_STAGED:
      ls_reader_end(engine, (uint32_t)(payload & UINT32_MAX), (uint32_t)(payload >> 32));
      break;
    case LS_ENGINE_SENT:
      ls_engine_master_sent(engine);
      break;
    case LS_ENGINE_PORT_END:
      ls_network_end(engine, payload);
      break;
    case LS_ENGINE_ARRIVED:
      ls_processor_arrive(engine, (uint32_t)payload);
      break;
    case LS_ENGINE_ORDER:
      ls_order_arrive(engine, (uint32_t)payload);
      break;
    case LS_ENGINE_FRAME:
      if (engine->workers[payload & UINT32_MAX].epoch == payload >> 32)
        ls_mail_arrive(engine, (uint32_t)(payload & UINT32_MAX));
      break;
    case LS_ENGINE_TIMER:
      ls_engine_master_step(engine, &(struct ls_event){.kind = LS_EVENT_TIMER});
      break;
    case LS_ENGINE_DEPART:
      ls_outside_depart(engine, payload);
      break;
    case LS_ENGINE_STAND:
      ls_presence_stand(engine, (size_t)payload);
      break;
    case LS_ENGINE_ADDITION:
      ls_outside_add(engine, (size_t)payload);
      break;
    case LS_ENGINE_ADVICE:
      ls_outside_advise(engine, (size_t)payload);
      break;
    case LS_ENGINE_STOP:
      ls_outside_stop(engine);
      break;
    default:
      handle_presence(engine, kind, payload);
      break;
  }
}

static void handle(struct ls_engine *engine, const struct ls_heap_item *item) {
  enum ls_engine_event kind = (enum ls_engine_event)ls_heap_priority(item);
  if (kind != LS_ENGINE_WORK) {
    handle_other(engine, kind, item->payload);
    return;
  }
  uint32_t number = (uint32_t)(item->payload & UINT32_MAX);
  uint32_t stamp = (uint32_t)(item->payload >> 32);
  ls_processor_work(engine, number, stamp);
}

/* The work without an entry in the queue: it comes behind all else of this instant (for the
 * network: but for rounding) but the timer.
 * False: something else comes first. */
static bool handle_due(struct ls_engine *engine) {
  bool is_iteration_due = engine->is_iteration_due && ls_network_is_idle(engine);
  if (!engine->is_serve_due && !engine->is_grant_due[0] && !engine->is_grant_due[1] &&
      !engine->is_read_due && !is_iteration_due)
    return false;
  const struct ls_heap_item *first = ls_heap_first(&engine->events);
  bool is_grant = !engine->is_serve_due && (engine->is_grant_due[0] || engine->is_grant_due[1]);
  double turn_s = is_grant ? ls_reply_turn_s(engine->now_s) : engine->now_s;
  if (first && !(first->time_s > turn_s) && ls_heap_priority(first) < LS_ENGINE_TIMER) return false;
  if (engine->is_serve_due)
    ls_engine_master_serve(engine);
  else if (engine->is_grant_due[0])
    ls_network_grant(engine, 0);
  else if (engine->is_grant_due[1])
    ls_network_grant(engine, 1);
  else if (engine->is_read_due)
    ls_reader_grant(engine);
  else
    ls_simulated_iteration_begin(engine);
  return true;
}

/* The run is over when the coordinator says so and the last reply is back. */
static bool is_over(const struct ls_engine *engine) {
  return engine->status != LS_OK || (engine->is_finished && ls_network_is_idle(engine));
}

static enum ls_status play(struct ls_engine *engine) {
  struct ls_heap_item item;
  while (true) {
    if (!ls_engine_is_restful(engine)) {
      if (is_over(engine)) break;
      if (handle_due(engine)) continue;
    }
    if (!ls_heap_pop(&engine->events, &item)) break;
    engine->now_s = item.time_s;
    handle(engine, &item);
  }
  if (engine->status != LS_OK) return engine->status;
  if (engine->is_finished) {
    /* What runs where its unit ended elsewhere was computed up to now. */
    for (uint32_t i = 0; i < engine->workers_count; i++) ls_computing_break_off(engine, i);
    for (uint32_t i = 0; i < engine->workers_count; i++) ls_mail_end(engine, i);
    return engine->status;
  }
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(engine->coordinator, &totals);
  return ls_fail(engine->err, LS_EINVAL,
                 "the run cannot end: %" PRIu64 " of %" PRIu64
                 " units are not computed at %g s, and %s",
                 totals.waiting + totals.sent, totals.units, engine->now_s,
                 totals.workers_present == 0 ? "no worker is left, nor will one join"
                                             : "no worker that is left ever computes them");
}

static void measure(const struct ls_engine *engine, struct ls_simulated *result) {
  struct ls_efficiency_sums sums = {0};
  for (size_t i = 0; i < engine->workers_count; i++) {
    const struct ls_engine_worker *worker = &engine->workers[i];
    double worker_up_s = ls_presence_up(engine, (uint32_t)i, engine->makespan_s);
    double price_per_s = worker->model->price_per_s;
    ls_efficiency_add_useful(&sums, price_per_s, worker->computing_s);
    ls_efficiency_add_up(&sums, price_per_s, worker_up_s);
    if (engine->setup->prices_out) engine->setup->prices_out[i] = price_per_s * worker_up_s;
  }
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(engine->coordinator, &totals);
  if (engine->setup->slowness_out)
    ls_coordinator_slowness(engine->coordinator, engine->setup->slowness_out);
  *result = (struct ls_simulated){.makespan_s = engine->makespan_s,
                                  .efficiency = ls_efficiency_value(&sums),
                                  .chunks = engine->decisions,
                                  .units_done = engine->done_units,
                                  .reclaims = engine->reclaims,
                                  .up_s = ls_sum_value(&sums.up_s),
                                  .price = ls_sum_value(&sums.price)};
}

static enum ls_status finish_timeline(struct ls_engine *engine) {
  struct ls_timeline *timeline = engine->timeline;
  if (!timeline) return LS_OK;
  for (size_t i = 0; i < engine->workers_count; i++) {
    const struct ls_engine_worker *worker = &engine->workers[i];
    bool has_left = worker->left_s < engine->makespan_s;
    double end_s = has_left ? worker->left_s : (double)INFINITY;
    ls_timeline_add_worker(timeline, worker->model->name, worker->join_s, end_s);
    ls_timeline_price_worker(timeline, worker->model->price_per_s);
    if (timeline->failure.status != LS_OK) break;
    double there_s = fmin(worker->left_s, engine->makespan_s) - worker->join_s;
    double up_s = ls_presence_up(engine, (uint32_t)i, engine->makespan_s);
    timeline->workers[timeline->workers_count - 1].suspended_s = fmax(0, there_s - up_s);
    if (worker->is_suspended && worker->paused_s < engine->makespan_s)
      ls_timeline_add_absence(timeline, &(struct ls_absence){.worker = (uint32_t)i,
                                                             .from_s = worker->paused_s,
                                                             .until_s = engine->makespan_s});
  }
  for (size_t i = 0; i < engine->vain_count; i++) ls_timeline_take_back(timeline, &engine->vain[i]);
  /* The word of the last result was on its way when somebody still computed, sent or left. */
  ls_timeline_end(timeline, engine->makespan_s);
  timeline->seed = engine->setup->config.seed;
  timeline->has_shared_network = engine->platform->ports == LS_PORTS_MULTI;
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
  if (status == LS_OK) ls_simulated_iteration_measure(&engine, engine.makespan_s);
  if (status == LS_OK) status = finish_timeline(&engine);
  if (status == LS_OK) measure(&engine, result);
  close_engine(&engine);
  return status;
}
