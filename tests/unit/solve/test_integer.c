#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../support/unless_sanitized.h"
#include "base/random.h"
#include "solve/linear.h"

/* The solvers' libraries find this one instead of the C library's. */
static int handlers_count;
sighandler_t signal(int number, sighandler_t handler) {
  (void)number;
  handlers_count++;
  return handler;
}

static void assert_close(double got, double expected) {
  if (!(fabs(got - expected) <= 1e-7 * fmax(1, fabs(expected))))
    fail_msg("got %.17g, expected %.17g", got, expected);
}

/* Max 5x + 4y, 6x + 4y <= 24, x + 2y <= 6: 21 at (3, 3/2); of whole numbers 20 at (4, 0). */
static void build_known(struct ls_linear *program, bool is_integer) {
  ls_linear_init(program, true);
  size_t x = ls_linear_column(program, 5), y = ls_linear_column(program, 4);
  if (is_integer) {
    ls_linear_integer(program, x);
    ls_linear_integer(program, y);
    ls_linear_integer(program, y); /* twice is once */
  }
  ls_linear_row(program, LS_AT_MOST, 24);
  ls_linear_entry(program, x, 6);
  ls_linear_entry(program, y, 4);
  ls_linear_row(program, LS_AT_MOST, 6);
  ls_linear_entry(program, x, 1);
  ls_linear_entry(program, y, 2);
}

static void whole_numbers_are_not_the_rounded_ones(void **state) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  (void)state;
  build_known(&program, false);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_close(solution.objective, 21);
  assert_close(solution.gap, 0);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  build_known(&program, true);
  assert_int_equal(program.integers_count, 2);
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  assert_int_equal(solution.outcome, LS_LINEAR_OPTIMAL);
  assert_close(solution.objective, 20);
  assert_true(fabs(solution.gap) <= 0);
  assert_true(fabs(solution.values[0] - 4) <= 0 && fabs(solution.values[1]) <= 0);
  assert_null(solution.duals);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
}

enum { COLUMNS_MAX = 4, LEAST = -3, MOST = 3 };

/* Small whole coefficients, so that ties and infeasible programs are common. Columns from
 * `continuous` on are not integer. */
static void build_random(struct ls_linear *program, struct ls_random *random, size_t *continuous) {
  size_t columns = 1 + ls_random_below(random, COLUMNS_MAX), rows = ls_random_below(random, 5);
  *continuous = 1 + ls_random_below(random, columns);
  ls_linear_init(program, ls_random_below(random, 2) == 0);
  for (size_t i = 0; i < columns; i++) {
    double least = LEAST + (double)ls_random_below(random, 4);
    double most = least + (double)ls_random_below(random, (uint64_t)(MOST - least) + 1);
    (void)ls_linear_column(program, (double)ls_random_below(random, 13) - 6);
    /* Bounds of integer columns need not be whole numbers. */
    ls_linear_bound(program, i, i < *continuous ? least - 0.5 : least,
                    i < *continuous ? most + 0.25 : most);
    if (i < *continuous) ls_linear_integer(program, i);
  }
  for (size_t row = 0; row < rows; row++) {
    enum ls_relation relation = (enum ls_relation)ls_random_below(random, 3);
    ls_linear_row(program, relation, (double)ls_random_below(random, 13) - 4);
    for (size_t i = 0; i < columns; i++)
      ls_linear_entry(program, i, (double)ls_random_below(random, 9) - 3);
  }
}

/* The best over all whole values, by linear programs of the rest; false: none is feasible. */
static bool enumerate(const struct ls_linear *program, size_t integers, double *best) {
  double least[COLUMNS_MAX], most[COLUMNS_MAX];
  struct ls_linear fixed = *program;
  size_t patterns = 1;
  bool is_feasible = false;
  fixed.column_least = least;
  fixed.column_most = most;
  fixed.integers_count = 0;
  for (size_t i = 0; i < integers; i++) patterns *= MOST - LEAST + 1;
  for (size_t pattern = 0; pattern < patterns; pattern++) {
    size_t rest = pattern;
    bool is_inside = true;
    memcpy(least, program->column_least, program->columns_count * sizeof *least);
    memcpy(most, program->column_most, program->columns_count * sizeof *most);
    for (size_t i = 0; i < integers; i++, rest /= MOST - LEAST + 1) {
      double value = LEAST + (double)(rest % (MOST - LEAST + 1));
      if (value < least[i] || value > most[i]) is_inside = false;
      least[i] = most[i] = value;
    }
    if (!is_inside) continue;
    struct ls_linear_solution solution;
    assert_int_equal(ls_linear_solve(&fixed, 0, &solution, NULL), LS_OK);
    if (solution.outcome == LS_LINEAR_OPTIMAL) {
      bool is_better =
          program->is_maximized ? solution.objective > *best : solution.objective < *best;
      if (!is_feasible || is_better) *best = solution.objective;
      is_feasible = true;
    }
    ls_linear_solution_close(&solution);
  }
  return is_feasible;
}

