/* returns_lp.c: the best loads of a given order of sends and a given order of returns.
 *
 * Reference:  beaumont2005, section 2.2; rows of the enrolled only, and latencies:
 *             docs/theory/returns.md, 1 and 7.
 * Assumes:    one chunk per worker; costs of transfer, compute and reply only.
 * Answers:    NOT_APPLICABLE for multi-port, for orders of more than 2000 workers, and where
 *             preparing, sending, delays or receiving cost something.  `rows` all is the paper's
 *             program, in which an unused worker may still hold up others; enrolled is the best
 *             over the subsets of the listed workers.
 * Cost:       one linear program; with `enrolled` 2^p to 12 workers, else O(p) a worker dropped.
 * Symbols:    none.
 */
#include <math.h>
#include <stdlib.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_limits.h"
#include "planners/returns/returns_plan.h"
#include "planners/returns/returns_program.h"
#include "planners/returns/returns_subset.h"

enum lp_rows { ROWS_ALL, ROWS_ENROLLED };

static const char *const rows_words[] = {"all", "enrolled", NULL};

static const struct ls_parameter lp_parameters[] = {
    {"send_order", "workers in the order of sending; empty: all as listed", LS_PARAMETER_LIST, 0, 0,
     4294967295.0, NULL},
    {"return_order", "the same workers in the order of returning; empty: as sent",
     LS_PARAMETER_LIST, 0, 0, 4294967295.0, NULL},
    {"rows", "all: also of listed workers that get nothing; enrolled: of the others only",
     LS_PARAMETER_CHOICE, ROWS_ENROLLED, 0, 1, rows_words},
    {0}};

/* Notes the workers of the list of that name; a repeated or unknown one is refused. */
static enum ls_status read_order(const struct ls_planner_setup *setup, const char *name,
                                 uint32_t *order, bool *is_listed, struct ls_error *err) {
  const struct ls_argument_list *list = ls_arguments_list(&setup->arguments, lp_parameters, name);
  size_t workers_count = setup->platform->workers_count;
  for (size_t k = 0; k < list->count; k++) {
    double worker = list->items[k];
    if (!(worker >= 0 && worker < (double)workers_count)) {
      return ls_fail(err, LS_EINVAL, "%s[%zu] is %g, must be a worker below %zu", name, k, worker,
                     workers_count);
    }
    order[k] = (uint32_t)worker;
    if (is_listed[order[k]])
      return ls_fail(err, LS_EINVAL, "%s[%zu]: worker %u is listed twice", name, k, order[k]);
    is_listed[order[k]] = true;
  }
  return LS_OK;
}

static enum ls_status read_both(const struct ls_planner_setup *setup, struct ls_scenario *scenario,
                                bool *is_sent, bool *is_returned, struct ls_error *err) {
  size_t workers_count = setup->platform->workers_count;
  const struct ls_argument_list *sends =
      ls_arguments_list(&setup->arguments, lp_parameters, "send_order");
  const struct ls_argument_list *returned =
      ls_arguments_list(&setup->arguments, lp_parameters, "return_order");
  scenario->count = sends->count > 0 ? sends->count : workers_count;
  if (scenario->count > workers_count)
    return ls_fail(err, LS_EINVAL, "send_order lists %zu workers, there are %zu", scenario->count,
                   workers_count);
  for (size_t k = 0; k < workers_count; k++) scenario->sends[k] = (uint32_t)k;
  enum ls_status status = read_order(setup, "send_order", scenario->sends, is_sent, err);
  if (status != LS_OK) return status;
  if (returned->count == 0) {
    ls_scenario_list(scenario, scenario->sends, scenario->count);
    return LS_OK;
  }
  if (returned->count != scenario->count)
    return ls_fail(err, LS_EINVAL, "return_order lists %zu workers, send_order %zu",
                   returned->count, scenario->count);
  status = read_order(setup, "return_order", scenario->returns, is_returned, err);
  for (size_t k = 0; k < scenario->count && status == LS_OK; k++) {
    if (sends->count > 0 && !is_sent[scenario->returns[k]])
      status = ls_fail(err, LS_EINVAL, "return_order[%zu] is %u, which send_order does not list", k,
                       scenario->returns[k]);
  }
  return status;
}

static enum ls_status read_orders(const struct ls_planner_setup *setup,
                                  struct ls_scenario *scenario, struct ls_error *err) {
  size_t workers_count = setup->platform->workers_count;
  bool *is_listed = calloc(2 * workers_count, sizeof *is_listed);
  if (is_listed == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers_count);
  enum ls_status status = read_both(setup, scenario, is_listed, is_listed + workers_count, err);
  free(is_listed);
  return status;
}

