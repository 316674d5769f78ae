/* loss.h: what a lost worker costs an iteration, and what replicas of its tasks save.
 *
 * One cycle of list scheduling, largest task first, on equal workers.  Each of the first
 * `replicas` tasks stands twice in the list, the replica right behind the original.  A lost
 * worker's task goes back to where it stood and starts from scratch, unless the other of the two
 * runs or waits.  Source: docs/theory/adaptive.md, 5; several losses and spare replicas are ours.
 */
#ifndef LS_THEORY_LOSS_H
#define LS_THEORY_LOSS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct ls_lost_worker {
  size_t worker;
  double time_s;
};

struct ls_loss_setup {
  const double *work; /* seconds by task; any order */
  size_t tasks, workers, replicas;
  const struct ls_lost_worker *losses;
  size_t losses_count;
  /* A worker for which no task waits runs a replica of the sole task that ends last, and gives it
   * up for a task that comes back. */
  bool has_spare_replicas;
};

struct ls_loss_cycle {
  double makespan_s; /* of the last task, at its first end; INFINITY: all workers were lost */
  double efficiency; /* seconds of every task once / seconds up */
};

LS_CHECKED enum ls_status ls_loss_play(const struct ls_loss_setup *setup,
                                       struct ls_loss_cycle *cycle, struct ls_error *err);

/* What to expect of one lost worker among `workers` + `extra`, in per cent against `workers`
 * without a loss. */
struct ls_loss_study {
  const double *work;
  size_t tasks, workers, extra, replicas;
  size_t midpoints; /* K >= 1 instants of loss: (k + 1/2) / K of the largest task */
  bool has_spare_replicas;
};

struct ls_worsening {
  double time_percent, efficiency_percent;
  double time_deviation, efficiency_deviation; /* of a single case, in percentage points */
};

/* The exact average over all workers and instants. With one worker it is infinite. */
LS_CHECKED enum ls_status ls_loss_expect(const struct ls_loss_study *study,
                                         struct ls_worsening *worsening, struct ls_error *err);
/* The same `workers` + `extra` when nothing is lost (may be negative). */
LS_CHECKED enum ls_status ls_loss_spared(const struct ls_loss_study *study,
                                         struct ls_worsening *worsening, struct ls_error *err);
/* Chooses the number of replicas among 0 .. `study->extra` (its `replicas` is not looked at) that
 * makes time + price * efficiency the least in expectation, when a worker is lost in a cycle with
 * probability `loss_probability`; ties: fewer. */
LS_CHECKED enum ls_status ls_loss_choose(const struct ls_loss_study *study, double loss_probability,
                                         double price, size_t *replicas, struct ls_error *err);

#endif
