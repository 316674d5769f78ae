/* throughput_bound.c: what workers and shared stations together let through until a time.
 *
 * Reference:  delatorre2009, Theorem 1 (the steady state), with start-up, latencies and windows.
 *
 * Until T worker i computes x_i <= u_i(T) units, and a station that all share (master, network,
 * storage) is free for C(T) seconds, of which a unit for worker i takes at least r_i: chunks are
 * no larger than u_i, so latencies count, too.  For any weights m >= 0 of the stations
 *
 *     load <= sum_i x_i <= sum_s m_s C_s + sum_i v_i x_i,   v_i = max(0, 1 - sum_s m_s r_is),
 *
 * which no T below the bound satisfies.  Weights that make the right side least are searched; any
 * others would be valid.  First chunks leave the master, and pass a network that serves one at a
 * time, one behind the other: worker i starts later by the latencies of those before it, and the
 * sum of v_i x_i is greatest when they go by latency * seconds / v (Smith's rule).
 */
#include "model/throughput_bound.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/bound_costs.h"
#include "model/bound_search.h"
#include "model/windows.h"

enum station { MASTER, NETWORK, LINKS, STORAGE, STATIONS };
/* Where first chunks queue; of these two the one that says more counts. */
enum { QUEUES = NETWORK + 1 };
enum { TURNS = 6, CYCLES = 2, GOLDEN_STEPS = 30 };

/* Of what is found by sums of many terms. */
static const double rounding = 1e-12;

struct supply {
  double start_s[QUEUES];       /* when it computes, if it is the first in that queue */
  double queue_s[QUEUES];       /* how long its first chunk keeps the others waiting there */
  double early_s;               /* its first chunk is there */
  double alone_s;               /* all latencies on the way to its first unit */
  double seconds, seconds_full; /* of a unit; in chunks as large as can be, with latencies */
  /* At a time T: */
  double units;
  double prices[STATIONS];
  double worth; /* v */
};

struct turn {
  double key, gain, start_s, queue_s;
};

struct bounding {
  const struct ls_platform *platform;
  double load, time_s;
  struct supply *supplies;
  struct turn *turns;
  bool is_used[STATIONS];
  double head_s[STATIONS]; /* in which it cannot serve what ends in time */
  double servers[STATIONS];
  double weights[STATIONS];
};

static double sum_before(const struct ls_platform *platform, const struct ls_cost *costs) {
  return platform->prepare.latency_s + costs[LS_OPERATION_SEND].latency_s;
}

static double sum_own(const struct ls_cost *costs) {
  return costs[LS_OPERATION_RECEIVE].latency_s + costs[LS_OPERATION_COMPUTE].latency_s;
}

static void lower(double *least, double value) {
  *least = fmin(*least, value);
}

/* The latencies of one worker, in the window in which each sum is least. */
static void see_worker(struct bounding *bounding, size_t i, double before_least_s) {
  const struct ls_platform *platform = bounding->platform;
  const struct ls_worker_model *worker = &platform->workers[i];
  double infinity = (double)INFINITY;
  struct supply supply = {.start_s = {infinity, infinity},
                          .queue_s = {infinity, infinity},
                          .early_s = infinity,
                          .alone_s = infinity,
                          .seconds = ls_bound_seconds(platform, i, true),
                          .seconds_full = ls_bound_seconds(platform, i, false)};
  for (size_t k = 0; k < ls_bound_ways(worker); k++) {
    const struct ls_cost *costs = ls_bound_way(worker, k).costs;
    double before_s = sum_before(platform, costs);
    double transfer_s = costs[LS_OPERATION_TRANSFER].latency_s;
    double after_s = worker->delay_s + costs[LS_OPERATION_STAGE].latency_s + sum_own(costs);
    lower(&supply.queue_s[MASTER], before_s);
    lower(&supply.queue_s[NETWORK], transfer_s);
    lower(&supply.start_s[MASTER], before_s + transfer_s + after_s);
    lower(&supply.start_s[NETWORK], before_least_s + transfer_s + after_s);
    lower(&supply.early_s, before_s + transfer_s + worker->delay_s);
    double read_s = transfer_s + worker->delay_s;
    lower(&bounding->head_s[MASTER], transfer_s + after_s);
    lower(&bounding->head_s[NETWORK], before_least_s + after_s);
    lower(&bounding->head_s[STORAGE], before_least_s + read_s + sum_own(costs));
  }
  supply.alone_s = supply.start_s[MASTER];
  if (platform->ports == LS_PORTS_MULTI) supply.queue_s[NETWORK] = 0;
  bounding->supplies[i] = supply;
}

