/* What a run will cost, by what is known before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "advise/run_cost.h"

static struct ls_coordinator_config use(size_t workers) {
  struct ls_coordinator_config config = {.workers = workers,
                                         .mean_seconds = (double)NAN,
                                         .deviation_seconds = (double)NAN,
                                         .overhead_seconds = (double)NAN,
                                         .spares_newcomers = true,
                                         .recalls = true};
  config.chunking = ls_chunking_find("ss");
  assert_non_null(config.chunking);
  ls_arguments_init(&config.arguments, config.chunking->parameters);
  return config;
}

static struct ls_run_cost find(const struct ls_run_situation *situation) {
  struct ls_coordinator_config config = use(situation->workers);
  const struct ls_run_predictable run = {
      .situation = situation, .config = &config, .iterations = 1};
  struct ls_run_cost cost;
  struct ls_error err = {0};
  if (ls_run_cost_find(&run, &cost, &err) != LS_OK) fail_msg("%s", err.text);
  return cost;
}

/* 40 tasks of 2 s on 2 workers: 40 s, 80 s of work; 8 workers would need 10 s. */
static void declared_times_have_no_spread(void **state) {
  double times[40];
  (void)state;
  for (size_t i = 0; i < 40; i++) times[i] = 2;
  struct ls_run_cost cost =
      find(&(struct ls_run_situation){.times = times, .units = 40, .workers = 2});
  assert_true(cost.is_known);
  assert_true(fabs(cost.median_s - 40) < 0.5);
  assert_true(fabs(cost.most_s - cost.least_s) < 1e-9);
  assert_true(fabs(cost.work_s - 80) < 1);
  assert_true(cost.size.is_known);
  assert_int_equal(cost.size.perfect, 40);
  ls_run_cost_close(&cost);
}

/* Gamma times on a platform: the band holds the expected duration, and is not a point. */
static void chance_makes_a_band(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
    platform.workers[i].unit_law = LS_DURATION_GAMMA;
    platform.workers[i].unit_variation = 0.8;
  }
  struct ls_run_cost cost =
      find(&(struct ls_run_situation){.platform = &platform, .units = 100, .workers = 2});
  assert_true(cost.is_known && cost.draws > 50);
  assert_true(cost.least_s < 50 && cost.most_s > 50 && cost.most_s - cost.least_s > 3);
  assert_true(cost.least_s <= cost.median_s && cost.median_s <= cost.most_s);
  ls_run_cost_close(&cost);
  ls_platform_close(&platform);
}

/* The same shares of few tasks leave more doubt about the mean than those of many. */
static void a_short_history_leaves_doubt(void **state) {
  double shares[400], width[2];
  struct ls_run_slot slots[] = {{200, 200}, {200, 200}};
  (void)state;
  for (size_t i = 0; i < 400; i++) shares[i] = i % 2 == 0 ? 0.5 : 1.5;
  for (size_t i = 0; i < 2; i++) {
    struct ls_run_history history = {.units = 400,
                                     .mean_seconds = 1,
                                     .slots = slots,
                                     .slots_count = 2,
                                     .shares = shares,
                                     .shares_count = i == 0 ? 8 : 400};
    struct ls_run_cost cost =
        find(&(struct ls_run_situation){.history = &history, .units = 1000, .workers = 2});
    assert_true(cost.is_known);
    width[i] = cost.most_s - cost.least_s;
    ls_run_cost_close(&cost);
  }
  assert_true(width[0] > 2 * width[1]);
}

static void nothing_known_is_no_cost(void **state) {
  (void)state;
  struct ls_run_cost cost = find(&(struct ls_run_situation){.units = 10, .workers = 2});
  assert_false(cost.is_known);
  ls_run_cost_close(&cost);
  cost = find(&(struct ls_run_situation){.units = 0, .workers = 2});
  assert_false(cost.is_known);
  ls_run_cost_close(&cost);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(declared_times_have_no_spread),
      cmocka_unit_test(chance_makes_a_band),
      cmocka_unit_test(a_short_history_leaves_doubt),
      cmocka_unit_test(nothing_known_is_no_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
