/* How long a run will take by what is known before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advise/run_predict.h"
#include "model/replay.h"
#include "model/windows.h"
#include "simulate/world.h"

static double sum(const struct ls_account *account) {
  double all_s = 0;
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++) all_s += account->parts_s[part];
  return all_s;
}

static struct ls_coordinator_config use(const char *policy, size_t workers) {
  struct ls_coordinator_config config = {.workers = workers,
                                         .mean_seconds = (double)NAN,
                                         .deviation_seconds = (double)NAN,
                                         .overhead_seconds = (double)NAN,
                                         .spares_newcomers = true,
                                         .recalls = true};
  config.chunking = ls_chunking_find(policy);
  assert_non_null(config.chunking);
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  return config;
}

static struct ls_run_predicted foretell(const struct ls_run_situation *situation,
                                        const struct ls_coordinator_config *config,
                                        uint32_t iterations) {
  struct ls_run_predicted predicted;
  struct ls_error err = {0};
  struct ls_run_predictable run = {
      .situation = situation, .config = config, .iterations = iterations};
  if (ls_run_predict(&run, &predicted, &err) != LS_OK) fail_msg("%s", err.text);
  return predicted;
}

/* Two workers, one twice as fast, 10 chunks of one unit with a latency of 0.5 s each. */
static void a_platform_predicts_makespan_and_parts(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++)
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 1.5};
  struct ls_run_situation situation = {.platform = &platform, .units = 10, .workers = 2};
  struct ls_coordinator_config config = use("ss", 2);
  struct ls_run_predicted predicted = foretell(&situation, &config, 1);
  assert_true(predicted.is_known);
  assert_int_equal(predicted.draws, 1);
  assert_true(fabs(predicted.account.makespan_s - 10) < 1e-9);
  assert_true(fabs(predicted.account.parts_s[LS_ACCOUNT_WORK] - 7.5) < 1e-9);
  assert_true(fabs(predicted.account.parts_s[LS_ACCOUNT_LATENCY] - 2.5) < 1e-9);
  assert_int_equal(predicted.platform.workers_count, 2);
  assert_true(fabs(predicted.platform.workers[1].costs[LS_OPERATION_COMPUTE].latency_s - 0.5) <
              1e-12);
  ls_run_predicted_close(&predicted);
  predicted = foretell(&situation, &config, 3);
  assert_true(fabs(predicted.account.makespan_s - 30) < 1e-6);
  ls_run_predicted_close(&predicted);
  ls_platform_close(&platform);
}

/* As `simulate` plays it where no more is told; a run knows the platform's speeds. */
static double play(const struct ls_run_situation *situation, const char *policy) {
  struct ls_world_request request = {.platform = situation->platform,
                                     .policy = policy,
                                     .units = situation->units,
                                     .knows_facts = true};
  struct ls_world world;
  struct ls_simulated result;
  struct ls_error err = {0};
  enum ls_status status = ls_world_open(&world, &request, &err);
  world.setup.prefetch = situation->prefetch;
  if (status == LS_OK) status = ls_simulate(&world.setup, &result, NULL, &err);
  if (status != LS_OK) fail_msg("%s", err.text);
  ls_world_close(&world);
  return result.makespan_s;
}

/* Messages take a while and much waits at each worker, so that it matters what the master knows
 * when it takes units back. */
static void a_prediction_is_what_simulate_plays(void **state) {
  (void)state;
  static const char *const policies[] = {"sc", "gss", "fac2", "tss", "af", "ss"};
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 4, NULL), LS_OK);
  for (size_t i = 0; i < 4; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = (double)(i + 1);
    platform.workers[i].delay_s = 0.3;
  }
  struct ls_run_situation situation = {
      .platform = &platform, .units = 20, .workers = 4, .prefetch = 16};
  for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
    struct ls_coordinator_config config = use(policies[i], 4);
    struct ls_run_predicted predicted = foretell(&situation, &config, 1);
    double expected_s = play(&situation, policies[i]);
    if (fabs(predicted.account.makespan_s - expected_s) > 1e-9)
      fail_msg("%s: %.17g s are predicted, simulate plays %.17g s", policies[i],
               predicted.account.makespan_s, expected_s);
    ls_run_predicted_close(&predicted);
  }
  ls_platform_close(&platform);
}

