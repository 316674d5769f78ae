#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measurements_fixture.h"

static void each_completed_job_is_a_unit(void **state) {
  (void)state;
  struct taken taken = take_text(ls_measurements_read_sacct,
                                 "JobID|JobName|State|NodeList|ElapsedRaw\n"
                                 "7_1|a|COMPLETED|n1|90\n7_1.batch|batch|COMPLETED|n1|90\n"
                                 "7_2|a|FAILED|n2|3\n7_3|a|COMPLETED|n2|100\n"
                                 "8|a|CANCELLED by 1000|None assigned|0\n");
  expect_counts(&taken, 4, 2);
  assert_string_equal(taken.measurements.workers[1], "n2");
  assert_true(fabs(taken.measurements.items[1].seconds - 100) <= 0);
  ls_measurements_close(&taken.measurements);
}

/* Jobs that have not ended or not begun, and steps, may have no time that could be read. */
static void rows_that_say_nothing_need_no_time(void **state) {
  (void)state;
  struct taken taken = take_text(ls_measurements_read_sacct,
                                 "JobID|State|NodeList|Elapsed\n"
                                 "1|FAILED|n1|INVALID\n2|PENDING|None assigned|\n"
                                 "3.extern|COMPLETED|n1|INVALID\n4|RUNNING|n1|\n"
                                 "5|COMPLETED|n1|00:00:07\n");
  expect_counts(&taken, 4, 3);
  ls_measurements_close(&taken.measurements);
  expect_words(ls_measurements_read_sacct, "State|NodeList|Elapsed\nCOMPLETED|n1|INVALID\n",
               "Elapsed is \"INVALID\"");
}

static void elapsed_times_have_days_hours_minutes_seconds(void **state) {
  (void)state;
  struct taken taken =
      take_text(ls_measurements_read_sacct, "NodeList|Elapsed\nn1|01:02:03\nn1|2-00:00:01\n");
  assert_true(fabs(taken.measurements.items[0].seconds - 3723) <= 0);
  assert_true(fabs(taken.measurements.items[1].seconds - 172801) <= 0);
  ls_measurements_close(&taken.measurements);
}

static void wrong_fields_are_named_with_their_line(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"", "is empty, expected what sacct"},
      {"JobID|State\n", "line 1: ElapsedRaw is missing in the heading"},
      {"JobID|Elapsed\n", "NodeList is missing in the heading"},
      {"NodeList|Elapsed\nn1\n", "line 2: it has 1 fields, expected 2"},
      {"NodeList|Elapsed\nn1|02:3x\n", "Elapsed is \"02:3x\", expected a time such as"},
      {"NodeList|Elapsed\nn1|00:60:00\n", "Elapsed is \"00:60:00\""},
      {"NodeList|Elapsed\nn1|-00:10:00\n", "Elapsed is \"-00:10:00\""},
      {"NodeList|Elapsed\nn1|1-00:10:00x\n", "Elapsed is \"1-00:10:00x\""},
      {"NodeList|ElapsedRaw\nn1|-5\n", "ElapsedRaw is \"-5\", expected seconds >= 0"},
      {"NodeList|ElapsedRaw\nn1|5s\n", "ElapsedRaw is \"5s\", expected a number"},
      {"NodeList|ElapsedRaw\n|5\n", "NodeList is \"\", expected a name"},
  };
  expect_words_each(ls_measurements_read_sacct, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_completed_job_is_a_unit),
      cmocka_unit_test(rows_that_say_nothing_need_no_time),
      cmocka_unit_test(elapsed_times_have_days_hours_minutes_seconds),
      cmocka_unit_test(wrong_fields_are_named_with_their_line),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
