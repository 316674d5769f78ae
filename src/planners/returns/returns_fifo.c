/* returns_fifo.c: the best schedule in which workers return in the order in which they were served.
 *
 * Reference:  beaumont2005, Theorem 2; for uncorrelated costs, one port, whole units and latencies
 *             docs/theory/returns.md, 3 and 7.
 * Assumes:    one chunk per worker; costs of transfer, compute and reply only.
 * Answers:    NOT_APPLICABLE for multi-port, and where preparing, sending, delays or receiving
 *             cost something.  Proven best of all FIFO orders with two ports and no latencies. With
 *             latencies, windows and rooms the order without, and of all workers in it the best
 *             subset.
 * Cost:       O(p log p) a step of Dinkelbach's method, fewer than ten steps in practice.
 * Symbols:    those of returns_orders.c.
 */
#include <math.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_limits.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/returns_plan.h"
#include "planners/returns/returns_program.h"

static enum ls_status plan_fifo(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  struct ls_returns returns;
  struct ls_scenario scenario = {0};
  bool is_proven = true;
  enum ls_status status = ls_returns_open(&returns, setup, budget, err);
  if (status != LS_OK) return status;
  returns.freedom = LS_RETURNS_FIFO_ORDERS;
  status = ls_scenario_open(&scenario, returns.count, err);
  if (status == LS_OK) status = ls_returns_fifo(&returns, &scenario, &is_proven, err);
  /* Slow links may start sooner, and limits ask for more workers: the best subset is sought
   * among all of them. */
  if (status == LS_OK && returns.count <= LS_RETURNS_AFFINE_MAX &&
      (returns.has_latency || !ls_returns_fits(&returns, &scenario)))
    ls_returns_fifo_list_all(&returns, &scenario);
  if (status == LS_OK) status = ls_returns_finish(&returns, &scenario, is_proven, plan, err);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
  return status;
}

const struct ls_planner ls_planner_fifo = {
    .name = "fifo",
    .summary = "results return first in, first out; the best order and the best workers",
    .reference = "beaumont2005, Theorem 2",
    .rounds_itself = true,
    .plans_returns = true,
    .applicable = ls_returns_applicable,
    .plan = plan_fifo,
};
