/* rumr.c: Robust Uniform Multi-Round (RUMR), driven by requests.
 *
 * Reference:  yang2003rumr, in the form of docs/theory/online.md, 2: rounds of uniform multi-round
 *             scheduling, then factoring; of unequal workers docs/theory/online.md, 2.1.
 * Assumes:    workers of known speeds and latencies: equal ones whose costs are arguments, or those
 *             of the platform where it is known; a known relative error of the predicted times (0.2
 *             when it is not told).
 * Answers:    W1 = N - W2 units in rounds that grow, W2 = error N units in fac2 batches, W2 = 0
 *             when a worker's part of it would not be worth the latencies.  A worker's k-th request
 *             gets its chunk of round k, clipped to R - W2; rounds of 0 units are skipped.
 *             Of the numbers of rounds within 1e-9 of the least predicted time it takes the least;
 *             chunks come from the closed form, since iterated ones err like theta^j.  Workers that
 *             would have nothing in a round, for their latency, get none.
 * Cost:       O(m) for the best of m <= 200 rounds at the start, once more for each worker that is
 *             left out; O(1) per request.
 * Symbols:    e -> error, W1, W2 -> round_units, rest_units, theta, beta -> log_theta, beta,
 *             m -> count, C_j/p -> size_round, tu_i -> transfer_s_per_unit, nlat_i ->
 *             transfer_latency_s, clat_i -> compute_latency_s, S_i -> units_per_s, S, K, L, N ->
 *             crowd.speed, lost_units, hidden_s, latency_s, a -> unit_s, p -> slots, R ->
 *             units_unassigned.
 */
#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"
#include "policies/chunking.h"
#include "policies/chunking/batch.h"

enum { RUMR_ROUNDS_MAX = 200 };

/* Of a unit, where a platform says 0. */
static const double RUMR_UNIT_LEAST_S = 1e-9;

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

/* The facts of the formulas about one worker. */
struct rumr_costs {
  double units_per_s, transfer_s_per_unit, transfer_latency_s, compute_latency_s;
};

/* Those about all that take part in the rounds. */
struct rumr_crowd {
  double count;      /* p */
  double speed;      /* S: the sum of the speeds S_i */
  double lost_units; /* K: the sum of S_i clat_i, what they could have computed meanwhile */
  double latency_s;  /* N: the sum of nlat_i */
  double hidden_s;   /* L: the sum of tu_i S_i clat_i */
  double port;       /* the sum of tu_i S_i: the time of the port for a second of all of them */
  double unit_s;     /* a: the port's time for a unit of a round, port / S */
};

/* Rounds of p c_0, ..., p c_{m-1} units with c_j = theta c_{j-1} + beta. */
struct rumr_rounds {
  double units; /* of all rounds: W1/p */
  double log_theta, beta;
  size_t count; /* m */
  double lag;   /* the sum of (theta^i - 1) / (theta^m - 1) for i = 0, ..., m - 1 */
};

/* Of round j a worker gets factor c_j + offset: all of them compute it in the same time. */
struct rumr_share {
  double weight; /* its speed by the mean one */
  double factor, offset;
  bool is_left_out;
};

struct rumr_worker {
  struct rumr_share share;
  size_t next_round;
  uint64_t given; /* in its rounds */
};

struct rumr_state {
  double rest_units;    /* W2 */
  uint64_t least_units; /* of a chunk of the second phase */
  size_t rounds_count;
  double sums[RUMR_ROUNDS_MAX]; /* c_0 + ... + c_j */
  bool are_equal;
  struct ls_batch batch;
  struct ls_arena *arena;
  struct rumr_worker *workers; /* by slot */
  size_t slots;
};

