/* test_master_workers.c: who may join a run, and as whom. */
#include "master_fixture.h"

static void worker_with_a_wrong_token_gets_nothing(void **state) {
  (void)state;
  struct tally tally = {.units = 20, .iterations = 1, .threads_count = 1, .token = "wrong"};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  options.token = "right";
  options.workers_patience_s = 0.5;
  struct ls_master_report report;
  struct ls_error err = {0};
  assert_int_equal(run(&options, &tally, &report, &err), LS_ENOWORKERS);
  assert_int_equal(tally.settled, 0);
  assert_int_equal(report.workers_count, 0);
  ls_master_report_close(&report);
}

static void workers_from_outside_have_slots_of_their_own(void **state) {
  (void)state;
  struct tally tally = {.units = 90, .iterations = 1, .threads_count = 3};
  struct ls_master_options options = make_options(&tally, &sound_app, "ss");
  struct ls_master_report report;
  assert_int_equal(run(&options, &tally, &report, NULL), LS_OK);
  assert_int_equal(report.workers_count, 3);
  unsigned seen = 0;
  for (size_t i = 0; i < 3; ++i) {
    assert_string_equal(report.workers[i].name, "thread");
    assert_in_range(report.workers[i].slot, 1, 3);
    seen |= 1U << report.workers[i].slot;
    assert_true(report.workers[i].joined_s >= 0);
  }
  assert_int_equal(seen, 0xe);
  ls_master_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worker_with_a_wrong_token_gets_nothing),
      cmocka_unit_test(workers_from_outside_have_slots_of_their_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
