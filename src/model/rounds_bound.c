/* rounds_bound.c: few chunks are large, and wait; many chunks cost many latencies.
 *
 * Reference:  the project's own; the trade is that of delatorre2009, chapter 4.
 *
 * A station of k servers spends t_i seconds a unit and l_i a chunk for worker i, from b on.  Worker
 * i computes x_i units, a unit in w_i seconds, in n_i chunks q_1, q_2, ... that leave the station
 * at d_1 <= d_2 <= ...; the station ends e seconds before T, and a chunk waits c_i for its worker.
 *
 *     sum_i t_i x_i + l_i n_i <= k (T - e)                                                  (1)
 *
 * At every time what has left the station cost at most k times the time from b on; integrated,
 *
 *     sum_i t_i (units left, integrated) + l_i sum_j (T - d_j) <= k (T - b)^2 / 2.
 *
 * Units that have left are computed or wait.  Computed ones integrate to w_i x_i^2 / 2 at least,
 * since no more than 1 / w_i a second are computed until T; chunk j itself waits w_i q_j^2 / 2 +
 * c_i q_j in units times seconds; and T - d_j >= w_i (q_j + q_(j+1) + ...).  Of all sizes with one
 * sum, t q_j + l j = const is least, which falls short of equal ones by l^2 n (n^2 - 1) / 24 t; and
 * no q_j < 0 makes n (n - 1) l <= 2 x t.  So
 *
 *     sum_i w_i (t_i x_i^2 (1 + 1/n_i) + 5/6 l_i x_i (1 + n_i)) + 2 t_i c_i x_i <= k (T - b)^2 (2)
 *
 * With weights m of (1) and v of (2), load <= sum_i x_i is at most m k (T - e) + v k (T - b)^2 and
 * for each worker the most of x - m (..) - v (..) over n > 0 and 0 <= x <= u_i(T), a concave
 * function of x when the best n is put in.  No T below the bound has it.
 */
#include "model/rounds_bound.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "model/bound_costs.h"
#include "model/bound_search.h"
#include "model/windows.h"

enum { TURNS = 4, WEIGHT_STEPS = 45, PEAK_STEPS = 40, EARLY_STEPS = 12 };

static const double rounding = 1e-12;
/* The first time looked at is this share of the bound so far, the next this share of that one. */
static const double earlier = 0.65;
/* Of chunks that cost no latency there may be any number. */
static const double chunks_most = 1e30;

/* The station, and what it costs at least to let a worker's chunks pass. */
struct passing {
  enum ls_operation operation; /* of the worker; with SEND goes the master's preparing */
  const char *name;
  double servers;
  bool are_latencies_free;
};

struct supply {
  double per_unit_s, latency_s; /* t, l */
  double compute_s, wait_s;     /* w, c */
  double start_s, seconds;      /* u_i(T) = (T - start) / seconds */
};

struct bounding {
  const struct ls_platform *platform;
  struct passing passing;
  double load, time_s;
  double before_s, after_s; /* b, b + what follows: e */
  double capacity_weight, stock_weight;
  struct supply *supplies;
};

static void lower(double *least, double value) {
  *least = fmin(*least, value);
}

static void see_way(struct bounding *bounding, const struct ls_worker_model *worker,
                    const struct ls_cost *costs, struct supply *supply) {
  const struct ls_platform *platform = bounding->platform;
  enum ls_operation operation = bounding->passing.operation;
  const struct ls_cost *receive = &costs[LS_OPERATION_RECEIVE];
  const struct ls_cost *compute = &costs[LS_OPERATION_COMPUTE];
  struct ls_cost cost = costs[operation];
  double own_s = receive->latency_s + compute->latency_s, before_s = 0;
  double send_s = platform->prepare.latency_s + costs[LS_OPERATION_SEND].latency_s;
  double transfer_s = costs[LS_OPERATION_TRANSFER].latency_s;
  double read_s = costs[LS_OPERATION_STAGE].latency_s;
  if (operation == LS_OPERATION_SEND) {
    cost.latency_s += platform->prepare.latency_s;
    cost.per_unit_s += platform->prepare.per_unit_s;
    own_s += transfer_s + worker->delay_s + read_s;
  } else if (operation == LS_OPERATION_TRANSFER) {
    before_s = send_s;
    own_s += worker->delay_s + read_s;
  } else {
    before_s = send_s + transfer_s + worker->delay_s;
  }
  lower(&supply->per_unit_s, cost.per_unit_s);
  lower(&supply->latency_s, bounding->passing.are_latencies_free ? 0 : cost.latency_s);
  lower(&supply->compute_s, receive->per_unit_s + compute->per_unit_s);
  lower(&supply->wait_s, own_s);
  lower(&bounding->before_s, before_s);
  lower(&bounding->after_s, own_s);
}

