#include "lab/studies/loss_cells.h"

#include <assert.h>

#include "theory/workload.h"

const struct ls_study_loss_strategy ls_study_loss_strategies[LS_STUDY_LOSS_STRATEGIES] = {
    {"NR0", 0, 0}, {"NR1", 1, 0}, {"SR1", 1, 1}, {"NR2", 2, 0}, {"SR2", 2, 1},
    {"CR2", 2, 2}, {"NR3", 3, 0}, {"SR3", 3, 1}, {"CR3", 3, 3}};

enum ls_status ls_study_loss_weigh(const struct ls_study_loss_cell *cell, struct ls_worsening *lost,
                                   struct ls_worsening *spared, struct ls_error *err) {
  double work[LS_STUDY_LOSS_TASKS_MAX];
  assert(cell->tasks <= LS_STUDY_LOSS_TASKS_MAX && cell->strategy < LS_STUDY_LOSS_STRATEGIES);
  const struct ls_study_loss_strategy *strategy = &ls_study_loss_strategies[cell->strategy];
  struct ls_workload workload = {cell->tasks, cell->share_percent, true, true, 100};
  struct ls_loss_study study = {.work = work,
                                .tasks = cell->tasks,
                                .workers = cell->workers,
                                .extra = strategy->extra,
                                .replicas = strategy->replicas,
                                .midpoints = cell->midpoints};
  enum ls_status status = ls_workload_make(&workload, work, err);
  if (status == LS_OK) status = ls_loss_expect(&study, lost, err);
  if (status == LS_OK && spared != NULL) status = ls_loss_spared(&study, spared, err);
  return status;
}
