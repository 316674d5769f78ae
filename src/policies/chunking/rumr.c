/* rumr.c: Robust Uniform Multi-Round (RUMR), driven by requests.
 *
 * Reference:  yang2003rumr, written from memory of the paper; rounds by the homogeneous case of
 *             uniform multi-round scheduling, then factoring.
 * Assumes:    equal workers of known speed and latencies; a known relative error of the predicted
 *             times (0.2 when nobody tells it).
 * Answers:    W1 = N - W2 units in rounds that grow, W2 = error N units in fac2 batches, W2 = 0
 *             when a worker's part of it would not be worth the latencies.  A worker's k-th request
 *             gets the chunk of round k, clipped to R - W2; rounds of 0 units are skipped.
 * Cost:       O(m^2) for the best of m <= 200 rounds at the start, O(1) per request.
 * Symbols:    e -> error, W1, W2 -> round_units, rest_units, theta, beta -> growth, c_j -> rounds,
 *             tu -> transfer_s_per_unit, nlat -> transfer_latency_s, clat -> compute_latency_s,
 *             p -> members.places, R -> units_unassigned.
 */
#include <math.h>
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/batch_private.h"
#include "policies/chunking/members_private.h"

enum { RUMR_ROUNDS_MAX = 200 };

static const struct ls_parameter rumr_parameters[] = {
    {"error", "relative error of the predicted times, within [0, 1]", LS_PARAMETER_REAL, 0.2, 0, 1,
     NULL},
    {"units_per_second", "speed of a worker; 0: from mean_seconds, or 1", LS_PARAMETER_REAL, 0, 0,
     1e300, NULL},
    {"transfer_seconds_per_unit", "time on the master's port per unit, in seconds",
     LS_PARAMETER_REAL, 0, 0, 1e300, NULL},
    {"transfer_latency_seconds", "time on the master's port per chunk, in seconds",
     LS_PARAMETER_REAL, 0, 0, 1e300, NULL},
    {"compute_latency_seconds", "time at the worker per chunk, in seconds", LS_PARAMETER_REAL, 0, 0,
     1e300, NULL},
    {0}};

/* The facts of the formulas. */
struct rumr_costs {
  double error, units_per_s, transfer_s_per_unit, transfer_latency_s, compute_latency_s;
};

/* c_j = theta c_{j-1} + beta. */
struct rumr_growth {
  double theta, beta;
};

struct rumr_state {
  double rest_units;    /* W2 */
  uint64_t least_units; /* of a chunk of the second phase */
  size_t rounds_count;
  uint64_t rounds[RUMR_ROUNDS_MAX]; /* chunk of each round */
  struct ls_batch batch;
  size_t workers_max;
  struct ls_members members;
  size_t next_round[]; /* workers_max, and then as many flags */
};

static bool *list_members(struct rumr_state *state) {
  return (bool *)(state->next_round + state->workers_max);
}

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct rumr_state) + setup->workers_max * (sizeof(size_t) + sizeof(bool));
}

static struct rumr_costs read_costs(const struct ls_chunking_setup *setup) {
  const struct ls_arguments *arguments = &setup->arguments;
  struct rumr_costs costs = {
      .error = ls_arguments_get(arguments, rumr_parameters, "error"),
      .units_per_s = ls_arguments_get(arguments, rumr_parameters, "units_per_second"),
      .transfer_s_per_unit =
          ls_arguments_get(arguments, rumr_parameters, "transfer_seconds_per_unit"),
      .transfer_latency_s =
          ls_arguments_get(arguments, rumr_parameters, "transfer_latency_seconds"),
      .compute_latency_s = ls_arguments_get(arguments, rumr_parameters, "compute_latency_seconds"),
  };
  if (!(costs.units_per_s > 0)) {
    bool is_known = setup->mean_seconds > 0 && isfinite(1 / setup->mean_seconds);
    costs.units_per_s = is_known ? 1 / setup->mean_seconds : 1;
  }
  return costs;
}

/* The first chunk of `count` rounds that hold `units` for each worker. */
static double choose_first(const struct rumr_growth *growth, size_t count, double units) {
  double power = 1, powers = 0, offset = 0, offsets = 0;
  for (size_t j = 0; j < count; j++) {
    powers += power;
    offsets += offset;
    offset = offset * growth->theta + growth->beta;
    power *= growth->theta;
  }
  return (units - offsets) / powers;
}

