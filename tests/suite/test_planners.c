/* The properties of every listed planner, on seeded platforms: any stations, any ports, windows,
 * replies.  A new planner gets this without a line of test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../support/bound_of.h"
#include "../support/long_run.h"
#include "formats/plan_json.h"
#include "model/metrics.h"
#include "model/replay.h"
#include "model/validate.h"
#include "planners/planner.h"
#include "random_model.h"

enum { WORK_MAX = 100 };

static uint64_t count_seeds(void) {
  return cases_of(1000, 250);
}

/* A planner as it is asked for, on one platform. */
struct scene {
  uint64_t seed;
  struct ls_random random;
  struct ls_platform platform;
  double load;
  bool is_whole;
};

static void open_scene(struct scene *scene, uint64_t seed) {
  *scene = (struct scene){.seed = seed};
  ls_random_init(&scene->random, seed, "planners");
  random_platform(&scene->random, &scene->platform);
  scene->load = 1 + (double)ls_random_below(&scene->random, 400);
  if (ls_random_below(&scene->random, 2) == 0) scene->load *= 0.1 + ls_random_real(&scene->random);
}

/* Small programs and short searches, so that every planner gets every seed. */
static uint64_t choose_work(const struct ls_planner *planner, uint64_t seed) {
  return planner->cost == LS_PLANNER_PROGRAMS || planner->asks_others ? 1 + seed % 12 : WORK_MAX;
}

static void plan_as(const struct scene *scene, const char *text, struct ls_plan *plan) {
  struct ls_planner_setup setup = {
      .platform = &scene->platform, .load = scene->load, .is_whole = scene->is_whole};
  const struct ls_planner *planner;
  struct ls_error err = {0};
  if (ls_planner_parse(text, &planner, &setup, &err) != LS_OK) fail_msg("%s: %s", text, err.text);
  setup.budget.work_max = choose_work(planner, scene->seed);
  if (ls_planner_run(planner, &setup, text, plan, &err) != LS_OK) {
    fail_msg("seed %llu, %s: %s", (unsigned long long)scene->seed, text, err.text);
  }
  ls_arguments_close(&setup.arguments);
}

/* A reason and nothing else, or a plan that is possible and no faster than any can be. */
static void require_answer(const struct scene *scene, const char *text,
                           const struct ls_plan *plan) {
  unsigned long long seed = scene->seed;
  struct ls_error err;
  if (plan->outcome == LS_PLAN_NOT_APPLICABLE) {
    if (plan->why[0] == '\0') fail_msg("seed %llu, %s: refused without a reason", seed, text);
    assert_int_equal(plan->chunks_count, 0);
    return;
  }
  if (ls_validate_plan(plan, &scene->platform, &err) != LS_OK) {
    fail_msg("seed %llu, %s: %s", seed, text, err.text);
  }
  if (plan->makespan_s < ls_plan_get(plan, "makespan_at_least", 0) * (1 - 1e-9) ||
      plan->makespan_s > ls_plan_get(plan, "makespan_at_most", HUGE_VAL) * (1 + 1e-9))
    fail_msg("seed %llu, %s: makespan %.17g is not within its limits", seed, text,
             plan->makespan_s);
  struct ls_lower_bound bound = bound_of(&scene->platform, scene->load);
  if (!(plan->makespan_s >= bound.bound_s * (1 - 1e-9))) {
    fail_msg("seed %llu, %s: makespan %.17g is below %s, %.17g", seed, text, plan->makespan_s,
             bound.name, bound.bound_s);
  }
}

/* Calls `check` for every planner as it is, and with 1 and 3 for a whole number as argument. */
static void for_every_planner(const struct scene *scene,
                              void (*check)(const struct scene *scene, const char *text)) {
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    const struct ls_planner *planner = ls_planners[i];
    const struct ls_parameter *first = planner->parameters;
    check(scene, planner->name);
    if (first == NULL || first->name == NULL || first->kind != LS_PARAMETER_WHOLE) continue;
    for (int number = 1; number <= 3; number += 2) {
      char text[64];
      if (!(number >= first->least && number <= first->most)) continue;
      snprintf(text, sizeof text, "%s:%d", planner->name, number);
      check(scene, text);
    }
  }
}

