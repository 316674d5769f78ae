/* returns_search.c: good orders of sends and returns by local search, for any number of workers.
 *
 * Reference:  docs/theory/returns.md, 6 and 7.
 * Assumes:    one chunk per worker; costs of transfer, compute and reply only.
 * Answers:    NOT_APPLICABLE for multi-port, and where preparing, sending, delays or receiving
 *             cost something.  Never worse than the better of FIFO and LIFO; proves nothing.
 * Cost:       milliseconds to 12 workers, below a second for 100.
 * Symbols:    none.
 */
#include <math.h>

#include "planners/returns/iterated_search.h"
#include "planners/returns/latency_search.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_limits.h"
#include "planners/returns/returns_plan.h"

enum { STARTS_DEFAULT = 5, LATENCY_WORKERS_MAX = 20 };

static const struct ls_parameter search_parameters[] = {
    {"starts", "random pairs of orders to start from, with FIFO and LIFO", LS_PARAMETER_WHOLE,
     STARTS_DEFAULT, 0, 1e6, NULL},
    {"seed", "of the random starts", LS_PARAMETER_WHOLE, 1, 0, 9007199254740992.0, NULL},
    {"time_limit", "seconds after which the best so far is given; absent: none", LS_PARAMETER_REAL,
     (double)NAN, 0, 1e9, NULL},
    {0}};

/* The work is that of the search without latencies; what follows it has the clock only. */
static enum ls_status plan_affine(struct ls_returns *returns, struct ls_scenario *scenario,
                                  struct ls_plan *plan, struct ls_error *err) {
  struct ls_budget *budget = returns->budget, part = ls_budget_part(budget, 0);
  struct ls_returns_verdict verdict = {.gap = (double)NAN,
                                       .nodes = returns->budget->work,
                                       .is_search = true,
                                       .linear_s = returns->load / scenario->throughput,
                                       .latencies_s = ls_returns_latencies(returns, scenario)};
  enum ls_status status;
  returns->budget = &part;
  if (returns->count > LATENCY_WORKERS_MAX) {
    status = ls_returns_finish(returns, scenario, false, plan, err);
    ls_budget_add(budget, &part);
    return status;
  }
  const struct ls_returns_search search = {.run = ls_latency_search_run};
  status = ls_returns_improve(returns, &search, scenario, &verdict, err);
  ls_budget_add(budget, &part);
  if (status != LS_OK) return status;
  verdict.is_proven = false;
  return ls_returns_emit(returns, scenario, &verdict, plan, err);
}

static enum ls_status plan_linear(const struct ls_returns *returns, struct ls_scenario *scenario,
                                  struct ls_plan *plan, struct ls_error *err) {
  struct ls_returns_verdict verdict = {.makespan_s = returns->load / scenario->throughput,
                                       .gap = (double)NAN,
                                       .nodes = returns->budget->work,
                                       .is_search = true};
  return ls_returns_emit(returns, scenario, &verdict, plan, err);
}

static enum ls_status plan_search(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                  struct ls_plan *plan, struct ls_error *err) {
  struct ls_returns returns;
  struct ls_scenario scenario = {0};
  enum ls_status status = ls_returns_open(&returns, setup, budget, err);
  if (status != LS_OK) return status;
  returns.freedom = LS_RETURNS_ANY_ORDERS;
  const struct ls_iterated_search search = {
      .starts = (uint64_t)ls_arguments_get(&setup->arguments, search_parameters, "starts"),
      .seed = (uint64_t)ls_arguments_get(&setup->arguments, search_parameters, "seed")};
  status = ls_scenario_open(&scenario, returns.count, err);
  if (status == LS_OK) status = ls_iterated_search_run(&returns, &search, &scenario, err);
  bool is_linear = !returns.has_latency && status == LS_OK && ls_returns_fits(&returns, &scenario);
  if (status == LS_OK && is_linear)
    status = plan_linear(&returns, &scenario, plan, err);
  else if (status == LS_OK)
    status = plan_affine(&returns, &scenario, plan, err);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
  return status;
}

const struct ls_planner ls_planner_returns_search = {
    .name = "returns-search",
    .summary = "results return; good orders by local search, any number of workers",
    .reference = "beyond beaumont2005",
    .parameters = search_parameters,
    .rounds_itself = true,
    .plans_returns = true,
    .is_search = true,
    .applicable = ls_returns_applicable,
    .plan = plan_search,
};
