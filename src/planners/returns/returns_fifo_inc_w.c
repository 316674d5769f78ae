/* returns_fifo_inc_w.c: the heuristic INC-W: FIFO, all enrolled, fastest to compute first.
 *
 * Reference:  beaumont2005, section 4.
 * Assumes:    one chunk per worker; costs of transfer, compute and reply only.
 * Answers:    NOT_APPLICABLE for multi-port, and where preparing, sending, delays or receiving
 *             cost something.  Order by non-decreasing w, the cost of computing a unit.
 *             Nothing is proven.
 * Cost:       O(p log p); one linear program with one port.
 * Symbols:    those of returns_orders.c.
 */
#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/returns_plan.h"

static enum ls_status plan_sorted(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                  struct ls_plan *plan, struct ls_error *err) {
  struct ls_returns returns;
  struct ls_scenario scenario = {0};
  enum ls_status status = ls_returns_open(&returns, setup, budget, err);
  if (status != LS_OK) return status;
  status = ls_scenario_open(&scenario, returns.count, err);
  if (status == LS_OK)
    status = ls_returns_sort(&returns, LS_RETURNS_BY_COMPUTE, scenario.sends, err);
  scenario.count = returns.count;
  if (status == LS_OK) status = ls_returns_fifo_in_order(&returns, &scenario, err);
  if (status == LS_OK) status = ls_returns_finish(&returns, &scenario, false, plan, err);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
  return status;
}

const struct ls_planner ls_planner_fifo_inc_w = {
    .name = "fifo-inc-w",
    .summary = "FIFO with every worker, those that compute fastest first (heuristic)",
    .reference = "beaumont2005, section 4",
    .rounds_itself = true,
    .plans_returns = true,
    .applicable = ls_returns_applicable,
    .plan = plan_sorted,
};
