#include "lab/studies/scow_rows.h"

#include <math.h>
#include <stdio.h>

#include "planners/planner.h"

const char ls_scow_not_periodic[] =
    "the printed rule drops 1/rho and the workers' latencies, and how many rounds its column has "
    "is not printed (docs/theory/scow.md, 10)";

const struct ls_scow_row ls_scow_rows[LS_SCOW_ROWS] = {
    {11, 99.058, 11, 0.962, 102.685, 10, 1, 99.181, 11, 0, 0, 0, 99.198, 0.951, 98.688, 0, 0, 0, 0},
    {22, 53.427, 21, 0.971, 55.176, 19, 1, 0, 20, 56.946, 57.567, 18, 53.613, 0.905, 53.907, 54.882,
     53.309, 57.567, 1},
    {33, 38.236, 30, 0.986, 38.248, 29, 0.999, 39.668, 30, 40.144, 40.795, 25, 38.795, 0.8457,
     38.841, 39.385, 0, 40.795, 0},
    {12, 91.453, 12, 0.958, 93.670, 11, 1, 91.591, 12, 0, 93.633, 11, 91.535, 0.948, 91.202, 0,
     91.536, 93.807, 0},
    {23, 51.434, 22, 0.961, 51.477, 21, 0.998, 52.411, 22, 53.314, 53.189, 20, 51.739, 0.888,
     51.772, 52.699, 0, 54.763, 0},
    {34, 37.321, 31, 0.977, 37.345, 30, 0.987, 38.705, 31, 39.143, 40.483, 26, 37.495, 0.846,
     37.991, 38.519, 37.009, 0, 0},
};

enum ls_status ls_scow_row_open(const struct ls_scow_row *row, struct ls_platform *platform,
                                struct ls_error *err) {
  enum ls_status status = ls_platform_init(platform, LS_SCOW_ROW_WORKERS, err);
  for (size_t i = 0; i < LS_SCOW_ROW_WORKERS && status == LS_OK; i++) {
    struct ls_cost *costs = platform->workers[i].costs;
    costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.03, 1 / row->bandwidth};
    costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.003, 0.1};
    costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.027, 0.9};
  }
  return status;
}

enum ls_status ls_scow_row_play(const struct ls_platform *platform, const char *algorithm,
                                struct ls_scow_reached *reached, struct ls_plan *kept,
                                struct ls_error *err) {
  const struct ls_planner *planner;
  struct ls_planner_setup setup = {.platform = platform, .load = LS_SCOW_ROW_LOAD};
  struct ls_plan plan;
  double units[LS_SCOW_ROW_WORKERS];
  enum ls_status status = ls_planner_parse(algorithm, &planner, &setup, err);
  if (status != LS_OK) return status;
  status = ls_planner_run(planner, &setup, algorithm, &plan, err);
  if (status == LS_OK && plan.outcome != LS_PLAN_OK)
    status = ls_fail(err, LS_EINVAL, "%s does not apply: %s", algorithm, plan.why);
  ls_arguments_close(&setup.arguments);
  if (status == LS_OK) {
    ls_plan_units(&plan, platform->workers_count, units);
    *reached = (struct ls_scow_reached){
        .makespan_s = plan.makespan_s,
        .predicted_s = ls_plan_get(&plan, "predicted_makespan", (double)NAN),
        .used = ls_plan_get(&plan, "worker_utilization", (double)NAN),
        .network = ls_plan_get(&plan, "network_utilization", (double)NAN)};
    for (size_t i = 0; i < platform->workers_count; i++) reached->workers += units[i] > 0;
  }
  if (status == LS_OK && kept != NULL)
    *kept = plan;
  else
    ls_plan_close(&plan);
  return status;
}

void ls_scow_row_compare(struct ls_study_report *report, const struct ls_scow_row *row,
                         const char *what, struct ls_study_expected expected, double ours) {
  char name[80];
  (void)snprintf(name, sizeof name, "B = %g: %s", row->bandwidth, what);
  ls_study_compare(report, name, expected, ours);
}

struct ls_study_expected ls_scow_printed(double value, double tolerance) {
  return ls_study_near(LS_STUDY_PRINTED, value, tolerance);
}
