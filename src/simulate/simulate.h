/* simulate.h: the coordinator that runs use, in virtual time.
 *
 * An event queue, the ports and processors of the platform, and the coordinator between them.  The
 * rules are those of docs/theory/online.md, 6: a request is a message without load that takes the
 * worker's delay; the master serves requests in order of arrival and is busy for prepare +
 * send; tasks of a chunk run in order, task k taking task_work[k] * per_unit, times what a worker
 * with a law of its own draws for each unit that it begins; workers are driven by
 * the worker's side of coordinator/, as real ones are; a departure comes before requests of the
 * same instant.
 *
 * All that is not named in a setup (zeroed) does not happen.  A simulation is repeated exactly from
 * its setup; chance (drawn times, reclaimed machines, granting) comes from config.seed in streams
 * of its own.
 */
#ifndef LS_SIMULATE_SIMULATE_H
#define LS_SIMULATE_SIMULATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/ranges.h"
#include "base/status.h"
#include "coordinator/coordinator.h"
#include "coordinator/worker_side.h"
#include "model/platform.h"
#include "model/timeline.h"
#include "theory/load_pattern.h"

struct ls_simulated_change { /* a worker leaves or joins */
  uint32_t worker;
  double time_s;
};

struct ls_simulated_advice { /* of an adviser, while the run goes on */
  double time_s;
  struct ls_event_advice advice; /* policy: 1 + its index in config.choices */
};

struct ls_simulated_stop { /* a user's */
  bool is_wanted, is_hard; /* is_hard: the running units are cancelled, too */
  double time_s;
};

struct ls_simulated_pause { /* a worker is reclaimed by its owner, and given back */
  uint32_t worker;
  double from_s, until_s; /* until_s: INFINITY: never again */
  bool is_kept;           /* it only stands still: what it has stays there, and goes on */
};

struct ls_simulated_addition { /* of units, to a load that is not known whole at first */
  double time_s;
  uint64_t units; /* >= 1 */
};

/* Machines reclaimed by chance.  Units that it had not finished are lost and handed out again. */
struct ls_simulated_reclaim {
  double probability; /* one machine in each iteration, chosen among all that are there, at a time
                         uniform in [0, its longest task]; it is back in the next iteration */
  double mean_up_s;   /* every machine: seconds until it is reclaimed, exponential; 0: never */
  double mean_away_s; /* ... and until it is given back; > 0 with mean_up_s */
};

/* Machines come when the coordinator requests them, the fastest free one first. */
struct ls_simulated_grant {
  size_t at_start;     /* workers that are there from the beginning, the first ones; 0: all */
  double delay_s;      /* seconds until a requested machine is there */
  bool is_exponential; /* ... in the mean, else exactly */
  size_t limit;        /* no more machines at once: a request above it is refused; 0: none */
};

/* The figures of an iteration. */
struct ls_simulated_iteration {
  double begin_s, end_s;
  double useful_s, up_s; /* seconds computing work that counted, and seconds present */
  size_t workers;        /* present at its end */
};

struct ls_simulation {
  const struct ls_platform *platform;
  struct ls_coordinator_config
      config; /* policy, order, ...; workers and workers_max are taken from the platform */
  uint64_t units;
  const double *task_work;     /* work of each task in units, iteration by iteration; NULL: all 1 */
  const double *expected_work; /* declared, the same in all iterations: as many as the largest
                                  iteration has tasks; NULL: nothing is declared */
  uint32_t iterations;         /* 0 counts as 1 */
  const uint64_t *iteration_units; /* `iterations` entries >= 1; NULL: `units` in each */
  /* `iterations` lists, each in ascending order: the units that have nothing to do, done where
   * their iteration begins; NULL: none in any. */
  const struct ls_ranges *idle;
  /* Of the units of each iteration; they go with config.has_needs, and with config.labels, which
   * are what the workers have. */
  const struct ls_event_need *needs;
  size_t needs_count;
  uint64_t prefetch;     /* 0, 1, 2, ... */
  uint64_t report_every; /* a worker tells after every so many units that it finished; 0: as the
                            policy's parameter says */
  bool tells_units; /* ... and, as in a run, whatever ended so long before (LS_SIDE_HOLD_S), by its
                       nominal time: the coordinator hears of it, the policy as report_every says */
  /* leave: without a word; depart: in order, once the unit that runs has ended. */
  const struct ls_simulated_change *leave, *join, *depart;
  size_t leave_count, join_count, depart_count;
  const struct ls_simulated_advice *advice;
  size_t advice_count;
  struct ls_simulated_stop stop; /* units that are not done then are never done */
  /* Of `units`, in the order of time; only of a single iteration, and of no plan. */
  const struct ls_simulated_addition *additions;
  size_t additions_count;
  const struct ls_simulated_pause *pauses;
  size_t pauses_count;
  struct ls_simulated_reclaim reclaim;
  struct ls_simulated_grant grant;
  const struct ls_availability *const *availability; /* per worker, or NULL */
  const size_t *availability_count;
  /* A chunk is one task: each of its ranges is one process, which pays the latency of computing;
   * its units end together, and its result tells their sum alone, with the latency. */
  bool has_whole_chunks;
  /* The computing of a chunk takes as long as expected times a number of its own, from a normal law
   * of mean 1 with this deviation, at least a hundredth; within 0 and 1. */
  double chunk_error;
  bool has_stage_ahead;  /* `stage_ahead` instead of the platform's */
  uint32_t stage_ahead;  /* chunks that a worker has staged and not begun */
  enum ls_asking asking; /* room, as in a run, or one chunk, as published */
  bool wants_spans, wants_notes;
  struct ls_simulated_iteration *iterations_out; /* room for `iterations` entries, or NULL */
  double *prices_out;                            /* one for each worker, or NULL */
  struct ls_slowness *slowness_out; /* that the coordinator knows in the end, or NULL */
};

struct ls_simulated {
  double makespan_s;
  double efficiency; /* seconds computing / (seconds present - seconds suspended), at the workers'
                        prices (model/efficiency.h) */
  uint64_t chunks, units_done;
  uint64_t reclaims; /* how often a machine was taken away */
  double up_s;       /* seconds present and not suspended, of all workers */
  double price;      /* of these, each at its worker's price */
};

/* `timeline` may be NULL; else an initialised one that gets decisions (always), spans and notes (if
 * wanted). LS_EINVAL: the setup is wrong, or the run cannot end (all workers left). */
LS_CHECKED enum ls_status ls_simulate(const struct ls_simulation *simulation,
                                      struct ls_simulated *result, struct ls_timeline *timeline,
                                      struct ls_error *err);

#endif
