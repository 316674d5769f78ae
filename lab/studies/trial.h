/* trial.h: the grid of worlds on which policies are ranked.
 *
 * 1024 units on workers of equal to strongly unequal speeds, five laws of task times, three
 * latencies, four prefetches, load that stays or changes: 540 scenarios.  One opened trial is
 * one machine of one scenario; a draw gives it tasks and load.  The figure of a policy is its
 * makespan over the lower bound of the draw, which follows the changed speeds.
 */
#ifndef LS_LAB_STUDIES_TRIAL_H
#define LS_LAB_STUDIES_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "simulate/simulate.h"

enum {
  LS_TRIAL_UNITS = 1024,
  LS_TRIAL_SPEEDS = 3,     /* equal, 0.7 to 1.3, 0.33 to 3 */
  LS_TRIAL_LAWS = 5,       /* constant, gamma, exponential, bimodal, ramp-down */
  LS_TRIAL_LATENCIES = 3,  /* 0, 0.1, 1 mean task */
  LS_TRIAL_PREFETCHES = 4, /* 0, 1, 2, 16 units */
  LS_TRIAL_LOADS = 3,      /* static, the seven patterns, fast random */
  LS_TRIALS =
      LS_TRIAL_SPEEDS * LS_TRIAL_LAWS * LS_TRIAL_LATENCIES * LS_TRIAL_PREFETCHES * LS_TRIAL_LOADS
};

struct ls_trial_cell { /* places in the lists above */
  size_t speeds, law, latency, prefetch, load;
};

struct ls_trial_key {
  size_t number;          /* < LS_TRIALS */
  size_t workers;         /* >= 1 */
  uint64_t seed, machine; /* another seed or machine: other speeds, tasks, load */
};

struct ls_trial {
  struct ls_trial_key key;
  struct ls_trial_cell cell;
  double latency_s; /* one way */
  uint64_t prefetch;
  double variation; /* deviation / mean of the law of task times */
  struct ls_platform platform;
  double *speeds, *work;      /* of each worker, of each unit */
  double work_sum, speed_sum; /* of the last draw, of the machine */
  struct ls_availability **availability;
  size_t *availability_count;
  double bound_s; /* no schedule of the last draw ends before */
};

/* "0.7-1.3", "seven": of the places of `speeds` and `load`. */
extern const char *const ls_trial_speed_names[];
extern const char *const ls_trial_load_names[];
struct ls_trial_cell ls_trial_cell(size_t number);
/* Draws the machine. On success the caller closes. */
LS_CHECKED enum ls_status ls_trial_open(struct ls_trial *scenario, const struct ls_trial_key *key,
                                        struct ls_error *err);
void ls_trial_close(struct ls_trial *scenario);
/* Tasks and load number `draw`, instead of those of the last draw. */
LS_CHECKED enum ls_status ls_trial_draw(struct ls_trial *scenario, size_t draw,
                                        struct ls_error *err);
/* The last draw as a setup without a policy, with what policies may know: the nominal speeds as
 * weights, mean and deviation of a task at the mean speed, the cost of a request with both
 * latencies. Borrows from the scenario until the next draw. */
void ls_trial_world(const struct ls_trial *scenario, struct ls_simulation *setup);
/* The arguments of a policy on this grid: monitor reports every 4 units; rumr's error is the
 * variation, 0.3 more where speeds change, within 0.1 and 0.9. */
LS_CHECKED enum ls_status ls_trial_arguments(const struct ls_trial *scenario,
                                             const struct ls_chunking *chunking,
                                             struct ls_arguments *arguments, struct ls_error *err);

#endif
