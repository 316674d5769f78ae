#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_times_fixture.h"

static void tasks_have_their_times(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  take_text(ls_task_times_read_durations, "{\"tests/a.py::b\": 0.5, \"c\": 2}", &times);
  expect_time(&times, "tests/a.py::b", 0.5);
  expect_time(&times, "c", 2);
  take_text(ls_task_times_read_durations, "[[\"c\", 4], [\"d\", 1e-3]]", &times);
  expect_time(&times, "c", 3);
  expect_time(&times, "d", 0.001);
  ls_task_times_close(&times);
}

static void wrong_fields_are_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"{\"a\": -1}", "file: \"a\" is -1, expected a number from 0"},
      {"{\"a\": \"x\"}", "file: this JSON is no .test_durations: \"a\" is a text there"},
      {"{\"a\": NaN}", "file: line 1"},
      {"{\"a\": 1, \"a\": 2}", "duplicate object key"},
      {"{\"\": 1}", "expected a name"},
      {"{\"a\\nb\": 1}", "\"a?b\": the name of the task is \"a?b\", expected one line of text"},
      {"[[\"a\"]]", "[0] is an array, expected a pair"},
      {"[[1, 2]]", "[0][0] is 1, expected a string"},
      {"[[\"a\", 2], [\"a\", 3]]", "[1]: the name of the task is \"a\""},
      {"3", "file: "},
      {"", "file: "},
  };
  expect_words_each(ls_task_times_read_durations, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_have_their_times),
      cmocka_unit_test(wrong_fields_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
