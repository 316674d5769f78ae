/* fork.c: single-fork replication that keeps the originals.
 *
 * Reference:  wang2015, section 3; the expectations of src/theory/single_fork.h are ours.
 * Assumes:    times of tasks that are drawn anew for a replica, such as those of a worker that is
 *             slow now.
 * Answers:    nothing until at most ceil(left * units) units of the iteration have not ended; then
 *             a replica of each of them, as long as workers idle, those that have lasted longest
 *             first.
 * Cost:       O(1) for a running unit.
 * Symbols:    p -> left, r -> 1, n -> units.
 */
#include <math.h>

#include "policies/replication.h"

static const struct ls_parameter fork_parameters[] = {
    {"left", "share of the units that have not ended when the rest is replicated",
     LS_PARAMETER_REAL, 0.1, 0, 1, NULL},
    {0}};

static double weigh_rest(const struct ls_replica_facts *facts) {
  double left = ls_arguments_get(&facts->arguments, fork_parameters, "left");
  /* The product may be a digit above the whole number that it means. */
  double rest = ceil(left * (double)facts->units * (1 - 1e-12));
  bool is_forked = facts->units > 0 && (double)(facts->units - facts->units_ended) <= rest;
  return is_forked ? 1 + facts->elapsed_s : -1;
}

const struct ls_replication ls_replication_fork = {
    .name = "fork",
    .summary = "when a share of the units has ended, the rest runs twice on idle workers",
    .reference = "Wang and others 2015",
    .parameters = fork_parameters,
    .replicas = ls_replicate_nothing,
    .worth = weigh_rest,
};
