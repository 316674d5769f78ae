/* utilization_analysis.c: the best use of network and workers in one period (MU).
 *
 * Reference:  delatorre2009, Theorem 8; docs/theory/scow.md, 3.2.
 * Assumes:    sending and computing overlap; latencies count as use.
 * Answers:    the largest utilization, from 0 to 2, its units by worker, and the idle seconds; for
 *             identical workers also the value of the printed rule; not applicable as scow.
 * Cost:       O(p) for identical workers, else that of Cbc for each number of workers.
 * Symbols:    U -> utilization, T -> period.
 */
#include <math.h>

#include "planners/analysis.h"
#include "planners/scow/scow_star.h"
#include "planners/scow/scow_utilization.h"

static const struct ls_parameter mu_parameters[] = {
    {"period", "seconds; must be given", LS_PARAMETER_REAL, (double)NAN, 0, 1e300, NULL}, {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, NULL, why);
}

static enum ls_status tell_all(const struct ls_planner_setup *setup,
                               const struct ls_scow_star *star, double *units, void *result,
                               struct ls_error *err) {
  struct ls_findings *findings = result;
  double period_s = ls_arguments_get(&setup->arguments, mu_parameters, "period");
  struct ls_budget budget = ls_budget_part(&setup->budget, setup->budget.work_max);
  double *by_worker = units + star->count;
  struct ls_scow_utilization found = {.units = units};
  enum ls_status status = ls_scow_utilize(star, period_s, &budget, &found, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < star->count; i++) by_worker[star->items[i].number] = units[i];
  ls_findings_number(findings, "utilization", found.value, "of 2: network and workers");
  ls_findings_flag(findings, "proven", !budget.is_stopped, "no sizes are better");
  ls_findings_number(findings, "idle", (2 - found.value) * period_s, "s of a period");
  ls_findings_numbers(findings, "units", by_worker, star->count, "by worker");
  if (star->is_identical)
    ls_findings_number(findings, "utilization_theorem_8",
                       ls_scow_utilize_by_rule(&star->items[0], star->count, period_s),
                       "what the printed rule gives");
  return LS_OK;
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  double period_s = ls_arguments_get(&setup->arguments, mu_parameters, "period");
  if (isnan(period_s))
    return ls_fail(err, LS_EINVAL, "period is missing, analysis mu needs seconds > 0");
  if (!(period_s > 0))
    return ls_fail(err, LS_EINVAL, "period is %g, analysis mu needs seconds > 0", period_s);
  return ls_scow_star_use(setup, NULL, tell_all, findings, err);
}

const struct ls_analysis ls_analysis_mu = {
    .name = "mu",
    .summary = "the best use of network and workers in a period: maximal utilization",
    .reference = "delatorre2009, Theorem 8",
    .parameters = mu_parameters,
    .applicable = is_applicable,
    .analyse = analyse,
};
