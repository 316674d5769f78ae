#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "planners/rounds/umr_theory.h"
#include "umr_fixture.h"

enum { SEEDS = 300 };

/* Uniform rounds without the last round's change, replayed; false when a chunk is too small to
 * judge. */
static bool replay_uniform(const struct scene *scene, const struct ls_umr *umr, size_t rounds,
                           struct ls_plan *plan) {
  double sizes[50];
  bool is_good = true;
  ls_umr_round_sizes(umr, rounds, sizes);
  ls_plan_init(plan, "uniform", scene->load);
  for (size_t j = 0; j < rounds && is_good; j++) {
    for (size_t i = 0; i < scene->workers.count && is_good; i++) {
      double units = ls_umr_chunk(umr, &scene->workers.items[i], sizes[j]);
      is_good = units > 1e-6 * scene->load / (double)scene->workers.count;
      if (is_good) ls_plan_add(plan, (uint32_t)i, (uint32_t)j, units);
    }
  }
  if (is_good) assert_int_equal(ls_replay(plan, &scene->platform, NULL), LS_OK);
  return is_good;
}

static double find_last_start(const struct ls_plan *plan, size_t workers) {
  return plan->chunks[workers - 1].compute_start_s;
}

/* Property 2, with (theta - 1)(round_0 - eta) written as round_1 - round_0, which is defined
 * through theta = 1. */
static void workers_wait_exactly_when_rounds_shrink(void **state) {
  (void)state;
  size_t waited = 0, busy = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_umr umr;
    struct ls_plan plan;
    open_scene(&scene, seed, 8);
    size_t rounds = 2 + ls_random_below(&scene.random, 8);
    ls_umr_init(&umr, scene.workers.items, scene.workers.count, scene.load);
    if (scene.has_equal_delays && scene.workers.count > 1 && ls_umr_is_possible(&umr, rounds)) {
      if (replay_uniform(&scene, &umr, rounds, &plan)) {
        double grown = umr.growth * ls_umr_round_first(&umr, (double)rounds) + umr.round_step;
        double gap_s = find_waits(&plan).gap_s;
        if (grown >= 0) {
          assert_true(gap_s <= 1e-9 * plan.makespan_s);
          require_close(&scene, "the makespan", plan.makespan_s,
                        umr.load / umr.speed + (double)rounds * umr.compute_latency_s +
                            find_last_start(&plan, scene.workers.count),
                        1e-9);
          busy++;
        } else if (grown < -1e-6 * scene.load) {
          assert_true(gap_s > 0);
          waited++;
        }
      }
      ls_plan_close(&plan);
    }
    close_scene(&scene);
  }
  assert_true(waited > 0 && busy > 0);
}

static void every_plan_gives_out_the_load_round_by_round(void **state) {
  static const char *const algorithms[] = {"umr", "umr:1"};
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 8);
    for (size_t i = 0; i < 2; i++) (void)makespan_of(&scene, algorithms[i]);
    close_scene(&scene);
  }
}

/* Property 4: when nothing of the last round arrives late, all end together. */
static void all_end_together_when_the_last_round_arrives_in_time(void **state) {
  (void)state;
  size_t judged = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    struct ls_plan plan;
    open_scene(&scene, seed, 8);
    plan_valid(&scene, "umr", &plan);
    struct waits waits = find_waits(&plan);
    bool is_together = waits.spread_s <= 1e-9 * plan.makespan_s;
    uint32_t last = plan.chunks_count > 0 ? plan.chunks[plan.chunks_count - 1].round : 0;
    size_t in_last = 0;
    for (size_t i = 0; i < plan.chunks_count; i++) in_last += plan.chunks[i].round == last;
    /* Water-filled rounds leave out workers that end later by themselves. */
    if (last > 0 && waits.gap_s <= 0 && in_last * (last + 1) == plan.chunks_count) {
      if (!is_together) fail_msg("seed %llu: ends differ", (unsigned long long)seed);
      judged++;
    }
    ls_plan_close(&plan);
    close_scene(&scene);
  }
  assert_true(judged > 20);
}

