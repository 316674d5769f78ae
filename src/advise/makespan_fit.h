/* makespan_fit.h: costs such that the replayed makespans of runs are those that happened.
 *
 * The second road of a calibration: where the operations were not measured one by one, or their
 * times do not add up to what runs take.  Four numbers that all workers share are searched, from
 * the platform as it is: seconds that a transfer takes more, per chunk and per unit, seconds that
 * computing a chunk takes more, and a factor of all rates of computing.  No cost becomes negative.
 */
#ifndef LS_ADVISE_MAKESPAN_FIT_H
#define LS_ADVISE_MAKESPAN_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"

/* A run that happened: its chunks in the order in which they were sent. */
struct ls_makespan_run {
  struct ls_plan *plan; /* borrowed; its workers are the platform's; left with times of a replay */
  const double *asked_units; /* of its chunks (replay_asked.h); borrowed; NULL: they were pushed */
  double makespan_s;         /* > 0 */
};

struct ls_makespan_runs {
  const struct ls_makespan_run *items;
  size_t count;
};

struct ls_makespan_limits {
  uint64_t evaluations; /* of all runs together, at most */
  bool (*stop)(void *context);
  void *context;
};

struct ls_makespan_fit {
  double transfer_latency_s, transfer_per_unit_s, compute_latency_s; /* that came to each cost */
  double compute_factor;
  double error_before, error_after; /* root of the mean square of log(predicted / happened) */
  uint64_t evaluations;
  bool is_stopped; /* by the limits, before the steps were small */
};

/* Changes the costs of `platform`. LS_EINVAL: no run, a makespan that is not > 0, a plan that does
 * not fit the platform. */
LS_CHECKED enum ls_status ls_makespan_fit(const struct ls_makespan_runs *runs,
                                          const struct ls_makespan_limits *limits,
                                          struct ls_platform *platform, struct ls_makespan_fit *fit,
                                          struct ls_error *err);

#endif
