#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/bound_of.h"
#include "model/metrics.h"
#include "model/validate.h"
#include "star_fixture.h"

enum { STARS = 120, WORKERS_MAX = 6, ROUNDS_MAX = 5 };

static void assert_not_above(const char *what, size_t star, double a, double b, double tolerance) {
  if (!(a <= b * (1 + tolerance))) fail_msg("star %zu: %s: %.12g > %.12g", star, what, a, b);
}

/* No planner's rounds in the platform's order beat the program of the same rounds.  A plan that
 * leaves messages out saves their latencies, so it is one of another sequence. */
static void no_plan_of_the_same_messages_is_better(void **state) {
  static const struct {
    const char *before, *after;
  } rivals[] = {{"umr:", ",selection=none"}, {"xmi:", ""}, {"mi:", ""}};
  struct ls_random random;
  size_t compared = 0;
  (void)state;
  ls_random_init(&random, 1, "lp");
  for (size_t star = 0; star < STARS; star++) {
    struct ls_platform platform;
    char text[64];
    star_open(&platform, &random, star % 2 ? STAR_DIFFERENT : STAR_IDENTICAL, WORKERS_MAX);
    double load = star_draw(&random, 1, 500);
    size_t rounds = 1 + ls_random_below(&random, ROUNDS_MAX);
    (void)snprintf(text, sizeof text, "lp:%zu", rounds);
    double best_s = star_makespan(&platform, load, text);
    for (size_t i = 0; i < 3; i++) {
      struct ls_plan plan;
      (void)snprintf(text, sizeof text, "%s%zu%s", rivals[i].before, rounds, rivals[i].after);
      star_plan(&platform, load, text, &plan);
      if (plan.chunks_count == rounds * platform.workers_count) {
        compared++;
        assert_not_above(text, star, best_s, plan.makespan_s, 1e-6);
      }
      ls_plan_close(&plan);
    }
    ls_platform_close(&platform);
  }
  assert_true(compared > STARS);
}

/* Never idling is optimal for identical workers. */
static void identical_workers_need_not_wait(void **state) {
  struct ls_random random;
  size_t compared = 0;
  (void)state;
  ls_random_init(&random, 2, "lp");
  for (size_t star = 0; star < STARS; star++) {
    struct ls_platform platform;
    char text[64];
    star_open(&platform, &random, STAR_IDENTICAL, WORKERS_MAX);
    size_t rounds = 1 + ls_random_below(&random, ROUNDS_MAX);
    (void)snprintf(text, sizeof text, "xmi:%zu", rounds);
    double rival_s = star_makespan(&platform, 100, text);
    (void)snprintf(text, sizeof text, "lp:%zu", rounds);
    if (rival_s < (double)INFINITY) {
      compared++;
      assert_not_above(text, star, rival_s, star_makespan(&platform, 100, text), 1e-7);
    }
    ls_platform_close(&platform);
  }
  assert_true(compared > STARS / 4);
}

/* Messages that get nothing are charged their latencies by the program: without them the sizes of
 * those that are sent are others. */
static void what_is_sent_is_the_best_of_its_sequence(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.259, 8.427};
  platform.workers[0].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.045, 0.033};
  assert_not_above("lp:5", 0, star_makespan(&platform, 100, "lp:5"),
                   star_makespan(&platform, 100, "lp:2"), 1e-9);
  ls_platform_close(&platform);
}

static int compare_transfers(const void *left, const void *right) {
  const struct ls_worker_model *a = left, *b = right;
  return (a->costs[LS_OPERATION_TRANSFER].per_unit_s > b->costs[LS_OPERATION_TRANSFER].per_unit_s) -
         (a->costs[LS_OPERATION_TRANSFER].per_unit_s < b->costs[LS_OPERATION_TRANSFER].per_unit_s);
}

/* One round by its closed form, on the workers that it keeps.  Fast links come first: the
 * program may leave a worker with a slow link before a fast one without units, although its chunk
 * would be positive. */
