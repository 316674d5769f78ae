/* What a resumed run passes over; what journals and job logs say of it is in tests/cli/test-resume.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/run_left.h"
#include "cli/run/run_private.h"

static void nothing_is_passed_over_at_first(void **state) {
  struct ls_run_left left = {0};
  (void)state;
  assert_false(ls_run_left_is_done(&left, 0) || ls_run_left_is_done(&left, UINT64_MAX));
  ls_run_left_close(&left);
}

static void a_run_that_does_not_go_on_does_all(void **state) {
  static struct ls_run run;
  struct ls_run_left left = {0};
  (void)state;
  run.units = 3;
  run.options.journal = "/nowhere/journal";
  assert_int_equal(ls_run_left_read(&run, &left, NULL), LS_OK);
  assert_int_equal(left.tasks, 0);
  /* Nor does one that has nothing to go on with. */
  run.options.is_resumed = true;
  assert_int_equal(ls_run_left_read(&run, &left, NULL), LS_OK);
  assert_int_equal(left.tasks, 0);
}

static void what_cannot_be_read_is_said(void **state) {
  static struct ls_run run;
  struct ls_run_left left = {0};
  struct ls_error err = {0};
  (void)state;
  run.units = 3;
  run.options.is_resumed = true;
  run.options.journal = "/dev/null";
  assert_int_equal(ls_run_left_read(&run, &left, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/dev/null"));
  ls_run_left_close(&left);
}

static void bits_are_those_of_their_tasks(void **state) {
  uint64_t done[] = {5, 1};
  const struct ls_run_left left = {done, 66};
  (void)state;
  for (uint64_t task = 0; task < 200; task++)
    assert_int_equal(ls_run_left_is_done(&left, task), task == 0 || task == 2 || task == 64);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_is_passed_over_at_first),
      cmocka_unit_test(a_run_that_does_not_go_on_does_all),
      cmocka_unit_test(what_cannot_be_read_is_said),
      cmocka_unit_test(bits_are_those_of_their_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
