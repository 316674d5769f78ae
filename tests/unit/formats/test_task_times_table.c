#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "task_times_fixture.h"

static enum ls_status add(struct ls_task_times *times, const char *name, double seconds,
                          struct ls_error *err) {
  return ls_task_times_add(times,
                           &(struct ls_task_times_row){.name = name,
                                                       .length = strlen(name),
                                                       .seconds = seconds,
                                                       .source = "f",
                                                       .where = "line 1"},
                           err);
}

static void files_measure_the_same_tasks_again(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  ls_task_times_begin_file(&times);
  assert_int_equal(add(&times, "a", 1, NULL), LS_OK);
  assert_int_equal(add(&times, "b", (double)NAN, NULL), LS_OK);
  ls_task_times_begin_file(&times);
  assert_int_equal(add(&times, "a", 3, NULL), LS_OK);
  assert_int_equal(times.count, 2);
  assert_int_equal(times.items[0].count, 2);
  expect_time(&times, "a", 2);
  assert_true(fabs(times.items[0].squares - 2) < 1e-12);
  expect_time(&times, "b", (double)NAN);
  assert_true(ls_task_times_find(&times, "c", 1) == SIZE_MAX);
  ls_task_times_close(&times);
}

static void a_name_that_comes_again_means_what_was_said(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_task_times times = {.items = NULL};
  ls_task_times_begin_file(&times);
  assert_int_equal(add(&times, "a", 1, NULL), LS_OK);
  assert_int_equal(add(&times, "a", 1, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "f: line 1: the name of the task is \"a\", expected each name"));
  ls_task_times_close(&times);
  times.same_names = LS_SAME_NAMES_MEAN;
  ls_task_times_begin_file(&times);
  for (int i = 0; i < 3; i++) assert_int_equal(add(&times, "a", i, NULL), LS_OK);
  assert_int_equal(times.count, 1);
  expect_time(&times, "a", 1);
  ls_task_times_close(&times);
  times.same_names = LS_SAME_NAMES_EACH;
  for (int file = 0; file < 2; file++) {
    ls_task_times_begin_file(&times);
    for (int i = 0; i < 3; i++) assert_int_equal(add(&times, "a", i + file, NULL), LS_OK);
  }
  assert_int_equal(times.count, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(times.items[i].count, 2);
    assert_true(fabs(times.items[i].mean_s - (i + 0.5)) < 1e-12);
  }
  ls_task_times_close(&times);
}

static void many_names_are_found(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  char name[32];
  ls_task_times_begin_file(&times);
  for (int i = 0; i < 20000; i++) {
    (void)snprintf(name, sizeof name, "task %d", i);
    assert_int_equal(add(&times, name, i, NULL), LS_OK);
  }
  for (int i = 0; i < 20000; i += 37) {
    (void)snprintf(name, sizeof name, "task %d", i);
    assert_int_equal(ls_task_times_find(&times, name, strlen(name)), i);
  }
  ls_task_times_close(&times);
}

static void rows_that_cannot_be_are_refused(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_task_times times = {.items = NULL};
  assert_int_equal(add(&times, "", 1, &err), LS_EINVAL);
  assert_int_equal(add(&times, "a\nb", 1, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "\"a?b\", expected one line of text"));
  assert_int_equal(add(&times, "a", -1, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "the time is -1, expected seconds from 0"));
  assert_int_equal(add(&times, "a", (double)INFINITY, &err), LS_EINVAL);
  assert_int_equal(times.count, 0);
  ls_task_times_close(&times);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(files_measure_the_same_tasks_again),
      cmocka_unit_test(a_name_that_comes_again_means_what_was_said),
      cmocka_unit_test(many_names_are_found),
      cmocka_unit_test(rows_that_cannot_be_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