static void check_possible(const struct scene *scene, const char *text) {
  struct ls_plan plan;
  plan_as(scene, text, &plan);
  require_answer(scene, text, &plan);
  assert_string_equal(plan.algorithm, text);
  ls_plan_close(&plan);
}

static void every_plan_is_possible(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed++) {
    struct scene scene;
    open_scene(&scene, seed);
    for_every_planner(&scene, check_possible);
    ls_platform_close(&scene.platform);
  }
}

static void check_repeated(const struct scene *scene, const char *text) {
  struct ls_plan plan, again;
  plan_as(scene, text, &plan);
  plan_as(scene, text, &again);
  assert_int_equal(plan.outcome, again.outcome);
  assert_int_equal(plan.chunks_count, again.chunks_count);
  assert_int_equal(plan.parameters_count, again.parameters_count);
  for (size_t i = 0; i < plan.chunks_count; i++) {
    assert_int_equal(plan.chunks[i].worker, again.chunks[i].worker);
    assert_memory_equal(&plan.chunks[i].units, &again.chunks[i].units, sizeof(double));
  }
  ls_plan_close(&plan);
  ls_plan_close(&again);
}

static void the_same_question_has_the_same_answer(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed += 20) {
    struct scene scene;
    open_scene(&scene, seed);
    for_every_planner(&scene, check_repeated);
    ls_platform_close(&scene.platform);
  }
}

static void check_whole(const struct scene *scene, const char *text) {
  struct ls_plan plan;
  plan_as(scene, text, &plan);
  require_answer(scene, text, &plan);
  if (!ls_plan_is_whole(&plan)) {
    fail_msg("seed %llu, %s: not whole", (unsigned long long)scene->seed, text);
  }
  ls_plan_close(&plan);
}

static void whole_units_stay_whole(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed += 4) {
    struct scene scene;
    open_scene(&scene, seed);
    scene.load = ceil(scene.load);
    scene.is_whole = true;
    for_every_planner(&scene, check_whole);
    ls_platform_close(&scene.platform);
  }
}

/* After each chunk of the real plan its worker has less than a unit more or less of the whole one;
 * each chunk is within a unit of the real one. */
static void require_near(const struct scene *scene, const struct ls_plan *real,
                         const struct ls_plan *whole) {
  enum { WORKERS_MAX = 64 };
  double ahead[WORKERS_MAX] = {0}, sum = 0;
  size_t k = 0;
  assert_true(scene->platform.workers_count <= WORKERS_MAX);
  for (size_t i = 0; i < real->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &real->chunks[i];
    bool is_there = k < whole->chunks_count && whole->chunks[k].worker == chunk->worker &&
                    whole->chunks[k].round == chunk->round;
    double units = is_there ? whole->chunks[k++].units : 0;
    sum += units;
    ahead[chunk->worker] += units - chunk->units;
    assert_true(fabs(units - chunk->units) < 1 + 1e-6);
    assert_true(fabs(ahead[chunk->worker]) < 1 + 1e-6);
  }
  assert_int_equal(k, whole->chunks_count);
  assert_true(sum == scene->load);
}

static void whole_chunks_stay_next_to_real_ones(void **state) {
  static const char *const texts[] = {"umr", "umr:9,selection=none", "one-round", "mi:4"};
  size_t compared = 0;
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed += 2) {
    struct scene scene;
    open_scene(&scene, seed);
    /* Windows have a say in sizes, too. */
    for (size_t i = 0; i < scene.platform.workers_count; i++)
      forget_windows(&scene.platform.workers[i]);
    scene.load = ceil(scene.load);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      struct ls_plan real, whole;
      scene.is_whole = false;
      plan_as(&scene, texts[i], &real);
      scene.is_whole = true;
      plan_as(&scene, texts[i], &whole);
      assert_int_equal(real.outcome, whole.outcome);
      /* Each chooses by its own replay whether several transfers run at once. */
      bool is_same =
          ls_plan_get(&real, "connections", 1) <= ls_plan_get(&whole, "connections", 1) &&
          ls_plan_get(&real, "connections", 1) >= ls_plan_get(&whole, "connections", 1);
      compared += is_same && real.outcome == LS_PLAN_OK;
      if (is_same && real.outcome == LS_PLAN_OK) require_near(&scene, &real, &whole);
      ls_plan_close(&real);
      ls_plan_close(&whole);
    }
    ls_platform_close(&scene.platform);
  }
  assert_true(2 * compared >= count_seeds());
}

