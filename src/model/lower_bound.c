/* lower_bound.c: what no schedule can beat, whatever the chunks, their order and number.
 *
 * A plan need not let every chunk reply, so replies never enter.  Each bound adds the least that
 * must happen before, on, and after one kind of resource:
 *
 *   workers   worker i computes S_i units a second and not before a_i, all latencies on the way to
 *             its first unit: W <= sum S_i max(0, T - a_i), solved for T; what its reader stages
 *             is computed behind it, so S_i is the speed of the slower of the two, and of both in
 *             turn where nothing is staged ahead;
 *   network   every unit passes it at no less than the cheapest transfer;
 *   master    every unit is prepared and sent at no less than the cheapest send;
 *   storage   every unit is read at no less than the cheapest staging, by so many readers at once.
 *
 * Together they bound more than each alone (throughput_bound.c): units that go over cheap links
 * must be computed there; and so does the number of chunks (rounds_bound.c).
 *
 * Where windows or rooms limit the chunks, each resource pays so many latencies more.  Of several
 * windows of a worker each bound takes the one in which its own sum is least.
 */
#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "model/bound_costs.h"
#include "model/metrics.h"
#include "model/rounds_bound.h"
#include "model/throughput_bound.h"
#include "model/windows.h"

/* What the last digits differ by is no better bound. */
static const double LEAST_GAIN = 1e-9;

/* The least of each latency and rate over the workers. */
struct least {
  double before_transfer_s, transfer_latency_s, after_transfer_s;
  double transfer_per_unit_s, send_per_unit_s;
  double delay_s, stage_latency_s, stage_per_unit_s, after_stage_s;
};

/* No schedule has fewer messages. */
static double count_messages(const struct ls_platform *platform, double load) {
  double most = 0;
  for (size_t i = 0; i < platform->workers_count; i++)
    most = fmax(most, ls_worker_chunk_most(&platform->workers[i]));
  return fmax(1, ceil(load / most * (1 - 1e-9)));
}

static void lower_least(const struct ls_platform *platform, const struct ls_worker_model *worker,
                        const struct ls_cost *costs, struct least *least) {
  double before_s = platform->prepare.latency_s + costs[LS_OPERATION_SEND].latency_s;
  double after_s = worker->delay_s + costs[LS_OPERATION_STAGE].latency_s +
                   costs[LS_OPERATION_RECEIVE].latency_s + costs[LS_OPERATION_COMPUTE].latency_s;
  least->before_transfer_s = fmin(least->before_transfer_s, before_s);
  least->transfer_latency_s =
      fmin(least->transfer_latency_s, costs[LS_OPERATION_TRANSFER].latency_s);
  least->after_transfer_s = fmin(least->after_transfer_s, after_s);
  least->transfer_per_unit_s =
      fmin(least->transfer_per_unit_s, costs[LS_OPERATION_TRANSFER].per_unit_s);
  least->send_per_unit_s = fmin(least->send_per_unit_s, costs[LS_OPERATION_SEND].per_unit_s);
  least->delay_s = fmin(least->delay_s, worker->delay_s);
  least->stage_latency_s = fmin(least->stage_latency_s, costs[LS_OPERATION_STAGE].latency_s);
  least->stage_per_unit_s = fmin(least->stage_per_unit_s, costs[LS_OPERATION_STAGE].per_unit_s);
  least->after_stage_s = fmin(least->after_stage_s, costs[LS_OPERATION_RECEIVE].latency_s +
                                                        costs[LS_OPERATION_COMPUTE].latency_s);
}

static struct least find_least(const struct ls_platform *platform) {
  double infinity = (double)INFINITY;
  struct least least = {infinity, infinity, infinity, infinity, infinity,
                        infinity, infinity, infinity, infinity};
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    for (size_t k = 0; k < ls_bound_ways(worker); k++)
      lower_least(platform, worker, ls_bound_way(worker, k).costs, &least);
  }
  assert(least.transfer_per_unit_s >= 0 && least.send_per_unit_s >= 0);
  return least;
}

/* When the best worker alone would end: later than T below, and free of sums in which an enormous
 * start swallows all the others. */
