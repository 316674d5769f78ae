/* one_round_parallel.c: one round, sent to all workers at once (bandwidth sharing).
 *
 * Reference:  yang2002, section 6.4.
 * Assumes:    k transfers in progress at once run at 1/k^alpha of their rate each; latencies
 *             overlap.  Different workers: each message counts as if all of them lasted as long.
 * Answers:    NOT_APPLICABLE unless the ports are multi-port and let all workers transfer at once,
 *             or when a worker both transfers and computes in no time.
 * Cost:       O(p^2) at most.
 * Symbols:    N -> used, W -> load, alpha -> ports_alpha; equal workers end at nLat + (W/B)
 *             N^(alpha-1) + cLat + W/(S N).
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "planners/planner.h"

/* A worker that takes part ends at latency_s + per_unit_s * units. */
struct share {
  double latency_s, per_unit_s, units;
  bool is_used;
};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  const struct ls_platform *platform = setup->platform;
  if (platform->ports != LS_PORTS_MULTI)
    return ls_planner_refuse(
        why, "the master cannot send to several workers at once: ports must be multi-port");
  if (platform->ports_limit > 0 && platform->ports_limit < platform->workers_count)
    return ls_planner_refuse(why, "only %llu of %zu transfers may run at once",
                             (unsigned long long)platform->ports_limit, platform->workers_count);
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    if (!(worker->costs[LS_OPERATION_TRANSFER].per_unit_s +
              worker->costs[LS_OPERATION_RECEIVE].per_unit_s +
              worker->costs[LS_OPERATION_COMPUTE].per_unit_s >
          0))
      return ls_planner_refuse(why, "worker %zu takes no time for a unit", i);
  }
  return true;
}

static void cost_shares(const struct ls_platform *platform, size_t used, struct share *shares) {
  double slowdown = pow((double)used, platform->ports_alpha);
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    shares[i].latency_s = worker->costs[LS_OPERATION_TRANSFER].latency_s + worker->delay_s +
                          worker->costs[LS_OPERATION_RECEIVE].latency_s +
                          worker->costs[LS_OPERATION_COMPUTE].latency_s;
    shares[i].per_unit_s = worker->costs[LS_OPERATION_TRANSFER].per_unit_s * slowdown +
                           worker->costs[LS_OPERATION_RECEIVE].per_unit_s +
                           worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
  }
}

/* Ends all used workers together; how many of them that leaves with units. */
static size_t level_shares(struct share *shares, size_t count, double load) {
  struct ls_sum speed = {0}, backlog = {0};
  for (size_t i = 0; i < count; i++) {
    if (!shares[i].is_used) continue;
    ls_sum_add(&speed, 1 / shares[i].per_unit_s);
    ls_sum_add(&backlog, shares[i].latency_s / shares[i].per_unit_s);
  }
  double end_s = (load + ls_sum_value(&backlog)) / ls_sum_value(&speed);
  size_t left = 0;
  for (size_t i = 0; i < count; i++) {
    if (!shares[i].is_used) continue;
    shares[i].units = (end_s - shares[i].latency_s) / shares[i].per_unit_s;
    shares[i].is_used = shares[i].units > 0;
    left += shares[i].is_used;
  }
  return left;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  (void)budget;
  size_t count = setup->platform->workers_count, used = 0, left = count;
  struct share *shares = calloc(count, sizeof *shares);
  if (shares == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  for (size_t i = 0; i < count; i++) shares[i].is_used = true;
  /* Workers that would get nothing leave; fewer share the network then. */
  while (left != used) {
    used = left;
    cost_shares(setup->platform, used, shares);
    left = level_shares(shares, count, setup->load);
  }
  for (size_t i = 0; i < count; i++) {
    if (shares[i].is_used) ls_plan_add(plan, (uint32_t)i, 0, shares[i].units);
  }
  if (used < count) ls_plan_set(plan, "workers_dropped", (double)(count - used));
  free(shares);
  return ls_plan_finish(plan, err);
}

const struct ls_planner ls_planner_one_round_parallel = {
    .name = "one-round-parallel",
    .summary = "one round, sent to all workers at once over a shared network",
    .reference = "yang2002, section 6.4",
    .applicable = is_applicable,
    .plan = make_plan,
};
