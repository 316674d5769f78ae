/* returns_exact.c: the best pair of orders, proven.
 *
 * Reference:  beaumont2005 leaves the problem open; sections 5 and 7 of the project's specification
 *             of returns, with stronger rows and another branching (docs/algorithms).
 * Assumes:    one chunk per worker; costs of transfer, compute and reply only.
 * Answers:    NOT_APPLICABLE for more than 12 workers, for multi-port, and where preparing,
 *             sending, delays or receiving cost something.  Stopped, the best found and how much
 *             better the optimum may be.  With latencies all scenarios of at most 4 workers, else
 *             the best found and the bracket of section 7.
 * Cost:       exponential: about 10 times more for each worker more.
 * Symbols:    none.
 */
#include <math.h>

#include "planners/returns_private.h"

/* Nodes that a search may look at when nobody says otherwise: about ten minutes. */
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

static enum ls_status plan_linear(const struct ls_returns *returns,
                                  const struct ls_returns_search *search,
                                  struct ls_scenario *scenario, struct ls_plan *plan,
                                  struct ls_error *err) {
  double throughput = scenario->throughput;
  struct ls_returns_verdict verdict = {.makespan_s = returns->load / throughput,
                                       .is_proven = !search->is_stopped,
                                       .gap = search->upper_bound / throughput - 1,
                                       .nodes = search->nodes,
                                       .is_search = true,
                                       .is_stopped = search->is_stopped};
  enum ls_status status = ls_returns_emit(returns, scenario, &verdict, plan, err);
  if (status == LS_OK) status = compare_kinds(returns, throughput, plan, err);
  return status;
}

static enum ls_status plan_affine(const struct ls_returns *returns,
                                  struct ls_returns_search *search, struct ls_scenario *scenario,
                                  struct ls_plan *plan, struct ls_error *err) {
  double least_s = returns->load / search->upper_bound;
  struct ls_returns_verdict verdict = {.nodes = search->nodes,
                                       .is_search = true,
                                       .linear_s = returns->load / scenario->throughput,
                                       .latencies_s = ls_returns_latencies(returns, scenario)};
  enum ls_status status = ls_returns_detour(returns, search, scenario, &verdict.makespan_s, err);
  if (status != LS_OK) return status;
  verdict.is_proven = returns->count <= LS_RETURNS_ALL_AFFINE_MAX && !search->is_stopped;
  verdict.gap = verdict.is_proven ? 0 : verdict.makespan_s / least_s - 1;
  verdict.is_stopped = search->is_stopped;
  return ls_returns_emit(returns, scenario, &verdict, plan, err);
}

static enum ls_status plan_exact(const struct ls_planner_setup *setup, struct ls_plan *plan,
                                 struct ls_error *err) {
  struct ls_returns returns;
  struct ls_scenario scenario = {0};
  enum ls_status status = ls_returns_open(&returns, setup, plan, err);
  if (status != LS_OK || returns.count == 0) return status;
  if (returns.count > LS_RETURNS_EXACT_MAX) {
    ls_plan_refuse(plan, "%zu workers, at most %d can be proven: use returns-search", returns.count,
                   LS_RETURNS_EXACT_MAX);
    ls_returns_close(&returns);
    return LS_OK;
  }
  struct ls_returns_search search = {.stop = setup->stop,
                                     .stop_context = setup->stop_context,
                                     .work_max = setup->work_max > 0 ? setup->work_max : NODES_MAX};
  status = ls_scenario_open(&scenario, returns.count, err);
  if (status == LS_OK) status = ls_returns_exact(&returns, &search, &scenario, err);
  if (status == LS_OK && !returns.has_latency)
    status = plan_linear(&returns, &search, &scenario, plan, err);
  else if (status == LS_OK)
    status = plan_affine(&returns, &search, &scenario, plan, err);
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
    .plan = plan_exact,
};
