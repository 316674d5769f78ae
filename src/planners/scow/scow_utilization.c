/* scow_utilization.c: the best use of network and workers in one period.
 *
 * Symbols:  T -> period_s, I -> the workers whose column `used` is 1, k = |I|, R, L -> the two
 *           stations.
 */
#include "planners/scow/scow_utilization.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/scow/scow_production.h"
#include "solve/linear.h"

static double find_utilization(const struct ls_scow_worker *workers, size_t count,
                               const double *units, double period_s) {
  struct ls_scow_load load = ls_scow_load_of(workers, count, units);
  if (load.workers == 0) return 0;
  return fmax(load.master_s, load.link_s) / period_s +
         load.compute_s / ((double)load.workers * period_s);
}

double ls_scow_utilize_by_rule(const struct ls_scow_worker *worker, size_t count, double period_s) {
  struct ls_scow_production found = ls_scow_produce_identical(worker, count, period_s);
  double send_s = ls_cost_time(&worker->send, ls_scow_chunk(worker, period_s));
  double full = (double)found.full;
  if (found.total <= 0) return 0;
  double best = found.full > 0 ? full * send_s / period_s + 1 : 0;
  if (found.position == SIZE_MAX) return best;
  double part_s = ls_cost_time(&worker->compute, found.partial);
  double with_part = (full * send_s + ls_cost_time(&worker->send, found.partial)) / period_s +
                     (full * period_s + part_s) / ((full + 1) * period_s);
  return fmax(best, with_part);
}

/* k identical workers that share what the master sends. */
static double share_equally(const struct ls_scow_worker *worker, double k, double period_s,
                            double *chunk) {
  double most = ls_scow_chunk(worker, period_s);
  const struct ls_cost *stations[] = {&worker->master, &worker->link};
  for (size_t i = 0; i < 2; i++) {
    double left_s = period_s / k - stations[i]->latency_s;
    if (left_s < 0) return 0;
    if (stations[i]->per_unit_s > 0) most = fmin(most, left_s / stations[i]->per_unit_s);
  }
  *chunk = most;
  if (!(most > 0)) return 0;
  double sent_s = k * fmax(ls_cost_time(&worker->master, most), ls_cost_time(&worker->link, most));
  return (sent_s + ls_cost_time(&worker->compute, most)) / period_s;
}

static double utilize_identical(const struct ls_scow_star *star, double period_s, double *units) {
  double best = 0, best_chunk = 0;
  size_t best_count = 0;
  for (size_t k = 1; k <= star->count; k++) {
    double chunk = 0;
    double utilization = share_equally(&star->items[0], (double)k, period_s, &chunk);
    if (!(utilization > best * (1 + LS_SCOW_GUARD))) continue;
    best = utilization;
    best_chunk = chunk;
    best_count = k;
  }
  for (size_t i = 0; i < star->count; i++) units[i] = i < best_count ? best_chunk : 0;
  return best;
}

/* k workers, and one station that counts as the busier one. */
struct question {
  const struct ls_scow_star *star;
  double period_s;
  size_t count;
  bool counts_master;
  struct ls_budget *budget;
  size_t *columns;
};

static const struct ls_cost *station_of(const struct ls_scow_worker *worker, bool is_master) {
  return is_master ? &worker->master : &worker->link;
}

static void add_station(struct ls_linear *program, const struct question *question,
                        const size_t *columns, bool is_master) {
  (void)ls_linear_row(program, LS_AT_MOST, question->period_s);
  for (size_t i = 0; i < question->star->count; i++) {
    const struct ls_cost *cost = station_of(&question->star->items[i], is_master);
    if (columns[i] == SIZE_MAX) continue;
    if (cost->per_unit_s > 0) ls_linear_entry(program, columns[i], cost->per_unit_s);
    if (cost->latency_s > 0) ls_linear_entry(program, columns[i] + 1, cost->latency_s);
  }
}

static void build_program(struct ls_linear *program, const struct question *question,
                          size_t *columns) {
  double period_s = question->period_s, each = 1 / ((double)question->count * period_s);
  for (size_t i = 0; i < question->star->count; i++) {
    const struct ls_scow_worker *worker = &question->star->items[i];
    const struct ls_cost *cost = station_of(worker, question->counts_master);
    double chunk = ls_scow_chunk(worker, period_s);
    columns[i] = SIZE_MAX;
    if (!(chunk > 0)) continue;
    columns[i] =
        ls_linear_column(program, cost->per_unit_s / period_s + worker->compute.per_unit_s * each);
    size_t used =
        ls_linear_column(program, cost->latency_s / period_s + worker->compute.latency_s * each);
    ls_linear_bound(program, columns[i], 0, chunk);
    ls_linear_bound(program, used, 0, 1);
    ls_linear_integer(program, used);
    (void)ls_linear_row(program, LS_AT_MOST, 0);
    ls_linear_entry(program, columns[i], 1);
    ls_linear_entry(program, used, -chunk);
  }
  add_station(program, question, columns, true);
  add_station(program, question, columns, false);
  (void)ls_linear_row(program, LS_EQUAL, (double)question->count);
  for (size_t i = 0; i < question->star->count; i++)
    if (columns[i] != SIZE_MAX) ls_linear_entry(program, columns[i] + 1, 1);
}

/* `*found` where this is better; so many workers may not fit, or not exist. */
static enum ls_status ask(const struct question *question, struct ls_scow_utilization *found,
                          struct ls_error *err) {
  struct ls_linear program;
  struct ls_linear_solution solution = {0};
  const size_t *columns = question->columns;
  ls_linear_init(&program, true);
  build_program(&program, question, question->columns);
  enum ls_status status = ls_linear_solve(&program, question->budget->work_max, &solution, err);
  if (status == LS_OK && solution.outcome == LS_LINEAR_STOPPED) question->budget->is_stopped = true;
  if (status == LS_OK && solution.values != NULL &&
      solution.objective > found->value * (1 + LS_SCOW_GUARD)) {
    found->value = solution.objective;
    for (size_t i = 0; i < question->star->count; i++)
      found->units[i] = columns[i] == SIZE_MAX ? 0 : solution.values[columns[i]];
  }
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  return status;
}

enum ls_status ls_scow_utilize(const struct ls_scow_star *star, double period_s,
                               struct ls_budget *budget, struct ls_scow_utilization *found,
                               struct ls_error *err) {
  size_t able = 0;
  for (size_t i = 0; i < star->count; i++) {
    found->units[i] = 0;
    able += ls_scow_chunk(&star->items[i], period_s) > 0;
  }
  found->value = 0;
  if (able == 0) return LS_OK;
  if (star->is_identical) {
    found->value = utilize_identical(star, period_s, found->units);
    return LS_OK;
  }
  size_t *columns = malloc(star->count * sizeof *columns);
  if (columns == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu columns", star->count);
  enum ls_status status = LS_OK;
  for (size_t k = 1; k <= able && status == LS_OK && !ls_budget_is_spent(budget); k++) {
    struct question question = {star, period_s, k, !star->uses_link, budget, columns};
    status = ask(&question, found, err);
    question.counts_master = true;
    if (status == LS_OK && star->uses_link && star->uses_master)
      status = ask(&question, found, err);
  }
  free(columns);
  if (status == LS_OK)
    found->value =
        fmax(found->value, find_utilization(star->items, star->count, found->units, period_s));
  return status;
}
