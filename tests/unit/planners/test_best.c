#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../../support/bound_of.h"
#include "../../support/long_run.h"
#include "../../support/unless_sanitized.h"
#include "model/metrics.h"
#include "model/validate.h"
#include "planners/fit.h"
#include "star_fixture.h"

enum { STARS = UNLESS_SANITIZED(10, 3), FEW_STARS = UNLESS_SANITIZED(4, 2), WORK = 2000 };

static void run_best(const struct ls_planner_setup *setup, struct ls_plan *plan) {
  struct ls_error err = {0};
  if (ls_planner_run(ls_planner_find("best"), setup, NULL, plan, &err) != LS_OK) {
    fail_msg("%s", err.text);
  }
}

/* The least makespan of this planner as `best` tries it; INFINITY when it does not apply. */
static double run_rival(const struct ls_planner *planner, const struct ls_planner_setup *best) {
  double least_s = (double)INFINITY;
  bool is_mi = strcmp(planner->name, "mi") == 0;
  for (int rounds = 1; rounds <= (is_mi ? 8 : 1); rounds++) {
    struct ls_planner_setup setup = *best;
    struct ls_plan plan;
    ls_arguments_init(&setup.arguments, planner->parameters);
    if (is_mi) setup.arguments.values[0] = rounds;
    if (ls_planner_run(planner, &setup, NULL, &plan, NULL) == LS_OK && plan.outcome == LS_PLAN_OK &&
        plan.makespan_s < least_s) {
      least_s = plan.makespan_s;
    }
    ls_plan_close(&plan);
  }
  return least_s;
}

/* One round in which the first `value` workers get equal chunks. */
static const struct ls_parameter made_up_parameters[] = {
    {"used", "workers", LS_PARAMETER_WHOLE, (double)NAN, 1, 100, NULL}, {0}};

static bool is_for_three(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return setup->platform->workers_count == 3 || ls_planner_refuse(why, "there are not three");
}

static enum ls_status plan_for_three(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                     struct ls_plan *plan, struct ls_error *err) {
  double used = ls_arguments_get(&setup->arguments, made_up_parameters, "used");
  (void)budget;
  for (uint32_t i = 0; i < used; i++) ls_plan_add(plan, i, 0, setup->load / used);
  return ls_plan_finish(plan, err);
}

static const struct ls_planner made_up = {.name = "made-up",
                                          .parameters = made_up_parameters,
                                          .trial_first = 1,
                                          .trial_last = 3,
                                          .applicable = is_for_three,
                                          .plan = plan_for_three};

static bool has_text(const struct ls_plan *plan, const char *name, const char *text) {
  for (size_t i = 0; i < plan->parameters_count; i++) {
    const struct ls_plan_parameter *parameter = &plan->parameters[i];
    if (strcmp(parameter->name, name) == 0 && parameter->json != NULL) {
      return strstr(parameter->json, text) != NULL;
    }
  }
  return false;
}

static bool leaves_lp_out(const struct ls_plan *plan) {
  return has_text(plan, "candidate.lp", "left out: more than 3 workers");
}

/* Never worse than any other planner, also those that it leaves out where nothing returns, and its
 * report on a candidate is that candidate's result. */
static void check_best(size_t star, const struct ls_planner_setup *setup, size_t reported_least) {
  struct ls_plan plan;
  struct ls_error err;
  size_t reported = 0;
  run_best(setup, &plan);
  if (!ls_fit_is_needed(setup->platform)) assert_int_equal(plan.outcome, LS_PLAN_OK);
  if (plan.outcome != LS_PLAN_OK) plan.makespan_s = (double)INFINITY;
  assert_true(plan.outcome == LS_PLAN_OK || reported_least == 0);
  assert_true(plan.makespan_s >= bound_of(setup->platform, setup->load).bound_s * (1 - 1e-9));
  if (plan.outcome == LS_PLAN_OK && ls_validate_plan(&plan, setup->platform, &err) != LS_OK)
    fail_msg("%s", err.text);
  for (size_t i = 0; ls_planners[i] != NULL; i++) {
    const char *name = ls_planners[i]->name;
    char parameter[32];
    if (strcmp(name, "best") == 0) continue;
    if (strcmp(name, "lp") == 0 && leaves_lp_out(&plan)) {
      assert_false(ls_fit_is_needed(setup->platform));
      continue;
    }
    double rival_s = run_rival(ls_planners[i], setup);
    if (!(plan.makespan_s <= rival_s * (1 + 1e-12))) {
      fail_msg("star %zu: best %.12g, %s %.12g", star, plan.makespan_s, name, rival_s);
    }
    (void)snprintf(parameter, sizeof parameter, "candidate.%.21s", name);
    double reported_s = ls_plan_get(&plan, parameter, (double)NAN);
    if (isnan(reported_s)) continue;
    assert_true(fabs(reported_s / rival_s - 1) < 1e-12);
    reported++;
  }
  assert_true(reported >= reported_least);
  assert_true(ls_plan_get(&plan, "work", 0) <= (double)setup->budget.work_max);
  ls_plan_close(&plan);
}

