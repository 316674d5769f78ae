/* naive.h: a second simulator, unit by unit, written from the rules and not from the first one.
 *
 * It asks the policy itself; there is no coordinator, no queue of events and no milestone.  Each
 * decision is played to its end at once: begin and end of every unit are written down, and a loss
 * takes back the units of its worker that end later.  Two-port platforms; no worker on the master;
 * at most one leaves, and then
 * transfers and replies cost nothing.
 */
#ifndef TESTS_UNIT_SIMULATE_NAIVE_H
#define TESTS_UNIT_SIMULATE_NAIVE_H

#include "support.h"

enum { NAIVE_WORKERS_MAX = 8, NAIVE_UNITS_MAX = 256 };

struct naive_unit {
  uint32_t worker;
  bool is_given;
  double begin_s, end_s;
};

struct naive_worker {
  bool is_present, is_asking, is_parked;
  double sent_s, request_s; /* when its request leaves, and is there */
  double told_s;            /* what ended up to then, the policy knows */
  double reported_s;        /* service of the latest report */
  uint64_t rank;
  double free_s;      /* the processor */
  double computing_s; /* of chunks */
  double left_s;
};

struct naive_chunk {
  uint32_t worker;
  uint64_t units;
};

struct naive_reply {
  double ready_s, seconds;
};

struct naive {
  const struct ls_simulation *setup;
  struct naive_unit units[NAIVE_UNITS_MAX];
  uint64_t pool[NAIVE_UNITS_MAX * 2];
  size_t pool_begin, pool_end;
  struct naive_worker workers[NAIVE_WORKERS_MAX];
  bool is_present[NAIVE_WORKERS_MAX];
  double weights[NAIVE_WORKERS_MAX];
  size_t present;
  struct naive_chunk chunks[NAIVE_UNITS_MAX * 2];
  size_t chunks_count;
  struct naive_reply replies[NAIVE_UNITS_MAX * 2];
  size_t replies_count;
  double master_s, network_s;
  uint64_t served;
  void *policy;
  double makespan_s, efficiency;
};

/* Steps through the availability piece by piece. */
static inline double naive_end(const struct naive *naive, uint32_t worker, double from_s,
                               double work_s) {
  const struct ls_simulation *setup = naive->setup;
  size_t count = setup->availability ? setup->availability_count[worker] : 0;
  double share = 1;
  for (size_t i = 0; i <= count; i++) {
    double until_s = i < count ? setup->availability[worker][i].from_s : (double)INFINITY;
    if (until_s > from_s) {
      double able = (until_s - from_s) * share;
      if (able >= work_s) return from_s + work_s / share;
      work_s -= able;
      from_s = until_s;
    }
    if (i < count) share = setup->availability[worker][i].share;
  }
  return from_s;
}

static inline struct ls_chunking_view naive_view(const struct naive *naive, double now_s) {
  return (struct ls_chunking_view){.now_s = now_s,
                                   .units = naive->setup->units,
                                   .units_unassigned = naive->pool_end - naive->pool_begin,
                                   .workers_present = naive->present,
                                   .slots = naive->setup->platform->workers_count,
                                   .weights = naive->weights,
                                   .is_present = naive->is_present,
                                   .is_counted = naive->is_present};
}

/* The first instant from `from_s` on at which the worker may ask. */
static inline double naive_next_request(const struct naive *naive, uint32_t worker, double from_s) {
  const struct ls_simulation *setup = naive->setup;
  double candidates[NAIVE_UNITS_MAX + 1], best_s = (double)INFINITY;
  size_t count = 0;
  candidates[count++] = from_s;
  for (uint64_t i = 0; i < setup->units; i++) {
    const struct naive_unit *unit = &naive->units[i];
    if (!unit->is_given || unit->worker != worker) continue;
    double time_s = setup->prefetch == 0 ? unit->end_s : unit->begin_s;
    if (time_s > from_s) candidates[count++] = time_s;
  }
  for (size_t k = 0; k < count; k++) {
    uint64_t waiting = 0;
    for (uint64_t i = 0; i < setup->units; i++) {
      const struct naive_unit *unit = &naive->units[i];
      if (!unit->is_given || unit->worker != worker) continue;
      if ((setup->prefetch == 0 ? unit->end_s : unit->begin_s) > candidates[k]) waiting++;
    }
    bool may_ask = setup->prefetch == 0 ? waiting == 0 : waiting < setup->prefetch;
    if (may_ask && candidates[k] < best_s) best_s = candidates[k];
  }
  return best_s;
}

