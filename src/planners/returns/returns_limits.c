#include "planners/returns/returns_limits.h"

#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "planners/fit.h"
#include "solve/linear.h"

/* Nodes for the choice of workers: a start for a search, not its end. */
enum { ENROL_NODES_MAX = 2000 };

static const double NOISE = 1e-12;

enum ls_status ls_returns_limits_read(const struct ls_planner_setup *setup,
                                      struct ls_returns_limits **limits, struct ls_error *err) {
  const struct ls_platform *platform = setup->platform;
  *limits = NULL;
  if (!ls_fit_is_needed(platform)) return LS_OK;
  struct ls_returns_limits *read = calloc(platform->workers_count, sizeof *read);
  if (read == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", platform->workers_count);
  for (size_t i = 0; i < platform->workers_count; i++) {
    read[i].least = ls_worker_chunk_least(&platform->workers[i]);
    read[i].most = ls_worker_chunk_most(&platform->workers[i]);
    if (!setup->is_whole) continue;
    read[i].least = ceil(read[i].least);
    read[i].most = floor(read[i].most);
  }
  *limits = read;
  return LS_OK;
}

static double add_units(const struct ls_scenario *scenario) {
  struct ls_sum sum = {0};
  for (size_t k = 0; k < scenario->count; k++)
    ls_sum_add(&sum, scenario->units[scenario->sends[k]]);
  return ls_sum_value(&sum);
}

bool ls_returns_fits(const struct ls_returns *returns, const struct ls_scenario *scenario) {
  if (returns->limits == NULL) return true;
  double sum = add_units(scenario);
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_limits *limits = &returns->limits[scenario->sends[k]];
    double units = scenario->units[scenario->sends[k]] / sum * returns->load;
    if (!(units > NOISE * returns->load)) continue;
    if (!(units >= limits->least * (1 - NOISE) && units <= limits->most * (1 + NOISE)))
      return false;
  }
  return true;
}

bool ls_returns_can_hold(const struct ls_returns *returns, const struct ls_scenario *scenario) {
  double least = 0, most = 0;
  if (returns->limits == NULL) return true;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_limits *limits = &returns->limits[scenario->sends[k]];
    if (!(limits->least <= limits->most)) return false;
    least += limits->least;
    most += limits->most;
  }
  return least <= returns->load && returns->load <= most;
}

/* So much more (`sign` > 0) or less may the worker have. */
static double find_slack(const struct ls_returns *returns, double units, uint32_t worker,
                         double sign) {
  const struct ls_returns_limits *limits = &returns->limits[worker];
  return sign > 0 ? fmin(limits->most, returns->load) - units : units - limits->least;
}

void ls_returns_settle(const struct ls_returns *returns, struct ls_scenario *scenario) {
  double slack = 0;
  for (size_t k = 0; k < scenario->count; k++) {
    const struct ls_returns_limits *limits = &returns->limits[scenario->sends[k]];
    double *units = &scenario->units[scenario->sends[k]];
    *units = fmin(fmax(*units, limits->least), limits->most);
  }
  double rest = returns->load - add_units(scenario);
  for (size_t k = 0; k < scenario->count; k++) {
    uint32_t worker = scenario->sends[k];
    slack += find_slack(returns, scenario->units[worker], worker, rest);
  }
  if (!(slack > 0)) return;
  for (size_t k = 0; k < scenario->count; k++) {
    uint32_t worker = scenario->sends[k];
    scenario->units[worker] +=
        rest / slack * find_slack(returns, scenario->units[worker], worker, rest);
  }
}

/* In parts of the load: units x of a worker are y times its limits, y is 0 or 1, and e is at least
 * how far x is from `planned`; x, y, e are the columns 3k, 3k + 1, 3k + 2. */
static void add_worker(const struct ls_returns *returns, const struct ls_returns_limits *limits,
                       double planned, struct ls_linear *program) {
  bool is_taken = limits->least <= limits->most;
  size_t x = ls_linear_column(program, 0), y = ls_linear_column(program, 0);
  size_t e = ls_linear_column(program, 1);
  ls_linear_bound(program, y, 0, is_taken ? 1 : 0);
  ls_linear_integer(program, y);
  (void)ls_linear_row(program, LS_AT_LEAST, 0);
  ls_linear_entry(program, x, 1);
  ls_linear_entry(program, y, -fmin(limits->least / returns->load, 2));
  (void)ls_linear_row(program, LS_AT_MOST, 0);
  ls_linear_entry(program, x, 1);
  ls_linear_entry(program, y, -fmin(limits->most / returns->load, 1));
  (void)ls_linear_row(program, LS_AT_MOST, planned);
  ls_linear_entry(program, x, 1);
  ls_linear_entry(program, e, -1);
  (void)ls_linear_row(program, LS_AT_LEAST, planned);
  ls_linear_entry(program, x, 1);
  ls_linear_entry(program, e, 1);
}

enum ls_status ls_returns_enrol(const struct ls_returns *returns, const struct ls_scenario *listed,
                                bool *is_enrolled, bool *is_found, struct ls_error *err) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  double sum = add_units(listed);
  *is_found = false;
  ls_linear_init(&program, false);
  for (size_t k = 0; k < listed->count; k++) {
    uint32_t worker = listed->sends[k];
    add_worker(returns, &returns->limits[worker], sum > 0 ? listed->units[worker] / sum : 0,
               &program);
  }
  (void)ls_linear_row(&program, LS_EQUAL, 1);
  for (size_t k = 0; k < listed->count; k++) ls_linear_entry(&program, 3 * k, 1);
  enum ls_status status = ls_linear_solve(&program, ENROL_NODES_MAX, &solution, err);
  ls_linear_close(&program);
  if (status != LS_OK) return status;
  for (size_t k = 0; k < listed->count && solution.values != NULL; k++) {
    is_enrolled[listed->sends[k]] = solution.values[3 * k + 1] > 0.5;
    *is_found = true;
  }
  ls_linear_solution_close(&solution);
  return LS_OK;
}
