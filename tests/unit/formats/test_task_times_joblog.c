#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_times_fixture.h"

#define HEADING "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n"

static void tasks_have_their_times(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  take_text(ls_task_times_read_joblog,
            HEADING
            "1\t:\t1700000000.100\t     0.250\t0\t17\t0\t0\tgzip a\tb\n"
            "2\tnode7\t1700000000.100\t1.5\t0\t0\t1\t0\tfalse\n",
            &times);
  expect_time(&times, "gzip a\tb", 0.25);
  expect_time(&times, "false", (double)NAN);
  assert_int_equal(times.failed, 1);
  ls_task_times_close(&times);
}

/* --resume-failed, --retry-failed and --joblog +FILE add lines. */
static void one_line_of_a_repeated_task_counts(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  take_text(ls_task_times_read_joblog,
            HEADING
            "1\t:\t1\t9\t0\t0\t1\t0\tmake a\n"
            "2\t:\t1\t2\t0\t0\t0\t0\tmake b\n"
            "1\t:\t5\t3\t0\t0\t0\t0\tmake a\n"
            "2\t:\t6\t4\t0\t0\t0\t0\tmake c\n"
            "2\t:\t7\t9\t0\t0\t1\t0\tmake b\n",
            &times);
  assert_int_equal(times.count, 3);
  expect_time(&times, "make a", 3);
  expect_time(&times, "make b", 2);
  expect_time(&times, "make c", 4);
  assert_int_equal(times.failed, 0);
  ls_task_times_close(&times);
}

static void wrong_fields_are_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"", "is empty, expected a job log"},
      {"Seq\tHost\n", "a field of the heading is missing, expected Starttime"},
      {HEADING "x\t:\t1\t1\t0\t0\t0\t0\tc\n", "line 2: Seq is \"x\", expected a number"},
      {HEADING "1\t:\t1\t-1\t0\t0\t0\t0\tc\n", "JobRuntime is \"-1\", expected seconds >= 0"},
      {HEADING "1\t:\t1\tnan\t0\t0\t0\t0\tc\n", "JobRuntime is \"nan\", expected a number"},
      {HEADING "1\t:\t1\t1\t0\t0\t0\t0\n", "Command is missing"},
      {HEADING "1\t:\t1\t1\t0\t0\t0\t0\tc\n2\t:\t1\t1\t0\t0\t0\t0\tc\n",
       "line 3: the name of the task is \"c\", expected each name once"},
  };
  expect_words_each(ls_task_times_read_joblog, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_have_their_times),
      cmocka_unit_test(one_line_of_a_repeated_task_counts),
      cmocka_unit_test(wrong_fields_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
