/* production_analysis.c: the most units in one period (MP).
 *
 * Reference:  delatorre2009, Theorems 4 and 7, (4.4) to (4.10), appendix A.1, all in the corrected
 *             form of docs/theory/scow.md, 3.1.
 * Assumes:    sending and computing overlap.
 * Answers:    the exact most, by Cbc unless a closed form holds, with units by worker; that of the
 *             greedy rule, and how much it may miss; not applicable as scow.
 * Cost:       O(p) for identical workers, O(p log p) for a bus, else that of Cbc.
 * Symbols:    T -> period, Y -> chunk, q -> full_workers.
 */
#include <math.h>

#include "planners/analysis.h"
#include "planners/scow/scow_production.h"
#include "planners/scow/scow_star.h"

static const struct ls_parameter mp_parameters[] = {
    {"period", "seconds; must be given", LS_PARAMETER_REAL, (double)NAN, 0, 1e300, NULL}, {0}};

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, NULL, why);
}

static void tell_units(const struct ls_scow_star *star, const double *units, double *by_worker,
                       const char *name, struct ls_findings *findings) {
  for (size_t i = 0; i < star->count; i++) by_worker[star->items[i].number] = units[i];
  ls_findings_numbers(findings, name, by_worker, star->count, "by worker");
}

static void tell_identical(const struct ls_scow_star *star, double period_s,
                           struct ls_findings *findings) {
  struct ls_scow_production found =
      ls_scow_produce_identical(&star->items[0], star->count, period_s);
  ls_findings_number(findings, "chunk", fmax(0, ls_scow_chunk(&star->items[0], period_s)),
                     "units of a full worker");
  ls_findings_number(findings, "full_workers", (double)found.full,
                     "workers that compute all the period");
  ls_findings_number(findings, "partial_chunk", found.partial, "units of one more");
}

static enum ls_status tell_all(const struct ls_planner_setup *setup,
                               const struct ls_scow_star *star, double *units, void *result,
                               struct ls_error *err) {
  struct ls_findings *findings = result;
  double period_s = ls_arguments_get(&setup->arguments, mp_parameters, "period");
  struct ls_budget budget = ls_budget_part(&setup->budget, setup->budget.work_max);
  double *by_worker = units + star->count;
  enum ls_status status = ls_scow_produce_exactly(star, period_s, &budget, units, err);
  if (status != LS_OK) return status;
  ls_findings_number(findings, "total", ls_scow_load_of(star->items, star->count, units).units,
                     "units, the most there can be in one period");
  ls_findings_flag(findings, "proven", !budget.is_stopped, "no sizes make more");
  tell_units(star, units, by_worker, "units", findings);
  if (star->is_identical) tell_identical(star, period_s, findings);
  struct ls_scow_production greedy =
      ls_scow_produce(star->items, star->count, period_s, SIZE_MAX, units);
  ls_findings_number(findings, "greedy_total", greedy.total, "units of the greedy rule");
  ls_findings_number(findings, "greedy_bound", greedy.bound, "units that it may miss");
  tell_units(star, units, by_worker, "greedy_units", findings);
  return LS_OK;
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  if (isnan(ls_arguments_get(&setup->arguments, mp_parameters, "period")))
    return ls_fail(err, LS_EINVAL, "period is missing, analysis mp needs seconds");
  return ls_scow_star_use(setup, NULL, tell_all, findings, err);
}

const struct ls_analysis ls_analysis_mp = {
    .name = "mp",
    .summary = "the most units in a period: maximal production",
    .reference = "delatorre2009, Theorems 4 and 7",
    .parameters = mp_parameters,
    .applicable = is_applicable,
    .analyse = analyse,
};
