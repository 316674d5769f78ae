/* scow_spmd.h: a periodic plan as the parameters of a program that every worker runs (SPMD).
 *
 * The master's loop is: nRounds times, send nCoreTasks[i] units to each worker i; then last[i];
 * then auxiliary[i].  docs/theory/scow.md, 8.
 */
#ifndef LS_PLANNERS_SCOW_SCOW_SPMD_H
#define LS_PLANNERS_SCOW_SCOW_SPMD_H

#include <stdint.h>

#include "model/plan.h"
#include "planners/scow/scow_star.h"

/* By position in the star; `last` and `auxiliary` NULL: none. */
struct ls_scow_spmd {
  uint64_t rounds; /* identical ones */
  const double *units, *last, *auxiliary;
};

/* Sets the parameter "spmd" of a plan in whole units: nWorkers, workers (their numbers in the order
 * of sending), nRounds, nCoreTasks, last, auxiliary; nRounds sum nCoreTasks + sum last + sum
 * auxiliary is the load. */
void ls_scow_tell_spmd(const struct ls_scow_star *star, const struct ls_scow_spmd *spmd,
                       struct ls_plan *plan);

#endif
