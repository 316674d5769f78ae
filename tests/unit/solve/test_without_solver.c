/* A build without Clp and Cbc: programs are built and refused as ever, and none is solved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "solve/linear.h"

/* max x, x <= 2 */
static void expect(bool is_whole, double bound, enum ls_status status, const char *words) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  struct ls_error err = {0};
  ls_linear_init(&program, true);
  size_t x = ls_linear_column(&program, 1);
  if (is_whole) ls_linear_integer(&program, x);
  (void)ls_linear_row(&program, LS_AT_MOST, bound);
  ls_linear_entry(&program, x, 1);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, &err), status);
  assert_non_null(strstr(err.text, words));
  ls_linear_close(&program);
}

static void it_says_why_nothing_is_solved(void **state) {
  (void)state;
  expect(false, 2, LS_EIO, "need Clp and Cbc, without which this program was built");
  expect(true, 2, LS_EIO, "need Clp and Cbc, without which this program was built");
}

static void what_is_wrong_with_a_program_comes_first(void **state) {
  (void)state;
  expect(false, 1e31, LS_EINVAL, "row 0: bound is 1e+31");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_says_why_nothing_is_solved),
      cmocka_unit_test(what_is_wrong_with_a_program_comes_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
