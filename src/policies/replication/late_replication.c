/* late_replication.c: longest approximate time to end (LATE).
 *
 * Reference:  zaharia2008, section 4.
 * Assumes:    tasks that take about what they took before, or as long as the others; of progress
 *             within a task nothing is known, so that one that has outlasted its expectation is
 *             expected to last as long again.
 * Answers:    for an idle worker a replica of the running task with the longest time to its end,
 *             among those that have lasted `slow` times as long as expected, if the replica is
 *             expected to end sooner; never more replicas at a time than the share `cap` of the
 *             workers, but one.
 * Cost:       O(1) for a running task.
 * Symbols:    SpeculativeCap -> cap; in place of SlowTaskThreshold, a percentile of the rates of
 *             progress, stands `slow`, a multiple of the expected time.
 */
#include <math.h>

#include "policies/replication.h"

static const struct ls_parameter late_parameters[] = {
    {"slow", "times its expected seconds that a task has lasted", LS_PARAMETER_REAL, 1.5, 1, 1e6,
     NULL},
    {"cap", "share of the workers that may run replicas at a time", LS_PARAMETER_REAL, 0.1, 0, 1,
     NULL},
    {0}};

static bool is_allowed(const struct ls_replica_facts *facts) {
  double cap = ls_arguments_get(&facts->arguments, late_parameters, "cap");
  return (double)facts->replicas < fmax(1, floor(cap * (double)facts->workers));
}

static double find_first_s(const struct ls_replica_facts *facts) {
  double slow = ls_arguments_get(&facts->arguments, late_parameters, "slow");
  double least_s = slow * facts->expected_s;
  if (isnan(least_s) || isnan(facts->replica_s) || !is_allowed(facts)) return (double)INFINITY;
  /* What has lasted longer than expected lasts as long again: longer than a replica? */
  return fmax(least_s, nextafter(facts->replica_s, (double)INFINITY));
}

static double weigh_last(const struct ls_replica_facts *facts) {
  return facts->elapsed_s >= find_first_s(facts) ? facts->elapsed_s : -1;
}

const struct ls_replication ls_replication_late = {
    .name = "late",
    .summary = "idle workers run again what lasts longest beyond its expected time",
    .reference = "Zaharia and others 2008",
    .parameters = late_parameters,
    .learns = true,
    .replicas = ls_replicate_nothing,
    .worth = weigh_last,
    .weigh_again_s = find_first_s,
};
