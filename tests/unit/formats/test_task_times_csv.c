#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_times_fixture.h"

static void tasks_have_their_times(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  take_text(ls_task_times_read_csv,
            "# made by hand\nsize,test,note,time\n10,\"a, b\",x,1.5\n,c,,\n", &times);
  expect_time(&times, "a, b", 1.5);
  expect_time(&times, "c", (double)NAN);
  assert_true(times.has_sizes && fabs(times.items[0].size - 10) <= 0);
  take_text(ls_task_times_read_csv, "plain,2\nother,3,40\r\n", &times);
  expect_time(&times, "plain", 2);
  take_text(ls_task_times_read_csv, "#by hand\n#\nname,seconds\n#7,1\n# x,3\n#\n\"# y\",4\n",
            &times);
  expect_time(&times, "#7", 1);
  expect_time(&times, "# y", 4);
  assert_true(ls_task_times_is_csv("name,seconds", 12));
  assert_false(ls_task_times_is_csv("name,other", 10));
  assert_false(ls_task_times_is_csv("", 0));
  ls_task_times_close(&times);
}

static void wrong_fields_are_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"name,seconds,time\n", "the heading has two columns of seconds"},
      {"name,seconds\n#7\n", "line 2: seconds is missing"},
      {"name,seconds\na,x\n", "line 2: seconds is \"x\", expected a number"},
      {"name,seconds\na,-1\n", "line 2: seconds is \"-1\", expected a number >= 0"},
      {"name,seconds\na,NaN\n", "seconds is \"NaN\""},
      {"name,seconds\n,1\n", "line 2: name is \"\", expected the name of a task"},
      {"name,seconds\na\n", "line 2: seconds is missing"},
      {"a,1,2,3\n", "a fourth field is \"3\""},
      {"a,1,x\n", "size is \"x\""},
      {"a,1\na,2\n", "line 2: the name of the task is \"a\""},
  };
  expect_words_each(ls_task_times_read_csv, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_have_their_times),
      cmocka_unit_test(wrong_fields_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
