/* clone.c: clones of small jobs (Dolly).
 *
 * Reference:  ananthanarayanan2013, sections 3 and 4.
 * Assumes:    that most jobs are small, and have a small part of the work: then clones of all of
 *             them cost little.
 * Answers:    in an iteration of at most `tasks` units a replica of each running unit as soon as
 *             a worker idles, without waiting for any of them to be late; none in a larger one.
 * Cost:       O(1) for a running unit.
 * Symbols:    none.
 */
#include "policies/replication.h"

static const struct ls_parameter clone_parameters[] = {
    {"tasks", "of an iteration, at most, whose units are replicated", LS_PARAMETER_WHOLE, 10, 0,
     1e6, NULL},
    {0}};

static double weigh_small(const struct ls_replica_facts *facts) {
  double most = ls_arguments_get(&facts->arguments, clone_parameters, "tasks");
  bool is_small = facts->units > 0 && (double)facts->units <= most;
  return is_small ? 1 + facts->elapsed_s : -1;
}

const struct ls_replication ls_replication_clone = {
    .name = "clone",
    .summary = "small iterations run twice while workers idle",
    .reference = "Ananthanarayanan and others 2013",
    .parameters = clone_parameters,
    .replicas = ls_replicate_nothing,
    .worth = weigh_small,
};