/* Those that choose do so by what rounding leaves. */
static void no_choice_is_worse_in_whole_units(void **state) {
  static const char *const pairs[][2] = {
      {"umr-best", "umr"}, {"xmi", "one-round"}, {"scow", "scow-mp"}, {"umr-scow", "scow"}};
  size_t judged = 0;
  (void)state;
  for (uint64_t seed = 1; seed < count_seeds(); seed += 2) {
    struct scene scene;
    open_scene(&scene, seed);
    scene.load = ceil(scene.load);
    scene.is_whole = true;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
      struct ls_plan chosen, other;
      plan_as(&scene, pairs[i][0], &chosen);
      plan_as(&scene, pairs[i][1], &other);
      bool is_cut =
          ls_plan_get(&chosen, "stopped", 0) > 0 || ls_plan_get(&chosen, "replays", 0) >= WORK_MAX;
      if (other.outcome == LS_PLAN_OK && chosen.outcome == LS_PLAN_OK && !is_cut) {
        if (!(chosen.makespan_s <= other.makespan_s * (1 + 1e-9)))
          fail_msg("seed %llu: %s ends at %.17g, %s at %.17g", (unsigned long long)seed,
                   pairs[i][0], chosen.makespan_s, pairs[i][1], other.makespan_s);
        judged++;
      }
      ls_plan_close(&chosen);
      ls_plan_close(&other);
    }
    ls_platform_close(&scene.platform);
  }
  assert_true(judged > count_seeds() / 8);
}

/* Windows and rooms that a plan must feel: a few units wide, some of them narrow. */
static void narrow_workers(struct scene *scene) {
  for (size_t i = 0; i < scene->platform.workers_count; i++) {
    struct ls_worker_model *worker = &scene->platform.workers[i];
    double least = (double)ls_random_below(&scene->random, 12);
    double width = 1 + 60 * ls_random_real(&scene->random);
    if (worker->windows_count == 0) {
      worker->window_from = ls_random_below(&scene->random, 2) == 0 ? least : 0;
      worker->window_to = ls_random_below(&scene->random, 3) > 0 ? least + width : (double)INFINITY;
    }
    if (ls_random_below(&scene->random, 3) == 0)
      worker->room_units = worker->window_from + 1 + 200 * ls_random_real(&scene->random);
    ls_worker_settle_windows(worker);
  }
}

static size_t fitted_plans;

/* Of a plan that is refused for its windows alone, the reason names worker, window and chunk. */
static void check_narrow(const struct scene *scene, const char *text) {
  struct ls_plan plan;
  plan_as(scene, text, &plan);
  require_answer(scene, text, &plan);
  if (plan.outcome == LS_PLAN_OK && ls_plan_get(&plan, "fitted", 0) > 0) fitted_plans++;
  if (scene->is_whole && !ls_plan_is_whole(&plan)) fail_msg("%s: not whole", text);
  if (strstr(plan.why, "outside its window") != NULL) {
    assert_non_null(strstr(plan.why, "worker "));
    assert_non_null(strstr(plan.why, "a chunk of "));
  }
  ls_plan_close(&plan);
}

static void every_chunk_lies_in_its_window_and_every_room_is_kept(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed++) {
    struct scene scene;
    open_scene(&scene, seed);
    narrow_workers(&scene);
    if (seed % 3 == 0) {
      scene.load = ceil(scene.load);
      scene.is_whole = true;
    }
    for_every_planner(&scene, check_narrow);
    ls_platform_close(&scene.platform);
  }
  assert_true(fitted_plans > count_seeds());
}

