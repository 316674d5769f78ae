#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_times_fixture.h"

static void tasks_have_their_times(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  take_text(ls_task_times_read_sacct,
            "JobID|JobName|State|ElapsedRaw\n7|fit|COMPLETED|90\n7.batch|batch|COMPLETED|89\n"
            "8|draw|FAILED|INVALID\n10|late|PENDING|0\n11|now|RUNNING|5\n",
            &times);
  assert_int_equal(times.count, 4);
  /* What goes on has no time yet, and has not failed. */
  assert_int_equal(times.failed, 1);
  expect_time(&times, "now", (double)NAN);
  expect_time(&times, "fit", 90);
  expect_time(&times, "draw", (double)NAN);
  take_text(ls_task_times_read_sacct, "JobID|Elapsed\n9|1-00:00:01\n", &times);
  expect_time(&times, "9", 86401);
  take_text(ls_task_times_read_sacct, "JobName;Elapsed;JobIDRaw\nshort;01:30;12\n", &times);
  expect_time(&times, "short", 90);
  take_text(ls_task_times_read_sacct,
            "JobID|JobName|State|Elapsed\n17_1|sweep|COMPLETED|00:10\n"
            "17_2|sweep|COMPLETED|00:20\n17_[3-9]|sweep|PENDING|00:00\n",
            &times);
  expect_time(&times, "sweep_1", 10);
  expect_time(&times, "sweep_2", 20);
  assert_int_equal(ls_task_times_find(&times, "sweep_[3-9]", 11), SIZE_MAX);
  ls_task_times_close(&times);
}

static void wrong_fields_are_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"", "is empty, expected what sacct"},
      {"17|fit|COMPLETED|90\n", "it begins with a job, expected the heading"},
      {"  JobID    Elapsed\n----- -------\n", "blanks divide its columns"},
      {"JobID|State\n", "ElapsedRaw is missing in the heading"},
      {"State|Elapsed\n", "JobName is missing in the heading"},
      {"JobID|Elapsed\n9|1:x\n", "line 2: Elapsed is \"1:x\", expected a time such as"},
      {"JobID|ElapsedRaw\n9|-4\n", "ElapsedRaw is \"-4\", expected seconds >= 0"},
      {"JobID|ElapsedRaw\n9\n", "line 2: it has 1 fields, expected 2"},
      {"JobID|JobName|ElapsedRaw\n9||4\n", "JobName is \"\", expected a name"},
  };
  expect_words_each(ls_task_times_read_sacct, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_have_their_times),
      cmocka_unit_test(wrong_fields_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