static void see_platform(struct bounding *bounding) {
  double infinity = (double)INFINITY;
  bounding->before_s = bounding->after_s = infinity;
  for (size_t i = 0; i < bounding->platform->workers_count; i++) {
    const struct ls_worker_model *worker = &bounding->platform->workers[i];
    struct supply supply = {.per_unit_s = infinity,
                            .latency_s = infinity,
                            .compute_s = infinity,
                            .wait_s = infinity,
                            .start_s = ls_bound_start(bounding->platform, i),
                            .seconds = ls_bound_seconds(bounding->platform, i, true)};
    for (size_t k = 0; k < ls_bound_ways(worker); k++)
      see_way(bounding, worker, ls_bound_way(worker, k).costs, &supply);
    bounding->supplies[i] = supply;
  }
}

/* What a worker computes. */
struct use {
  double units;
  double value, slope; /* what so many units are worth, and by how much more one more is */
};

/* Seconds, weighed, that one chunk more costs, whatever its size, but for the integral of (2). */
static double find_chunk_price(const struct bounding *bounding, const struct supply *supply,
                               const struct use *use) {
  return bounding->capacity_weight * supply->latency_s +
         bounding->stock_weight * supply->compute_s * supply->latency_s * use->units * 5 / 6;
}

static void find_worth(const struct bounding *bounding, const struct supply *supply,
                       struct use *use) {
  double m = bounding->capacity_weight, v = bounding->stock_weight, x = use->units;
  double t = supply->per_unit_s, l = supply->latency_s, w = supply->compute_s;
  double line = 1 - m * t - v * (w * l * 5 / 6 + 2 * t * supply->wait_s);
  double curve = v * w * t, root = sqrt(curve * find_chunk_price(bounding, supply, use));
  double bend = root > 0 ? curve * v * w * l * 5 / 6 / root : 0;
  use->value = x * (line - curve * x - 2 * root);
  use->slope = line - 2 * curve * x - 2 * root - x * bend;
}

/* The number of chunks that is best for so many units, a real one. */
static double find_chunks(const struct bounding *bounding, const struct supply *supply,
                          const struct use *use) {
  double waiting = bounding->stock_weight * supply->compute_s * supply->per_unit_s;
  double chunks = use->units * sqrt(waiting / find_chunk_price(bounding, supply, use));
  return isnan(chunks) ? 1 : fmin(chunks, chunks_most);
}

/* The most over 0 <= x <= most, from above: concave, so no tangent is below it; and where. */
static struct use find_most(const struct bounding *bounding, const struct supply *supply,
                            double most) {
  struct use low = {.units = 0}, high = {.units = most}, middle = low;
  find_worth(bounding, supply, &low);
  find_worth(bounding, supply, &high);
  for (int step = 0; step < PEAK_STEPS && low.slope > 0 && high.slope < 0; step++) {
    if (!(high.units - low.units > rounding * high.units)) break;
    middle.units = low.units - low.slope * (high.units - low.units) / (high.slope - low.slope);
    if (!(middle.units > low.units && middle.units < high.units) || step % 3 == 2)
      middle.units = (low.units + high.units) / 2;
    find_worth(bounding, supply, &middle);
    *(middle.slope > 0 ? &low : &high) = middle;
  }
  struct use found = low.slope > 0 ? high : low;
  if (low.slope > 0 && high.slope < 0)
    found.value = fmin(low.value + low.slope * (high.units - low.units),
                       high.value - high.slope * (high.units - low.units));
  return found;
}

/* What a weight more of (1) and of (2) takes from the worth of these units. */
static void add_slopes(const struct bounding *bounding, const struct supply *supply,
                       const struct use *use, double slopes[2]) {
  double t = supply->per_unit_s, l = supply->latency_s, w = supply->compute_s, x = use->units;
  if (!(x > 0)) return;
  double chunks = find_chunks(bounding, supply, use);
  slopes[0] -= t * x + l * chunks;
  slopes[1] -=
      w * (t * x * x * (1 + 1 / fmax(chunks, 1 / chunks_most)) + l * x * (1 + chunks) * 5 / 6) +
      2 * t * supply->wait_s * x;
}

/* The most units until the time that the weights do not rule out. */
static struct ls_bound_point sum_units(const struct bounding *bounding) {
  double left_s = fmax(0, bounding->time_s - bounding->before_s);
  double free_s = fmax(0, left_s - bounding->after_s), servers = bounding->passing.servers;
  struct ls_bound_point sum = {.slopes = {servers * free_s, servers * left_s * left_s}};
  sum.value = sum.slopes[0] * bounding->capacity_weight + sum.slopes[1] * bounding->stock_weight;
  for (size_t i = 0; i < bounding->platform->workers_count; i++) {
    const struct supply *supply = &bounding->supplies[i];
    double most = fmin((bounding->time_s - supply->start_s) / supply->seconds, bounding->load);
    if (isnan(most)) most = bounding->load;
    if (!(most > 0)) continue;
    struct use use = find_most(bounding, supply, most);
    sum.value += use.value;
    add_slopes(bounding, supply, &use, sum.slopes);
  }
  if (isnan(sum.value)) sum.value = (double)INFINITY;
  return sum;
}