/* Of equal workers, by the arguments. */
static struct rumr_costs read_costs(const struct ls_chunking_setup *setup) {
  const struct ls_arguments *arguments = &setup->arguments;
  struct rumr_costs costs = {
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

/* A cost that was told is meant for all workers. */
static bool are_told(const struct ls_arguments *arguments) {
  for (const struct ls_parameter *parameter = rumr_parameters + 1; parameter->name; parameter++)
    if (ls_arguments_get(arguments, rumr_parameters, parameter->name) > 0) return true;
  return false;
}

/* What the master's port and the worker need for a chunk.  Transfers of a network that has many
 * ports do not wait for each other: no round is shorter than another one for them. */
static struct rumr_costs take_costs(const struct ls_platform *platform, size_t slot) {
  const struct ls_worker_model *worker = &platform->workers[slot];
  const struct ls_cost *costs = worker->costs, *prepare = &platform->prepare;
  const struct ls_cost *send = &costs[LS_OPERATION_SEND];
  const struct ls_cost *transfer = &costs[LS_OPERATION_TRANSFER];
  const struct ls_cost *receive = &costs[LS_OPERATION_RECEIVE];
  const struct ls_cost *compute = &costs[LS_OPERATION_COMPUTE];
  double unit_s = receive->per_unit_s + compute->per_unit_s;
  bool is_multi = platform->ports == LS_PORTS_MULTI;
  struct rumr_costs own = {
      .units_per_s = 1 / fmax(unit_s, RUMR_UNIT_LEAST_S),
      .transfer_s_per_unit = prepare->per_unit_s + send->per_unit_s,
      .transfer_latency_s = prepare->latency_s + send->latency_s,
      .compute_latency_s = receive->latency_s + compute->latency_s,
  };
  own.transfer_s_per_unit += is_multi ? 0 : transfer->per_unit_s;
  own.transfer_latency_s += is_multi ? 0 : transfer->latency_s;
  return own;
}

/* Beyond the platform workers are as those that were told of, or like its first one. */
static struct rumr_costs find_costs(const struct ls_chunking_setup *setup, size_t slot) {
  const struct ls_platform *platform = setup->platform;
  if (platform == NULL || are_told(&setup->arguments)) return read_costs(setup);
  return take_costs(platform, slot < platform->workers_count ? slot : 0);
}

static bool is_same(double a, double b) {
  return !(a < b || a > b);
}

static bool are_equal(const struct ls_chunking_setup *setup) {
  struct rumr_costs first = find_costs(setup, 0);
  for (size_t i = 1; i < setup->slots; i++) {
    struct rumr_costs own = find_costs(setup, i);
    if (!is_same(own.units_per_s, first.units_per_s) ||
        !is_same(own.transfer_s_per_unit, first.transfer_s_per_unit) ||
        !is_same(own.transfer_latency_s, first.transfer_latency_s) ||
        !is_same(own.compute_latency_s, first.compute_latency_s))
      return false;
  }
  return true;
}

static struct rumr_crowd add_up(const struct ls_chunking_setup *setup,
                                const struct rumr_worker *workers) {
  struct ls_sum speed = {0}, lost = {0}, latency = {0}, hidden = {0}, port = {0};
  struct rumr_crowd crowd = {0};
  for (size_t i = 0; i < setup->slots; i++) {
    struct rumr_costs own = find_costs(setup, i);
    double load = own.transfer_s_per_unit * own.units_per_s;
    if (workers[i].share.is_left_out) continue;
    crowd.count++;
    ls_sum_add(&speed, own.units_per_s);
    ls_sum_add(&lost, own.units_per_s * own.compute_latency_s);
    ls_sum_add(&latency, own.transfer_latency_s);
    ls_sum_add(&hidden, load * own.compute_latency_s);
    ls_sum_add(&port, load);
  }
  crowd.speed = ls_sum_value(&speed);
  crowd.lost_units = ls_sum_value(&lost);
  crowd.latency_s = ls_sum_value(&latency);
  crowd.hidden_s = ls_sum_value(&hidden);
  crowd.port = ls_sum_value(&port);
  crowd.unit_s = crowd.port / crowd.speed;
  return crowd;
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
static double predict(const struct rumr_crowd *crowd, const struct rumr_rounds *rounds) {
  double first = size_round(rounds, 0), last = size_round(rounds, rounds->count - 1);
  if (!(first > 0) || !(last > 0)) return HUGE_VAL;
  double p = crowd->count, m = (double)rounds->count;
  double start_s = crowd->latency_s + p * first * crowd->unit_s +
                   (crowd->unit_s * crowd->lost_units - crowd->hidden_s);
  return start_s + (m * crowd->lost_units + p * rounds->units) / crowd->speed;
}

static void add_round(struct rumr_rounds *rounds) {
  double before = (double)rounds->count++;
  rounds->lag = (rounds->lag + 1) * measure_share(rounds->log_theta, before, before + 1);
}

/* The fewest rounds whose predicted time is, but for 1e-9 of it, the least. */
static void choose_rounds(const struct rumr_crowd *crowd, struct rumr_rounds *best) {
  struct rumr_rounds tried[RUMR_ROUNDS_MAX];
  double seconds[RUMR_ROUNDS_MAX], least_s = HUGE_VAL;
  for (size_t i = 0; i < RUMR_ROUNDS_MAX; i++) {
    tried[i] = i > 0 ? tried[i - 1] : *best;
    if (i > 0) add_round(&tried[i]);
    seconds[i] = predict(crowd, &tried[i]);
    least_s = fmin(least_s, seconds[i]);
  }
  size_t found = 0;
  while (found < RUMR_ROUNDS_MAX && !(seconds[found] <= least_s * (1 + 1e-9))) found++;
  if (found < RUMR_ROUNDS_MAX) *best = tried[found];
}

/* T_j, the time of a round, is that in which the port sends the next one: its growth is
 * theta = 1 / port, and beta follows from C_j = S T_j - K. */
static struct rumr_rounds plan_rounds(const struct rumr_crowd *crowd, double round_units) {
  struct rumr_rounds rounds = {.units = round_units / crowd->count, .count = 1};
  double theta = 1 / crowd->port, lost = crowd->lost_units;
  if (!(rounds.units > 0 && crowd->port > 0 && theta > 0 && isfinite(theta))) return rounds;
  double grown = lost - crowd->speed * (crowd->latency_s - crowd->hidden_s);
  rounds.log_theta = log(theta);
  rounds.beta = (theta * grown - lost) / crowd->count;
  choose_rounds(crowd, &rounds);
  return rounds;
}

static struct rumr_share find_share(const struct rumr_crowd *crowd, const struct rumr_costs *own) {
  double factor = own->units_per_s * (crowd->count / crowd->speed);
  double mean_s = crowd->lost_units / crowd->speed;
  return (struct rumr_share){.weight = factor,
                             .factor = factor,
                             .offset = own->units_per_s * (mean_s - own->compute_latency_s)};
}

/* The worker that would have the least in the smallest round; false: all have something. */
static bool leave_out(const struct ls_chunking_setup *setup, const struct rumr_rounds *rounds,
                      struct rumr_worker *workers) {
  double size = fmin(size_round(rounds, 0), size_round(rounds, rounds->count - 1)), least = 0;
  size_t found = setup->slots, left = 0;
  for (size_t i = 0; i < setup->slots; i++) {
    struct rumr_share *share = &workers[i].share;
    double units = share->factor * size + share->offset;
    if (share->is_left_out) continue;
    left++;
    if (units > least) continue;
    least = units;
    found = i;
  }
  if (found == setup->slots || left < 2) return false;
  workers[found].share.is_left_out = true;
  return true;
}

/* The rounds of those that are worth their latency in each of them. */
static struct rumr_rounds share_rounds(struct rumr_state *state,
                                       const struct ls_chunking_setup *setup, double round_units) {
  struct rumr_rounds rounds;
  do {
    struct rumr_crowd crowd = add_up(setup, state->workers);
    rounds = plan_rounds(&crowd, round_units);
    for (size_t i = 0; i < setup->slots; i++) {
      struct rumr_costs own = find_costs(setup, i);
      bool is_left_out = state->workers[i].share.is_left_out;
      state->workers[i].share = find_share(&crowd, &own);
      state->workers[i].share.is_left_out = is_left_out;
      if (state->are_equal) state->workers[i].share = (struct rumr_share){.weight = 1, .factor = 1};
    }
  } while (!state->are_equal && leave_out(setup, &rounds, state->workers));
  return rounds;
}

static void keep_rounds(struct rumr_state *state, const struct rumr_rounds *rounds) {
  struct ls_sum sum = {0};
  if (!(rounds->units > 0)) return;
  state->rounds_count = rounds->count;
  for (size_t j = 0; j < rounds->count; j++) {
    ls_sum_add(&sum, size_round(rounds, j));
    state->sums[j] = j + 1 < rounds->count ? ls_sum_value(&sum) : rounds->units;
  }
}

/* A worker beyond the platform counts as a mean one. */
static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct rumr_state *state = memory;
  size_t before = state->slots;
  struct rumr_worker *workers =
      ls_arena_array(state->arena, state->workers, slots, sizeof *workers);
  if (workers == NULL) return ls_chunking_no_memory(err);
  for (size_t i = before; i < slots; i++)
    workers[i] = (struct rumr_worker){.share = {.weight = 1, .factor = 1}};
  state->workers = workers;
  state->slots = slots;
  return LS_OK;
}

static enum ls_status init_rounds(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  double error = ls_arguments_get(&setup->arguments, rumr_parameters, "error");
  double p = (double)setup->slots, units = (double)setup->units;
  struct rumr_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->arena = arena;
  state->are_equal = are_equal(setup);
  enum ls_status status = make_room(state, setup->slots, err);
  if (status != LS_OK) return status;
  struct rumr_crowd all = add_up(setup, state->workers);
  double chunk_cost_s = all.lost_units / all.speed + all.latency_s;
  double rest = error * units;
  if (rest / all.speed < chunk_cost_s) rest = 0;
  state->rest_units = rest;
  state->least_units = 1;
  if (rest > 0) {
    uint64_t least = ls_units_ceil(chunk_cost_s * (all.speed / p) / error);
    state->least_units = ls_units_max(ls_units_min(least, ls_units_ceil(rest / p)), 1);
  }
  struct rumr_rounds rounds = share_rounds(state, setup, units - rest);
  keep_rounds(state, &rounds);
  *memory = state;
  return LS_OK;
}

/* The worker's next round that holds units; 0: it has had them all.  Whole chunks have sums that
 * are the nearest to those of the real ones. */
static uint64_t take_round(struct rumr_state *state, uint32_t slot) {
  struct rumr_worker *worker = &state->workers[slot];
  const struct rumr_share *share = &worker->share;
  while (worker->next_round < state->rounds_count && !share->is_left_out) {
    double rounds = (double)(worker->next_round + 1);
    double real = share->factor * state->sums[worker->next_round++] + rounds * share->offset;
    uint64_t until = ls_units_max(ls_units_nearest(real), worker->given);
    uint64_t units = until - worker->given;
    worker->given = until;
    if (units > 0) return units;
  }
  return 0;
}

/* Is somebody there to compute the rounds? */
static bool has_other(const struct rumr_state *state, const struct ls_chunking_view *view) {
  for (size_t i = 0; i < view->slots; i++)
    if (view->is_counted[i] && !state->workers[i].share.is_left_out) return true;
  return false;
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct rumr_state *state = memory;
  const struct rumr_share *share = &state->workers[worker].share;
  uint64_t free_units = ls_units_floor((double)view->units_unassigned - state->rest_units);
  uint64_t units = free_units > 0 ? take_round(state, worker) : 0;
  if (units > 0) return ls_units_min(units, free_units);
  if (share->is_left_out && has_other(state, view)) return 0;
  if (ls_batch_is_used_up(&state->batch)) {
    units = ls_batch_halve(view->units_unassigned, view->slots);
    ls_batch_open(&state->batch, ls_units_max(units, state->least_units), view->slots);
  }
  units = ls_batch_take(&state->batch);
  if (state->are_equal) return units;
  return ls_units_max(ls_units_ceil(share->weight * (double)units), 1);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct rumr_state *state = memory;
  (void)view;
  (void)units_back;
  if (change != LS_CHUNKING_JOINED) return;
  state->workers[worker].next_round = 0;
  state->workers[worker].given = 0;
}

const struct ls_chunking ls_chunking_rumr = {
    .name = "rumr",
    .summary = "robust uniform multi-round: growing rounds, then factoring for what may err",
    .reference = "Yang, Casanova 2003",
    .parameters = rumr_parameters,
    .facts = LS_CHUNKING_MEAN | LS_CHUNKING_COSTS,
    .init = init_rounds,
    .resize = make_room,
    .next_units = give_chunk,
    .on_worker = on_worker,
};
