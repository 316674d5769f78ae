/* What a run's knowledge predicts, beside what happened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "cli/run/run_account.h"

struct rig {
  struct ls_run_options options;
  struct ls_run_policy policy;
  struct ls_run_account account;
};

static void open_rig(struct rig *rig, uint64_t units) {
  struct ls_error err = {0};
  rig->options.order = "fifo";
  rig->options.workers = 2;
  rig->options.prefetch = 1;
  if (ls_run_policy_choose(&rig->policy, &rig->options, units, &err) != LS_OK)
    fail_msg("%s", err.text);
  rig->account = (struct ls_run_account){
      .options = &rig->options, .policy = &rig->policy, .runs_commands = true};
}

static void close_rig(struct rig *rig) {
  ls_run_account_close(&rig->account);
  ls_run_policy_close(&rig->policy);
}

/* A run of two workers that computed all units of so many iterations, as many in each. */
static struct ls_master_report make_report(uint64_t done, size_t iterations, double makespan_s) {
  static uint64_t opened[8];
  for (size_t k = 0; k < iterations; k++) opened[k] = done / iterations;
  struct ls_master_report report = {.units_done = done,
                                    .opened = opened,
                                    .wanted_count = iterations,
                                    .has_begun = true,
                                    .makespan_s = makespan_s,
                                    .account = {.makespan_s = makespan_s, .workers = 2}};
  report.account.parts_s[LS_ACCOUNT_WORK] = makespan_s;
  return report;
}

static void a_platform_is_compared_with_what_happened(void **state) {
  (void)state;
  struct rig rig = {.options = {.policy = "ss", .platform = "2x(compute=0.5x)"}};
  open_rig(&rig, 8);
  ls_run_account_predict(&rig.account, 8);
  assert_true(rig.account.has_comparison);
  assert_false(rig.account.comparison.has_happened);
  assert_string_equal(rig.account.comparison.basis, "ss on 2x(compute=0.5x)");
  assert_true(fabs(rig.account.comparison.predicted.makespan_s - 2) < 1e-9);
  struct ls_master_report report = make_report(8, 1, 2.5);
  ls_run_account_compare(&rig.account, &report, 8);
  assert_true(rig.account.comparison.has_happened);
  assert_true(fabs(rig.account.comparison.happened.makespan_s - 2.5) < 1e-12);
  close_rig(&rig);
}

static void iterations_and_rests_are_known_behind_the_run(void **state) {
  (void)state;
  struct rig rig = {.options = {.policy = "ss", .platform = "2x(compute=0.5x)"}};
  open_rig(&rig, 8);
  ls_run_account_predict(&rig.account, 8);
  struct ls_master_report report = make_report(24, 3, 7);
  ls_run_account_compare(&rig.account, &report, 8);
  assert_true(fabs(rig.account.comparison.predicted.makespan_s - 6) < 1e-6);
  report = make_report(4, 1, 1.1);
  report.units_before = 4;
  ls_run_account_compare(&rig.account, &report, 8);
  assert_true(fabs(rig.account.comparison.predicted.makespan_s - 1) < 1e-9);
  assert_true(rig.account.comparison.has_happened);
  close_rig(&rig);
}

static void a_run_that_was_stopped_is_not_compared(void **state) {
  (void)state;
  struct rig rig = {.options = {.policy = "ss", .platform = "2x(compute=0.5x)"}};
  open_rig(&rig, 8);
  ls_run_account_predict(&rig.account, 8);
  struct ls_master_report report = make_report(4, 1, 1);
  report.was_stopped = true;
  ls_run_account_compare(&rig.account, &report, 8);
  assert_true(rig.account.has_comparison && !rig.account.comparison.has_happened);
  close_rig(&rig);
}

static void an_excuse_says_what_cannot_be_predicted(void **state) {
  (void)state;
  struct rig rig = {.options = {.policy = "ss", .platform = "2x(compute=0.5x)"}};
  open_rig(&rig, 8);
  ls_run_account_predict(&rig.account, 2000000);
  assert_false(rig.account.has_comparison);
  assert_non_null(strstr(ls_bytes_text(&rig.account.excuse), "are not simulated"));
  struct ls_master_report report = make_report(17, 2, 1);
  report.opened[0] = 9;
  rig.options.times = "times";
  ls_run_account_compare(&rig.account, &report, 8);
  assert_false(rig.account.has_comparison);
  assert_non_null(strstr(ls_bytes_text(&rig.account.excuse), "other tasks than"));
  close_rig(&rig);
}

/* As where units are idle: eight, two, none, and two more. */
static void iterations_may_have_different_numbers_of_units(void **state) {
  (void)state;
  struct rig rig = {.options = {.policy = "ss", .platform = "2x(compute=0.5x)"}};
  open_rig(&rig, 8);
  ls_run_account_predict(&rig.account, 8);
  struct ls_master_report report = make_report(12, 4, 7);
  const uint64_t opened[] = {8, 2, 0, 2};
  memcpy(report.opened, opened, sizeof opened);
  ls_run_account_compare(&rig.account, &report, 8);
  assert_true(rig.account.comparison.has_happened);
  assert_true(fabs(rig.account.comparison.predicted.makespan_s - 3) < 1e-6);
  close_rig(&rig);
}

static void who_knows_nothing_needs_no_excuse(void **state) {
  (void)state;
  struct rig rig = {.options = {.policy = "ss"}};
  open_rig(&rig, 8);
  ls_run_account_predict(&rig.account, 8);
  struct ls_master_report report = make_report(8, 1, 1);
  ls_run_account_compare(&rig.account, &report, 8);
  assert_false(rig.account.has_comparison);
  assert_int_equal(rig.account.excuse.length, 0);
  close_rig(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_platform_is_compared_with_what_happened),
      cmocka_unit_test(iterations_and_rests_are_known_behind_the_run),
      cmocka_unit_test(iterations_may_have_different_numbers_of_units),
      cmocka_unit_test(a_run_that_was_stopped_is_not_compared),
      cmocka_unit_test(an_excuse_says_what_cannot_be_predicted),
      cmocka_unit_test(who_knows_nothing_needs_no_excuse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
