#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_times_fixture.h"

static enum ls_status read_plain(struct ls_task_times *times, struct ls_text text,
                                 struct ls_error *err) {
  return ls_task_times_read_list(times, text, false, err);
}

static enum ls_status read_sizes(struct ls_task_times *times, struct ls_text text,
                                 struct ls_error *err) {
  return ls_task_times_read_list(times, text, true, err);
}

static void tasks_have_their_times(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  static const char *const wrong[][2] = {{"a b\n", "line 1: the size is \"a\", expected a number"},
                                         {"1\n", "line 1: the name is missing"},
                                         {"-1 a\n", "the size is \"-1\", expected a number >= 0"}};
  take_text(read_plain, "make all\n\n  two words\tand a tab\r\n", &times);
  assert_int_equal(times.count, 2);
  expect_time(&times, "  two words\tand a tab", (double)NAN);
  take_text(read_sizes, "  12 one\n3.5\ttwo words\n", &times);
  assert_int_equal(times.count, 4);
  assert_true(fabs(times.items[2].size - 12) <= 0 && fabs(times.items[3].size - 3.5) <= 0);
  expect_time(&times, "two words", (double)NAN);
  expect_words_each(read_sizes, wrong, sizeof wrong / sizeof *wrong);
  ls_task_times_close(&times);
}

static void wrong_fields_are_named(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"a\nb\na\n", "line 3: the name of the task is \"a\", expected each name once"},
  };
  expect_words_each(read_plain, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tasks_have_their_times),
      cmocka_unit_test(wrong_fields_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