static void one_round_is_the_planner_of_that_name(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 8);
    require_close(&scene, "umr:1", makespan_of(&scene, "umr:1,selection=none"),
                  makespan_of(&scene, "one-round"), 0);
    close_scene(&scene);
  }
}

/* Times 4 and units 8: powers of two, so that not a digit changes. */
static void times_and_units_have_no_scale(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 8);
    double makespan_s = makespan_of(&scene, "umr");
    scene.load *= 8;
    for (size_t i = 0; i < scene.platform.workers_count; i++) {
      struct ls_worker_model *worker = &scene.platform.workers[i];
      worker->delay_s *= 4;
      worker->costs[LS_OPERATION_TRANSFER] =
          (struct ls_cost){worker->costs[LS_OPERATION_TRANSFER].latency_s * 4,
                           worker->costs[LS_OPERATION_TRANSFER].per_unit_s * 4 / 8};
      worker->costs[LS_OPERATION_COMPUTE] =
          (struct ls_cost){worker->costs[LS_OPERATION_COMPUTE].latency_s * 4,
                           worker->costs[LS_OPERATION_COMPUTE].per_unit_s * 4 / 8};
    }
    require_close(&scene, "the makespan", makespan_of(&scene, "umr"), 4 * makespan_s, 1e-12);
    close_scene(&scene);
  }
}

static void without_latencies_fifty_rounds_are_sent(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 4, 8, 0, 0);
  plan_valid(&scene, "umr", &plan);
  assert_int_equal(plan.chunks[plan.chunks_count - 1].round, 49);
  assert_true(is_close(ls_plan_get(&plan, "rounds_real", 0), 50, 1e-12));
  ls_plan_close(&plan);
  close_scene(&scene);
}

static void theta_one_has_no_eta(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 10, 10, 0.3, 0.01);
  plan_valid(&scene, "umr", &plan);
  assert_true(is_close(ls_plan_get(&plan, "theta", 0), 1, 0));
  assert_true(isnan(ls_plan_get(&plan, "eta", (double)NAN)));
  ls_plan_close(&plan);
  close_scene(&scene);
}

static const char *find_why(const struct ls_plan *plan) {
  for (size_t i = 0; i < plan->parameters_count; i++) {
    if (strcmp(plan->parameters[i].name, "why") == 0) return plan->parameters[i].json;
  }
  return "";
}

static void a_plan_says_what_was_done_to_it(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  /* M* = W/eta = 1.85 would round to 2. */
  open_grid(&scene, 15, 16, 0, 0.15);
  plan_valid(&scene, "umr", &plan);
  assert_non_null(strstr(find_why(&plan), "W/eta"));
  ls_plan_close(&plan);
  close_scene(&scene);
  /* The last chunks of a tiny load. */
  open_grid(&scene, 10, 50, 2, 0.2);
  scene.load = 6;
  plan_valid(&scene, "umr:2", &plan);
  assert_non_null(strstr(find_why(&plan), "last round"));
  ls_plan_close(&plan);
  close_scene(&scene);
  /* A slow link that the selection leaves out; shared bandwidth. */
  open_grid(&scene, 3, 9, 0.1, 0.1);
  scene.platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = 2;
  scene.platform.ports = LS_PORTS_MULTI;
  plan_valid(&scene, "umr", &plan);
  assert_non_null(strstr(find_why(&plan), "1 of 3 workers"));
  assert_non_null(strstr(find_why(&plan), "one transfer at a time"));
  for (size_t i = 0; i < plan.chunks_count; i++) assert_true(plan.chunks[i].worker != 0);
  ls_plan_close(&plan);
  close_scene(&scene);
}

