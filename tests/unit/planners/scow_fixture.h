/* scow_fixture.h: random platforms of the theory of periods, and their stars. */
#ifndef LS_TESTS_UNIT_PLANNERS_SCOW_FIXTURE_H
#define LS_TESTS_UNIT_PLANNERS_SCOW_FIXTURE_H

#include <math.h>

#include "base/random.h"
#include "planners/scow/scow_star.h"
#include "star_fixture.h"

enum scow_kind { SCOW_IDENTICAL, SCOW_DIFFERENT, SCOW_BUS };

/* Latencies 1 to 10 % of a unit's time; workers, 3 or more, that the master can just keep busy. */
static inline void scow_open(struct ls_platform *platform, struct ls_random *random,
                             enum scow_kind kind, size_t workers_max) {
  size_t count = 3 + ls_random_below(random, workers_max - 2);
  double slowness = star_draw(random, 0.4, 1.6) / (double)count;
  if (ls_platform_init(platform, count, NULL) != LS_OK) fail_msg("no memory");
  for (size_t i = 0; i < count; i++) {
    struct ls_cost *costs = platform->workers[i].costs, *first = platform->workers[0].costs;
    bool is_new = i == 0 || kind != SCOW_IDENTICAL;
    bool has_link = i == 0 || kind == SCOW_DIFFERENT;
    double unit_s = is_new ? star_draw(random, 0.5, 2) : 0;
    costs[LS_OPERATION_TRANSFER] =
        has_link
            ? (struct ls_cost){star_draw(random, 0.01, 0.1), slowness * star_draw(random, 0.5, 1.5)}
            : first[LS_OPERATION_TRANSFER];
    costs[LS_OPERATION_RECEIVE] =
        is_new ? (struct ls_cost){0.01 * unit_s, 0.1 * unit_s} : first[LS_OPERATION_RECEIVE];
    costs[LS_OPERATION_COMPUTE] =
        is_new ? (struct ls_cost){star_draw(random, 0.01, 0.1) * unit_s, unit_s}
               : first[LS_OPERATION_COMPUTE];
  }
}

/* The star of all workers; the caller closes it. */
static inline void scow_star(const struct ls_platform *platform, struct ls_scow_star *star) {
  struct ls_planner_setup setup = {.platform = platform, .load = 1};
  if (ls_scow_star_open(star, &setup, NULL, NULL) != LS_OK) fail_msg("no memory");
}

/* `count` identical workers: h x + H to send, c x + C to compute. */
static inline void scow_grid(struct ls_platform *platform, size_t count, struct ls_cost send,
                             struct ls_cost compute) {
  if (ls_platform_init(platform, count, NULL) != LS_OK) fail_msg("no memory");
  for (size_t i = 0; i < count; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = send;
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = compute;
  }
}

/* The platform of Tables 6-1 to 6-5 of the thesis, with bandwidth B. */
static inline void scow_published(struct ls_platform *platform, size_t count, double bandwidth) {
  scow_grid(platform, count, (struct ls_cost){0.03, 1 / bandwidth}, (struct ls_cost){0.027, 0.9});
  for (size_t i = 0; i < count; i++)
    platform->workers[i].costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.003, 0.1};
}

/* Whole-unit or real plan of `text`; the caller closes it. */
static inline void scow_plan(const struct ls_platform *platform, double load, bool is_whole,
                             const char *text, struct ls_plan *plan) {
  const struct ls_planner *planner;
  struct ls_error err = {0};
  struct ls_planner_setup setup = {.platform = platform, .load = load, .is_whole = is_whole};
  if (ls_planner_parse(text, &planner, &setup, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_planner_run(planner, &setup, text, plan, &err) != LS_OK)
    fail_msg("%s: %s", text, err.text);
  ls_arguments_close(&setup.arguments);
}

static inline double scow_makespan(const struct ls_platform *platform, double load, bool is_whole,
                                   const char *text) {
  struct ls_plan plan;
  scow_plan(platform, load, is_whole, text, &plan);
  double makespan_s = plan.outcome == LS_PLAN_OK ? plan.makespan_s : (double)INFINITY;
  ls_plan_close(&plan);
  return makespan_s;
}

static inline void expect_near(double got, double expected, double tolerance) {
  if (!(fabs(got - expected) <= tolerance * fmax(1, fabs(expected))))
    fail_msg("got %.17g, expected %.17g", got, expected);
}

#endif
