/* loss_cells.h: a cell of the thesis' tables of lost workers: one workload, one strategy. */
#ifndef LS_LAB_LOSS_CELLS_H
#define LS_LAB_LOSS_CELLS_H

#include <stddef.h>

#include "base/status.h"
#include "theory/loss.h"

enum { LS_STUDY_LOSS_STRATEGIES = 9, LS_STUDY_LOSS_TASKS_MAX = 150, LS_STUDY_LOSS_MIDPOINTS = 40 };

/* No, single and complete replication with 0 to 3 extra workers, in the order of the tables; with
 * one extra worker single and complete replication are one. */
struct ls_study_loss_strategy {
  const char *name;
  size_t extra, replicas;
};

extern const struct ls_study_loss_strategy ls_study_loss_strategies[LS_STUDY_LOSS_STRATEGIES];

struct ls_study_loss_cell {
  size_t tasks; /* <= LS_STUDY_LOSS_TASKS_MAX */
  double share_percent;
  size_t workers, strategy;
  size_t midpoints; /* instants of the loss */
};

/* `*lost`: one worker is lost; `*spared` (may be NULL): none is. */
LS_CHECKED enum ls_status ls_study_loss_weigh(const struct ls_study_loss_cell *cell,
                                              struct ls_worsening *lost,
                                              struct ls_worsening *spared, struct ls_error *err);

#endif
