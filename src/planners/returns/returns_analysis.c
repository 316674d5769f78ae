/* returns_analysis.c: how fast results can return first in, first out, or last in, first out.
 *
 * Reference:  beaumont2005, Theorems 1 and 2; docs/theory/returns.md, 2 to 5.
 * Assumes:    as fifo and lifo, no latencies counted.
 * Answers:    throughputs of the best FIFO and LIFO; to 12 workers that of the best of all orders
 *             and which of the two attain it, if the budget lasts.
 * Cost:       that of returns-exact to 12 workers, else of fifo.
 * Symbols:    z -> ratio, rho -> throughput.
 */
#include <math.h>

#include "planners/analysis.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/russian_doll.h"

static const double ATTAINED = 1e-9;
static const uint64_t NODES_MAX = 1000000;

/* The throughput is proven unless the search was stopped: then it is what was found. */
static enum ls_status compare_optimum(struct ls_returns *returns, struct ls_scenario *scenario,
                                      const double kinds[2], struct ls_findings *findings,
                                      struct ls_error *err) {
  double upper_bound = 0;
  enum ls_status status = ls_russian_doll_run(returns, scenario, &upper_bound, err);
  if (status != LS_OK) return status;
  bool is_proven = !returns->budget->is_stopped;
  ls_findings_number(findings, "throughput", scenario->throughput,
                     "units/s of the best orders found");
  ls_findings_number(findings, "throughput_at_most", upper_bound, "units/s that no orders exceed");
  ls_findings_flag(findings, "proven", is_proven, "no orders are better");
  if (!is_proven) return LS_OK;
  double least = scenario->throughput * (1 - ATTAINED);
  ls_findings_flag(findings, "fifo_attains", kinds[0] >= least, "the best FIFO is as good");
  ls_findings_flag(findings, "lifo_attains", kinds[1] >= least, "the best LIFO is as good");
  return LS_OK;
}

static enum ls_status analyse(const struct ls_planner_setup *setup, struct ls_findings *findings,
                              struct ls_error *err) {
  struct ls_budget budget = ls_budget_part(&setup->budget, setup->budget.work_max);
  struct ls_planner_setup one = *setup;
  struct ls_returns returns;
  struct ls_scenario scenario;
  double kinds[2] = {0};
  bool is_proven = true;
  if (budget.work_max == 0) budget.work_max = NODES_MAX;
  one.load = 1;
  enum ls_status status = ls_returns_open(&returns, &one, &budget, err);
  if (status != LS_OK) return status;
  status = ls_scenario_open(&scenario, returns.count, err);
  if (status == LS_OK) status = ls_returns_fifo(&returns, &scenario, &is_proven, err);
  kinds[0] = status == LS_OK ? scenario.throughput : 0;
  if (status == LS_OK) status = ls_returns_lifo(&returns, &scenario, err);
  kinds[1] = status == LS_OK ? scenario.throughput : 0;
  if (status == LS_OK) {
    ls_findings_number(findings, "ratio", ls_returns_ratio(&returns),
                       "seconds to return over seconds to send, where it is one for all");
    ls_findings_number(findings, "fifo", kinds[0], "units/s of the best FIFO");
    ls_findings_number(findings, "lifo", kinds[1], "units/s of the best LIFO");
    if (returns.count <= LS_RUSSIAN_DOLL_MAX)
      status = compare_optimum(&returns, &scenario, kinds, findings, err);
  }
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
  return status;
}

const struct ls_analysis ls_analysis_returns = {
    .name = "returns",
    .summary = "how fast results can return: FIFO, LIFO, the best of all orders",
    .reference = "beaumont2005, Theorems 1 and 2",
    .applicable = ls_returns_applicable,
    .analyse = analyse,
};
