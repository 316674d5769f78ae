/* test_trial.c: the grid of worlds on which policies are ranked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/studies/trial.h"

enum { WORKERS = 8 };

static struct ls_trial open_scenario(size_t number, uint64_t seed, uint64_t machine) {
  struct ls_trial_key key = {
      .number = number, .workers = WORKERS, .seed = seed, .machine = machine};
  struct ls_trial scenario;
  struct ls_error err = {0};
  if (ls_trial_open(&scenario, &key, &err) != LS_OK) fail_msg("%s", err.text);
  if (ls_trial_draw(&scenario, 0, &err) != LS_OK) fail_msg("%s", err.text);
  return scenario;
}

static double play(const struct ls_trial *scenario, const char *policy) {
  struct ls_simulation setup;
  struct ls_simulated result;
  struct ls_error err = {0};
  const struct ls_chunking *chunking = ls_chunking_find(policy);
  ls_trial_world(scenario, &setup);
  setup.config.chunking = chunking;
  if (ls_trial_arguments(scenario, chunking, &setup.config.arguments, &err) != LS_OK ||
      ls_simulate(&setup, &result, NULL, &err) != LS_OK)
    fail_msg("%s", err.text);
  return result.makespan_s;
}

static void every_cell_comes_once(void **state) {
  (void)state;
  size_t seen[LS_TRIAL_SPEEDS][LS_TRIAL_LAWS][LS_TRIAL_LATENCIES][LS_TRIAL_PREFETCHES]
             [LS_TRIAL_LOADS] = {0};
  assert_int_equal(LS_TRIALS, 540);
  for (size_t number = 0; number < LS_TRIALS; number++) {
    struct ls_trial_cell cell = ls_trial_cell(number);
    assert_true(cell.load < LS_TRIAL_LOADS);
    assert_int_equal(seen[cell.speeds][cell.law][cell.latency][cell.prefetch][cell.load]++, 0);
  }
}

static void speeds_are_within_their_limits(void **state) {
  (void)state;
  static const double least[] = {1, 0.7, 0.3298}, most[] = {1, 1.3, 3.0315};
  for (size_t speeds = 0; speeds < LS_TRIAL_SPEEDS; speeds++) {
    for (uint64_t machine = 0; machine < 20; machine++) {
      struct ls_trial scenario = open_scenario(speeds, 1, machine);
      assert_int_equal(scenario.cell.speeds, speeds);
      for (size_t i = 0; i < WORKERS; i++) {
        assert_true(scenario.speeds[i] >= least[speeds] && scenario.speeds[i] <= most[speeds]);
      }
      ls_trial_close(&scenario);
    }
  }
}

static void no_policy_is_below_the_bound(void **state) {
  (void)state;
  static const char *const policies[] = {"ss", "sc", "af", "awf-c", "rumr", "monitor"};
  for (size_t number = 0; number < LS_TRIALS; number += 29) {
    struct ls_trial scenario = open_scenario(number, 1, 0);
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
      double ratio = play(&scenario, policies[i]) / scenario.bound_s;
      if (!(ratio >= 1 - 1e-9)) fail_msg("scenario %zu, %s: %.12g", number, policies[i], ratio);
    }
    ls_trial_close(&scenario);
  }
}

/* The bound is what the machines can do, not less: where they never differ and nothing costs, self
 * scheduling comes within one task of it, with load or without. */
static void the_bound_follows_the_load(void **state) {
  (void)state;
  for (size_t load = 0; load < LS_TRIAL_LOADS; load++) {
    struct ls_trial scenario = open_scenario(load * LS_TRIALS / LS_TRIAL_LOADS, 1, 0);
    assert_int_equal(scenario.cell.load, load);
    assert_int_equal(scenario.cell.law, 0);
    double ideal_s = scenario.work_sum / scenario.speed_sum;
    if (load == 0) assert_true(fabs(scenario.bound_s - ideal_s) <= 1e-9 * ideal_s);
    if (load > 0) assert_true(scenario.bound_s > 1.1 * ideal_s);
    scenario.platform.prepare.latency_s = 0;
    double makespan_s = play(&scenario, "ss");
    assert_true(makespan_s <= scenario.bound_s + 3);
    ls_trial_close(&scenario);
  }
}

static void the_same_key_gives_the_same_world(void **state) {
  (void)state;
  enum { NUMBER = 539 };
  struct ls_trial one = open_scenario(NUMBER, 3, 1), two = open_scenario(NUMBER, 3, 1);
  struct ls_trial seed = open_scenario(NUMBER, 4, 1), machine = open_scenario(NUMBER, 3, 2);
  struct ls_error err = {0};
  double makespan_s = play(&one, "wf2");
  assert_true(makespan_s >= play(&two, "wf2") && makespan_s <= play(&two, "wf2"));
  assert_memory_equal(one.speeds, two.speeds, WORKERS * sizeof(double));
  assert_memory_equal(one.work, two.work, LS_TRIAL_UNITS * sizeof(double));
  assert_true(memcmp(one.speeds, seed.speeds, WORKERS * sizeof(double)) != 0);
  assert_true(memcmp(one.speeds, machine.speeds, WORKERS * sizeof(double)) != 0);
  /* Another draw in between leaves no trace. */
  if (ls_trial_draw(&two, 7, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(fabs(play(&two, "wf2") - makespan_s) > 0);
  if (ls_trial_draw(&two, 0, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(makespan_s >= play(&two, "wf2") && makespan_s <= play(&two, "wf2"));
  ls_trial_close(&one);
  ls_trial_close(&two);
  ls_trial_close(&seed);
  ls_trial_close(&machine);
}

static void policies_know_what_they_may(void **state) {
  (void)state;
  struct ls_trial scenario = open_scenario(539, 1, 0);
  const struct ls_chunking *rumr = ls_chunking_find("rumr"), *monitor = ls_chunking_find("monitor");
  struct ls_simulation setup;
  struct ls_arguments arguments;
  struct ls_error err = {0};
  assert_int_equal(scenario.cell.load, LS_TRIAL_LOADS - 1);
  ls_trial_world(&scenario, &setup);
  assert_true(fabs(setup.config.overhead_seconds - 2.01) < 1e-12);
  assert_true(fabs(setup.config.mean_seconds * scenario.speed_sum - WORKERS) < 1e-9);
  assert_ptr_equal(setup.config.weights, scenario.speeds);
  assert_int_equal(ls_trial_arguments(&scenario, rumr, &arguments, &err), LS_OK);
  double expected = fmin(0.9, scenario.variation + 0.3);
  assert_true(fabs(ls_arguments_get(&arguments, rumr->parameters, "error") - expected) < 1e-12);
  assert_int_equal(ls_trial_arguments(&scenario, monitor, &arguments, &err), LS_OK);
  double every = ls_arguments_get(&arguments, monitor->parameters, "report_every");
  assert_true(every > 3.5 && every < 4.5);
  ls_trial_close(&scenario);
}

static void a_machine_without_workers_is_refused(void **state) {
  (void)state;
  struct ls_trial_key key = {.number = 0, .workers = 0};
  struct ls_trial scenario;
  struct ls_error err = {0};
  assert_int_equal(ls_trial_open(&scenario, &key, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cell_comes_once),
      cmocka_unit_test(speeds_are_within_their_limits),
      cmocka_unit_test(no_policy_is_below_the_bound),
      cmocka_unit_test(the_bound_follows_the_load),
      cmocka_unit_test(the_same_key_gives_the_same_world),
      cmocka_unit_test(policies_know_what_they_may),
      cmocka_unit_test(a_machine_without_workers_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
