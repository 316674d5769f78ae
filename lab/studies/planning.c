#include "lab/studies/planning.h"

#include <math.h>
#include <stdlib.h>

#include "planners/planner.h"

static enum ls_status count_workers(const struct ls_plan *plan, size_t workers_count, size_t *count,
                                    struct ls_error *err) {
  double *units = calloc(workers_count, sizeof *units);
  if (units == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers_count);
  ls_plan_units(plan, workers_count, units);
  *count = 0;
  for (size_t i = 0; i < workers_count; i++) *count += units[i] > 0;
  free(units);
  return LS_OK;
}

enum ls_status ls_study_plan(const struct ls_platform *platform, double load, const char *algorithm,
                             struct ls_study_plan *result, struct ls_error *err) {
  const struct ls_planner *planner;
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  struct ls_plan plan;
  enum ls_status status = ls_planner_parse(algorithm, &planner, &setup, err);
  if (status != LS_OK) return status;
  status = ls_planner_run(planner, &setup, algorithm, &plan, err);
  if (status == LS_OK && plan.outcome != LS_PLAN_OK) {
    status = ls_fail(err, LS_EINVAL, "%s does not apply: %s", algorithm, plan.why);
  }
  if (status == LS_OK) {
    *result = (struct ls_study_plan){
        .makespan_s = plan.makespan_s,
        .predicted_s = ls_plan_get(&plan, "predicted_makespan", (double)NAN)};
    for (size_t i = 0; i < plan.chunks_count; i++) {
      if (plan.chunks[i].round >= result->rounds) result->rounds = plan.chunks[i].round + 1;
    }
    status = count_workers(&plan, platform->workers_count, &result->workers, err);
  }
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  return status;
}

enum ls_status ls_study_identical(struct ls_platform *platform, size_t count,
                                  struct ls_cost transfer, struct ls_cost compute,
                                  struct ls_error *err) {
  enum ls_status status = ls_platform_init(platform, count, err);
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = transfer;
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = compute;
  }
  return status;
}