static inline void naive_give(struct naive *naive, uint32_t number, uint64_t units,
                              double service_s) {
  const struct ls_platform *platform = naive->setup->platform;
  const struct ls_worker_model *model = &platform->workers[number];
  struct naive_worker *worker = &naive->workers[number];
  double size = (double)units;
  naive->master_s = service_s + ls_cost_time(&platform->prepare, size);
  naive->master_s += ls_cost_time(&model->costs[LS_OPERATION_SEND], size);
  double start_s = fmax(naive->master_s, naive->network_s);
  naive->network_s = start_s + ls_cost_time(&model->costs[LS_OPERATION_TRANSFER], size);
  double arrival_s = naive->network_s + model->delay_s;
  double begin_s =
      fmax(arrival_s, worker->free_s) + ls_cost_time(&model->costs[LS_OPERATION_RECEIVE], size);
  double chunk_s = begin_s, time_s = begin_s + model->costs[LS_OPERATION_COMPUTE].latency_s;
  for (uint64_t k = 0; k < units; k++) {
    uint64_t index = naive->pool[naive->pool_begin++];
    double work = naive->setup->task_work ? naive->setup->task_work[index] : 1;
    struct naive_unit *unit = &naive->units[index];
    *unit = (struct naive_unit){.worker = number, .is_given = true};
    unit->begin_s = k == 0 ? begin_s : time_s;
    time_s = naive_end(naive, number, time_s, work * model->costs[LS_OPERATION_COMPUTE].per_unit_s);
    unit->end_s = time_s;
  }
  worker->free_s = time_s;
  worker->computing_s += time_s - chunk_s;
  naive->chunks[naive->chunks_count++] = (struct naive_chunk){number, units};
  naive->replies[naive->replies_count++] =
      (struct naive_reply){time_s, ls_cost_time(&model->costs[LS_OPERATION_REPLY], size)};
  worker->sent_s = naive_next_request(naive, number, arrival_s);
  worker->request_s = worker->sent_s + model->delay_s;
}

struct naive_time {
  double end_s, seconds;
};

static inline int compare_times(const void *left, const void *right) {
  double a = ((const struct naive_time *)left)->end_s;
  double b = ((const struct naive_time *)right)->end_s;
  return (a > b) - (a < b);
}

/* What the worker had finished when it sent its request, and had not told before; the latest times
 * one by one, as many as the policy wants. */
static inline void naive_report(struct naive *naive, uint32_t number, double service_s) {
  struct naive_worker *worker = &naive->workers[number];
  const struct ls_chunking *chunking = naive->setup->config.chunking;
  struct ls_chunking_report report = {.worker = number};
  struct naive_time times[NAIVE_UNITS_MAX];
  double latest[NAIVE_UNITS_MAX];
  size_t count = 0;
  for (uint64_t i = 0; i < naive->setup->units; i++) {
    const struct naive_unit *unit = &naive->units[i];
    bool is_news = unit->is_given && unit->worker == number && unit->end_s <= worker->sent_s &&
                   unit->end_s > worker->told_s;
    if (!is_news) continue;
    double seconds = unit->end_s - unit->begin_s;
    report.units++;
    report.seconds += seconds;
    report.squares += seconds * seconds;
    times[count++] = (struct naive_time){unit->end_s, seconds};
  }
  worker->told_s = worker->sent_s;
  if (report.units == 0 || !chunking->on_report) return;
  qsort(times, count, sizeof *times, compare_times);
  size_t wanted = ls_chunking_history(chunking, &naive->setup->config.arguments);
  if (wanted > count) wanted = count;
  for (size_t i = 0; i < wanted; i++) latest[i] = times[count - wanted + i].seconds;
  report.latest = latest;
  report.latest_count = wanted;
  report.elapsed_s = service_s - worker->reported_s;
  worker->reported_s = service_s;
  struct ls_chunking_view view = naive_view(naive, service_s);
  chunking->on_report(naive->policy, &view, &report);
}

static inline void naive_serve(struct naive *naive, uint32_t number, double service_s) {
  struct naive_worker *worker = &naive->workers[number];
  const struct ls_chunking *chunking = naive->setup->config.chunking;
  uint64_t rest = naive->pool_end - naive->pool_begin, units = 0;
  worker->rank = naive->served++;
  naive_report(naive, number, service_s);
  if (rest > 0) {
    struct ls_chunking_view view = naive_view(naive, service_s);
    units = chunking->next_units(naive->policy, &view, number);
  }
  if (units > rest) units = rest;
  worker->is_parked = units == 0;
  if (units > 0) naive_give(naive, number, units, service_s);
}

static inline void naive_lose(struct naive *naive, const struct ls_simulated_change *leave) {
  struct naive_worker *worker = &naive->workers[leave->worker];
  uint64_t back[NAIVE_UNITS_MAX];
  size_t count = 0;
  for (uint64_t i = 0; i < naive->setup->units; i++)
    if (naive->units[i].is_given && naive->units[i].worker == leave->worker &&
        naive->units[i].end_s > leave->time_s)
      back[count++] = i;
  for (size_t k = 0; k < count; k++) naive->units[back[k]].is_given = false;
  naive->pool_begin -= count;
  memcpy(naive->pool + naive->pool_begin, back, count * sizeof *back);
  worker->is_present = naive->is_present[leave->worker] = false;
  worker->left_s = leave->time_s;
  naive->present--;
  struct ls_chunking_view view = naive_view(naive, leave->time_s);
  const struct ls_chunking *chunking = naive->setup->config.chunking;
  if (chunking->on_worker)
    chunking->on_worker(naive->policy, &view, leave->worker, LS_CHUNKING_LOST, count);
  for (size_t i = 0; i < naive->setup->platform->workers_count; i++)
    if (naive->workers[i].is_parked) {
      naive->workers[i].is_parked = false;
      naive->workers[i].request_s = leave->time_s;
    }
}

