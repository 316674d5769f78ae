#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "runtime/master/time_limit.h"

static void it_is_known_after_three(void **state) {
  (void)state;
  struct ls_time_limit limit = {.percent = 200};
  assert_false(ls_time_limit_learn(&limit, 1));
  assert_false(ls_time_limit_learn(&limit, 3));
  assert_true(limit.told_s == 0);
  assert_true(ls_time_limit_learn(&limit, 2));
  assert_true(limit.told_s == 4);
  ls_time_limit_close(&limit);
}

/* Else each result would be a message to everybody. */
static void small_changes_are_not_told(void **state) {
  (void)state;
  struct ls_time_limit limit = {.percent = 200};
  for (int i = 0; i < 2; i++) assert_false(ls_time_limit_learn(&limit, 1));
  assert_true(ls_time_limit_learn(&limit, 1));
  for (int i = 0; i < 10; i++) assert_false(ls_time_limit_learn(&limit, 1.01));
  for (int i = 0; i < 12; i++) assert_false(ls_time_limit_learn(&limit, 1.04));
  bool is_told = false;
  for (int i = 0; i < 60; i++) is_told = ls_time_limit_learn(&limit, 3) || is_told;
  assert_true(is_told && limit.told_s == 6);
  ls_time_limit_close(&limit);
}

static void without_a_percentage_there_is_none(void **state) {
  (void)state;
  struct ls_time_limit limit = {.percent = 0};
  for (int i = 0; i < 5; i++) assert_false(ls_time_limit_learn(&limit, 1));
  ls_time_limit_close(&limit);
}

static void units_of_no_time_leave_some(void **state) {
  (void)state;
  struct ls_time_limit limit = {.percent = 200};
  for (int i = 0; i < 3; i++) (void)ls_time_limit_learn(&limit, 0);
  assert_true(limit.told_s > 0);
  ls_time_limit_close(&limit);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_known_after_three),
      cmocka_unit_test(small_changes_are_not_told),
      cmocka_unit_test(without_a_percentage_there_is_none),
      cmocka_unit_test(units_of_no_time_leave_some),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