static void expect_refused(const struct scene *scene, const char *text, const char *reason) {
  struct ls_plan plan;
  plan_as(scene, text, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  if (strstr(plan.why, reason) == NULL) fail_msg("%s: %s", text, plan.why);
  ls_plan_close(&plan);
}

static void what_the_theory_does_not_cover_is_refused(void **state) {
  struct scene scene;
  (void)state;
  open_grid(&scene, 4, 10, 0.1, 0.3);
  expect_refused(&scene, "umr:0", "rounds is 0");
  scene.load = 5;
  expect_refused(&scene, "umr:6", "negative");
  scene.platform.workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  expect_refused(&scene, "umr", "worker 2: compute.per_unit is 0");
  scene.platform.workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
  for (size_t i = 0; i < 4; i++)
    scene.platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0;
  expect_refused(&scene, "umr", "sending costs nothing");
  close_scene(&scene);
}

static void bad_input_is_named(void **state) {
  struct scene scene;
  struct ls_plan plan;
  struct ls_error err;
  const double loads[] = {-1, (double)NAN, (double)INFINITY};
  (void)state;
  open_grid(&scene, 4, 10, 0.1, 0.3);
  struct ls_planner_setup setup = {.platform = &scene.platform};
  const struct ls_planner *planner;
  assert_int_equal(ls_planner_parse("umr", &planner, &setup, &err), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    setup.load = loads[i];
    assert_int_equal(ls_planner_run(planner, &setup, NULL, &plan, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "load"));
    ls_plan_close(&plan);
  }
  setup.load = 10;
  scene.platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = -1;
  assert_int_equal(ls_planner_run(planner, &setup, NULL, &plan, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "compute"));
  ls_plan_close(&plan);
  static const char *const wrong[] = {"umr:x", "umr:1.5", "umr:-1", "umr:3,selection=all",
                                      "umr:3,round=4"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(ls_planner_parse(wrong[i], &planner, &setup, &err), LS_EINVAL);
    assert_true(strlen(err.text) > 0);
  }
  close_scene(&scene);
}

static void no_load_is_an_empty_plan(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 4, 10, 0.1, 0.3);
  scene.load = 0;
  plan_valid(&scene, "umr", &plan);
  assert_int_equal(plan.chunks_count, 0);
  assert_true(is_close(plan.makespan_s, 0, 0));
  ls_plan_close(&plan);
  close_scene(&scene);
}

/* Stations beyond those of the theory: planned for the slower way out, charged in full. */
static void stations_beyond_the_theory_are_charged(void **state) {
  struct scene scene;
  struct ls_plan plan;
  (void)state;
  open_grid(&scene, 4, 10, 0.1, 0.05);
  double alone_s = makespan_of(&scene, "umr");
  for (size_t i = 0; i < 4; i++) {
    scene.platform.workers[i].costs[LS_OPERATION_SEND] = (struct ls_cost){0.01, 0.05};
    scene.platform.workers[i].costs[LS_OPERATION_REPLY] = (struct ls_cost){0.3, 0};
  }
  plan_valid(&scene, "umr", &plan);
  assert_true(plan.makespan_s > alone_s);
  assert_true(is_close(ls_plan_get(&plan, "theta", 0), 2.5, 1e-12));
  assert_non_null(strstr(find_why(&plan), "station"));
  ls_plan_close(&plan);
  /* A master slower than the network decides. */
  for (size_t i = 0; i < 4; i++)
    scene.platform.workers[i].costs[LS_OPERATION_SEND].per_unit_s = 0.125;
  plan_valid(&scene, "umr", &plan);
  assert_true(is_close(ls_plan_get(&plan, "theta", 0), 2, 1e-12));
  ls_plan_close(&plan);
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_wait_exactly_when_rounds_shrink),
      cmocka_unit_test(every_plan_gives_out_the_load_round_by_round),
      cmocka_unit_test(all_end_together_when_the_last_round_arrives_in_time),
      cmocka_unit_test(one_round_is_the_planner_of_that_name),
      cmocka_unit_test(times_and_units_have_no_scale),
      cmocka_unit_test(without_latencies_fifty_rounds_are_sent),
      cmocka_unit_test(theta_one_has_no_eta),
      cmocka_unit_test(a_plan_says_what_was_done_to_it),
      cmocka_unit_test(what_the_theory_does_not_cover_is_refused),
      cmocka_unit_test(bad_input_is_named),
      cmocka_unit_test(no_load_is_an_empty_plan),
      cmocka_unit_test(stations_beyond_the_theory_are_charged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