static inline bool naive_pick(const struct naive *naive, uint32_t *picked) {
  bool is_found = false;
  for (uint32_t i = 0; i < naive->setup->platform->workers_count; i++) {
    const struct naive_worker *worker = &naive->workers[i], *best = &naive->workers[*picked];
    if (!worker->is_present || worker->is_parked) continue;
    if (is_found && (worker->request_s > best->request_s ||
                     (!(worker->request_s < best->request_s) && worker->rank > best->rank)))
      continue;
    is_found = true;
    *picked = i;
  }
  return is_found;
}

static inline int compare_replies(const void *left, const void *right) {
  double a = ((const struct naive_reply *)left)->ready_s;
  double b = ((const struct naive_reply *)right)->ready_s;
  return (a > b) - (a < b);
}

static inline void naive_measure(struct naive *naive) {
  const struct ls_simulation *setup = naive->setup;
  double computing_s = 0, present_s = 0, port_s = 0;
  for (uint64_t i = 0; i < setup->units; i++)
    naive->makespan_s = fmax(naive->makespan_s, naive->units[i].end_s);
  qsort(naive->replies, naive->replies_count, sizeof *naive->replies, compare_replies);
  for (size_t i = 0; i < naive->replies_count; i++) {
    if (!(naive->replies[i].seconds > 0)) continue;
    port_s = fmax(port_s, naive->replies[i].ready_s) + naive->replies[i].seconds;
    naive->makespan_s = fmax(naive->makespan_s, port_s);
  }
  for (size_t i = 0; i < setup->platform->workers_count; i++) {
    computing_s += naive->workers[i].computing_s;
    present_s += naive->makespan_s;
  }
  for (size_t i = 0; i < setup->join_count; i++)
    present_s -= fmin(setup->join[i].time_s, naive->makespan_s);
  naive->efficiency = computing_s / present_s;
}

/* Fills makespan, efficiency (meaningless after a loss) and chunks. */
static inline void naive_run(struct naive *naive, const struct ls_simulation *setup) {
  memset(naive, 0, sizeof *naive);
  naive->setup = setup;
  size_t workers = setup->platform->workers_count;
  struct ls_chunking_setup policy = {.units = setup->units,
                                     .slots = workers,
                                     .weights = setup->config.weights,
                                     .mean_seconds = setup->config.mean_seconds,
                                     .deviation_seconds = setup->config.deviation_seconds,
                                     .overhead_seconds = setup->config.overhead_seconds,
                                     .seed = setup->config.seed,
                                     .arguments = setup->config.arguments};
  const struct ls_chunking *chunking = setup->config.chunking;
  struct ls_arena arena = {0};
  assert_int_equal(ls_chunking_init(chunking, &arena, &policy, &naive->policy, NULL), LS_OK);
  naive->pool_begin = NAIVE_UNITS_MAX;
  naive->pool_end = NAIVE_UNITS_MAX + setup->units;
  for (uint64_t i = 0; i < setup->units; i++) naive->pool[NAIVE_UNITS_MAX + i] = i;
  for (uint32_t i = 0; i < workers; i++) {
    naive->workers[i] = (struct naive_worker){.is_present = true, .rank = i};
    naive->workers[i].request_s = setup->platform->workers[i].delay_s;
    naive->is_present[i] = true;
    naive->weights[i] = setup->config.weights != NULL ? setup->config.weights[i] : 1;
  }
  naive->present = workers;
  naive->served = workers;
  for (size_t i = 0; i < setup->join_count; i++) {
    struct naive_worker *worker = &naive->workers[setup->join[i].worker];
    worker->request_s += setup->join[i].time_s;
    worker->reported_s = setup->join[i].time_s;
  }
  bool has_lost = setup->leave_count == 0;
  uint32_t picked = 0;
  while (true) {
    bool is_found = naive_pick(naive, &picked);
    double service_s =
        is_found ? fmax(naive->workers[picked].request_s, naive->master_s) : (double)INFINITY;
    if (!has_lost && setup->leave[0].time_s <= service_s) {
      naive_lose(naive, &setup->leave[0]);
      has_lost = true;
    } else if (is_found) {
      naive_serve(naive, picked, service_s);
    } else {
      break;
    }
  }
  ls_arena_close(&arena);
  naive_measure(naive);
}

#endif