/* Predicted makespan of `count` rounds, or infinite when a round would be empty. */
static double predict(const struct rumr_costs *costs, const struct rumr_growth *growth,
                      size_t count, double p, double first) {
  double chunk = first;
  double seconds = p * (costs->transfer_latency_s + first * costs->transfer_s_per_unit);
  for (size_t j = 0; j < count; j++) {
    if (!(chunk > 0) || !isfinite(chunk)) return HUGE_VAL;
    seconds += costs->compute_latency_s + chunk / costs->units_per_s;
    chunk = growth->theta * chunk + growth->beta;
  }
  return seconds;
}

/* Whole chunks whose sums are the nearest to those of the real ones. */
static void round_chunks(struct rumr_state *state, const struct rumr_growth *growth, double first) {
  double chunk = first, sum = 0;
  uint64_t given = 0;
  for (size_t j = 0; j < state->rounds_count; j++) {
    sum += chunk;
    uint64_t until = ls_units_max(ls_units_nearest(sum), given);
    state->rounds[j] = until - given;
    given = until;
    chunk = growth->theta * chunk + growth->beta;
  }
}

static void plan_rounds(struct rumr_state *state, const struct rumr_costs *costs, double p,
                        double round_units) {
  double share = round_units / p, best_first = share, best_s = HUGE_VAL;
  struct rumr_growth growth = {0, 0};
  if (!(share > 0)) return;
  state->rounds_count = 1;
  if (costs->transfer_s_per_unit > 0) {
    double transfer_all = p * costs->transfer_s_per_unit;
    growth.theta = 1 / (costs->units_per_s * transfer_all);
    growth.beta = (costs->compute_latency_s - p * costs->transfer_latency_s) / transfer_all;
    for (size_t count = 1; count <= RUMR_ROUNDS_MAX; count++) {
      double first = choose_first(&growth, count, share);
      double seconds = predict(costs, &growth, count, p, first);
      if (!(seconds < best_s)) continue;
      best_s = seconds;
      best_first = first;
      state->rounds_count = count;
    }
  }
  round_chunks(state, &growth, best_first);
}

static enum ls_status init_rounds(void *memory, const struct ls_chunking_setup *setup,
                                  struct ls_error *err) {
  struct rumr_state *state = memory;
  struct rumr_costs costs = read_costs(setup);
  double p = (double)setup->workers, units = (double)setup->units;
  (void)err;
  double chunk_cost_s = costs.compute_latency_s + p * costs.transfer_latency_s;
  double rest = costs.error * units;
  if (rest / (p * costs.units_per_s) < chunk_cost_s) rest = 0;
  state->rest_units = rest;
  state->least_units = 1;
  if (rest > 0) {
    uint64_t least = ls_units_ceil(chunk_cost_s * costs.units_per_s / costs.error);
    state->least_units = ls_units_max(ls_units_min(least, ls_units_ceil(rest / p)), 1);
  }
  plan_rounds(state, &costs, p, units - rest);
  state->workers_max = setup->workers_max;
  ls_members_init(&state->members, list_members(state), setup);
  return LS_OK;
}

/* The worker's next round that holds units; 0: it has had them all. */
static uint64_t take_round(struct rumr_state *state, uint32_t worker) {
  size_t *next = &state->next_round[worker];
  while (*next < state->rounds_count) {
    uint64_t units = state->rounds[(*next)++];
    if (units > 0) return units;
  }
  return 0;
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct rumr_state *state = memory;
  size_t workers = state->members.places;
  uint64_t free_units = ls_units_floor((double)view->units_unassigned - state->rest_units);
  uint64_t units = free_units > 0 ? take_round(state, worker) : 0;
  if (units > 0) return ls_units_min(units, free_units);
  if (ls_batch_is_used_up(&state->batch)) {
    units = ls_batch_halve(view->units_unassigned, workers);
    ls_batch_open(&state->batch, ls_units_max(units, state->least_units), workers);
  }
  return ls_batch_take(&state->batch);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct rumr_state *state = memory;
  (void)view;
  (void)units_back;
  (void)ls_members_change(&state->members, list_members(state), worker, change);
}

const struct ls_chunking ls_chunking_rumr = {
    .name = "rumr",
    .summary = "robust uniform multi-round: growing rounds, then factoring for what may err",
    .reference = "Yang, Casanova 2003",
    .parameters = rumr_parameters,
    .facts = LS_CHUNKING_MEAN,
    .state_bytes = state_bytes,
    .init = init_rounds,
    .next_units = give_chunk,
    .on_worker = on_worker,
};