static void one_round_is_the_program_of_the_workers_it_keeps(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 3, "lp");
  for (size_t star = 0; star < STARS; star++) {
    struct ls_platform platform;
    struct ls_plan plan;
    star_open(&platform, &random, STAR_DIFFERENT, WORKERS_MAX);
    qsort(platform.workers, platform.workers_count, sizeof *platform.workers, compare_transfers);
    star_plan(&platform, 50, "one-round", &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    struct ls_platform kept = platform;
    struct ls_worker_model workers[WORKERS_MAX];
    for (size_t i = 0; i < plan.chunks_count; i++) {
      workers[i] = platform.workers[plan.chunks[i].worker];
    }
    kept.workers = workers;
    kept.workers_count = plan.chunks_count;
    double program_s = star_makespan(&kept, 50, "lp:1");
    assert_not_above("lp:1", star, program_s, plan.makespan_s, 1e-9);
    assert_not_above("one-round", star, plan.makespan_s, program_s, 1e-7);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Speeds up one cost of one worker.  The optimum of the program may not grow; nor may the replay,
 * unless it was ahead of the program by messages left out. */
static void a_faster_worker_never_worsens_the_program(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 4, "lp");
  for (size_t star = 0; star < STARS; star++) {
    struct ls_platform platform;
    struct ls_plan before, after;
    star_open(&platform, &random, STAR_DIFFERENT, WORKERS_MAX);
    const char *text = star % 2 ? "lp:3" : "lp:2";
    star_plan(&platform, 100, text, &before);
    struct ls_worker_model *worker =
        &platform.workers[ls_random_below(&random, platform.workers_count)];
    double *costs[] = {&worker->costs[LS_OPERATION_TRANSFER].latency_s,
                       &worker->costs[LS_OPERATION_TRANSFER].per_unit_s, &worker->delay_s,
                       &worker->costs[LS_OPERATION_COMPUTE].latency_s,
                       &worker->costs[LS_OPERATION_COMPUTE].per_unit_s};
    *costs[ls_random_below(&random, 5)] *= star_draw(&random, 0.2, 1);
    star_plan(&platform, 100, text, &after);
    assert_not_above("optimum", star, ls_plan_get(&after, "predicted_makespan", (double)NAN),
                     ls_plan_get(&before, "predicted_makespan", (double)NAN), 1e-9);
    if (before.chunks_count == (star % 2 ? 3 : 2) * platform.workers_count) {
      assert_not_above("makespan", star, after.makespan_s, before.makespan_s, 1e-9);
    }
    ls_plan_close(&before);
    ls_plan_close(&after);
    ls_platform_close(&platform);
  }
}

/* Over all sets and numbers of rounds it is no worse than a number of rounds by itself, and not
 * below what nothing can beat. */
static void the_search_keeps_the_best_rounds(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 5, "lp");
  for (size_t star = 0; star < 10; star++) {
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_error err = {0};
    star_open(&platform, &random, star % 2 ? STAR_DIFFERENT : STAR_IDENTICAL, 3);
    star_plan(&platform, 60, "lp", &plan);
    assert_not_above("lp:1", star, plan.makespan_s, star_makespan(&platform, 60, "lp:1"), 1e-12);
    assert_not_above("lp:3", star, plan.makespan_s, star_makespan(&platform, 60, "lp:3"), 1e-12);
    assert_true(plan.makespan_s >= bound_of(&platform, 60).bound_s * (1 - 1e-9));
    if (ls_validate_plan(&plan, &platform, &err) != LS_OK) fail_msg("%s", err.text);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Costs so far apart that theta, or a speed, is no number: uniform rounds say nothing then. */
static void costs_beyond_all_numbers_leave_the_search_its_window(void **state) {
  static const double costs[][2] = {{1e-200, 1e200}, {1e-5, 1e-310}, {1e-310, 1e-3}};
  (void)state;
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
    for (size_t k = 0; k < 2; k++) {
      platform.workers[k].costs[LS_OPERATION_TRANSFER].per_unit_s = costs[i][0];
      platform.workers[k].costs[LS_OPERATION_COMPUTE].per_unit_s = costs[i][1];
    }
    star_plan(&platform, 10, "lp", &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    assert_true(plan.makespan_s >= bound_of(&platform, 10).bound_s * (1 - 1e-9));
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* A worker that computes 21 decades faster than the others sent the solver in circles for ever. */
static void costs_many_decades_apart_come_to_an_end(void **state) {
  static const struct ls_worker_model workers[] = {
      {.costs[LS_OPERATION_COMPUTE] = {0.23903969895541702, 17.980850479988344},
       .costs[LS_OPERATION_TRANSFER] = {0, 9.31e-279}},
      {.costs[LS_OPERATION_COMPUTE] = {5.62e-204, 4.08e-20},
       .costs[LS_OPERATION_TRANSFER] = {1, 0},
       .delay_s = 270.81885070717203},
      {.costs[LS_OPERATION_COMPUTE] = {1, 0},
       .costs[LS_OPERATION_TRANSFER] = {0.052220064053622145, 3}},
      {.costs[LS_OPERATION_COMPUTE] = {41.07693757584537, 0.5},
       .costs[LS_OPERATION_TRANSFER] = {1, 0.1},
       .delay_s = 1.86e-198},
      {.costs[LS_OPERATION_COMPUTE] = {7.5950056653175535, 0.008088785729839109},
       .costs[LS_OPERATION_TRANSFER] = {0, 2}}};
  enum { COUNT = sizeof workers / sizeof *workers };
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, COUNT, NULL), LS_OK);
  for (size_t i = 0; i < COUNT; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = workers[i].costs[LS_OPERATION_COMPUTE];
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = workers[i].costs[LS_OPERATION_TRANSFER];
    platform.workers[i].delay_s = workers[i].delay_s;
  }
  star_plan(&platform, 1000, "lp", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static bool stop_at_once(void *context) {
  ++*(int *)context;
  return true;
}

static void a_limit_of_work_ends_the_search(void **state) {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_plan plan;
  int asked = 0;
  (void)state;
  ls_random_init(&random, 6, "lp");
  star_open(&platform, &random, STAR_DIFFERENT, 3);
  const struct ls_planner *planner;
  struct ls_planner_setup setup = {.platform = &platform, .load = 60, .budget.work_max = 2};
  assert_int_equal(ls_planner_parse("lp", &planner, &setup, NULL), LS_OK);
  assert_int_equal(ls_planner_run(planner, &setup, NULL, &plan, NULL), LS_OK);
  assert_true(ls_plan_get(&plan, "programs_solved", 0) < 3);
  assert_true(ls_plan_get(&plan, "stopped", 0) > 0);
  ls_plan_close(&plan);
  setup.budget.stop = stop_at_once;
  setup.budget.stop_context = &asked;
  assert_int_equal(ls_planner_run(planner, &setup, NULL, &plan, NULL), LS_OK);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_true(asked > 0);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void too_many_messages_are_refused(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 401, NULL), LS_OK);
  star_plan(&platform, 10, "lp:50", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "50 rounds of 401 workers"));
  ls_plan_close(&plan);
  star_plan(&platform, 10, "lp:0", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  ls_plan_close(&plan);
  star_plan(&platform, 10, "lp", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "more than 400 messages"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void multi_port_is_planned_for_one_at_a_time(void **state) {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_plan plan;
  const struct ls_plan_parameter *why = NULL;
  (void)state;
  ls_random_init(&random, 7, "lp");
  star_open(&platform, &random, STAR_DIFFERENT, 3);
  platform.ports = LS_PORTS_MULTI;
  star_plan(&platform, 10, "lp:2", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  for (size_t i = 0; i < plan.parameters_count; i++) {
    if (strcmp(plan.parameters[i].name, "why") == 0) why = &plan.parameters[i];
  }
  assert_non_null(why);
  assert_non_null(strstr(why->json, "one transfer at a time"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Programs are solved, and none of their plans fits at once: that is not the end of the search. */
static void windows_that_are_hard_to_meet_are_met_or_named(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.1;
    platform.workers[i].window_from = platform.workers[i].window_to = i == 0 ? 10 : 7;
  }
  star_plan(&platform, 27, "lp", &plan);
  if (plan.outcome != LS_PLAN_OK) fail_msg("%s", plan.why);
  assert_int_equal(plan.chunks_count, 3);
  ls_plan_close(&plan);
  star_plan(&platform, 25, "lp", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "no other sizes are the load"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Where the messages can be the load the program itself honours the windows: nothing is fitted, and
 * no sizes of the same messages end sooner than those that the program finds. */
static void the_program_honours_windows(void **state) {
  struct ls_platform platform;
  struct ls_plan plan, other;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.1, 0.1};
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = (double)(i + 1);
    platform.workers[i].window_from = 8;
    platform.workers[i].window_to = 30;
  }
  star_plan(&platform, 100, "lp:2", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_int_equal(plan.chunks_count, 6);
  assert_false(ls_plan_has(&plan, "fitted"));
  assert_true(fabs(ls_plan_get(&plan, "predicted_makespan", 0) / plan.makespan_s - 1) < 1e-9);
  if (ls_validate_plan(&plan, &platform, NULL) != LS_OK) fail_msg("not valid");
  star_plan(&platform, 100, "xmi:2", &other);
  if (other.outcome == LS_PLAN_OK && other.chunks_count == 6)
    assert_not_above("xmi", 0, plan.makespan_s, other.makespan_s, 1e-9);
  ls_plan_close(&plan);
  ls_plan_close(&other);
  ls_platform_close(&platform);
}

/* More rounds gain less and less: not all numbers of them are tried. */
static void few_programs_suffice_without_latencies(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1 + 0.3 * (double)i;
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.1 + 0.05 * (double)i;
  }
  struct ls_planner_setup setup = {.platform = &platform, .load = 100};
  const struct ls_planner *lp = ls_planner_find("lp");
  ls_arguments_init(&setup.arguments, lp->parameters);
  assert_int_equal(ls_planner_run(lp, &setup, NULL, &plan, NULL), LS_OK);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_true(ls_plan_get(&plan, "programs_solved", 1000) <= 60);
  assert_true(plan.makespan_s <= bound_of(&platform, 100).bound_s * 1.005);
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(few_programs_suffice_without_latencies),
      cmocka_unit_test(no_plan_of_the_same_messages_is_better),
      cmocka_unit_test(identical_workers_need_not_wait),
      cmocka_unit_test(what_is_sent_is_the_best_of_its_sequence),
      cmocka_unit_test(one_round_is_the_program_of_the_workers_it_keeps),
      cmocka_unit_test(a_faster_worker_never_worsens_the_program),
      cmocka_unit_test(the_search_keeps_the_best_rounds),
      cmocka_unit_test(costs_beyond_all_numbers_leave_the_search_its_window),
      cmocka_unit_test(costs_many_decades_apart_come_to_an_end),
      cmocka_unit_test(a_limit_of_work_ends_the_search),
      cmocka_unit_test(too_many_messages_are_refused),
      cmocka_unit_test(multi_port_is_planned_for_one_at_a_time),
      cmocka_unit_test(the_program_honours_windows),
      cmocka_unit_test(windows_that_are_hard_to_meet_are_met_or_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