static void note_bound(const struct ls_returns *returns, const struct ls_scenario *linear,
                       double linear_s, struct ls_returns_verdict *verdict) {
  verdict->linear_s = linear_s;
  verdict->latencies_s = ls_returns_latencies(returns, linear);
}

/* The makespan without latencies, with the rows of the enrolled only: neither more rows nor
 * latencies nor whole units end sooner. */
static enum ls_status bound_orders(const struct ls_returns *returns,
                                   const struct ls_scenario *scenario,
                                   struct ls_returns_verdict *verdict, struct ls_error *err) {
  struct ls_scenario linear;
  struct ls_returns_verdict subset = {0};
  enum ls_status status = ls_scenario_open(&linear, returns->count, err);
  if (status != LS_OK) return status;
  ls_scenario_copy(&linear, scenario, returns->count);
  status = ls_returns_enrolled(returns, &linear, &subset, err);
  if (status == LS_OK && subset.is_proven) note_bound(returns, &linear, subset.makespan_s, verdict);
  ls_scenario_close(&linear);
  return status;
}

/* The loads without latencies and limits. */
static enum ls_status solve_linear(const struct ls_returns *returns, bool is_enrolled,
                                   struct ls_scenario *scenario, struct ls_returns_verdict *verdict,
                                   struct ls_error *err) {
  if (is_enrolled) return ls_returns_enrolled(returns, scenario, verdict, err);
  enum ls_status status = ls_returns_program(returns, scenario, err);
  if (status == LS_OK) verdict->makespan_s = returns->load / scenario->throughput;
  return status;
}

/* Latencies and limits let the subset matter, whatever `rows` says. */
static enum ls_status solve_orders(const struct ls_returns *returns, bool is_enrolled,
                                   struct ls_scenario *scenario, struct ls_returns_verdict *verdict,
                                   struct ls_error *err) {
  struct ls_scenario listed;
  enum ls_status status = ls_scenario_open(&listed, returns->count, err);
  if (status != LS_OK) return status;
  ls_scenario_copy(&listed, scenario, returns->count);
  verdict->is_proven = true;
  status = solve_linear(returns, is_enrolled || returns->has_latency, scenario, verdict, err);
  bool is_affine = returns->has_latency || !ls_returns_fits(returns, scenario);
  bool is_bound = is_enrolled || returns->has_latency;
  if (status == LS_OK && !is_bound && (is_affine || returns->is_whole))
    status = bound_orders(returns, &listed, verdict, err);
  if (status == LS_OK && is_bound && is_affine && verdict->is_proven)
    note_bound(returns, scenario, verdict->makespan_s, verdict);
  const struct ls_returns_search search = {.run = ls_returns_affine_enrolled, .listed = &listed};
  if (status == LS_OK && is_affine)
    status = ls_returns_improve(returns, &search, scenario, verdict, err);
  ls_scenario_close(&listed);
  return status;
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  size_t count = ls_arguments_list(&setup->arguments, lp_parameters, "send_order")->count;
  if (count == 0) count = setup->platform->workers_count;
  if (count > LS_RETURNS_PROGRAM_MAX)
    return ls_planner_refuse(why, "orders of %zu workers, the linear program has at most %d", count,
                             LS_RETURNS_PROGRAM_MAX);
  return ls_returns_applicable(setup, why);
}

static enum ls_status plan_lp(const struct ls_planner_setup *setup, struct ls_budget *budget,
                              struct ls_plan *plan, struct ls_error *err) {
  struct ls_returns returns;
  struct ls_scenario scenario = {0};
  enum ls_status status = ls_returns_open(&returns, setup, budget, err);
  if (status != LS_OK) return status;
  status = ls_scenario_open(&scenario, returns.count, err);
  if (status == LS_OK) status = read_orders(setup, &scenario, err);
  struct ls_returns_verdict verdict = {0};
  bool is_enrolled = ls_arguments_get(&setup->arguments, lp_parameters, "rows") >= ROWS_ENROLLED;
  if (status == LS_OK) status = solve_orders(&returns, is_enrolled, &scenario, &verdict, err);
  if (status == LS_OK) status = ls_returns_emit(&returns, &scenario, &verdict, plan, err);
  ls_scenario_close(&scenario);
  ls_returns_close(&returns);
  return status;
}

const struct ls_planner ls_planner_returns_lp = {
    .name = "returns-lp",
    .summary = "results return; the best loads of given orders of sends and returns",
    .reference = "beaumont2005, section 2.2",
    .parameters = lp_parameters,
    .rounds_itself = true,
    .plans_returns = true,
    .applicable = is_applicable,
    .plan = plan_lp,
};