static void check_feasible(const struct ls_linear *program,
                           const struct ls_linear_solution *solution) {
  for (size_t i = 0; i < program->columns_count; i++) {
    double value = solution->values[i];
    assert_true(value >= program->column_least[i] && value <= program->column_most[i]);
    if (program->is_integer[i]) assert_true(fabs(value - round(value)) <= 0);
  }
  for (size_t row = 0; row < program->rows_count; row++) {
    double sum = -program->bounds[row];
    for (size_t i = program->row_starts[row]; i < program->row_starts[row + 1]; i++)
      sum += program->values[i] * solution->values[program->columns[i]];
    if (program->relations[row] != LS_AT_LEAST) assert_true(sum <= 1e-8);
    if (program->relations[row] != LS_AT_MOST) assert_true(sum >= -1e-8);
  }
}

static void random_programs_have_the_optimum_of_enumeration(void **state) {
  struct ls_random random;
  size_t feasible = 0, infeasible = 0, turns = UNLESS_SANITIZED(250, 60);
  (void)state;
  ls_random_init(&random, 5, "integer");
  for (size_t turn = 0; turn < turns; turn++) {
    struct ls_linear program;
    struct ls_linear_solution solution, again;
    size_t integers;
    double best = 0;
    build_random(&program, &random, &integers);
    bool is_feasible = enumerate(&program, integers, &best);
    assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
    assert_int_equal(solution.outcome, is_feasible ? LS_LINEAR_OPTIMAL : LS_LINEAR_INFEASIBLE);
    if (is_feasible) {
      feasible++;
      assert_close(solution.objective, best);
      check_feasible(&program, &solution);
      assert_int_equal(ls_linear_solve(&program, 0, &again, NULL), LS_OK);
      assert_memory_equal(solution.values, again.values,
                          program.columns_count * sizeof *solution.values);
      ls_linear_solution_close(&again);
    } else {
      infeasible++;
      assert_null(solution.values);
    }
    ls_linear_solution_close(&solution);
    ls_linear_close(&program);
  }
  assert_true(feasible > turns / 4 && infeasible > turns / 20);
}

/* Bounds say what rows would; without integer columns, too. */
static void bounds_of_columns_say_what_rows_say(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 6, "integer");
  for (int turn = 0; turn < UNLESS_SANITIZED(200, 50); turn++) {
    struct ls_linear program, rowed;
    struct ls_linear_solution solution, expected;
    size_t integers;
    build_random(&program, &random, &integers);
    ls_linear_init(&rowed, program.is_maximized);
    for (size_t i = 0; i < program.columns_count; i++) {
      (void)ls_linear_column(&rowed, program.objective[i]);
      ls_linear_bound(&rowed, i, -(double)INFINITY, (double)INFINITY);
      ls_linear_row(&rowed, LS_AT_LEAST, program.column_least[i]);
      ls_linear_entry(&rowed, i, 1);
      ls_linear_row(&rowed, LS_AT_MOST, program.column_most[i]);
      ls_linear_entry(&rowed, i, 1);
      if (turn % 2 == 0 && program.is_integer[i]) ls_linear_integer(&rowed, i);
      if (turn % 2 != 0) program.is_integer[i] = false;
    }
    for (size_t row = 0; row < program.rows_count; row++) {
      ls_linear_row(&rowed, program.relations[row], program.bounds[row]);
      for (size_t i = program.row_starts[row]; i < program.row_starts[row + 1]; i++)
        ls_linear_entry(&rowed, (size_t)program.columns[i], program.values[i]);
    }
    if (turn % 2 != 0) program.integers_count = 0;
    assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
    assert_int_equal(ls_linear_solve(&rowed, 0, &expected, NULL), LS_OK);
    assert_int_equal(solution.outcome, expected.outcome);
    if (solution.outcome == LS_LINEAR_OPTIMAL) assert_close(solution.objective, expected.objective);
    ls_linear_solution_close(&solution);
    ls_linear_solution_close(&expected);
    ls_linear_close(&program);
    ls_linear_close(&rowed);
  }
}

