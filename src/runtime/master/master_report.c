/* master_report.c: sums over units and workers. */
#include "runtime/master/master_report.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/efficiency.h"
#include "runtime/master/guests/connections.h"

void ls_master_report_settle(struct ls_master_report *report,
                             const struct ls_action_settle *settle) {
  switch (settle->outcome) {
    case LS_OUTCOME_DONE:
      report->units_done += settle->units.count;
      break;
    case LS_OUTCOME_FAILED:
      report->units_failed += settle->units.count;
      break;
    default:
      report->units_given_up += settle->units.count;
      ++report->tasks_given_up;
      break;
  }
}

void ls_master_report_task(struct ls_master_report *report, enum ls_outcome outcome) {
  if (outcome == LS_OUTCOME_DONE)
    ++report->tasks_done;
  else
    ++report->tasks_failed;
}

void ls_master_report_want(struct ls_master_report *report, uint32_t workers, uint64_t units) {
  if (ls_array_reserve((void **)&report->wanted, &report->wanted_capacity, report->wanted_count + 1,
                       sizeof *report->wanted) != LS_OK ||
      ls_array_reserve((void **)&report->opened, &report->opened_capacity, report->wanted_count + 1,
                       sizeof *report->opened) != LS_OK)
    return;
  report->opened[report->wanted_count] = units;
  report->wanted[report->wanted_count++] = workers;
}

static double take(double *from, double seconds) {
  double taken_s = fmin(*from, seconds);
  *from -= taken_s;
  return taken_s;
}

void ls_master_worker_cover(struct ls_master_worker *worker, double late_s) {
  late_s -= take(&worker->suspended_s, late_s);
  late_s -= take(&worker->away_s, late_s);
  worker->joined_s -= late_s;
}

/* A worker is up until the last result: what follows it is the end of the run, not its work.
 * Seconds in which it was suspended do not count. */
static double measure_up(const struct ls_master_worker *worker, double makespan_s, double now_s) {
  double left_s = isnan(worker->left_s) ? now_s : worker->left_s;
  double end_s = fmin(left_s, fmax(makespan_s, worker->joined_s));
  return fmax(end_s - worker->joined_s - worker->away_s - worker->suspended_s, 0);
}

/* Where the makespan went, slot by slot. */
static void take_account(struct ls_master_report *report,
                         const struct ls_connections *connections) {
  struct ls_account_worker *workers = calloc(connections->count + 1, sizeof *workers);
  if (workers == NULL) return;
  for (size_t i = 0; i < connections->count; ++i) workers[i] = connections->items[i].account;
  ls_account_average(workers, connections->count, report->makespan_s, &report->account);
  free(workers);
}

void ls_master_report_finish(struct ls_master_report *report,
                             const struct ls_connections *connections,
                             const struct ls_coordinator_totals *totals, double now_s) {
  if (totals != NULL) report->totals = *totals;
  report->totals.done = report->units_done;
  report->totals.failed = report->units_failed;
  report->totals.given_up = report->units_given_up;
  report->workers = calloc(connections->count + 1, sizeof *report->workers);
  struct ls_efficiency_sums sums = {0};
  for (size_t i = 0; report->workers != NULL && i < connections->count; ++i) {
    struct ls_master_worker worker = connections->items[i].facts;
    if (worker.slot == 0) continue;
    worker.number = (uint32_t)i;
    worker.up_s = measure_up(&worker, report->makespan_s, now_s);
    report->workers[report->workers_count++] = worker;
    ls_efficiency_add_up(&sums, worker.price_per_s, worker.up_s);
    ls_efficiency_add_useful(&sums, worker.price_per_s, worker.useful_s);
  }
  report->price = ls_sum_value(&sums.price);
  report->efficiency = ls_efficiency_value(&sums);
  take_account(report, connections);
}

void ls_master_report_close(struct ls_master_report *report) {
  free(report->workers);
  free(report->wanted);
  free(report->opened);
  *report = (struct ls_master_report){0};
}