static double units_at(void *context, double time_s) {
  struct bounding *bounding = context;
  bounding->time_s = time_s;
  return sum_units(bounding).value;
}

static struct ls_bound_point weigh(void *context, const double weights[2]) {
  struct bounding *bounding = context;
  bounding->capacity_weight = weights[0];
  bounding->stock_weight = weights[1];
  return sum_units(bounding);
}

/* From weights of 1 / t and 2 / (t T) on no unit is worth sending. */
static void search_weights(struct bounding *bounding, double cheapest) {
  double to[2] = {1 / cheapest, 2 / (cheapest * bounding->time_s)}, weights[2];
  ls_bound_least_of_two(weigh, bounding, to, WEIGHT_STEPS, weights);
  (void)weigh(bounding, weights);
}

static void raise_bound(struct bounding *bounding, double cheapest, struct ls_lower_bound *bound,
                        double *time_s) {
  for (int turn = 0; turn < TURNS; turn++) {
    bounding->time_s = *time_s;
    search_weights(bounding, cheapest);
    double found_s = ls_bound_time(units_at, bounding, bounding->load, *time_s);
    if (!(found_s > *time_s * (1 + rounding))) break;
    *bound = (struct ls_lower_bound){found_s * (1 - rounding), bounding->passing.name};
    *time_s = found_s;
  }
}

/* The same until an earlier time, and from then on no more than all workers' speed: where the
 * network is fast enough in the end, it is the beginning in which chunks wait for each other. */
static void raise_early(struct bounding *bounding, double cheapest, struct ls_lower_bound *bound,
                        double *time_s) {
  double speed = 0, until_s = *time_s;
  for (size_t i = 0; i < bounding->platform->workers_count; i++)
    speed += 1 / bounding->supplies[i].compute_s;
  for (int step = 0; step < EARLY_STEPS && isfinite(speed); step++) {
    until_s *= earlier;
    bounding->time_s = until_s;
    search_weights(bounding, cheapest);
    double found_s = until_s + (bounding->load - sum_units(bounding).value) / speed;
    if (!(found_s > *time_s * (1 + rounding))) continue;
    *bound = (struct ls_lower_bound){found_s * (1 - rounding), bounding->passing.name};
    *time_s = found_s;
  }
}

enum ls_status ls_rounds_bound(const struct ls_platform *platform, double load, double known_s,
                               struct ls_lower_bound *found) {
  bool is_multi = platform->ports == LS_PORTS_MULTI;
  double links = is_multi ? (double)platform->ports_limit : 1;
  double readers = ls_platform_shares_storage(platform) ? (double)platform->storage_readers : 0;
  double moving = is_multi ? ls_bound_sharing_gain(platform) : 0;
  const struct passing passings[] = {
      {LS_OPERATION_SEND, "master and workers, round by round", 1, false},
      {LS_OPERATION_TRANSFER, "network and workers, round by round", moving, true},
      {LS_OPERATION_TRANSFER, "network and workers, round by round", links, false},
      {LS_OPERATION_STAGE, "storage and workers, round by round", readers, false}};
  struct ls_lower_bound bound = {.bound_s = 0, .name = "none"};
  struct bounding bounding = {.platform = platform, .load = load};
  assert(known_s > 0 && load > 0);
  bounding.supplies = calloc(platform->workers_count, sizeof *bounding.supplies);
  if (bounding.supplies == NULL) return LS_ENOMEM;
  for (size_t k = 0; k < sizeof passings / sizeof *passings; k++) {
    double cheapest = (double)INFINITY;
    bounding.passing = passings[k];
    if (!(passings[k].servers > 0) || !isfinite(passings[k].servers)) continue;
    see_platform(&bounding);
    bool has_latency = false;
    for (size_t i = 0; i < platform->workers_count; i++) {
      if (bounding.supplies[i].per_unit_s > 0) lower(&cheapest, bounding.supplies[i].per_unit_s);
      if (bounding.supplies[i].latency_s > 0) has_latency = true;
    }
    if (!has_latency || !isfinite(cheapest) || !isfinite(1 / cheapest)) continue;
    raise_bound(&bounding, cheapest, &bound, &known_s);
    raise_early(&bounding, cheapest, &bound, &known_s);
  }
  free(bounding.supplies);
  *found = bound;
  return LS_OK;
}
