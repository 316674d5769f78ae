/* awf_shared.c: adaptive weighted factoring, what awf and its variants b, c, d, e share.
 *
 * Reference:  banicescu2003, carino2008; the formulas of pi and w agree with the public codes
 *             LB4OMP and DLS4LB.
 * Assumes:    that a worker's speed changes slowly beside the time between two reports.
 * Answers:    ceil(w_i R / (2p)), at least 1, with pi_i = sum k t_ik / sum k n_ik over the reports
 *             k = 1, 2, ... of worker i and w_i = p (1/pi_i) / sum (1/pi).  A worker without data
 *             keeps its start weight relative to those with data: pi_i = C / w_i, C the harmonic
 *             mean of their pi_k w_k (with the plain mean of the others, awf-b loses 4 %).
 * Cost:       O(workers_max) for new weights.
 * Symbols:    n_ik, t_ik -> units and seconds of a report, 1/pi_i -> speed, R -> batch_units,
 *             p -> members.places.
 */
#include "policies/chunking/awf_private.h"

#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"
#include "policies/chunking/members_private.h"
#include "policies/chunking/rounding_private.h"

/* Zero times would make a worker infinitely fast. */
static const double SECONDS_LEAST = 1e-9;

struct awf_worker {
  double reports;        /* so far */
  double units, seconds; /* sums weighted by the number of the report */
  double start_weight;
  double speed; /* at the latest renewal */
};

struct awf_state {
  size_t workers_max;
  double speed_sum;     /* of the p members */
  bool is_equal;        /* all members are equally fast: exactly fac2, without a rounding error */
  uint64_t batch_units; /* R at the renewal */
  size_t batch_workers; /* p at the renewal */
  size_t requests_left; /* of the open batch */
  struct ls_members members;
  struct awf_worker worker[]; /* workers_max, and then twice as many flags */
};

static bool *list_members(struct awf_state *state) {
  return (bool *)(state->worker + state->workers_max);
}

/* A lost worker counts in the sums until its place is taken: p does not fall either. */
static bool *list_counted(struct awf_state *state) {
  return list_members(state) + state->workers_max;
}

size_t ls_awf_state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct awf_state) +
         setup->workers_max * (sizeof(struct awf_worker) + 2 * sizeof(bool));
}

enum ls_status ls_awf_init(void *memory, const struct ls_chunking_setup *setup,
                           struct ls_error *err) {
  struct awf_state *state = memory;
  enum ls_status status = ls_members_check_weights(setup, err);
  if (status != LS_OK) return status;
  bool is_weighed = false;
  for (size_t i = 0; setup->weights != NULL && i < setup->workers; i++) {
    if (setup->weights[i] > 0) is_weighed = true;
  }
  state->workers_max = setup->workers_max;
  ls_members_init(&state->members, list_members(state), setup);
  ls_members_recount(&state->members, list_members(state), list_counted(state), state->workers_max);
  for (size_t i = 0; i < setup->workers_max; i++) {
    state->worker[i].start_weight = is_weighed ? setup->weights[i] : 1;
  }
  return LS_OK;
}

enum ls_status ls_awf_init_earlier(void *memory, const struct ls_chunking_setup *setup,
                                   struct ls_error *err) {
  struct awf_state *state = memory;
  enum ls_status status = ls_awf_init(memory, setup, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; setup->earlier != NULL && i < setup->workers_max; i++) {
    state->worker[i].units = setup->earlier[i].units;
    state->worker[i].seconds = setup->earlier[i].seconds;
  }
  return LS_OK;
}

static double measure_speed(const struct awf_worker *worker) {
  return 1 / fmax(worker->seconds / worker->units, SECONDS_LEAST);
}

/* 1/C: units per second for each unit of start weight. */
static double rate_weight(struct awf_state *state) {
  const bool *is_counted = list_counted(state);
  double rates = 0, speeds = 0;
  size_t weighed = 0, known = 0;
  for (size_t i = 0; i < state->workers_max; i++) {
    const struct awf_worker *worker = &state->worker[i];
    if (!is_counted[i] || !(worker->units > 0)) continue;
    known++;
    speeds += measure_speed(worker);
    if (!(worker->start_weight > 0)) continue;
    weighed++;
    rates += measure_speed(worker) / worker->start_weight;
  }
  if (weighed > 0) return rates / (double)weighed;
  /* Nobody with data has a weight: a weight of 1 is the mean speed. */
  return known > 0 ? speeds / (double)known : 1;
}

static void renew_weights(struct awf_state *state, uint64_t units_unassigned) {
  const bool *is_counted = list_counted(state);
  double rate = rate_weight(state), least = HUGE_VAL, largest = 0;
  struct ls_sum sum = {0};
  for (size_t i = 0; i < state->workers_max; i++) {
    struct awf_worker *worker = &state->worker[i];
    bool is_known = worker->units > 0;
    worker->speed = is_known ? measure_speed(worker) : rate * worker->start_weight;
    if (!is_counted[i]) continue;
    ls_sum_add(&sum, worker->speed);
    least = fmin(least, worker->speed);
    largest = fmax(largest, worker->speed);
  }
  state->speed_sum = ls_sum_value(&sum);
  state->is_equal = !(least < largest);
  state->batch_units = units_unassigned;
  state->batch_workers = state->members.places;
}

static uint64_t size_chunk(const struct awf_state *state, uint32_t worker) {
  uint64_t shares = 2 * (uint64_t)state->batch_workers;
  if (state->is_equal) return ls_units_max(ls_divide_up(state->batch_units, shares), 1);
  double weight = state->worker[worker].speed / state->speed_sum;
  return ls_units_max(ls_units_ceil(weight * (double)state->batch_units / 2), 1);
}

uint64_t ls_awf_next_by_batch(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct awf_state *state = memory;
  if (state->requests_left == 0) {
    renew_weights(state, view->units_unassigned);
    state->requests_left = state->batch_workers;
  }
  state->requests_left--;
  return size_chunk(state, worker);
}

uint64_t ls_awf_next_by_request(void *memory, const struct ls_chunking_view *view,
                                uint32_t worker) {
  struct awf_state *state = memory;
  renew_weights(state, view->units_unassigned);
  return size_chunk(state, worker);
}

static void learn(struct awf_state *state, const struct ls_chunking_report *report,
                  double seconds) {
  struct awf_worker *worker = &state->worker[report->worker];
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
  (void)view;
  (void)units_back;
  (void)ls_members_change(&state->members, list_members(state), worker, change);
  ls_members_recount(&state->members, list_members(state), list_counted(state), state->workers_max);
}
