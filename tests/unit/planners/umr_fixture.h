/* umr_fixture.h: seeded platforms for the UMR family, and plans on them.
 *
 * Identical and different workers; latencies none, small, large; theta below, at and above 1;
 * delays none, equal, different; loads from 1 to 1e6.  Only the stations of the theory cost
 * something, so the replay must agree with it.
 */
#ifndef LS_TESTS_UMR_FIXTURE_H
#define LS_TESTS_UMR_FIXTURE_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/random.h"
#include "model/replay.h"
#include "model/validate.h"
#include "planners/planner.h"
#include "planners/star/reduced_star.h"

struct scene {
  uint64_t seed;
  struct ls_random random;
  struct ls_platform platform;
  struct ls_reduced_star workers; /* in the platform's order */
  double load;
  bool is_identical, has_latency, has_equal_delays;
};

static inline double between(struct ls_random *random, double least, double most) {
  return least + (most - least) * ls_random_real(random);
}

static inline double random_theta(struct ls_random *random) {
  switch (ls_random_below(random, 5)) {
    case 0:
      return between(random, 0.4, 0.98);
    case 1:
      return 1;
    case 2:
      return between(random, 1.0005, 1.2);
    case 3:
      return between(random, 1.2, 4);
    default:
      return between(random, 4, 30);
  }
}

/* Rates such that sum S_i/B_i = 1/theta. */
static inline void draw_rates(struct scene *scene, double theta) {
  struct ls_random *random = &scene->random;
  size_t count = scene->platform.workers_count;
  double ratios = 0, per_unit = between(random, 0.2, 5);
  for (size_t i = 0; i < count; i++) {
    struct ls_worker_model *worker = &scene->platform.workers[i];
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s =
        scene->is_identical ? per_unit : between(random, 0.2, 5);
    worker->costs[LS_OPERATION_TRANSFER].per_unit_s =
        scene->is_identical ? 1 : between(random, 0.1, 2);
    ratios += worker->costs[LS_OPERATION_TRANSFER].per_unit_s /
              worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
  }
  for (size_t i = 0; i < count; i++) {
    scene->platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s /= ratios * theta;
  }
}

static inline void draw_latencies(struct scene *scene) {
  static const double scales[] = {0, 0.02, 0.5};
  struct ls_random *random = &scene->random;
  double send_scale = scales[ls_random_below(random, 3)];
  double compute_scale = scales[ls_random_below(random, 3)];
  double send = send_scale * ls_random_real(random);
  double compute = compute_scale * ls_random_real(random);
  uint64_t delays = scene->is_identical ? ls_random_below(random, 2) : ls_random_below(random, 3);
  double delay = delays == 0 ? 0 : ls_random_real(random);
  for (size_t i = 0; i < scene->platform.workers_count; i++) {
    struct ls_worker_model *worker = &scene->platform.workers[i];
    bool is_same = scene->is_identical;
    worker->costs[LS_OPERATION_TRANSFER].latency_s =
        is_same ? send : send_scale * ls_random_real(random);
    worker->costs[LS_OPERATION_COMPUTE].latency_s =
        is_same ? compute : compute_scale * ls_random_real(random);
    worker->delay_s = delays < 2 ? delay : ls_random_real(random);
  }
  scene->has_latency = send_scale > 0 || compute_scale > 0;
  scene->has_equal_delays = delays < 2;
}

/* One scene for each seed; at most `workers_max` workers. */
static inline void open_scene(struct scene *scene, uint64_t seed, size_t workers_max) {
  *scene = (struct scene){.seed = seed};
  struct ls_random *random = &scene->random;
  ls_random_init(random, seed, "umr");
  assert_int_equal(
      ls_platform_init(&scene->platform, 1 + ls_random_below(random, workers_max), NULL), LS_OK);
  scene->is_identical = ls_random_below(random, 2) == 0 || scene->platform.workers_count == 1;
  draw_rates(scene, random_theta(random));
  draw_latencies(scene);
  scene->load = pow(10, between(random, 0, 6));
  assert_int_equal(ls_reduced_star_init(&scene->workers, &scene->platform, NULL), LS_OK);
  assert_true(scene->workers.is_exact);
}

