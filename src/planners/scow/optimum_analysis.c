/* optimum_analysis.c: the period in which the continuous model ends soonest.
 *
 * Reference:  delatorre2009, Theorems 12 and 13, in the corrected form of docs/theory/scow.md, 4.
 * Assumes:    as scow; any number of rounds, also a fraction of one.
 * Answers:    the least makespan of the model, its period, rounds and workers; not applicable as
 *             scow, or where no period holds one chunk of one unit each.
 * Cost:       O(d p log p) for d different latencies of computing.
 * Symbols:    mu -> model_makespan, T -> period, nu -> rounds_real.
 */
#include <math.h>

#include "planners/analysis.h"
#include "planners/scow/scow_optimum.h"
#include "planners/scow/scow_star.h"

static const char *const constraints[] = {"mp", "pwu", NULL};
static const struct ls_parameter optimum_parameters[] = {
    {"constraint", "mp: one worker may be partly busy; pwu: all that are used are full",
     LS_PARAMETER_CHOICE, LS_SCOW_MP, 0, 1, constraints},
    {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, NULL, why);
}

static void tell(const struct ls_scow_optimum *optimum, struct ls_findings *findings) {
  size_t workers = optimum->full + optimum->has_partial;
  ls_findings_flag(findings, "found", isfinite(optimum->makespan_s), "some period is long enough");
  if (!isfinite(optimum->makespan_s)) return;
  ls_findings_number(findings, "model_makespan", optimum->makespan_s, "s, the least of the model");
  ls_findings_number(findings, "period", optimum->period_s, "s");
  ls_findings_number(findings, "rounds_real", optimum->rounds_real, "rounds, a real number");
  ls_findings_number(findings, "full_workers", (double)optimum->full, "workers always busy");
  ls_findings_number(findings, "workers", (double)workers, "with units in every round");
  ls_findings_number(findings, "chunk", optimum->chunk, "units of the first worker in a round");
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  struct ls_scow_star star;
  struct ls_scow_optimum optimum;
  double constraint = ls_arguments_get(&setup->arguments, optimum_parameters, "constraint");
  enum ls_status status = ls_scow_star_open(&star, setup, NULL, err);
  if (status != LS_OK) return status;
  struct ls_scow_question question = {
      setup->load, constraint > LS_SCOW_MP ? LS_SCOW_PWU : LS_SCOW_MP, SIZE_MAX, 1};
  status = ls_scow_optimize(&star, &question, &optimum, err);
  if (status == LS_OK) tell(&optimum, findings);
  ls_scow_star_close(&star);
  return status;
}

const struct ls_analysis ls_analysis_optimum = {
    .name = "optimum",
    .summary = "the period in which the model of periodic plans ends soonest",
    .reference = "delatorre2009, Theorems 12 and 13",
    .parameters = optimum_parameters,
    .needs_load = true,
    .applicable = is_applicable,
    .analyse = analyse,
};
