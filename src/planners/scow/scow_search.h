/* scow_search.h: from periods to schedules: sizes, numbers of rounds, last rounds, judged by
 * replay.
 *
 * A planner opens a search, asks for candidates, and writes the best.  docs/theory/scow.md, 6.
 */
#ifndef LS_PLANNERS_SCOW_SCOW_SEARCH_H
#define LS_PLANNERS_SCOW_SCOW_SEARCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "planners/budget.h"
#include "planners/planner.h"
#include "planners/scow/scow_optimum.h"
#include "planners/scow/scow_schedule.h"
#include "planners/scow/scow_star.h"
#include "planners/star/reduced_star.h"

struct ls_scow_rounds;
struct ls_scow_slot;

struct ls_scow_search {
  const struct ls_scow_star *star; /* borrowed */
  double load;
  bool is_whole;
  struct ls_budget *budget; /* borrowed; a replay is one work */
  struct ls_scow_judge judge;
  struct ls_scow_schedule trial, best;
  double best_s; /* INFINITY: nothing yet */
  /* Scratch, by worker with units in the trial's rounds. */
  struct ls_scow_worker *workers;
  size_t *positions;
  double *units, *sizes;
  size_t count;
  struct ls_scow_slot *slots; /* two for each */
};

LS_CHECKED enum ls_status ls_scow_search_open(struct ls_scow_search *search,
                                              const struct ls_planner_setup *setup,
                                              const struct ls_scow_star *star,
                                              struct ls_budget *budget, struct ls_error *err);
void ls_scow_search_close(struct ls_scow_search *search);
/* Is there work left? The first candidate is always tried. */
bool ls_scow_search_goes_on(const struct ls_scow_search *search);

/* Rounds of `period_s` with at most `full_most` full workers and a partial one (6.1). Where the
 * search has whole units, sizes are whole. */
LS_CHECKED enum ls_status ls_scow_search_period(struct ls_scow_search *search, double period_s,
                                                size_t full_most, bool may_have_partial,
                                                struct ls_error *err);
/* The same of growing rounds before them: every number of those that the sizes allow. */
LS_CHECKED enum ls_status ls_scow_search_ramp(struct ls_scow_search *search, double period_s,
                                              size_t full_most, struct ls_error *err);
/* So many rounds in real units (6.2; workers that differ: the period that produces as much). */
LS_CHECKED enum ls_status ls_scow_search_rounds(struct ls_scow_search *search, double rounds,
                                                enum ls_scow_constraint constraint,
                                                struct ls_error *err);
/* The rounds of 6.2 for identical workers, as printed: judged by the formula alone. */
LS_CHECKED enum ls_status ls_scow_search_published(struct ls_scow_search *search, double rounds,
                                                   enum ls_scow_constraint constraint,
                                                   struct ls_error *err);
/* One round each for the first 1 .. 40 workers, all ending together (6.4 c). */
LS_CHECKED enum ls_status ls_scow_search_single(struct ls_scow_search *search,
                                                struct ls_error *err);
/* Around an optimum: its period, whole chunks of the first worker next to it (6.1); in real units
 * 0.6 to 1.6 times its number of rounds (6.2). */
LS_CHECKED enum ls_status ls_scow_search_around(struct ls_scow_search *search,
                                                const struct ls_scow_optimum *optimum,
                                                enum ls_scow_constraint constraint,
                                                struct ls_error *err);
/* Chunks of the first worker from half to twice the optimum's, or its window (6.4 b); `has_ramp`:
 * each with growing rounds. */
LS_CHECKED enum ls_status ls_scow_search_chunks(struct ls_scow_search *search,
                                                const struct ls_scow_optimum *optimum,
                                                bool has_ramp, struct ls_error *err);
/* Equal rounds as they are, and with a last and an auxiliary round, in which all end together, in
 * the place of the last of them. */
LS_CHECKED enum ls_status ls_scow_search_last(struct ls_scow_search *search,
                                              struct ls_scow_rounds *rounds, struct ls_error *err);
/* The best so far with fewer identical rounds, and shrinking ones behind them on as many workers as
 * are best (6.6). */
LS_CHECKED enum ls_status ls_scow_search_falling(struct ls_scow_search *search,
                                                 struct ls_error *err);

/* Writes the best schedule into an empty plan with its parameters, those of the optimum among them;
 * refuses when there is none. */
LS_CHECKED enum ls_status ls_scow_search_write(struct ls_scow_search *search,
                                               const struct ls_scow_optimum *optimum,
                                               struct ls_star_notes *notes, struct ls_plan *plan,
                                               struct ls_error *err);

/* ---- Whole plans ---- */

/* The parameter of scow-mp and scow-pwu: whether their search is the published one. */
enum { LS_SCOW_SEARCH_REPLAY, LS_SCOW_SEARCH_PUBLISHED };
extern const char *const ls_scow_searches[];
#define LS_SCOW_SEARCH                                                                            \
  {                                                                                               \
    "search", "replay: sizes next to the optimum, the best by replay; published: as printed",     \
        LS_PARAMETER_CHOICE, LS_SCOW_SEARCH_REPLAY, 0, LS_SCOW_SEARCH_PUBLISHED, ls_scow_searches \
  }

/* What a planner was called with. */
struct ls_scow_job {
  const struct ls_planner_setup *setup;
  const struct ls_parameter *parameters;
  struct ls_budget *budget;
};

/* The published search wants identical workers and real units. */
bool ls_scow_constraint_is_applicable(const struct ls_planner_setup *setup,
                                      const struct ls_parameter *parameters,
                                      struct ls_planner_reason *why);
/* The best next to the optimum of one constraint, and one round where no period is long enough; or
 * what the published search finds. */
LS_CHECKED enum ls_status ls_scow_plan_constraint(const struct ls_scow_job *job,
                                                  enum ls_scow_constraint constraint,
                                                  struct ls_plan *plan, struct ls_error *err);
/* What is tried beside identical rounds, one after the other. */
enum ls_scow_phases { LS_SCOW_PERIODS, LS_SCOW_RAMP, LS_SCOW_RAMP_AND_FALLING };
/* 6.4; with more phases 6.6, which begins with the same. */
LS_CHECKED enum ls_status ls_scow_plan_best(const struct ls_scow_job *job,
                                            enum ls_scow_phases phases, struct ls_plan *plan,
                                            struct ls_error *err);

#endif
