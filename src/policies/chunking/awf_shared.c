/* awf_shared.c: adaptive weighted factoring, what awf and its variants b, c, d, e share.
 *
 * Reference:  banicescu2003, carino2008; the formulas of pi and w agree with the public codes
 *             LB4OMP and DLS4LB.
 * Assumes:    that a worker's speed changes slowly beside the time between two reports.
 * Answers:    ceil(w_i R / (2p)), at least 1, with pi_i = sum k t_ik / sum k n_ik over the reports
 *             k = 1, 2, ... of worker i and w_i = p (1/pi_i) / sum (1/pi).  A worker without data
 *             keeps its start weight relative to those with data: pi_i = C / w_i, C the harmonic
 *             mean of their pi_k w_k (with the plain mean of the others, awf-b loses 4 %).
 * Cost:       O(p) for new weights.
 * Symbols:    n_ik, t_ik -> units and seconds of a report, 1/pi_i -> speed, R -> batch_units,
 *             p -> batch_workers.
 */
#include "policies/chunking/awf_shared.h"

#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"
#include "policies/chunking/rounding.h"

/* Zero times would make a worker infinitely fast. */
static const double SECONDS_LEAST = 1e-9;

struct awf_worker {
  double reports;        /* so far */
  double units, seconds; /* sums weighted by the number of the report */
  double speed;          /* at the latest renewal */
};

struct awf_state {
  struct ls_arena *arena;
  double rate;                /* units per second for a start weight of 1, at the renewal */
  double speed_sum;           /* of all slots */
  bool is_weighed;            /* some worker has a start weight; else all weigh 1 */
  bool is_equal;              /* all are equally fast: exactly fac2, without a rounding error */
  uint64_t batch_units;       /* R at the renewal */
  size_t batch_workers;       /* p at the renewal */
  size_t requests_left;       /* of the open batch */
  struct awf_worker *workers; /* by slot */
};

enum ls_status ls_awf_resize(void *memory, size_t slots, struct ls_error *err) {
  struct awf_state *state = memory;
  struct awf_worker *workers = ls_arena_array(state->arena, state->workers, slots, sizeof *workers);
  if (workers == NULL) return ls_chunking_no_memory(err);
  state->workers = workers;
  return LS_OK;
}

enum ls_status ls_awf_init(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                           void **memory, struct ls_error *err) {
  enum ls_status status = ls_chunking_check_weights(setup, err);
  if (status != LS_OK) return status;
  struct awf_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->arena = arena;
  *memory = state;
  return ls_awf_resize(state, setup->slots, err);
}

enum ls_status ls_awf_init_earlier(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                   void **memory, struct ls_error *err) {
  enum ls_status status = ls_awf_init(arena, setup, memory, err);
  if (status != LS_OK) return status;
  struct awf_state *state = *memory;
  for (size_t i = 0; setup->earlier != NULL && i < setup->slots; i++) {
    state->workers[i].units = setup->earlier[i].units;
    state->workers[i].seconds = setup->earlier[i].seconds;
  }
  return LS_OK;
}

static double measure_speed(const struct awf_worker *worker) {
  return 1 / fmax(worker->seconds / worker->units, SECONDS_LEAST);
}

static double start_weight(const struct awf_state *state, const struct ls_chunking_view *view,
                           size_t worker) {
  return state->is_weighed ? view->weights[worker] : 1;
}

/* 1/C: units per second for each unit of start weight. */
static double rate_weight(const struct awf_state *state, const struct ls_chunking_view *view) {
  double rates = 0, speeds = 0;
  size_t weighed = 0, known = 0;
  for (size_t i = 0; i < view->slots; i++) {
    double weight = start_weight(state, view, i);
    if (!(state->workers[i].units > 0)) continue;
    known++;
    speeds += measure_speed(&state->workers[i]);
    if (!(weight > 0)) continue;
    weighed++;
    rates += measure_speed(&state->workers[i]) / weight;
  }
  if (weighed > 0) return rates / (double)weighed;
  /* No worker with data has a weight: a weight of 1 is the mean speed. */
  return known > 0 ? speeds / (double)known : 1;
}

static void renew_weights(struct awf_state *state, const struct ls_chunking_view *view) {
  double least = HUGE_VAL, largest = 0;
  struct ls_sum sum = {0};
  state->is_weighed = false;
  for (size_t i = 0; i < view->slots; i++) {
    if (view->weights[i] > 0) state->is_weighed = true;
  }
  state->rate = rate_weight(state, view);
  for (size_t i = 0; i < view->slots; i++) {
    struct awf_worker *worker = &state->workers[i];
    bool is_known = worker->units > 0;
    worker->speed = is_known ? measure_speed(worker) : state->rate * start_weight(state, view, i);
    ls_sum_add(&sum, worker->speed);
    least = fmin(least, worker->speed);
    largest = fmax(largest, worker->speed);
  }
  state->speed_sum = ls_sum_value(&sum);
  state->is_equal = !(least < largest);
  state->batch_units = view->units_unassigned;
  state->batch_workers = view->slots;
}

static uint64_t size_chunk(const struct awf_state *state, uint32_t worker) {
  uint64_t shares = 2 * (uint64_t)state->batch_workers;
  if (state->is_equal) return ls_units_max(ls_divide_up(state->batch_units, shares), 1);
  double weight = state->workers[worker].speed / state->speed_sum;
  return ls_units_max(ls_units_ceil(weight * (double)state->batch_units / 2), 1);
}

uint64_t ls_awf_next_by_batch(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct awf_state *state = memory;
  if (state->requests_left == 0) {
    renew_weights(state, view);
    state->requests_left = state->batch_workers;
  }
  state->requests_left--;
  return size_chunk(state, worker);
}

uint64_t ls_awf_next_by_request(void *memory, const struct ls_chunking_view *view,
                                uint32_t worker) {
  struct awf_state *state = memory;
  renew_weights(state, view);
  return size_chunk(state, worker);
}

static void learn(struct awf_state *state, const struct ls_chunking_report *report,
                  double seconds) {
  struct awf_worker *worker = &state->workers[report->worker];
  if (report->units == 0) return;
  worker->reports++;
  worker->units += worker->reports * (double)report->units;
  worker->seconds += worker->reports * seconds;
}

void ls_awf_on_report_seconds(void *memory, const struct ls_chunking_view *view,
                              const struct ls_chunking_report *report) {
  (void)view;
  learn(memory, report, report->seconds);
}

void ls_awf_on_report_elapsed(void *memory, const struct ls_chunking_view *view,
                              const struct ls_chunking_report *report) {
  (void)view;
  learn(memory, report, report->elapsed_s);
}

void ls_awf_on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct awf_state *state = memory;
  (void)units_back;
  if (change != LS_CHUNKING_JOINED) return;
  double speed = state->rate * start_weight(state, view, worker);
  state->workers[worker] = (struct awf_worker){.speed = speed};
}