/* More workers than these may be waited for, and nobody knows them. */
static void guests_that_are_waited_for_are_not_foreseen(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  struct ls_run_situation situation = {.platform = &platform, .units = 10, .workers = 2};
  struct ls_coordinator_config config = use("ss", 2);
  config.workers_min = 5;
  struct ls_run_predicted predicted = foretell(&situation, &config, 1);
  assert_true(fabs(predicted.account.makespan_s - 5) < 1e-9);
  ls_run_predicted_close(&predicted);
  ls_platform_close(&platform);
}

/* Up to 3 units a chunk costs 0.25 s and 1 s a unit, up to 100 it costs 3 s and 0.5 s a unit. */
static void each_chunk_has_the_parts_of_its_window(void **state) {
  (void)state;
  struct ls_window windows[] = {{.from = 1, .to = 3}, {.from = 4, .to = 100}};
  struct ls_platform platform;
  struct ls_plan plan;
  windows[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.25, 1};
  windows[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){3, 0.5};
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  assert_int_equal(ls_platform_set_windows(&platform, &platform.workers[0], windows, 2, NULL),
                   LS_OK);
  ls_plan_init(&plan, "test", 20);
  ls_plan_add(&plan, 0, 0, 2);
  ls_plan_add(&plan, 0, 0, 16);
  ls_plan_add(&plan, 0, 0, 2);
  struct ls_run_situation situation = {.platform = &platform, .units = 20, .workers = 1};
  struct ls_coordinator_config config = use("follow-plan", 1);
  config.plan = &plan;
  struct ls_run_predicted predicted = foretell(&situation, &config, 1);
  const struct ls_account *account = &predicted.account;
  assert_true(fabs(account->makespan_s - 15.5) < 1e-9);
  assert_true(fabs(account->parts_s[LS_ACCOUNT_LATENCY] - 3.5) < 1e-9);
  assert_true(fabs(account->parts_s[LS_ACCOUNT_WORK] - 12) < 1e-9);
  assert_true(fabs(sum(account) - account->makespan_s) < 1e-9);
  ls_run_predicted_close(&predicted);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* 34 million units, as in the thesis: too many to simulate, and its chunks are few. */
static void a_plan_of_many_units_is_predicted_by_its_replay(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, 1e-6};
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.25, 1e-8};
  }
  ls_plan_init(&plan, "test", 34012224);
  for (uint32_t i = 0; i < 4; i++) ls_plan_add(&plan, i % 2, i / 2, 4012224);
  ls_plan_add(&plan, 0, 2, 34012224 - 4 * 4012224);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  struct ls_run_situation situation = {.platform = &platform, .units = 34012224, .workers = 2};
  struct ls_coordinator_config config = use("follow-plan", 2);
  config.plan = &plan;
  struct ls_run_predicted predicted = foretell(&situation, &config, 1);
  assert_true(predicted.is_known);
  assert_true(fabs(predicted.account.makespan_s - plan.makespan_s) < 1e-9 * plan.makespan_s);
  assert_true(fabs(sum(&predicted.account) - plan.makespan_s) < 1e-9 * plan.makespan_s);
  assert_true(predicted.account.parts_s[LS_ACCOUNT_LATENCY] > 1);
  assert_int_equal(predicted.platform.workers_count, 2);
  ls_run_predicted_close(&predicted);
  situation.platform = NULL; /* by the times of the plan */
  predicted = foretell(&situation, &config, 1);
  assert_true(predicted.is_known);
  ls_run_predicted_close(&predicted);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void a_plan_on_a_platform_is_predicted_as_its_replay(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 2;
  for (size_t i = 0; i < 2; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.25, 0.1};
  ls_plan_init(&plan, "test", 9);
  ls_plan_add(&plan, 0, 0, 4);
  ls_plan_add(&plan, 1, 0, 2);
  ls_plan_add(&plan, 0, 1, 3);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  struct ls_run_situation situation = {.platform = &platform, .units = 9, .workers = 2};
  struct ls_coordinator_config config = use("follow-plan", 2);
  config.plan = &plan;
  struct ls_run_predicted predicted = foretell(&situation, &config, 1);
  assert_true(fabs(predicted.account.makespan_s - plan.makespan_s) < 1e-9);
  assert_true(fabs(sum(&predicted.account) - plan.makespan_s) < 1e-9);
  ls_run_predicted_close(&predicted);
  /* Without the platform the times of the plan tell the same makespan. */
  situation.platform = NULL;
  predicted = foretell(&situation, &config, 1);
  assert_true(predicted.is_known);
  assert_true(fabs(predicted.account.makespan_s - plan.makespan_s) < 1e-12);
  assert_true(fabs(sum(&predicted.account) - plan.makespan_s) < 1e-9);
  ls_run_predicted_close(&predicted);
  for (size_t i = 0; i < plan.chunks_count; i++) plan.chunks[i].compute_end_s = (double)NAN;
  predicted = foretell(&situation, &config, 1);
  assert_false(predicted.is_known);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void declared_times_are_those_of_the_tasks(void **state) {
  (void)state;
  double times[] = {1, 2, 3, 4};
  struct ls_run_situation situation = {.times = times, .units = 4, .workers = 1};
  struct ls_coordinator_config config = use("ss", 1);
  struct ls_run_predicted predicted = foretell(&situation, &config, 2);
  assert_int_equal(predicted.draws, 1);
  assert_true(fabs(predicted.account.makespan_s - 20) < 0.01);
  assert_true(fabs(predicted.account.parts_s[LS_ACCOUNT_WORK] - 20) < 1e-9);
  ls_run_predicted_close(&predicted);
}

/* What differs from draw to draw is predicted by its mean; parts of a mean add up, too. */
static void a_history_is_drawn_from_several_times(void **state) {
  (void)state;
  double shares[] = {0.5, 1, 1.5};
  struct ls_run_history history = {
      .shares = shares, .shares_count = 3, .units = 100, .mean_seconds = 2};
  struct ls_run_situation situation = {
      .history = &history, .units = 100, .workers = 4, .prefetch = 1};
  struct ls_coordinator_config config = use("ss", 4);
  struct ls_run_predicted predicted = foretell(&situation, &config, 1);
  assert_true(predicted.draws > 1);
  assert_true(predicted.account.makespan_s > 45 && predicted.account.makespan_s < 60);
  assert_true(fabs(sum(&predicted.account) - predicted.account.makespan_s) < 1e-9);
  ls_run_predicted_close(&predicted);
}

static void who_knows_nothing_predicts_nothing(void **state) {
  (void)state;
  struct ls_run_situation situation = {.units = 10, .workers = 2};
  struct ls_coordinator_config config = use("ss", 2);
  struct ls_run_predicted predicted = foretell(&situation, &config, 1);
  assert_false(predicted.is_known);
  assert_int_equal(predicted.platform.workers_count, 0);
}

static void too_many_units_are_not_simulated(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  struct ls_run_situation situation = {
      .platform = &platform, .units = LS_RUN_PREDICT_UNITS_MAX / 2 + 1, .workers = 1};
  struct ls_coordinator_config config = use("ss", 1);
  struct ls_run_predicted predicted = foretell(&situation, &config, 2);
  assert_false(predicted.is_known);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_platform_predicts_makespan_and_parts),
      cmocka_unit_test(a_prediction_is_what_simulate_plays),
      cmocka_unit_test(guests_that_are_waited_for_are_not_foreseen),
      cmocka_unit_test(each_chunk_has_the_parts_of_its_window),
      cmocka_unit_test(a_plan_of_many_units_is_predicted_by_its_replay),
      cmocka_unit_test(a_plan_on_a_platform_is_predicted_as_its_replay),
      cmocka_unit_test(declared_times_are_those_of_the_tasks),
      cmocka_unit_test(a_history_is_drawn_from_several_times),
      cmocka_unit_test(who_knows_nothing_predicts_nothing),
      cmocka_unit_test(too_many_units_are_not_simulated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