static void see_platform(struct bounding *bounding) {
  const struct ls_platform *platform = bounding->platform;
  double before_least_s = (double)INFINITY;
  bool is_multi = platform->ports == LS_PORTS_MULTI;
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    for (size_t k = 0; k < ls_bound_ways(worker); k++)
      lower(&before_least_s, sum_before(platform, ls_bound_way(worker, k).costs));
  }
  for (size_t s = 0; s < STATIONS; s++) bounding->head_s[s] = (double)INFINITY;
  for (size_t i = 0; i < platform->workers_count; i++) see_worker(bounding, i, before_least_s);
  bounding->head_s[LINKS] = bounding->head_s[NETWORK];
  bounding->servers[MASTER] = 1;
  bounding->servers[NETWORK] = ls_bound_sharing_gain(platform);
  bounding->servers[LINKS] = (double)platform->ports_limit;
  bounding->servers[STORAGE] = (double)platform->storage_readers;
  bounding->is_used[MASTER] = true;
  bounding->is_used[NETWORK] = isfinite(bounding->servers[NETWORK]);
  bounding->is_used[LINKS] = is_multi && platform->ports_limit > 0;
  bounding->is_used[STORAGE] = ls_platform_shares_storage(platform);
}

/* Seconds of a station for a unit, in chunks of at most so many: under multi-port latencies overlap
 * on the network, but keep a link busy. */
static double find_price(const struct bounding *bounding, size_t i, enum station station,
                         double units) {
  static const enum ls_operation operations[] = {LS_OPERATION_SEND, LS_OPERATION_TRANSFER,
                                                 LS_OPERATION_TRANSFER, LS_OPERATION_STAGE};
  const struct ls_platform *platform = bounding->platform;
  const struct ls_worker_model *worker = &platform->workers[i];
  bool is_free = station == NETWORK && platform->ports == LS_PORTS_MULTI;
  double price = (double)INFINITY;
  for (size_t k = 0; k < ls_bound_ways(worker); k++) {
    struct ls_bound_way way = ls_bound_way(worker, k);
    struct ls_cost cost = way.costs[operations[station]];
    if (station == MASTER) {
      cost.latency_s += platform->prepare.latency_s;
      cost.per_unit_s += platform->prepare.per_unit_s;
    }
    lower(&price, cost.per_unit_s + (is_free ? 0 : cost.latency_s / fmin(way.most, units)));
  }
  return price;
}

static void set_time(struct bounding *bounding, double time_s) {
  bounding->time_s = time_s;
  for (size_t i = 0; i < bounding->platform->workers_count; i++) {
    struct supply *supply = &bounding->supplies[i];
    double left_s = time_s - supply->alone_s;
    supply->units = 0;
    if (!(left_s > 0)) continue;
    double units =
        fmin(left_s / supply->seconds, (time_s - supply->early_s) / supply->seconds_full);
    supply->units = fmin(isnan(units) ? bounding->load : units, bounding->load);
    for (size_t s = 0; s < STATIONS; s++)
      if (bounding->is_used[s])
        supply->prices[s] = find_price(bounding, i, (enum station)s, supply->units);
  }
}

static int compare_turns(const void *left, const void *right) {
  const struct turn *a = left, *b = right;
  return a->key < b->key ? -1 : a->key > b->key;
}

/* The sum of v_i x_i when first chunks queue.  A worker that would add less than it keeps from
 * those behind it may be left out, which adds no more than the difference. */
static double sum_queued(struct bounding *bounding, size_t queue) {
  size_t count = 0;
  double sum = 0, queued_s = 0, later = 0;
  for (size_t i = 0; i < bounding->platform->workers_count; i++) {
    const struct supply *supply = &bounding->supplies[i];
    double gain = supply->worth / supply->seconds;
    if (!(gain > 0)) continue;
    if (!isfinite(gain)) return (double)INFINITY;
    bounding->turns[count++] = (struct turn){supply->queue_s[queue] / gain, gain,
                                             supply->start_s[queue], supply->queue_s[queue]};
    queued_s += supply->queue_s[queue];
  }
  if (!(queued_s > 0)) return (double)INFINITY;
  qsort(bounding->turns, count, sizeof *bounding->turns, compare_turns);
  for (size_t i = count; i-- > 0;) {
    const struct turn *turn = &bounding->turns[i];
    queued_s -= turn->queue_s;
    double more = turn->gain * (bounding->time_s - turn->start_s - fmax(0, queued_s));
    sum += fmax(more, turn->queue_s * later);
    later += turn->gain;
  }
  return sum;
}

/* The most units until the time that the weights do not rule out; INFINITY where that is lost in
 * rounding. */
