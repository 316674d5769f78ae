/* star_fixture.h: random stars, and plans of planners by name. */
#ifndef LS_TESTS_UNIT_PLANNERS_STAR_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_STAR_FIXTURE_H

#include <math.h>

#include "base/random.h"
#include "planners/planner.h"

enum star_kind { STAR_IDENTICAL, STAR_DIFFERENT };

static inline double star_draw(struct ls_random *random, double least, double most) {
  return least + (most - least) * ls_random_real(random);
}

/* Latencies none, small or large; theta below, at about, and above 1. */
static inline void star_open(struct ls_platform *platform, struct ls_random *random,
                             enum star_kind kind, size_t workers_max) {
  static const double latencies[] = {0, 0.02, 0.3};
  size_t count = 1 + ls_random_below(random, workers_max);
  double latency_s = latencies[ls_random_below(random, 3)];
  double slowness = star_draw(random, 0.2, 1.5) / (double)count;
  if (ls_platform_init(platform, count, NULL) != LS_OK) fail_msg("no memory");
  for (size_t i = 0; i < count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    if (kind == STAR_IDENTICAL && i > 0) {
      worker->costs[LS_OPERATION_TRANSFER] = platform->workers[0].costs[LS_OPERATION_TRANSFER];
      worker->costs[LS_OPERATION_COMPUTE] = platform->workers[0].costs[LS_OPERATION_COMPUTE];
      continue;
    }
    worker->costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){star_draw(random, 0, latency_s), star_draw(random, 0.4, 1.6) * slowness};
    worker->costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){star_draw(random, 0, 2 * latency_s), star_draw(random, 0.4, 1.6)};
    if (kind == STAR_DIFFERENT) worker->delay_s = star_draw(random, 0, latency_s);
  }
}

/* Plans `text` ("umr:3"); the caller closes the plan. */
static inline void star_plan(const struct ls_platform *platform, double load, const char *text,
                             struct ls_plan *plan) {
  const struct ls_planner *planner;
  struct ls_error err = {0};
  struct ls_planner_setup setup = {.platform = platform, .load = load};
  if (ls_planner_parse(text, &planner, &setup, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_planner_run(planner, &setup, text, plan, &err) != LS_OK) {
    fail_msg("%s: %s", text, err.text);
  }
}

/* The makespan; INFINITY when the planner does not apply. */
static inline double star_makespan(const struct ls_platform *platform, double load,
                                   const char *text) {
  struct ls_plan plan;
  star_plan(platform, load, text, &plan);
  double makespan_s = plan.outcome == LS_PLAN_OK ? plan.makespan_s : (double)INFINITY;
  ls_plan_close(&plan);
  return makespan_s;
}

#endif
