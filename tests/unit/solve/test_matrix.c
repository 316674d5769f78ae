/* Programs by column; and whichever allocation fails, building and solving say so and leave nothing
 * behind.  The allocator is wrapped by the linker (see meson.build).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/matrix_private.h"

#include "../../support/counted_memory.h"

/* Max x + 3y, x in [-2, 5], y >= 0; row 0: x + y + y <= 9; row 1: y >= 1; row 2: x - y = 1. */
static void build(struct ls_linear *program, bool is_integer) {
  ls_linear_init(program, true);
  size_t x = ls_linear_column(program, 1), y = ls_linear_column(program, 3);
  ls_linear_bound(program, x, -2, 5);
  if (is_integer) ls_linear_integer(program, x);
  ls_linear_row(program, LS_AT_MOST, 9);
  ls_linear_entry(program, y, 1);
  ls_linear_entry(program, x, 1);
  ls_linear_entry(program, y, 1);
  ls_linear_row(program, LS_AT_LEAST, 1);
  ls_linear_entry(program, y, 1);
  ls_linear_row(program, LS_EQUAL, 1);
  ls_linear_entry(program, x, 1);
  ls_linear_entry(program, y, -1);
}

static void assert_numbers(const double *got, const double *expected, size_t count) {
  for (size_t i = 0; i < count; i++) assert_true(fabs(got[i] - expected[i]) <= 0);
}

static void rows_are_transposed_and_entries_of_one_place_summed(void **state) {
  static const int starts[] = {0, 2, 5}, rows[] = {0, 2, 0, 1, 2};
  struct ls_linear program;
  struct ls_matrix matrix;
  (void)state;
  build(&program, false);
  assert_int_equal(ls_matrix_open(&matrix, &program, NULL), LS_OK);
  assert_memory_equal(matrix.starts, starts, sizeof starts);
  assert_memory_equal(matrix.rows, rows, sizeof rows);
  assert_numbers(matrix.values, (double[]){1, 1, 2, 1, -1}, 5);
  ls_matrix_close(&matrix);
  ls_linear_close(&program);
}

static void what_is_open_has_no_bound_and_a_maximum_is_turned(void **state) {
  struct ls_linear program;
  struct ls_matrix matrix;
  (void)state;
  build(&program, false);
  assert_int_equal(ls_matrix_open(&matrix, &program, NULL), LS_OK);
  assert_numbers(matrix.row_least, (double[]){-DBL_MAX, 1, 1}, 3);
  assert_numbers(matrix.row_most, (double[]){9, DBL_MAX, 1}, 3);
  assert_numbers(matrix.column_least, (double[]){-2, 0}, 2);
  assert_numbers(matrix.column_most, (double[]){5, DBL_MAX}, 2);
  assert_numbers(matrix.objective, (double[]){-1, -3}, 2);
  ls_matrix_close(&matrix);
  ls_linear_close(&program);
}

/* Builds and solves with the n-th allocation failing; whether it came to that. */
static bool fails_at(long n, bool is_integer) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  struct ls_error err = {0};
  allocations_left = n;
  build(&program, is_integer);
  enum ls_status status = ls_linear_solve(&program, 0, &solution, &err);
  bool has_failed = allocations_left < 0;
  allocations_left = -1;
  ls_linear_close(&program);
  if (!has_failed) {
    assert_int_equal(status, LS_OK);
    assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
    assert_true(fabs(solution.objective - (is_integer ? 9 : 35.0 / 3)) < 1e-9);
    ls_linear_solution_close(&solution);
    return false;
  }
  assert_int_equal(status, LS_ENOMEM);
  assert_non_null(strstr(err.text, "no memory for"));
  return true;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (int is_integer = 0; is_integer < 2; is_integer++) {
    long n = 0;
    while (fails_at(n, is_integer != 0)) n++;
    assert_true(n >= (is_integer != 0 ? 27 : 17));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_are_transposed_and_entries_of_one_place_summed),
      cmocka_unit_test(what_is_open_has_no_bound_and_a_maximum_is_turned),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
