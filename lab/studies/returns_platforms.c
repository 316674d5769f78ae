/* returns_platforms.c: the stars of the studies of loads with results, and their throughputs. */
#include "lab/studies/returns_platforms.h"

#include <math.h>

#include "planners/planner.h"

static double draw(struct ls_random *random) {
  return 0.5 + ls_random_real(random);
}

enum ls_status ls_study_returns_star(struct ls_platform *platform, size_t workers, double w_over_c,
                                     double z, struct ls_random *random, struct ls_error *err) {
  enum ls_status status = ls_platform_init(platform, workers, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < workers; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_TRANSFER].per_unit_s = draw(random);
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = draw(random) * w_over_c;
    double own = draw(random);
    worker->costs[LS_OPERATION_REPLY].per_unit_s =
        z > 0 ? z * worker->costs[LS_OPERATION_TRANSFER].per_unit_s : own;
  }
  return LS_OK;
}

enum ls_status ls_study_throughput(const struct ls_platform *platform, const char *algorithm,
                                   double *throughput, double *enrolled, struct ls_error *err) {
  const struct ls_planner *planner;
  struct ls_plan plan;
  struct ls_planner_setup setup = {.platform = platform, .load = 1};
  enum ls_status status = ls_planner_parse(algorithm, &planner, &setup, err);
  if (status != LS_OK) return status;
  status = ls_planner_run(planner, &setup, NULL, &plan, err);
  if (status == LS_OK && plan.outcome != LS_PLAN_OK)
    status = ls_fail(err, LS_EINVAL, "%s: %s", algorithm, plan.why);
  if (status == LS_OK) {
    *throughput = plan.load / plan.makespan_s;
    if (enrolled != NULL) *enrolled = (double)plan.chunks_count;
  }
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  return status;
}
