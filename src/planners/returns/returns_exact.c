/* returns_exact.c: the best pair of orders, proven.
 *
 * Reference:  beaumont2005 leaves the problem open; docs/theory/returns.md, 5 and 7, with stronger
 *             rows and another branching (docs/algorithms/returns-exact.md).
 * Assumes:    one chunk per worker; costs of transfer, compute and reply only.
 * Answers:    NOT_APPLICABLE for more than 12 workers, for multi-port, and where preparing,
 *             sending, delays or receiving cost something.  Stopped, the best found and how much
 *             better the optimum may be.  With latencies, and where windows or rooms do not take
 *             the optimum's loads, all scenarios of at most 4 workers, else the best found and the
 *             bracket of section 7.
 * Cost:       exponential: 6 to 8 times more for each worker more.
 * Symbols:    none.
 */
#include <math.h>

#include "planners/returns/latency_search.h"
#include "planners/returns/returns.h"
#include "planners/returns/returns_limits.h"
#include "planners/returns/returns_orders.h"
#include "planners/returns/returns_plan.h"
#include "planners/returns/russian_doll.h"

/* Nodes that a search may look at by default: about ten minutes. */
static const uint64_t NODES_MAX = 100000000;
static const double ATTAINED = 1e-9;

static const struct ls_parameter exact_parameters[] = {
    {"time_limit", "seconds after which the best so far is given; absent: none", LS_PARAMETER_REAL,
     (double)NAN, 0, 1e9, NULL},
    {0}};

/* Whether the best FIFO and the best LIFO are as good. */
static enum ls_status compare_kinds(const struct ls_returns *returns, double throughput,
                                    struct ls_plan *plan, struct ls_error *err) {
  struct ls_scenario scenario;
  bool is_proven;
  enum ls_status status = ls_scenario_open(&scenario, returns->count, err);
  if (status == LS_OK) status = ls_returns_fifo(returns, &scenario, &is_proven, err);
  if (status == LS_OK)
    ls_plan_set_flag(plan, "fifo_attains", scenario.throughput >= throughput * (1 - ATTAINED));
  if (status == LS_OK) status = ls_returns_lifo(returns, &scenario, err);
  if (status == LS_OK)
    ls_plan_set_flag(plan, "lifo_attains", scenario.throughput >= throughput * (1 - ATTAINED));
  ls_scenario_close(&scenario);
  return status;
}

static enum ls_status plan_linear(const struct ls_returns *returns, double upper_bound,
                                  struct ls_scenario *scenario, struct ls_plan *plan,
                                  struct ls_error *err) {
  double throughput = scenario->throughput;
  struct ls_returns_verdict verdict = {.makespan_s = returns->load / throughput,
                                       .is_proven = !returns->budget->is_stopped,
                                       .gap = upper_bound / throughput - 1,
                                       .nodes = returns->budget->work,
                                       .is_search = true};
  enum ls_status status = ls_returns_emit(returns, scenario, &verdict, plan, err);
  if (status == LS_OK) status = compare_kinds(returns, throughput, plan, err);
  return status;
}

/* The nodes are those of the search without latencies; what follows it has the clock only. */
static enum ls_status plan_affine(struct ls_returns *returns, double upper_bound,
                                  struct ls_scenario *scenario, struct ls_plan *plan,
                                  struct ls_error *err) {
  struct ls_budget *budget = returns->budget, part = ls_budget_part(budget, 0);
  double least_s = returns->load / upper_bound;
  struct ls_returns_verdict verdict = {.nodes = budget->work,
                                       .is_search = true,
                                       .linear_s = returns->load / scenario->throughput,
                                       .latencies_s = ls_returns_latencies(returns, scenario)};
  returns->budget = &part;
  const struct ls_returns_search search = {.run = ls_latency_search_run};
  enum ls_status status = ls_returns_improve(returns, &search, scenario, &verdict, err);
  ls_budget_add(budget, &part);
  if (status != LS_OK) return status;
  verdict.gap = verdict.is_proven ? 0 : verdict.makespan_s / least_s - 1;
  return ls_returns_emit(returns, scenario, &verdict, plan, err);
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  size_t workers = setup->platform->workers_count;
  if (!ls_returns_applicable(setup, why)) return false;
  if (workers <= LS_RUSSIAN_DOLL_MAX) return true;
  return ls_planner_refuse(why, "%zu workers, at most %d can be proven: use returns-search",
                           workers, LS_RUSSIAN_DOLL_MAX);
}

static enum ls_status plan_exact(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                 struct ls_plan *plan, struct ls_error *err) {
  struct ls_returns returns;
  struct ls_scenario scenario = {0};
  enum ls_status status = ls_returns_open(&returns, setup, budget, err);
  if (status != LS_OK) return status;
  returns.freedom = LS_RETURNS_ANY_ORDERS;
  double upper_bound = 0;
  if (budget->work_max == 0) budget->work_max = NODES_MAX;
  status = ls_scenario_open(&scenario, returns.count, err);
  if (status == LS_OK) status = ls_russian_doll_run(&returns, &scenario, &upper_bound, err);
  bool is_linear = !returns.has_latency && status == LS_OK && ls_returns_fits(&returns, &scenario);
  if (status == LS_OK && is_linear)
    status = plan_linear(&returns, upper_bound, &scenario, plan, err);
  else if (status == LS_OK)
    status = plan_affine(&returns, upper_bound, &scenario, plan, err);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
  return status;
}

const struct ls_planner ls_planner_returns_exact = {
    .name = "returns-exact",
    .summary = "results return; the proven best of all orders, at most 12 workers",
    .reference = "beyond beaumont2005, which leaves it open",
    .parameters = exact_parameters,
    .rounds_itself = true,
    .plans_returns = true,
    .is_search = true,
    .cost = LS_PLANNER_EXPONENTIAL,
    .applicable = is_applicable,
    .plan = plan_exact,
};
