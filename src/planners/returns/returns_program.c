/* returns_program.c: the linear programs of a pair of orders, by Clp.
 *
 * Reference:  beaumont2005, section 2.2 (the program); rows of enrolled workers only, and
 *             latencies: docs/theory/returns.md, 1 and 7.
 * Assumes:    nothing beyond the costs' signs.
 * Answers:    for each listed worker i: sum of c_j a_j of those at or before i among the sends
 *             + w_i a_i + sum of d_j a_j of those at or after i among the returns <= T; with one
 *             port also sum (c_j + d_j) a_j <= T.  Columns are scaled to c + w + d = 1.
 * Cost:       one program of p rows; 2^p programs for the best subset of p <= 12 workers.
 * Symbols:    a -> units, T -> 1, or the last column with latencies.
 */

#include "planners/returns/returns_program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "planners/returns/returns_limits.h"
#include "solve/linear.h"

enum { SUBSET_WORKERS_MAX = 12 };

static double total_cost(const struct ls_returns_worker *worker) {
  return worker->send_s + worker->compute_s + worker->reply_s;
}

/* The row of the worker at place `place` of the sends. */
static void add_row(const struct ls_returns *returns, const struct ls_scenario *scenario,
                    const size_t *back, size_t place, struct ls_linear *program) {
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    double seconds = 0;
    if (k <= place) seconds += worker->send_s;
    if (k == place) seconds += worker->compute_s;
    if (back[k] >= back[place]) seconds += worker->reply_s;
    if (seconds > 0) ls_linear_entry(program, k, seconds / total_cost(worker));
  }
}

static double sum_row_latencies(const struct ls_returns *returns,
                                const struct ls_scenario *scenario, const size_t *back,
                                size_t place) {
  double latency_s = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    if (k <= place) latency_s += worker->send_latency_s;
    if (k == place) latency_s += worker->compute_latency_s;
    if (back[k] >= back[place]) latency_s += worker->reply_latency_s;
  }
  return latency_s;
}

static double sum_port_latencies(const struct ls_returns *returns,
                                 const struct ls_scenario *scenario) {
  double latency_s = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    latency_s += worker->send_latency_s + worker->reply_latency_s;
  }
  return latency_s;
}

/* The place among the returns of the worker at each place of the sends. */
static size_t *find_back(const struct ls_returns *returns, const struct ls_scenario *scenario,
                         struct ls_error *err) {
  size_t *places = calloc(returns->count + scenario->count, sizeof *places);
  if (places == NULL) {
    (void)ls_fail(err, LS_ENOMEM, "no memory for the orders of %zu workers", scenario->count);
    return NULL;
  }
  size_t *by_worker = places + scenario->count;
  for (size_t k = 0; k < scenario->count; k++) by_worker[scenario->returns[k]] = k;
  for (size_t k = 0; k < scenario->count; k++) places[k] = by_worker[scenario->sends[k]];
  return places;
}

static void add_port(const struct ls_returns *returns, const struct ls_scenario *scenario,
                     struct ls_linear *program) {
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_worker *worker = &returns->workers[scenario->sends[k]];
    double seconds = worker->send_s + worker->reply_s;
    if (seconds > 0) ls_linear_entry(program, k, seconds / total_cost(worker));
  }
}

/* Weak duality: multipliers y >= 0 of the rows that cover every column bound the throughput by
 * their sum; when that is the throughput, nothing is better. */
static bool is_certified(const struct ls_linear *program,
                         const struct ls_linear_solution *solution) {
  double sum = 0, largest = 0;
  bool is_valid = true;
  for (size_t row = 0; row < program->rows_count; row++) {
    double dual = solution->duals[row];
    sum += dual * program->bounds[row];
    if (!(dual >= -1e-7 * fabs(solution->objective))) is_valid = false;
  }
  for (size_t column = 0; column < program->columns_count; column++) {
    double cover = 0;
    for (size_t row = 0; row < program->rows_count; row++) {
      for (size_t k = program->row_starts[row]; k < program->row_starts[row + 1]; k++) {
        if ((size_t)program->columns[k] == column)
          cover += solution->duals[row] * program->values[k];
      }
    }
    largest = fmax(largest, program->objective[column]);
    if (!(cover >= program->objective[column] - 1e-6 * largest)) is_valid = false;
  }
  return is_valid && fabs(sum - solution->objective) <= 1e-6 * fabs(solution->objective);
}

