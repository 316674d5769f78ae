#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "solve/linear.h"

static void assert_close(double got, double expected) {
  if (!(fabs(got - expected) <= 1e-9 * fmax(1, fabs(expected)))) {
    fail_msg("got %.17g, expected %.17g", got, expected);
  }
}

/* Max 3x + 5y, x <= 4, 2y <= 12, 3x + 2y <= 18: the classical example, x = 2, y = 6, duals 0, 3/2,
 * 1. */
static void build_classic(struct ls_linear *program) {
  ls_linear_init(program, true);
  size_t x = ls_linear_column(program, 3), y = ls_linear_column(program, 5);
  ls_linear_row(program, LS_AT_MOST, 4);
  ls_linear_entry(program, x, 1);
  ls_linear_row(program, LS_AT_MOST, 12);
  ls_linear_entry(program, y, 2);
  ls_linear_row(program, LS_AT_MOST, 18);
  ls_linear_entry(program, x, 3);
  ls_linear_entry(program, y, 2);
}

static void a_maximum_has_duals_not_below_zero(void **state) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  (void)state;
  build_classic(&program);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
  assert_close(solution.objective, 36);
  assert_close(solution.values[0], 2);
  assert_close(solution.values[1], 6);
  assert_close(solution.duals[0], 0);
  assert_close(solution.duals[1], 1.5);
  assert_close(solution.duals[2], 1);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
}

/* Min x + 2y, x + y >= 3, x = 1: y = 2; the dual of the equation is -1. */
static void a_minimum_has_the_signs_of_its_relations(void **state) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  (void)state;
  ls_linear_init(&program, false);
  size_t x = ls_linear_column(&program, 1), y = ls_linear_column(&program, 2);
  ls_linear_row(&program, LS_AT_LEAST, 3);
  ls_linear_entry(&program, x, 1);
  ls_linear_entry(&program, y, 1);
  ls_linear_row(&program, LS_EQUAL, 1);
  ls_linear_entry(&program, x, 1);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
  assert_close(solution.objective, 5);
  assert_close(solution.values[0], 1);
  assert_close(solution.values[1], 2);
  assert_close(solution.duals[0], 2);
  assert_close(solution.duals[1], -1);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
}

static void entries_of_one_column_in_one_row_are_summed(void **state) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  (void)state;
  ls_linear_init(&program, true);
  size_t other = ls_linear_column(&program, 0), x = ls_linear_column(&program, 1);
  ls_linear_row(&program, LS_AT_MOST, 12);
  ls_linear_entry(&program, x, 1);
  ls_linear_entry(&program, other, 1);
  ls_linear_entry(&program, x, 2);
  ls_linear_row(&program, LS_AT_MOST, 100);
  ls_linear_entry(&program, x, 1);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
  assert_close(solution.objective, 4);
  assert_close(solution.duals[0], 1.0 / 3);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
}

static enum ls_linear_outcome solve_line(bool is_maximized, double at_least, double at_most) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  ls_linear_init(&program, is_maximized);
  size_t x = ls_linear_column(&program, 1);
  ls_linear_row(&program, LS_AT_LEAST, at_least);
  ls_linear_entry(&program, x, 1);
  if (!isnan(at_most)) {
    ls_linear_row(&program, LS_AT_MOST, at_most);
    ls_linear_entry(&program, x, 1);
  }
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  enum ls_linear_outcome outcome = solution.outcome;
  if (outcome != LS_LINEAR_OPTIMAL) assert_null(solution.values);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  return outcome;
}

static void what_has_no_optimum_is_an_outcome(void **state) {
  (void)state;
  assert_int_equal(solve_line(false, 1, 2), LS_LINEAR_OPTIMAL);
  assert_int_equal(solve_line(true, 1, 2), LS_LINEAR_OPTIMAL);
  assert_int_equal(solve_line(false, 2, 1), LS_LINEAR_INFEASIBLE);
  assert_int_equal(solve_line(true, 2, 1), LS_LINEAR_INFEASIBLE);
  assert_int_equal(solve_line(true, 1, (double)NAN), LS_LINEAR_UNBOUNDED);
  assert_int_equal(solve_line(false, 1, (double)NAN), LS_LINEAR_OPTIMAL);
}

static void a_program_without_rows_or_columns_is_solved(void **state) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  (void)state;
  ls_linear_init(&program, false);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
  assert_close(solution.objective, 0);
  ls_linear_solution_close(&solution);
  (void)ls_linear_column(&program, 1);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
  assert_close(solution.values[0], 0);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
}

/* Clp would end the program by an assertion. */
static void what_the_solver_cannot_hold_is_refused(void **state) {
  (void)state;
  for (int place = 0; place < 3; place++) {
    struct ls_linear program;
    struct ls_linear_solution solution;
    struct ls_error err;
    ls_linear_init(&program, false);
    size_t x = ls_linear_column(&program, place == 0 ? 1e120 : 1);
    ls_linear_row(&program, LS_AT_LEAST, place == 1 ? 1e120 : 1);
    ls_linear_entry(&program, x, place == 2 ? -1e120 : 1);
    assert_int_equal(ls_linear_solve(&program, 0, &solution, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "1e+120"));
    assert_non_null(strstr(err.text, "must be at most 1e+30 in size"));
    ls_linear_close(&program);
  }
}