static bool is_over(void *context) {
  (void)context;
  return true;
}

/* However little time there is: whoever searches gives a plan that says so, or says why not. */
static void a_search_that_is_stopped_says_so(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed += 20) {
    struct scene scene;
    open_scene(&scene, seed);
    for (size_t i = 0; ls_planners[i] != NULL; i++) {
      struct ls_planner_setup setup = {
          .platform = &scene.platform, .load = scene.load, .budget.stop = is_over};
      struct ls_plan plan;
      ls_arguments_init(&setup.arguments, ls_planners[i]->parameters);
      assert_int_equal(ls_planner_run(ls_planners[i], &setup, NULL, &plan, NULL), LS_OK);
      require_answer(&scene, ls_planners[i]->name, &plan);
      bool is_stopped = ls_plan_get(&plan, "stopped", 0) > 0;
      if (is_stopped && !ls_planners[i]->is_search && !ls_planners[i]->plans_returns)
        fail_msg("%s is stopped, but is no search", ls_planners[i]->name);
      ls_plan_close(&plan);
    }
    ls_platform_close(&scene.platform);
  }
}

/* What does not apply refuses whatever is planned, and says beforehand what it says then. */
static void whether_a_planner_applies_is_known_before_it_plans(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed += 4) {
    struct scene scene;
    open_scene(&scene, seed);
    for (size_t i = 0; ls_planners[i] != NULL; i++) {
      struct ls_planner_setup setup = {.platform = &scene.platform, .load = scene.load};
      struct ls_planner_reason why = {{0}};
      struct ls_plan plan;
      ls_arguments_init(&setup.arguments, ls_planners[i]->parameters);
      if (ls_planner_applies(ls_planners[i], &setup, &why)) continue;
      assert_int_equal(ls_planner_run(ls_planners[i], &setup, NULL, &plan, NULL), LS_OK);
      assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
      assert_true(why.text[0] != '\0');
      assert_string_equal(plan.why, why.text);
      ls_plan_close(&plan);
    }
    ls_platform_close(&scene.platform);
  }
}

static void check_json(const struct scene *scene, const char *text) {
  struct ls_plan plan, read;
  struct ls_bytes json = {0};
  struct ls_error err;
  plan_as(scene, text, &plan);
  ls_plan_write(&plan, &scene->platform, &json);
  assert_false(json.failed);
  if (plan.outcome == LS_PLAN_OK) {
    if (ls_plan_read(&read, (struct ls_text){json.data, json.length, "plan"}, &scene->platform,
                     &err) != LS_OK) {
      fail_msg("seed %llu, %s: %s", (unsigned long long)scene->seed, text, err.text);
    }
    assert_int_equal(read.chunks_count, plan.chunks_count);
    assert_true(fabs(read.makespan_s - plan.makespan_s) <= 1e-9 * plan.makespan_s);
    ls_plan_close(&read);
  }
  ls_bytes_close(&json);
  ls_plan_close(&plan);
}

static void every_plan_can_be_written_and_read(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed += 10) {
    struct scene scene;
    open_scene(&scene, seed);
    for_every_planner(&scene, check_json);
    ls_platform_close(&scene.platform);
  }
}

static void check_empty(const struct scene *scene, const char *text) {
  struct ls_plan plan;
  plan_as(scene, text, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_int_equal(plan.chunks_count, 0);
  assert_true(plan.makespan_s <= 0);
  ls_plan_close(&plan);
}

static void no_load_is_an_empty_plan(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene, 0);
  scene.load = 0;
  for_every_planner(&scene, check_empty);
  ls_platform_close(&scene.platform);
}

/* The fault is named; the plan can be closed all the same. */
static void expect_refused(const struct scene *scene, const char *text, const char *word) {
  struct ls_planner_setup setup = {.platform = &scene->platform, .load = scene->load};
  const struct ls_planner *planner;
  struct ls_plan plan;
  struct ls_error err = {0};
  assert_int_equal(ls_planner_parse(text, &planner, &setup, &err), LS_OK);
  assert_int_equal(ls_planner_run(planner, &setup, text, &plan, &err), LS_EINVAL);
  if (strstr(err.text, word) == NULL) fail_msg("%s: %s", text, err.text);
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
}