enum { CERTIFIED_WORKERS_MAX = 40 };

static enum ls_status solve_program(const struct ls_linear *program,
                                    struct ls_linear_solution *solution, struct ls_error *err) {
  enum ls_status status = ls_linear_solve(program, 0, solution, err);
  if (status != LS_OK) return status;
  if (solution->outcome == LS_LINEAR_OPTIMAL) return LS_OK;
  ls_linear_solution_close(solution);
  return ls_fail(err, LS_EINVAL,
                 "the linear program of the orders has outcome %d, expected an optimum: do the "
                 "costs span more than eight decades?",
                 (int)solution->outcome);
}

/* A solution that its multipliers do not prove is no optimum, whatever the solver says of costs
 * that no double can hold side by side. */
static enum ls_status solve_certified(const struct ls_linear *program,
                                      struct ls_linear_solution *solution, struct ls_error *err) {
  enum ls_status status = solve_program(program, solution, err);
  if (status != LS_OK || program->columns_count > CERTIFIED_WORKERS_MAX) return status;
  if (is_certified(program, solution)) return LS_OK;
  ls_linear_solution_close(solution);
  return ls_fail(err, LS_EINVAL,
                 "the linear program of the orders of %zu workers has no proven optimum: do the "
                 "costs span more than eight decades?",
                 program->columns_count);
}

enum ls_status ls_returns_program(const struct ls_returns *returns, struct ls_scenario *scenario,
                                  struct ls_error *err) {
  if (scenario->count > LS_RETURNS_PROGRAM_MAX)
    return ls_fail(err, LS_EINVAL,
                   "the linear program of the orders of %zu workers is too large, at most %d fit",
                   scenario->count, LS_RETURNS_PROGRAM_MAX);
  size_t *back = find_back(returns, scenario, err);
  if (back == NULL) return LS_ENOMEM;
  double least_s = HUGE_VAL; /* the fastest worker counts 1 in the objective */
  for (size_t k = 0; k < scenario->count; k++)
    least_s = fmin(least_s, total_cost(&returns->workers[scenario->sends[k]]));
  struct ls_linear program;
  ls_linear_init(&program, true);
  for (size_t k = 0; k < scenario->count; k++)
    (void)ls_linear_column(&program, least_s / total_cost(&returns->workers[scenario->sends[k]]));
  for (size_t k = 0; k < scenario->count; k++) {
    (void)ls_linear_row(&program, LS_AT_MOST, 1);
    add_row(returns, scenario, back, k, &program);
  }
  if (returns->is_one_port) {
    (void)ls_linear_row(&program, LS_AT_MOST, 1);
    add_port(returns, scenario, &program);
  }
  struct ls_linear_solution solution;
  enum ls_status status = solve_certified(&program, &solution, err);
  if (status == LS_OK) {
    memset(scenario->units, 0, returns->count * sizeof *scenario->units);
    scenario->throughput = 0;
    for (size_t k = 0; k < scenario->count; k++) {
      double units = solution.values[k] / total_cost(&returns->workers[scenario->sends[k]]);
      /* Below this a load is the solver's rounding. */
      if (!(solution.values[k] > 1e-12)) units = 0;
      scenario->units[scenario->sends[k]] = units;
      scenario->throughput += units;
    }
    ls_linear_solution_close(&solution);
  }
  ls_linear_close(&program);
  free(back);
  return status;
}

