#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measurements_fixture.h"

#define HEADING "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"

static void each_task_that_ended_well_is_a_unit(void **state) {
  (void)state;
  struct taken taken = take_text(ls_measurements_read_joblog, HEADING
                                 "1\t:\t1700000000.100\t     0.250\t0\t17\t0\t0\tgzip a\tb\n"
                                 "2\tnode7\t1700000000.100\t1.5\t0\t0\t1\t0\tfalse\n"
                                 "3\tnode7\t1700000000.100\t2.5\t0\t0\t0\t0\ttrue\n"
                                 "4\tnode7\t1700000000.100\t2.5\t0\t0\t0\t9\tsleep 9\n");
  expect_counts(&taken, 4, 2);
  assert_string_equal(taken.measurements.workers[0], "localhost");
  assert_string_equal(taken.measurements.workers[1], "node7");
  assert_true(fabs(taken.measurements.items[0].seconds - 0.25) <= 0);
  assert_true(fabs(taken.measurements.items[1].units - 1) <= 0);
  ls_measurements_close(&taken.measurements);
}

static void wrong_fields_are_named_with_their_line(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"", "is empty, expected a job log"},
      {"Seq\tHost\n", "a field of the heading is missing, expected Starttime"},
      {"Seq,Host\n", "expected Seq"},
      {HEADING "x\t:\t1\t1\t0\t0\t0\t0\tc\n", "line 2: Seq is \"x\", expected a number"},
      {HEADING "0\t:\t1\t1\t0\t0\t0\t0\tc\n", "Seq is \"0\", expected the number of a task"},
      {HEADING "1\t\t1\t1\t0\t0\t0\t0\tc\n", "Host is \"\""},
      {HEADING "1\t:\tnow\t1\t0\t0\t0\t0\tc\n", "Starttime is \"now\""},
      {HEADING "1\t:\t1\t-1\t0\t0\t0\t0\tc\n", "JobRuntime is \"-1\", expected seconds >= 0"},
      {HEADING "1\t:\t1\t1\t0\t0\t0.5\t0\tc\n", "Exitval is \"0.5\", expected a whole number"},
      {HEADING "1\t:\t1\t1\t0\t0\t0\n", "Signal is missing"},
      {HEADING "1\t:\t1\t1\t0\t0\t0\t0\n", "Command is missing"},
  };
  expect_words_each(ls_measurements_read_joblog, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_task_that_ended_well_is_a_unit),
      cmocka_unit_test(wrong_fields_are_named_with_their_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
