/* returns_lifo.c: the best schedule in which the worker served last returns first.
 *
 * Reference:  beaumont2005, Theorem 1; whole units and latencies: docs/theory/returns.md, 7.
 * Assumes:    one chunk per worker; costs of transfer, compute and reply only.
 * Answers:    NOT_APPLICABLE for multi-port, and where preparing, sending, delays or receiving cost
 *             something.  Every worker by non-decreasing c + d; the same with one port and two; at
 *             least half of the optimum over all orders.
 * Cost:       O(p log p).
 * Symbols:    those of returns_orders.c.
 */
#include "planners/returns/returns.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/returns_plan.h"

static enum ls_status plan_lifo(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  struct ls_returns returns;
  struct ls_scenario scenario = {0};
  enum ls_status status = ls_returns_open(&returns, setup, budget, err);
  if (status != LS_OK) return status;
  returns.freedom = LS_RETURNS_LIFO_ORDERS;
  status = ls_scenario_open(&scenario, returns.count, err);
  if (status == LS_OK) status = ls_returns_lifo(&returns, &scenario, err);
  if (status == LS_OK) status = ls_returns_finish(&returns, &scenario, true, plan, err);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
  return status;
}

const struct ls_planner ls_planner_lifo = {
    .name = "lifo",
    .summary = "results return last in, first out; the best order, every worker",
    .reference = "beaumont2005, Theorem 1",
    .rounds_itself = true,
    .plans_returns = true,
    .applicable = ls_returns_applicable,
    .plan = plan_lifo,
};
