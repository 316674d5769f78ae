/* task_times.h: the work of tasks, drawn from a law.
 *
 * Work is in units: seconds on a worker that computes one unit a second.
 */
#ifndef LS_SIMULATE_TASK_TIMES_H
#define LS_SIMULATE_TASK_TIMES_H

#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "model/platform.h"

enum ls_task_law {
  LS_TASK_CONSTANT,
  LS_TASK_NORMAL, /* at least a hundredth of the mean */
  LS_TASK_GAMMA,
  LS_TASK_LOGNORMAL,
  LS_TASK_EXPONENTIAL,
  LS_TASK_BIMODAL,   /* a fifth of the tasks, by chance, ten times longer than the others */
  LS_TASK_RAMP_DOWN, /* linear from 2 to 0.02, scaled to the mean */
  LS_TASK_RAMP_UP,
  LS_TASK_SHIFTED_EXPONENTIAL,
  LS_TASK_PARETO,
  LS_TASK_STRAGGLERS,
  LS_TASK_LAWS
};

struct ls_task_times {
  enum ls_task_law law;
  double mean;      /* > 0 */
  double variation; /* deviation / mean, of the laws that the mean leaves open; >= 0 */
};

/* "ramp-down"; for all laws in their order, ended by NULL. */
extern const char *const ls_task_law_names[];
/* Deviation / mean of the law. */
double ls_task_times_variation(const struct ls_task_times *times);
/* The law by which a worker's units are spread, of mean 1. */
struct ls_task_times ls_task_times_of(const struct ls_worker_model *worker);
/* One draw of a law that is not a ramp: a ramp's is the one in its middle. */
double ls_task_times_next(const struct ls_task_times *times, struct ls_random *random);
/* Writes `count` draws. LS_EINVAL: mean or variation cannot be. */
LS_CHECKED enum ls_status ls_task_times_draw(const struct ls_task_times *times,
                                             struct ls_random *random, double *work, uint64_t count,
                                             struct ls_error *err);

#endif
