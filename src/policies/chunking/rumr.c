/* rumr.c: Robust Uniform Multi-Round (RUMR), driven by requests.
 *
 * Reference:  yang2003rumr, in the form of docs/theory/online.md, 2: rounds by the homogeneous case
 *             of uniform multi-round scheduling, then factoring.
 * Assumes:    equal workers of known speed and latencies; a known relative error of the predicted
 *             times (0.2 when it is not told).
 * Answers:    W1 = N - W2 units in rounds that grow, W2 = error N units in fac2 batches, W2 = 0
 *             when a worker's part of it would not be worth the latencies.  A worker's k-th request
 *             gets the chunk of round k, clipped to R - W2; rounds of 0 units are skipped.
 *             Of the numbers of rounds within 1e-9 of the least predicted time it takes the least;
 *             chunks come from the closed form, since iterated ones err like theta^j.
 * Cost:       O(m) for the best of m <= 200 rounds at the start, O(1) per request.
 * Symbols:    e -> error, W1, W2 -> round_units, rest_units, theta, beta -> log_theta, beta,
 *             m -> count, c_j -> size_round,
 *             tu -> transfer_s_per_unit, nlat -> transfer_latency_s, clat -> compute_latency_s,
 *             p -> slots, R -> units_unassigned.
 */
#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"
#include "policies/chunking.h"
#include "policies/chunking/batch_private.h"

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

/* Rounds of chunks c_0, ..., c_{m-1} with c_j = theta c_{j-1} + beta, all of a worker. */
struct rumr_rounds {
  double units; /* of all chunks: W1/p */
  double log_theta, beta;
  size_t count; /* m */
  double lag;   /* the sum of (theta^i - 1) / (theta^m - 1) for i = 0, ..., m - 1 */
};

struct rumr_state {
  double rest_units;    /* W2 */
  uint64_t least_units; /* of a chunk of the second phase */
  size_t rounds_count;
  uint64_t rounds[RUMR_ROUNDS_MAX]; /* chunk of each round */
  struct ls_batch batch;
  struct ls_arena *arena;
  size_t *next_round; /* by slot */
};

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

/* (theta^part - 1) / (theta^whole - 1), 1 <= part <= whole. */
static double measure_share(double log_theta, double part, double whole) {
  if (log_theta > 0) {
    double scale = exp((part - whole) * log_theta);
    return scale * (expm1(-part * log_theta) / expm1(-whole * log_theta));
  }
  return log_theta < 0 ? expm1(part * log_theta) / expm1(whole * log_theta) : part / whole;
}

/* c_j.  The published c_j = alpha + (units - m alpha) theta^j (theta - 1) / (theta^m - 1) with
 * alpha = beta / (1 - theta) is units theta^j (theta - 1) / (theta^m - 1) + beta (m share_j - lag),
 * where nothing is divided by theta - 1 and no power overflows. */
static double size_round(const struct rumr_rounds *rounds, size_t j) {
  double m = (double)rounds->count, l = rounds->log_theta;
  double share = j > 0 ? measure_share(l, (double)j, m) : 0;
  double power = l > 0 ? exp(((double)j + 1 - m) * l) * (expm1(-l) / expm1(-m * l))
                       : exp((double)j * l) * measure_share(l, 1, m);
  return rounds->units * power + rounds->beta * (m * share - rounds->lag);
}

/* Predicted makespan, or infinite when a round would be empty: the sizes only grow or only fall
 * from the first to the last.  The units of a worker take the same time in any number of rounds. */
static double predict(const struct rumr_costs *costs, const struct rumr_rounds *rounds, double p) {
  double first = size_round(rounds, 0), last = size_round(rounds, rounds->count - 1);
  if (!(first > 0) || !(last > 0)) return HUGE_VAL;
  return p * (costs->transfer_latency_s + first * costs->transfer_s_per_unit) +
         (double)rounds->count * costs->compute_latency_s + rounds->units / costs->units_per_s;
}