static void what_is_not_finite_is_refused_by_place(void **state) {
  (void)state;
  for (int place = 0; place < 4; place++) {
    struct ls_linear program;
    struct ls_linear_solution solution;
    struct ls_error err;
    ls_linear_init(&program, false);
    size_t x = ls_linear_column(&program, place == 0 ? (double)NAN : 1);
    ls_linear_row(&program, LS_AT_LEAST, place == 1 ? (double)INFINITY : 1);
    ls_linear_entry(&program, place == 3 ? x + 7 : x, place == 2 ? (double)NAN : 1);
    ls_linear_row(&program, LS_AT_LEAST, 0); /* sticky: the first failure is told */
    assert_int_equal(ls_linear_solve(&program, 0, &solution, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, place == 0   ? "column 0: objective is nan"
                                     : place == 1 ? "row 0: bound is inf"
                                                  : "row 0: entry"));
    ls_linear_close(&program);
  }
}

/* A random program, feasible (x = 0) and bounded (each column stands in an at-most row with a
 * factor > 0). */
static void build_random(struct ls_linear *program, struct ls_random *random) {
  size_t columns = 1 + ls_random_below(random, 30), rows = 1 + ls_random_below(random, 30);
  ls_linear_init(program, true);
  for (size_t i = 0; i < columns; i++) {
    (void)ls_linear_column(program, ls_random_real(random) * 3 - 1);
  }
  for (size_t row = 0; row < rows; row++) {
    (void)ls_linear_row(program, LS_AT_MOST, ls_random_real(random) * 100);
    for (size_t i = 0; i < columns; i++) {
      if (row == 0 || ls_random_below(random, 3) == 0) {
        double value = ls_random_real(random);
        ls_linear_entry(program, i, row == 0 ? 0.1 + value : value - 0.3);
      }
    }
  }
}

/* What a certificate needs: x feasible, y feasible in the dual, equal objectives. */
static void check_certificate(const struct ls_linear *program,
                              const struct ls_linear_solution *solution) {
  double *prices = calloc(program->columns_count, sizeof *prices);
  assert_non_null(prices);
  double dual_objective = 0;
  for (size_t row = 0; row < program->rows_count; row++) {
    double sum = 0;
    for (size_t i = program->row_starts[row]; i < program->row_starts[row + 1]; i++) {
      sum += program->values[i] * solution->values[program->columns[i]];
      prices[program->columns[i]] += program->values[i] * solution->duals[row];
    }
    assert_true(sum <= program->bounds[row] + 1e-8);
    assert_true(solution->duals[row] >= -1e-9);
    dual_objective += solution->duals[row] * program->bounds[row];
  }
  for (size_t i = 0; i < program->columns_count; i++) {
    assert_true(solution->values[i] >= 0);
    assert_true(prices[i] >= program->objective[i] - 1e-9);
  }
  assert_close(dual_objective, solution->objective);
  free(prices);
}

static void duals_certify_the_optimum(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 7, "linear");
  for (int turn = 0; turn < 300; turn++) {
    struct ls_linear program;
    struct ls_linear_solution solution, again;
    build_random(&program, &random);
    assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
    assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
    check_certificate(&program, &solution);
    assert_int_equal(ls_linear_solve(&program, 0, &again, NULL), LS_OK);
    assert_memory_equal(solution.values, again.values,
                        program.columns_count * sizeof *solution.values);
    ls_linear_solution_close(&solution);
    ls_linear_solution_close(&again);
    ls_linear_close(&program);
  }
}

static void the_limit_of_iterations_stops(void **state) {
  struct ls_random random;
  (void)state;
  size_t stopped = 0;
  ls_random_init(&random, 11, "linear");
  for (int turn = 0; turn < 50; turn++) {
    struct ls_linear program;
    struct ls_linear_solution solution;
    build_random(&program, &random);
    assert_int_equal(ls_linear_solve(&program, 1, &solution, NULL), LS_OK);
    assert_true(solution.outcome == LS_LINEAR_OPTIMAL || solution.outcome == LS_LINEAR_STOPPED);
    if (solution.outcome == LS_LINEAR_STOPPED) {
      assert_null(solution.values);
      stopped++;
    }
    ls_linear_solution_close(&solution);
    ls_linear_close(&program);
  }
  assert_true(stopped > 10);
}

static void signals_stay_with_the_program(void **state) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  struct sigaction before, after;
  (void)state;
  build_classic(&program);
  assert_int_equal(sigaction(SIGINT, NULL, &before), 0);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_int_equal(sigaction(SIGINT, NULL, &after), 0);
  assert_ptr_equal(before.sa_handler, after.sa_handler);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_maximum_has_duals_not_below_zero),
      cmocka_unit_test(a_minimum_has_the_signs_of_its_relations),
      cmocka_unit_test(entries_of_one_column_in_one_row_are_summed),
      cmocka_unit_test(what_has_no_optimum_is_an_outcome),
      cmocka_unit_test(a_program_without_rows_or_columns_is_solved),
      cmocka_unit_test(what_the_solver_cannot_hold_is_refused),
      cmocka_unit_test(what_is_not_finite_is_refused_by_place),
      cmocka_unit_test(duals_certify_the_optimum),
      cmocka_unit_test(the_limit_of_iterations_stops),
      cmocka_unit_test(signals_stay_with_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