static double end_alone(const struct ls_platform *platform, double load, bool with_starts) {
  assert(load > 0);
  double end_s = (double)INFINITY;
  for (size_t i = 0; i < platform->workers_count; i++) {
    double start_s = with_starts ? ls_bound_start(platform, i) : 0;
    double seconds = ls_bound_seconds(platform, i, with_starts);
    end_s = fmin(end_s, start_s + load * seconds);
  }
  return end_s;
}

/* T with sum S_i max(0, T - a_i) = load, from above: each pass leaves out the workers that start
 * too late for the last T, which can only lower it; `with_starts` false takes all a_i as 0. */
static double fill_workers(const struct ls_platform *platform, double load, bool with_starts) {
  double bound_s = end_alone(platform, load, with_starts);
  for (size_t pass = 0; pass <= platform->workers_count; pass++) {
    double speed = 0, weighted = 0, instant_s = (double)INFINITY;
    for (size_t i = 0; i < platform->workers_count; i++) {
      double start_s = with_starts ? ls_bound_start(platform, i) : 0;
      double seconds = ls_bound_seconds(platform, i, with_starts);
      if (!(start_s < bound_s)) continue;
      if (!(isfinite(1 / seconds))) {
        instant_s = fmin(instant_s, start_s);
        continue;
      }
      speed += 1 / seconds;
      weighted += start_s / seconds;
    }
    double found_s = speed > 0 ? (load + weighted) / speed : (double)INFINITY;
    found_s = fmin(found_s, instant_s);
    if (!(found_s < bound_s)) break;
    bound_s = found_s;
  }
  assert(bound_s >= 0);
  return bound_s;
}

static void raise_bound(struct ls_lower_bound *bound, double bound_s, const char *name) {
  assert(bound->bound_s >= 0 && isfinite(bound->bound_s));
  if (isfinite(bound_s) && bound_s > bound->bound_s) {
    *bound = (struct ls_lower_bound){.bound_s = bound_s, .name = name};
  }
}

struct ls_lower_bound ls_lower_bound_quick(const struct ls_platform *platform, double load) {
  assert(platform->workers_count > 0);
  struct ls_lower_bound bound = {.bound_s = 0, .name = "none"};
  if (!(load > 0)) return bound;
  struct least least = find_least(platform);
  raise_bound(&bound, fill_workers(platform, load, false), "work / total speed");
  raise_bound(&bound, fill_workers(platform, load, true), "work / total speed after start-up");
  double more = count_messages(platform, load) - 1;
  double network_s = load * least.transfer_per_unit_s / ls_bound_sharing_gain(platform);
  if (platform->ports != LS_PORTS_MULTI) network_s += more * least.transfer_latency_s;
  raise_bound(
      &bound,
      least.before_transfer_s + least.transfer_latency_s + network_s + least.after_transfer_s,
      "network");
  double master_s = load * (platform->prepare.per_unit_s + least.send_per_unit_s);
  master_s += more * least.before_transfer_s;
  raise_bound(
      &bound,
      least.before_transfer_s + master_s + least.transfer_latency_s + least.after_transfer_s,
      "master");
  if (ls_platform_shares_storage(platform)) {
    double read_s = load * least.stage_per_unit_s + (more + 1) * least.stage_latency_s;
    raise_bound(&bound,
                least.before_transfer_s + least.transfer_latency_s + least.delay_s +
                    read_s / (double)platform->storage_readers + least.after_stage_s,
                "storage");
  }
  assert(isfinite(bound.bound_s));
  return bound;
}

static void take_better(struct ls_lower_bound *bound, struct ls_lower_bound other) {
  if (other.bound_s > bound->bound_s * (1 + LEAST_GAIN)) *bound = other;
}

enum ls_status ls_lower_bound(const struct ls_platform *platform, double load,
                              struct ls_lower_bound *bound, struct ls_error *err) {
  struct ls_lower_bound best = ls_lower_bound_quick(platform, load), other;
  enum ls_status status = LS_OK;
  if (best.bound_s > 0) {
    status = ls_throughput_bound(platform, load, best.bound_s, &other);
    if (status == LS_OK) take_better(&best, other);
    if (status == LS_OK) status = ls_rounds_bound(platform, load, best.bound_s, &other);
    if (status == LS_OK) take_better(&best, other);
  }
  if (status != LS_OK)
    return ls_fail(err, status, "no memory for the bounds of %zu workers", platform->workers_count);
  assert(isfinite(best.bound_s));
  *bound = best;
  return LS_OK;
}