static void add_round(struct rumr_rounds *rounds) {
  double before = (double)rounds->count++;
  rounds->lag = (rounds->lag + 1) * measure_share(rounds->log_theta, before, before + 1);
}

/* The fewest rounds whose predicted time is, but for 1e-9 of it, the least. */
static void choose_rounds(const struct rumr_costs *costs, double p, struct rumr_rounds *best) {
  struct rumr_rounds tried[RUMR_ROUNDS_MAX];
  double seconds[RUMR_ROUNDS_MAX], least_s = HUGE_VAL;
  for (size_t i = 0; i < RUMR_ROUNDS_MAX; i++) {
    tried[i] = i > 0 ? tried[i - 1] : *best;
    if (i > 0) add_round(&tried[i]);
    seconds[i] = predict(costs, &tried[i], p);
    least_s = fmin(least_s, seconds[i]);
  }
  size_t found = 0;
  while (found < RUMR_ROUNDS_MAX && !(seconds[found] <= least_s * (1 + 1e-9))) found++;
  if (found < RUMR_ROUNDS_MAX) *best = tried[found];
}

/* Whole chunks whose sums are the nearest to those of the real ones. */
static void round_chunks(struct rumr_state *state, const struct rumr_rounds *rounds) {
  struct ls_sum sum = {0};
  uint64_t given = 0;
  state->rounds_count = rounds->count;
  for (size_t j = 0; j < rounds->count; j++) {
    ls_sum_add(&sum, size_round(rounds, j));
    double real = j + 1 < rounds->count ? ls_sum_value(&sum) : rounds->units;
    uint64_t until = ls_units_max(ls_units_nearest(real), given);
    state->rounds[j] = until - given;
    given = until;
  }
}

static void plan_rounds(struct rumr_state *state, const struct rumr_costs *costs, double p,
                        double round_units) {
  struct rumr_rounds rounds = {.units = round_units / p, .count = 1};
  double transfer_all = p * costs->transfer_s_per_unit;
  double theta = 1 / (costs->units_per_s * transfer_all);
  if (!(rounds.units > 0)) return;
  if (transfer_all > 0 && theta > 0 && isfinite(theta)) {
    rounds.log_theta = log(theta);
    rounds.beta = (costs->compute_latency_s - p * costs->transfer_latency_s) / transfer_all;
    choose_rounds(costs, p, &rounds);
  }
  round_chunks(state, &rounds);
}

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct rumr_state *state = memory;
  size_t *rounds = ls_arena_array(state->arena, state->next_round, slots, sizeof *rounds);
  if (rounds == NULL) return ls_chunking_no_memory(err);
  state->next_round = rounds;
  return LS_OK;
}

static enum ls_status init_rounds(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  struct rumr_costs costs = read_costs(setup);
  double p = (double)setup->slots, units = (double)setup->units;
  struct rumr_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
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
  state->arena = arena;
  *memory = state;
  return make_room(state, setup->slots, err);
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
  uint64_t free_units = ls_units_floor((double)view->units_unassigned - state->rest_units);
  uint64_t units = free_units > 0 ? take_round(state, worker) : 0;
  if (units > 0) return ls_units_min(units, free_units);
  if (ls_batch_is_used_up(&state->batch)) {
    units = ls_batch_halve(view->units_unassigned, view->slots);
    ls_batch_open(&state->batch, ls_units_max(units, state->least_units), view->slots);
  }
  return ls_batch_take(&state->batch);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct rumr_state *state = memory;
  (void)view;
  (void)units_back;
  if (change == LS_CHUNKING_JOINED) state->next_round[worker] = 0;
}

const struct ls_chunking ls_chunking_rumr = {
    .name = "rumr",
    .summary = "robust uniform multi-round: growing rounds, then factoring for what may err",
    .reference = "Yang, Casanova 2003",
    .parameters = rumr_parameters,
    .facts = LS_CHUNKING_MEAN,
    .init = init_rounds,
    .resize = make_room,
    .next_units = give_chunk,
    .on_worker = on_worker,
};
