/* test_master_report.c: sums over units and workers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/master/guests/connections.h"
#include "runtime/master/master_report.h"

static void settle(struct ls_master_report *report, enum ls_outcome outcome, uint64_t units) {
  const struct ls_action_settle settle = {.units = {0, units}, .outcome = outcome};
  ls_master_report_settle(report, &settle);
}

static void outcomes_are_counted_apart(void **state) {
  struct ls_master_report report = {0};
  struct ls_connections nobody = {0};
  struct ls_coordinator_totals totals = {.done = 1, .chunks = 17};
  (void)state;
  settle(&report, LS_OUTCOME_DONE, 5);
  settle(&report, LS_OUTCOME_DONE, 6);
  settle(&report, LS_OUTCOME_FAILED, 2);
  settle(&report, LS_OUTCOME_GIVEN_UP, 3);
  ls_master_report_finish(&report, &nobody, &totals, 9);
  /* The coordinator's counts are of its last iteration only. */
  assert_int_equal(report.totals.done, 11);
  assert_int_equal(report.totals.failed, 2);
  assert_int_equal(report.totals.given_up, 3);
  assert_int_equal(report.tasks_given_up, 1);
  assert_int_equal(report.totals.chunks, 17);
  assert_int_equal(report.workers_count, 0);
  assert_true(report.efficiency == 0);
  ls_master_report_close(&report);
}

/* The end of the run, after the last result, is nobody's time. */
static void a_worker_is_up_until_the_last_result(void **state) {
  struct ls_connection items[5] = {
      {.facts = {.slot = 1, .joined_s = 1, .left_s = (double)NAN, .useful_s = 6, .price_per_s = 1}},
      {.facts = {.slot = 0}},
      {.facts = {.slot = 3, .joined_s = 2, .left_s = 7, .away_s = 1, .price_per_s = 10}},
      {.facts = {.slot = 4, .joined_s = 12, .left_s = (double)NAN, .price_per_s = 1}},
      {.facts = {.slot = 5, .joined_s = 1, .left_s = (double)NAN, .suspended_s = 7}}};
  struct ls_connections connections = {.items = items, .count = 5};
  struct ls_master_report report = {.makespan_s = 11};
  (void)state;
  ls_master_report_finish(&report, &connections, NULL, 20);
  assert_int_equal(report.workers_count, 4);
  assert_true(report.workers[0].up_s == 10);
  assert_true(report.workers[1].up_s == 4);
  assert_true(report.workers[2].up_s == 0);
  assert_true(report.workers[3].up_s == 3); /* of ten seconds it was away for seven */
  assert_true(report.price == 10 + 40);
  /* The second one costs ten times as much, and the last one nothing. */
  assert_true(fabs(report.efficiency - 6.0 / 50) < 1e-12);
  ls_master_report_close(&report);
}

/* One that was cut off and lost goes on with its units and brings their results when it is back:
 * those seconds count as work, so it was up. */
static void late_work_is_time_up(void **state) {
  struct ls_connection items[1] = {{.facts = {.slot = 1,
                                              .joined_s = 3,
                                              .left_s = (double)NAN,
                                              .away_s = 2,
                                              .suspended_s = 4,
                                              .useful_s = 8,
                                              .price_per_s = 1}}};
  struct ls_connections connections = {.items = items, .count = 1};
  struct ls_master_report report = {.makespan_s = 11};
  (void)state;
  ls_master_worker_cover(&items[0].facts, 5);
  assert_true(items[0].facts.suspended_s == 0 && items[0].facts.away_s == 1);
  ls_master_worker_cover(&items[0].facts, 2);
  assert_true(items[0].facts.away_s == 0 && items[0].facts.joined_s == 2);
  ls_master_report_finish(&report, &connections, NULL, 20);
  assert_true(report.workers[0].up_s == 9);
  assert_true(report.efficiency <= 1);
  ls_master_report_close(&report);
  ls_master_worker_cover(&items[0].facts, 3);
  assert_true(items[0].facts.joined_s == -1);
}

/* Slots that nobody was ever in are none of the account. */
static void the_account_is_the_mean_over_the_slots(void **state) {
  struct ls_connection items[3] = {
      {.facts = {.slot = 1}}, {.facts = {.slot = 0}}, {.facts = {.slot = 2}}};
  struct ls_connections connections = {.items = items, .count = 3};
  struct ls_master_report report = {.makespan_s = 10};
  double sum_s = 0;
  (void)state;
  for (size_t i = 0; i < 3; i += 2) {
    ls_account_join(&items[i].account, 1);
    ls_account_work(&items[i].account,
                    &(struct ls_account_work){.start_s = 2, .end_s = 8, .is_useful = i == 0});
  }
  ls_master_report_finish(&report, &connections, NULL, 12);
  assert_true(report.account.workers == 2);
  assert_true(report.account.parts_s[LS_ACCOUNT_WORK] == 3);
  assert_true(report.account.parts_s[LS_ACCOUNT_LOSSES] == 3);
  for (size_t part = 0; part < LS_ACCOUNT_PARTS; part++) sum_s += report.account.parts_s[part];
  assert_true(fabs(sum_s - 10) < 1e-12);
  ls_master_report_close(&report);
}

static void workers_wanted_are_listed(void **state) {
  struct ls_master_report report = {0};
  (void)state;
  for (uint32_t i = 0; i < 40; ++i) ls_master_report_want(&report, i, 2 * i);
  assert_int_equal(report.wanted_count, 40);
  assert_int_equal(report.wanted[39], 39);
  assert_int_equal(report.opened[39], 78);
  ls_master_report_close(&report);
  assert_int_equal(report.wanted_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_are_counted_apart),
      cmocka_unit_test(a_worker_is_up_until_the_last_result),
      cmocka_unit_test(late_work_is_time_up),
      cmocka_unit_test(the_account_is_the_mean_over_the_slots),
      cmocka_unit_test(workers_wanted_are_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