static double sum_units(struct bounding *bounding) {
  double served = 0, plain = 0;
  for (size_t s = 0; s < STATIONS; s++) {
    if (!(bounding->weights[s] > 0)) continue;
    double free_s = fmax(0, bounding->time_s - bounding->head_s[s]);
    served += bounding->weights[s] * bounding->servers[s] * free_s;
  }
  for (size_t i = 0; i < bounding->platform->workers_count; i++) {
    struct supply *supply = &bounding->supplies[i];
    double price = 0;
    supply->worth = 0;
    if (!(supply->units > 0)) continue;
    for (size_t s = 0; s < STATIONS; s++)
      if (bounding->weights[s] > 0) price += bounding->weights[s] * supply->prices[s];
    supply->worth = fmax(0, 1 - price);
    plain += supply->worth * supply->units;
  }
  for (size_t queue = 0; queue < QUEUES; queue++) lower(&plain, sum_queued(bounding, queue));
  double units = served + plain;
  return isnan(units) ? (double)INFINITY : units;
}

/* The weight of one station, which is searched. */
struct weighing {
  struct bounding *bounding;
  enum station station;
};

static double weigh(void *context, double weight) {
  struct weighing *weighing = context;
  weighing->bounding->weights[weighing->station] = weight;
  return sum_units(weighing->bounding);
}

/* The weights at which some worker's units begin to be worth nothing, next to the given one: the
 * least of a sum of straight pieces is at one of them. */
static void find_corners(const struct bounding *bounding, enum station station, double weight,
                         double corners[2]) {
  corners[0] = 0;
  corners[1] = (double)INFINITY;
  for (size_t i = 0; i < bounding->platform->workers_count; i++) {
    const struct supply *supply = &bounding->supplies[i];
    double rest = 1;
    if (!(supply->units > 0) || !(supply->prices[station] > 0)) continue;
    for (size_t s = 0; s < STATIONS; s++)
      if (s != station && bounding->weights[s] > 0)
        rest -= bounding->weights[s] * supply->prices[s];
    double corner = rest / supply->prices[station];
    if (corner <= weight) corners[0] = fmax(corners[0], corner);
    if (corner >= weight) corners[1] = fmin(corners[1], corner);
  }
}

static void search_weight(struct bounding *bounding, enum station station) {
  struct weighing weighing = {bounding, station};
  double best = bounding->weights[station], least = weigh(&weighing, best);
  double cheapest = (double)INFINITY, tries[3];
  for (size_t i = 0; i < bounding->platform->workers_count; i++) {
    const struct supply *supply = &bounding->supplies[i];
    if (supply->units > 0 && supply->prices[station] > 0) lower(&cheapest, supply->prices[station]);
  }
  if (!(1 / cheapest > 0) || !isfinite(1 / cheapest)) return;
  tries[0] = ls_bound_least(weigh, &weighing, 1 / cheapest, GOLDEN_STEPS);
  find_corners(bounding, station, tries[0], tries + 1);
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    if (!isfinite(tries[i])) continue;
    double units = weigh(&weighing, tries[i]);
    if (!(units < least)) continue;
    least = units;
    best = tries[i];
  }
  bounding->weights[station] = best;
}

static double units_at(void *context, double time_s) {
  struct bounding *bounding = context;
  set_time(bounding, time_s);
  return sum_units(bounding);
}

static const char *name_of(const struct bounding *bounding) {
  static const char *const names[] = {"master and workers", "network and workers",
                                      "links and workers", "storage and workers"};
  const char *name = "work / total speed after starts in turn";
  int weighed = 0;
  for (size_t s = 0; s < STATIONS; s++) {
    if (!(bounding->weights[s] > 0)) continue;
    name = weighed++ == 0 ? names[s] : "several stations and workers";
  }
  return name;
}

static struct ls_lower_bound search_bound(struct bounding *bounding, double known_s) {
  struct ls_lower_bound bound = {.bound_s = 0, .name = "none"};
  double time_s = known_s;
  see_platform(bounding);
  for (int turn = 0; turn < TURNS; turn++) {
    set_time(bounding, time_s);
    for (int cycle = 0; cycle < CYCLES; cycle++)
      for (size_t s = 0; s < STATIONS; s++)
        if (bounding->is_used[s]) search_weight(bounding, (enum station)s);
    double found_s = ls_bound_time(units_at, bounding, bounding->load, time_s);
    if (!(found_s > time_s * (1 + rounding))) break;
    bound = (struct ls_lower_bound){.bound_s = found_s * (1 - rounding), .name = name_of(bounding)};
    time_s = found_s;
  }
  return bound;
}

enum ls_status ls_throughput_bound(const struct ls_platform *platform, double load, double known_s,
                                   struct ls_lower_bound *found) {
  size_t count = platform->workers_count;
  struct bounding bounding = {.platform = platform, .load = load};
  assert(known_s > 0 && load > 0);
  bounding.supplies = calloc(count, sizeof *bounding.supplies);
  bounding.turns = calloc(count, sizeof *bounding.turns);
  bool has_memory = bounding.supplies != NULL && bounding.turns != NULL;
  if (has_memory) *found = search_bound(&bounding, known_s);
  free(bounding.supplies);
  free(bounding.turns);
  return has_memory ? LS_OK : LS_ENOMEM;
}