static inline void close_scene(struct scene *scene) {
  ls_reduced_star_close(&scene->workers);
  ls_platform_close(&scene->platform);
}

/* `count` identical workers, as the published experiments have them: S = 1. */
static inline void open_grid(struct scene *scene, size_t count, double rate, double compute_s,
                             double send_s) {
  *scene = (struct scene){.load = 1000, .is_identical = true, .has_equal_delays = true};
  assert_int_equal(ls_platform_init(&scene->platform, count, NULL), LS_OK);
  for (size_t i = 0; i < count; i++) {
    scene->platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){send_s, 1 / rate};
    scene->platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){compute_s, 1};
  }
  assert_int_equal(ls_reduced_star_init(&scene->workers, &scene->platform, NULL), LS_OK);
}

/* The plan of "NAME", "NAME:ARGUMENT"; the caller closes it. */
static inline void plan_as(const struct scene *scene, const char *text, struct ls_plan *plan) {
  struct ls_planner_setup setup = {.platform = &scene->platform, .load = scene->load};
  const struct ls_planner *planner;
  struct ls_error err;
  if (ls_planner_parse(text, &planner, &setup, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_planner_run(planner, &setup, text, plan, &err) != LS_OK) {
    fail_msg("seed %llu, %s: %s", (unsigned long long)scene->seed, text, err.text);
  }
}

/* As plan_as; the plan must exist and be possible, chunk by chunk and round by round. */
static inline void plan_valid(const struct scene *scene, const char *text, struct ls_plan *plan) {
  struct ls_error err;
  plan_as(scene, text, plan);
  if (plan->outcome != LS_PLAN_OK) {
    fail_msg("seed %llu, %s: %s", (unsigned long long)scene->seed, text, plan->why);
  }
  if (ls_validate_plan(plan, &scene->platform, &err) != LS_OK) {
    fail_msg("seed %llu, %s: %s", (unsigned long long)scene->seed, text, err.text);
  }
  for (size_t i = 1; i < plan->chunks_count; i++) {
    assert_true(plan->chunks[i].round >= plan->chunks[i - 1].round);
  }
}

static inline double makespan_of(const struct scene *scene, const char *text) {
  struct ls_plan plan;
  plan_valid(scene, text, &plan);
  double makespan_s = plan.makespan_s;
  ls_plan_close(&plan);
  return makespan_s;
}

/* In whole units, of so many. */
static inline double whole_makespan_of(const struct scene *scene, double load, const char *text) {
  struct ls_planner_setup setup = {.platform = &scene->platform, .load = load, .is_whole = true};
  const struct ls_planner *planner;
  struct ls_plan plan;
  assert_int_equal(ls_planner_parse(text, &planner, &setup, NULL), LS_OK);
  assert_int_equal(ls_planner_run(planner, &setup, text, &plan, NULL), LS_OK);
  assert_true(plan.outcome == LS_PLAN_OK && ls_plan_is_whole(&plan));
  double makespan_s = plan.makespan_s;
  ls_plan_close(&plan);
  return makespan_s;
}

static inline bool is_close(double a, double b, double tolerance) {
  return fabs(a - b) <= tolerance * fmax(fabs(a), fabs(b));
}

static inline void require_close(const struct scene *scene, const char *what, double got,
                                 double expected, double tolerance) {
  if (fabs(got - expected) <= tolerance * fmax(fabs(expected), fabs(got))) return;
  fail_msg("seed %llu: %s is %.17g, expected %.17g", (unsigned long long)scene->seed, what, got,
           expected);
}

/* The largest wait of a worker between its chunks, and the spread of the workers' ends. */
struct waits {
  double gap_s, spread_s;
};

static inline struct waits find_waits(const struct ls_plan *plan) {
  struct waits waits = {0, 0};
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i], *next = NULL;
    for (size_t k = i + 1; k < plan->chunks_count && next == NULL; k++) {
      if (plan->chunks[k].worker == chunk->worker) next = &plan->chunks[k];
    }
    if (next != NULL) {
      waits.gap_s = fmax(waits.gap_s, next->compute_start_s - chunk->compute_end_s);
    } else {
      waits.spread_s = fmax(waits.spread_s, plan->makespan_s - chunk->compute_end_s);
    }
  }
  return waits;
}

#endif