static enum ls_linear_outcome solve_line(double least, double most, double factor, double equals) {
  struct ls_linear program;
  struct ls_linear_solution solution;
  ls_linear_init(&program, true);
  size_t x = ls_linear_column(&program, 1);
  ls_linear_bound(&program, x, least, most);
  ls_linear_integer(&program, x);
  if (!isnan(equals)) {
    ls_linear_row(&program, LS_EQUAL, equals);
    ls_linear_entry(&program, x, factor);
  }
  assert_int_equal(ls_linear_solve(&program, 0, &solution, NULL), LS_OK);
  enum ls_linear_outcome outcome = solution.outcome;
  if (outcome != LS_LINEAR_OPTIMAL) assert_null(solution.values);
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  return outcome;
}

static void what_has_no_whole_optimum_is_an_outcome(void **state) {
  double none = (double)NAN, open = (double)INFINITY;
  (void)state;
  assert_int_equal(solve_line(0, 3.5, 1, none), LS_LINEAR_OPTIMAL);
  assert_int_equal(solve_line(-open, 2, 1, none), LS_LINEAR_OPTIMAL);
  assert_int_equal(solve_line(0, open, 1, none), LS_LINEAR_UNBOUNDED);
  assert_int_equal(solve_line(0.25, 0.75, 1, none), LS_LINEAR_INFEASIBLE);
  assert_int_equal(solve_line(0, 10, 2, 7), LS_LINEAR_INFEASIBLE); /* 2x = 7 */
  assert_int_equal(solve_line(0, 10, 2, 30), LS_LINEAR_INFEASIBLE);
  assert_int_equal(solve_line(0, 10, 2, 8), LS_LINEAR_OPTIMAL);
}

/* A knapsack with several rows and no easy proof; infeasible nowhere (0 is allowed). */
static void build_hard(struct ls_linear *program, uint64_t seed) {
  struct ls_random random;
  ls_random_init(&random, seed, "hard");
  ls_linear_init(program, true);
  for (size_t i = 0; i < 25; i++) {
    size_t column = ls_linear_column(program, 50 + (double)ls_random_below(&random, 50));
    ls_linear_bound(program, column, 0, 1);
    ls_linear_integer(program, column);
  }
  for (size_t row = 0; row < 6; row++) {
    ls_linear_row(program, LS_AT_MOST, 600);
    for (size_t i = 0; i < 25; i++)
      ls_linear_entry(program, i, 30 + (double)ls_random_below(&random, 70));
  }
}

static void a_limit_of_nodes_tells_the_gap(void **state) {
  size_t stopped = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    struct ls_linear program;
    struct ls_linear_solution limited, proven;
    build_hard(&program, seed);
    assert_int_equal(ls_linear_solve(&program, 0, &proven, NULL), LS_OK);
    assert_int_equal(proven.outcome, LS_LINEAR_OPTIMAL);
    assert_int_equal(ls_linear_solve(&program, 1, &limited, NULL), LS_OK);
    if (limited.outcome == LS_LINEAR_STOPPED) stopped++;
    if (limited.outcome == LS_LINEAR_STOPPED && limited.values != NULL) {
      check_feasible(&program, &limited);
      assert_true(limited.gap > 0);
      assert_true(limited.objective <= proven.objective + 1e-7);
      assert_true(limited.objective + limited.gap >= proven.objective - 1e-7);
    } else if (limited.outcome == LS_LINEAR_STOPPED) {
      assert_true(isinf(limited.gap));
    }
    ls_linear_solution_close(&limited);
    ls_linear_solution_close(&proven);
    ls_linear_close(&program);
  }
  assert_true(stopped >= 3);
}

/* 60 workers, each of which takes nothing or what its window says, as near as can be to an
 * equal share; everyone is as good as the next. */