/* one-round, umr, umr-best and xmi apply. */
static void check_rivals(size_t star, const struct ls_planner_setup *setup) {
  check_best(star, setup, 4);
}

static void no_planner_is_better(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "best");
  for (size_t star = 0; star < cases_of(STARS, FEW_STARS); star++) {
    struct ls_platform platform;
    star_open(&platform, &random, star % 2 ? STAR_DIFFERENT : STAR_IDENTICAL, 7);
    struct ls_planner_setup setup = {
        .platform = &platform, .load = star_draw(&random, 1, 500), .budget.work_max = WORK};
    check_rivals(star, &setup);
    ls_platform_close(&platform);
  }
}

/* Every station costs something, and results return: only the replay knows. */
static void no_planner_is_better_with_all_stations(void **state) {
  static const enum ls_ports ports[] = {LS_PORTS_TWO, LS_PORTS_ONE, LS_PORTS_MULTI};
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "best");
  for (size_t star = 0; star < cases_of(STARS / 2, FEW_STARS / 2); star++) {
    struct ls_platform platform;
    star_open(&platform, &random, star % 2 ? STAR_DIFFERENT : STAR_IDENTICAL, 5);
    platform.ports = ports[star % 3];
    platform.ports_alpha = 0.7;
    platform.prepare = (struct ls_cost){0.01, 0.02};
    for (size_t i = 0; i < platform.workers_count; i++) {
      platform.workers[i].costs[LS_OPERATION_SEND] =
          (struct ls_cost){star_draw(&random, 0, 0.1), 0.05};
      if (star % 2) platform.workers[i].costs[LS_OPERATION_REPLY] = (struct ls_cost){0.05, 0.01};
    }
    struct ls_planner_setup setup = {.platform = &platform, .load = 100, .budget.work_max = WORK};
    check_rivals(star, &setup);
    ls_platform_close(&platform);
  }
}

/* The search and most planners know nothing of a worker that computes in no time. */
static void no_planner_is_better_with_an_instant_worker(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 7, "best");
  for (size_t star = 0; star < 3; star++) {
    struct ls_platform platform;
    star_open(&platform, &random, STAR_DIFFERENT, 5);
    struct ls_planner_setup setup = {.platform = &platform, .load = 100, .budget.work_max = WORK};
    platform.workers[platform.workers_count / 2].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
    check_best(star, &setup, 2);
    ls_platform_close(&platform);
  }
}

static void narrow(struct ls_random *random, struct ls_platform *platform) {
  static const double least[] = {0, 0, 1, 3, 8}, width[] = {0, 3, 10, 40}, room[] = {12, 20, 50};
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    if (ls_random_below(random, 4) > 0) {
      worker->window_from = least[ls_random_below(random, 5)];
      worker->window_to = worker->window_from + width[ls_random_below(random, 4)];
      if (!(worker->window_to > 0)) worker->window_to = 5;
    }
    if (ls_random_below(random, 4) == 0)
      worker->room_units = worker->window_from + room[ls_random_below(random, 3)];
  }
}

/* Windows and rooms give every plan other sizes, so nothing that a theory says beforehand spares
 * the look at a planner. */
static void no_planner_is_better_under_windows_and_rooms(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 8, "best");
  for (size_t star = 0; star < cases_of(STARS, FEW_STARS); star++) {
    struct ls_platform platform;
    star_open(&platform, &random, star % 4 ? STAR_DIFFERENT : STAR_IDENTICAL, 5);
    narrow(&random, &platform);
    if (star % 3 == 0) {
      platform.ports = star % 2 ? LS_PORTS_ONE : LS_PORTS_TWO;
      for (size_t i = 0; i < platform.workers_count; i++)
        platform.workers[i].costs[LS_OPERATION_REPLY] = (struct ls_cost){0.05, 0.1};
    }
    struct ls_planner_setup setup = {.platform = &platform,
                                     .load = 10 + (double)ls_random_below(&random, 90),
                                     .is_whole = star % 5 == 0,
                                     .budget.work_max = WORK};
    check_best(star, &setup, 0);
    ls_platform_close(&platform);
  }
}

