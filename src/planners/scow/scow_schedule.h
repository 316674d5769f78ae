/* scow_schedule.h: a periodic schedule by sizes: growing rounds, identical rounds, and the last and
 * the auxiliary round, or shrinking ones; and what the replay says of it.
 *
 * Sizes stand by position in the star's activation order; 0: no chunk.  A schedule owns its arrays.
 */
#ifndef LS_PLANNERS_SCOW_SCOW_SCHEDULE_H
#define LS_PLANNERS_SCOW_SCOW_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/plan.h"
#include "planners/planner.h"
#include "planners/scow/scow_star.h"

/* Growing rounds before the identical ones, shrinking ones behind them. */
enum { LS_SCOW_RAMP_MAX = 32, LS_SCOW_FALLING_MAX = 16 };

struct ls_scow_schedule {
  size_t count;  /* positions */
  double *units; /* of an identical round; owned, as all arrays */
  uint64_t keep; /* identical rounds */
  double *last, *auxiliary;
  double *ramp; /* rows of `count`; row 0 is the round before the identical ones */
  size_t ramp_rounds;
  double *falling; /* rows of `count`, in their order; then there is no last round */
  size_t falling_rounds;
  double period_s, predicted_s; /* of the formulas; NAN: not known */
  size_t full;
  double partial; /* units of the worker that is not full; 0: none */
  size_t auxiliary_workers;
};

LS_CHECKED enum ls_status ls_scow_schedule_open(struct ls_scow_schedule *schedule, size_t count,
                                                struct ls_error *err);
void ls_scow_schedule_close(struct ls_scow_schedule *schedule);
/* Both of as many positions. */
void ls_scow_schedule_copy(struct ls_scow_schedule *to, const struct ls_scow_schedule *from);
/* Adds its chunks to an empty plan; identical rounds repeat. */
void ls_scow_schedule_write(const struct ls_scow_schedule *schedule,
                            const struct ls_scow_star *star, struct ls_plan *plan);
/* Rounds, without the auxiliary one. */
double ls_scow_schedule_rounds(const struct ls_scow_schedule *schedule);

/* Who says how long a schedule takes. */
struct ls_scow_judge {
  const struct ls_scow_star *star;    /* borrowed */
  const struct ls_platform *platform; /* borrowed; where results are constant, `silent` is played */
  struct ls_platform silent, plain;   /* with workers of its own; with those of the platform */
  bool has_results;    /* one constant result of each worker returns, in the order of their ends */
  double spacing_s;    /* K */
  struct ls_plan plan; /* scratch */
  double *ends;        /* scratch, by worker of the platform */
};

LS_CHECKED enum ls_status ls_scow_judge_open(struct ls_scow_judge *judge,
                                             const struct ls_scow_star *star,
                                             const struct ls_platform *platform,
                                             struct ls_error *err);
/* From now on one transfer runs at a time, as the theory has it: the replay of a shared network
 * writes every chunk out, and is too long for thousands of long plans. */
void ls_scow_judge_plainly(struct ls_scow_judge *judge);
void ls_scow_judge_close(struct ls_scow_judge *judge);
/* The makespan of the replay. */
LS_CHECKED enum ls_status ls_scow_judge_schedule(struct ls_scow_judge *judge,
                                                 const struct ls_scow_schedule *schedule,
                                                 double *makespan_s, struct ls_error *err);
/* Writes the schedule into an empty plan and, where constant results return, their order: the last
 * chunk of each worker, which stands behind the rounds that repeat. */
LS_CHECKED enum ls_status ls_scow_judge_write(struct ls_scow_judge *judge,
                                              const struct ls_scow_schedule *schedule,
                                              struct ls_plan *plan, struct ls_error *err);

#endif
