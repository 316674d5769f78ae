/* single_fork.h: what to expect of single-fork replication that keeps the originals.
 *
 * n equal tasks begin at once, each on a worker of its own.  As soon as all but m of them have
 * ended, each of these m gets r replicas on further workers, which all begin at once; the first of
 * its r + 1 runs counts, and the others stop.  All times are independent, those of replicas of the
 * same law as those of originals.  Source: wang2015, section 3; the formulas are ours.
 */
#ifndef LS_THEORY_SINGLE_FORK_H
#define LS_THEORY_SINGLE_FORK_H

#include <stddef.h>

#include "base/status.h"

enum ls_fork_law {
  LS_FORK_SHIFTED_EXPONENTIAL, /* least_s + an exponential time of rate `shape` */
  LS_FORK_PARETO               /* longer than t with probability (least_s / t)^shape */
};

struct ls_fork_setup {
  enum ls_fork_law law;
  double least_s, shape;        /* > 0, of Pareto's law > 1; a shift may be 0 */
  size_t tasks, left, replicas; /* n >= 1, m <= n, r */
};

struct ls_fork_expectation {
  double latency_s; /* until the last task has ended */
  double worker_s;  /* seconds of workers that compute */
};

/* For this number of tasks: exact; a closed form for the exponential law, integrals of one for
 * Pareto's, but without replicas. LS_EINVAL names the value, also where the expectation is beyond
 * the largest number. */
LS_CHECKED enum ls_status ls_fork_expect(const struct ls_fork_setup *setup,
                                         struct ls_fork_expectation *expectation,
                                         struct ls_error *err);
/* The latency in closed form for 0 < m < n that grow in proportion: what is left out vanishes
 * beside it. */
LS_CHECKED enum ls_status ls_fork_limit(const struct ls_fork_setup *setup, double *latency_s,
                                        struct ls_error *err);

#endif