static void check_bad_load(const struct scene *scene, const char *text) {
  const double loads[] = {-1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
    struct scene bad = *scene;
    bad.load = loads[i];
    expect_refused(&bad, text, "load");
  }
}

static void check_bad_cost(const struct scene *scene, const char *text) {
  double *cost = &scene->platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s, good = *cost;
  *cost = -1;
  expect_refused(scene, text, "compute");
  *cost = (double)NAN;
  expect_refused(scene, text, "compute");
  *cost = good;
}

static void bad_input_is_named(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene, 0);
  for_every_planner(&scene, check_bad_load);
  for_every_planner(&scene, check_bad_cost);
  ls_platform_close(&scene.platform);
}

static void an_unknown_planner_is_told_the_known_ones(void **state) {
  struct ls_planner_setup setup = {.load = 1};
  const struct ls_planner *planner;
  struct ls_error err;
  (void)state;
  assert_int_equal(ls_planner_parse("no-such", &planner, &setup, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "no-such"));
  assert_non_null(strstr(err.text, "umr-best"));
}

static void scale_cost(struct ls_cost *cost) {
  *cost = (struct ls_cost){cost->latency_s * 4, cost->per_unit_s * 4 / 8};
}

static void scale_times(struct ls_platform *platform) {
  scale_cost(&platform->prepare);
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->delay_s *= 4;
    worker->window_from *= 8;
    worker->window_to *= 8;
    scale_windows(platform, worker, 8, 4);
    scale_cost(&worker->costs[LS_OPERATION_SEND]);
    scale_cost(&worker->costs[LS_OPERATION_TRANSFER]);
    scale_cost(&worker->costs[LS_OPERATION_RECEIVE]);
    scale_cost(&worker->costs[LS_OPERATION_COMPUTE]);
    scale_cost(&worker->costs[LS_OPERATION_REPLY]);
  }
}

/* Times 4, units 8: powers of two, so that no digit changes in what only adds and divides. */
static void times_and_units_have_no_scale(void **state) {
  static const char *const texts[] = {"one-round", "mi:2", "umr", "umr:2", "umr-best", "xmi:2"};
  (void)state;
  for (uint64_t seed = 0; seed < count_seeds(); seed += 2) {
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
      struct scene scene;
      struct ls_plan plan, scaled;
      open_scene(&scene, seed);
      plan_as(&scene, texts[i], &plan);
      scene.load *= 8;
      scale_times(&scene.platform);
      plan_as(&scene, texts[i], &scaled);
      assert_int_equal(plan.outcome, scaled.outcome);
      if (plan.outcome == LS_PLAN_OK &&
          !(fabs(scaled.makespan_s - 4 * plan.makespan_s) <= 1e-9 * scaled.makespan_s)) {
        fail_msg("seed %llu, %s: %.17g and %.17g", (unsigned long long)seed, texts[i],
                 plan.makespan_s, scaled.makespan_s);
      }
      ls_plan_close(&plan);
      ls_plan_close(&scaled);
      ls_platform_close(&scene.platform);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_plan_is_possible),
      cmocka_unit_test(the_same_question_has_the_same_answer),
      cmocka_unit_test(whole_units_stay_whole),
      cmocka_unit_test(whole_chunks_stay_next_to_real_ones),
      cmocka_unit_test(no_choice_is_worse_in_whole_units),
      cmocka_unit_test(every_chunk_lies_in_its_window_and_every_room_is_kept),
      cmocka_unit_test(a_search_that_is_stopped_says_so),
      cmocka_unit_test(whether_a_planner_applies_is_known_before_it_plans),
      cmocka_unit_test(every_plan_can_be_written_and_read),
      cmocka_unit_test(no_load_is_an_empty_plan),
      cmocka_unit_test(bad_input_is_named),
      cmocka_unit_test(an_unknown_planner_is_told_the_known_ones),
      cmocka_unit_test(times_and_units_have_no_scale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