/* Where no other planner is as near, `lp` is asked however many workers there are. */
static void the_program_is_left_out_where_the_search_is_as_near(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 4, NULL), LS_OK);
  for (size_t i = 0; i < 4; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.1, 0.1};
  for (int what = 0; what < 3; what++) {
    struct ls_planner_setup setup = {.platform = &platform, .load = 100, .budget.work_max = WORK};
    struct ls_plan plan;
    platform.prepare.per_unit_s = what == 1 ? 0.05 : 0;
    platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = what == 2 ? 0 : 1;
    run_best(&setup, &plan);
    assert_true(leaves_lp_out(&plan) == (what == 0));
    assert_true(isnan(ls_plan_get(&plan, "candidate.lp", (double)NAN)) == (what == 0));
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

static void whole_units_stay_whole(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 3, "best");
  for (size_t star = 0; star < cases_of(STARS / 2, FEW_STARS / 2); star++) {
    struct ls_platform platform;
    struct ls_plan plan;
    star_open(&platform, &random, star % 2 ? STAR_DIFFERENT : STAR_IDENTICAL, 5);
    struct ls_planner_setup setup = {.platform = &platform,
                                     .load = 1 + (double)ls_random_below(&random, 300),
                                     .budget.work_max = WORK,
                                     .is_whole = true};
    check_rivals(star, &setup);
    run_best(&setup, &plan);
    assert_true(ls_plan_is_whole(&plan));
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

static void the_same_question_has_the_same_answer(void **state) {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_plan first, second;
  (void)state;
  ls_random_init(&random, 4, "best");
  star_open(&platform, &random, STAR_DIFFERENT, 7);
  struct ls_planner_setup setup = {.platform = &platform, .load = 100, .budget.work_max = WORK};
  run_best(&setup, &first);
  run_best(&setup, &second);
  assert_int_equal(first.chunks_count, second.chunks_count);
  for (size_t i = 0; i < first.chunks_count; i++) {
    assert_int_equal(first.chunks[i].worker, second.chunks[i].worker);
    assert_memory_equal(&first.chunks[i].units, &second.chunks[i].units, sizeof(double));
  }
  ls_plan_close(&first);
  ls_plan_close(&second);
  ls_platform_close(&platform);
}

static bool count_questions(void *context) {
  ++*(size_t *)context;
  return false;
}

/* A proof of the best orders of returns took a hundred times as long as all else. */
static void windows_ask_for_no_proof_where_nothing_returns(void **state) {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_plan plan;
  size_t asked = 0;
  (void)state;
  ls_random_init(&random, 9, "best");
  assert_int_equal(ls_platform_init(&platform, 12, NULL), LS_OK);
  for (size_t i = 0; i < 12; i++) {
    struct ls_worker_model *worker = &platform.workers[i];
    worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.01, star_draw(&random, 0.005, 0.015)};
    worker->costs[LS_OPERATION_COMPUTE].per_unit_s = star_draw(&random, 0.1, 0.5);
    worker->window_from = 3;
    worker->window_to = 9;
  }
  struct ls_planner_setup setup = {.platform = &platform,
                                   .load = 60,
                                   .budget = {.stop = count_questions, .stop_context = &asked}};
  run_best(&setup, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_true(ls_plan_get(&plan, "candidate.returns-exact", 0) > 0);
  if (asked > 30000) fail_msg("asked %zu times", asked);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static bool stop_at_third(void *context) {
  return ++*(int *)context >= 3;
}

static void a_search_that_is_stopped_says_so(void **state) {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_plan plan;
  int asked = 0;
  (void)state;
  ls_random_init(&random, 5, "best");
  star_open(&platform, &random, STAR_DIFFERENT, 7);
  struct ls_planner_setup setup = {.platform = &platform,
                                   .load = 100,
                                   .budget = {.stop = stop_at_third, .stop_context = &asked}};
  run_best(&setup, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_true(ls_plan_get(&plan, "stopped", 0) > 0);
  ls_plan_close(&plan);
  setup.budget.stop = NULL;
  setup.budget.work_max = 3;
  run_best(&setup, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_true(ls_plan_get(&plan, "work", 0) <= 3);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The reasons of those that do not apply stand beside the makespans of the others. */
static void candidates_that_do_not_apply_say_why(void **state) {
  struct ls_random random;
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  ls_random_init(&random, 6, "best");
  star_open(&platform, &random, STAR_DIFFERENT, 7);
  struct ls_planner_setup setup = {.platform = &platform, .load = 100, .budget.work_max = WORK};
  run_best(&setup, &plan);
  assert_true(has_text(&plan, "candidate.one-round-parallel", "not applicable: the master cannot"));
  assert_true(has_text(&plan, "candidate.mi", "not applicable: "));
  assert_true(has_text(&plan, "winner", "\""));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* `best` knows what a planner is from its traits alone. */
static void a_planner_that_is_added_to_the_list_is_used(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  const struct ls_planner *const list[] = {ls_planner_find("best"), &made_up, NULL};
  (void)state;
  for (size_t workers = 3; workers <= 4; workers++) {
    assert_int_equal(ls_platform_init(&platform, workers, NULL), LS_OK);
    struct ls_planner_setup setup = {
        .platform = &platform, .load = 90, .budget.work_max = WORK, .others = list};
    run_best(&setup, &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    if (workers == 3) {
      assert_true(has_text(&plan, "winner", "made-up"));
      assert_true(fabs(ls_plan_get(&plan, "candidate.made-up", 0) / 30 - 1) < 1e-12);
    } else {
      assert_true(has_text(&plan, "candidate.made-up", "there are not three"));
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* No plan of this load ends before the largest number. */
static void where_no_planner_applies_it_does_not(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 4, NULL), LS_OK);
  for (size_t i = 0; i < platform.workers_count; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1e308;
  }
  struct ls_planner_setup setup = {.platform = &platform, .load = 100, .budget.work_max = WORK};
  run_best(&setup, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_string_equal(plan.why, "no planner applies to this platform");
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Sending takes no time: the one worker would hold all. */
static void a_room_that_no_plan_keeps_is_named(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].room_units = 6;
  struct ls_planner_setup setup = {.platform = &platform, .load = 34, .budget.work_max = WORK};
  run_best(&setup, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "its room is 6"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static bool stop_at_once(void *context) {
  (void)context;
  return true;
}

/* Who has no time gets the best of the plans that take none. */
static void cheap_planners_are_asked_whatever_the_time(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 6, NULL), LS_OK);
  for (size_t i = 0; i < 6; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.01, i < 3 ? 0.1 : 0.3};
  const char *const cheap[] = {"umr", "one-round", "steady-state", "asymptotic", "periodic"};
  double least_s = HUGE_VAL;
  for (size_t i = 0; i <= sizeof cheap / sizeof *cheap; i++) {
    bool is_best = i == sizeof cheap / sizeof *cheap;
    const struct ls_planner *planner = ls_planner_find(is_best ? "best" : cheap[i]);
    struct ls_planner_setup setup = {.platform = &platform, .load = 1000};
    setup.budget.stop = stop_at_once;
    ls_arguments_init(&setup.arguments, planner->parameters);
    assert_int_equal(ls_planner_run(planner, &setup, NULL, &plan, NULL), LS_OK);
    if (is_best) assert_true(plan.makespan_s <= least_s * (1 + 1e-9));
    if (plan.outcome == LS_PLAN_OK) least_s = fmin(least_s, plan.makespan_s);
    ls_plan_close(&plan);
    ls_arguments_close(&setup.arguments);
  }
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cheap_planners_are_asked_whatever_the_time),
      cmocka_unit_test(no_planner_is_better),
      cmocka_unit_test(no_planner_is_better_with_all_stations),
      cmocka_unit_test(no_planner_is_better_with_an_instant_worker),
      cmocka_unit_test(no_planner_is_better_under_windows_and_rooms),
      cmocka_unit_test(the_program_is_left_out_where_the_search_is_as_near),
      cmocka_unit_test(whole_units_stay_whole),
      cmocka_unit_test(the_same_question_has_the_same_answer),
      cmocka_unit_test(a_planner_that_is_added_to_the_list_is_used),
      cmocka_unit_test(a_search_that_is_stopped_says_so),
      cmocka_unit_test(windows_ask_for_no_proof_where_nothing_returns),
      cmocka_unit_test(candidates_that_do_not_apply_say_why),
      cmocka_unit_test(a_room_that_no_plan_keeps_is_named),
      cmocka_unit_test(where_no_planner_applies_it_does_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
