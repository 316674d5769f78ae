/* rounds_analysis.c: how many uniform rounds a load is worth, and how they grow.
 *
 * Reference:  yang2002, Eq. 12, 17, 22; docs/theory/umr.md, 3.2 to 3.4.
 * Assumes:    as umr.
 * Answers:    theta, eta, the real and the chosen number of rounds and its makespan; not applicable
 *             as umr.
 * Cost:       O(p log p).
 * Symbols:    M* -> rounds_real, M -> rounds, W/eta -> rounds_most.
 */
#include <math.h>

#include "planners/analysis.h"
#include "planners/rounds/umr_theory.h"
#include "planners/star/reduced_star.h"

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_reduced_star_keeps_busy(setup->platform, why) &&
         ls_reduced_star_grows(setup->platform, why);
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  struct ls_reduced_star workers;
  enum ls_status status = ls_reduced_star_init(&workers, setup->platform, err);
  if (status != LS_OK) return status;
  size_t all = workers.count;
  ls_reduced_star_take(&workers, LS_STAR_SELECTED);
  /* The selection may keep only workers to which sending is free: then all are looked at. */
  if (!ls_reduced_star_has_theta(&workers)) workers.count = all;
  struct ls_umr umr;
  struct ls_umr_choice choice;
  ls_umr_init(&umr, workers.items, workers.count, setup->load);
  ls_umr_choose(&umr, &choice);
  ls_findings_number(findings, "workers", (double)workers.count, "selected");
  ls_findings_number(findings, "theta", umr.theta,
                     "the size of a round over that of the one before");
  ls_findings_number(findings, "eta", umr.eta, "units: a round of that size stays as it is");
  ls_findings_number(findings, "rounds_most", umr.eta > 0 ? setup->load / umr.eta : (double)NAN,
                     "more rounds than load / eta would shrink");
  ls_findings_number(findings, "rounds_real", choice.rounds_real, "the best real number of rounds");
  ls_findings_number(findings, "rounds", (double)choice.rounds, "the number of rounds chosen");
  ls_findings_number(findings, "predicted_makespan", ls_umr_predict(&umr, (double)choice.rounds),
                     "s, by the theory");
  ls_reduced_star_close(&workers);
  return LS_OK;
}

const struct ls_analysis ls_analysis_rounds = {
    .name = "rounds",
    .summary = "how many uniform rounds a load is worth, and how they grow",
    .reference = "yang2002, Eq. 12 and 22",
    .needs_load = true,
    .applicable = is_applicable,
    .analyse = analyse,
};