static void build_windows(struct ls_linear *program) {
  static const double least[] = {3, 4, 5}, width[] = {2, 2, 0, 3, 1, 1, 3};
  ls_linear_init(program, false);
  for (size_t i = 0; i < 60; i++) {
    size_t x = ls_linear_column(program, 0), y = ls_linear_column(program, 0);
    size_t e = ls_linear_column(program, 1);
    double planned = 1 / 60.0, from = least[i % 3] / 200;
    ls_linear_bound(program, y, 0, 1);
    ls_linear_integer(program, y);
    (void)ls_linear_row(program, LS_AT_LEAST, 0);
    ls_linear_entry(program, x, 1);
    ls_linear_entry(program, y, -from);
    (void)ls_linear_row(program, LS_AT_MOST, 0);
    ls_linear_entry(program, x, 1);
    ls_linear_entry(program, y, -(from + width[i % 7] / 200));
    (void)ls_linear_row(program, LS_AT_MOST, planned);
    ls_linear_entry(program, x, 1);
    ls_linear_entry(program, e, -1);
    (void)ls_linear_row(program, LS_AT_LEAST, planned);
    ls_linear_entry(program, x, 1);
    ls_linear_entry(program, e, 1);
  }
  (void)ls_linear_row(program, LS_EQUAL, 1);
  for (size_t i = 0; i < 60; i++) ls_linear_entry(program, 3 * i, 1);
}

/* Trees below a node, and those of heuristics, did not count: the limit came after minutes. */
static void a_limit_of_nodes_limits_all_work(void **state) {
  struct ls_linear program;
  struct ls_linear_solution first, second;
  (void)state;
  build_windows(&program);
  assert_int_equal(ls_linear_solve(&program, 500, &first, NULL), LS_OK);
  assert_int_equal(ls_linear_solve(&program, 500, &second, NULL), LS_OK);
  assert_int_equal(first.outcome, second.outcome);
  assert_non_null(first.values);
  assert_memory_equal(first.values, second.values, program.columns_count * sizeof *first.values);
  ls_linear_solution_close(&first);
  ls_linear_solution_close(&second);
  ls_linear_close(&program);
}

static void bounds_that_cannot_be_are_refused(void **state) {
  double open = (double)INFINITY;
  const struct {
    size_t column;
    double least, most;
    const char *text;
  } cases[] = {{0, 2, 1, "column 0: bounds are 2 and 1"},
               {0, (double)NAN, 1, "column 0: bounds are nan and 1"},
               {0, open, open, "column 0: bounds are inf and inf"},
               {0, -open, -open, "column 0: bounds are -inf and -inf"},
               {0, 0, 1e31, "must rise and be at most 1e+30 in size"},
               {4, 0, 1, "column 4: there are only 1 columns"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_linear program;
    struct ls_linear_solution solution;
    struct ls_error err;
    ls_linear_init(&program, false);
    (void)ls_linear_column(&program, 1);
    ls_linear_bound(&program, cases[i].column, cases[i].least, cases[i].most);
    ls_linear_integer(&program, 9); /* sticky: the first failure is told */
    assert_int_equal(ls_linear_solve(&program, 0, &solution, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, cases[i].text));
    ls_linear_close(&program);
  }
}

/* Of every outcome: what Cbc prints and which handlers it would install. */
static void the_solver_is_silent_and_leaves_signals_alone(void **state) {
  (void)state;
  FILE *heard = tmpfile();
  assert_non_null(heard);
  int output = dup(STDOUT_FILENO), errors = dup(STDERR_FILENO);
  (void)fflush(stdout);
  (void)dup2(fileno(heard), STDOUT_FILENO);
  (void)dup2(fileno(heard), STDERR_FILENO);
  handlers_count = 0;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    struct ls_linear program;
    struct ls_linear_solution solution;
    build_hard(&program, seed);
    (void)(ls_linear_solve(&program, seed % 3, &solution, NULL) == LS_OK);
    ls_linear_solution_close(&solution);
    ls_linear_close(&program);
  }
  (void)solve_line(0, 10, 2, 7);
  (void)solve_line(0, (double)INFINITY, 1, (double)NAN);
  (void)fflush(stdout);
  (void)dup2(output, STDOUT_FILENO);
  (void)dup2(errors, STDERR_FILENO);
  (void)close(output);
  (void)close(errors);
  assert_int_equal(fseek(heard, 0, SEEK_END), 0);
  assert_int_equal(ftell(heard), 0);
  (void)fclose(heard);
  assert_int_equal(handlers_count, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_numbers_are_not_the_rounded_ones),
      cmocka_unit_test(random_programs_have_the_optimum_of_enumeration),
      cmocka_unit_test(bounds_of_columns_say_what_rows_say),
      cmocka_unit_test(what_has_no_whole_optimum_is_an_outcome),
      cmocka_unit_test(a_limit_of_nodes_tells_the_gap),
      cmocka_unit_test(a_limit_of_nodes_limits_all_work),
      cmocka_unit_test(bounds_that_cannot_be_are_refused),
      cmocka_unit_test(the_solver_is_silent_and_leaves_signals_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