/* Windows and rooms, in the program's units; their sums may miss the load by rounding. */
static void bound_columns(const struct ls_returns *returns, const struct ls_scenario *scenario,
                          double unit_s, struct ls_linear *program) {
  for (size_t k = 0; returns->limits != NULL && k < scenario->count; k++) {
    const struct ls_returns_limits *limits = &returns->limits[scenario->sends[k]];
    double scale = total_cost(&returns->workers[scenario->sends[k]]) / unit_s;
    double slack = 1e-12 * returns->load;
    ls_linear_bound(program, k, scale * fmax(0, limits->least - slack),
                    scale * (limits->most + slack));
  }
}

/* Rows sum x_k <= T - latencies, with T and the x in parts of `unit_s`; x = (c + w + d) a. */
static void build_affine(const struct ls_returns *returns, const struct ls_scenario *scenario,
                         const size_t *back, double unit_s, struct ls_linear *program) {
  size_t count = scenario->count;
  double speeds = 0;
  for (size_t k = 0; k < count; k++) {
    (void)ls_linear_column(program, 0);
    speeds += 1 / total_cost(&returns->workers[scenario->sends[k]]);
  }
  size_t end = ls_linear_column(program, 1);
  for (size_t k = 0; k < count; k++) {
    double latency_s = sum_row_latencies(returns, scenario, back, k);
    (void)ls_linear_row(program, LS_AT_MOST, -latency_s / unit_s);
    add_row(returns, scenario, back, k, program);
    ls_linear_entry(program, end, -1);
  }
  if (returns->is_one_port) {
    (void)ls_linear_row(program, LS_AT_MOST, -sum_port_latencies(returns, scenario) / unit_s);
    add_port(returns, scenario, program);
    ls_linear_entry(program, end, -1);
  }
  (void)ls_linear_row(program, LS_EQUAL, 1);
  for (size_t k = 0; k < count; k++) {
    double speed = 1 / total_cost(&returns->workers[scenario->sends[k]]);
    ls_linear_entry(program, k, speed / speeds);
  }
  bound_columns(returns, scenario, unit_s, program);
}

/* The loads of the solution; their makespan, infinite where some worker gets nothing. */
static double take_loads(const struct ls_returns *returns,
                         const struct ls_linear_solution *solution, double unit_s,
                         struct ls_scenario *scenario) {
  bool is_idle = false;
  for (size_t k = 0; k < scenario->count; k++) {
    double units = solution->values[k] * unit_s / total_cost(&returns->workers[scenario->sends[k]]);
    if (!(units > 1e-12 * returns->load)) is_idle = true;
    scenario->units[scenario->sends[k]] = fmax(units, 0);
  }
  if (is_idle) return HUGE_VAL;
  if (returns->limits == NULL) return solution->values[scenario->count] * unit_s;
  ls_returns_settle(returns, scenario);
  return ls_returns_makespan(returns, scenario, scenario->units);
}

enum ls_status ls_returns_affine(const struct ls_returns *returns, struct ls_scenario *scenario,
                                 double *makespan_s, struct ls_error *err) {
  memset(scenario->units, 0, returns->count * sizeof *scenario->units);
  *makespan_s = HUGE_VAL;
  if (!ls_returns_can_hold(returns, scenario)) return LS_OK;
  size_t *back = find_back(returns, scenario, err);
  if (back == NULL) return LS_ENOMEM;
  double speeds = 0;
  for (size_t k = 0; k < scenario->count; k++)
    speeds += 1 / total_cost(&returns->workers[scenario->sends[k]]);
  double unit_s = returns->load / speeds;
  struct ls_linear program;
  ls_linear_init(&program, false);
  build_affine(returns, scenario, back, unit_s, &program);
  struct ls_linear_solution solution;
  enum ls_status status = solve_program(&program, &solution, err);
  if (status == LS_OK) {
    *makespan_s = take_loads(returns, &solution, unit_s, scenario);
    ls_linear_solution_close(&solution);
  }
  ls_linear_close(&program);
  free(back);
  return status;
}
