/* linear.c: linear programs are built here.  Those without integer columns go to Clp
 * (continuous.c), the others to Cbc (integer.c).
 */
#include "solve/linear.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "solve/solver_private.h"

/* Clp takes bounds beyond that for none, and asserts that what it computes with them is smaller. */
static const double largest = 1e30;

/* False for what is no number, too. */
static bool can_hold(double number) {
  return fabs(number) <= largest;
}

void ls_linear_init(struct ls_linear *program, bool is_maximized) {
  *program = (struct ls_linear){.is_maximized = is_maximized};
}

void ls_linear_close(struct ls_linear *program) {
  free(program->objective);
  free(program->column_least);
  free(program->column_most);
  free(program->is_integer);
  free(program->bounds);
  free(program->relations);
  free(program->row_starts);
  free(program->columns);
  free(program->values);
  *program = (struct ls_linear){0};
}

static bool has_failed(const struct ls_linear *program) {
  return program->failure.status != LS_OK;
}

/* Room in several arrays of one common capacity. */
static bool reserve(struct ls_linear *program, void **items, size_t *capacity, size_t needed,
                    size_t item_bytes) {
  if (needed <= INT_MAX && ls_array_reserve(items, capacity, needed, item_bytes) == LS_OK) {
    return true;
  }
  (void)ls_fail(&program->failure, LS_ENOMEM, "no memory for %zu entries of a linear program",
                needed);
  return false;
}

static bool reserve_column(struct ls_linear *program) {
  size_t needed = program->columns_count + 1, capacity = program->columns_capacity;
  size_t objective = capacity, least = capacity, most = capacity, integer = capacity;
  if (!reserve(program, (void **)&program->objective, &objective, needed,
               sizeof *program->objective) ||
      !reserve(program, (void **)&program->column_least, &least, needed,
               sizeof *program->column_least) ||
      !reserve(program, (void **)&program->column_most, &most, needed,
               sizeof *program->column_most) ||
      !reserve(program, (void **)&program->is_integer, &integer, needed,
               sizeof *program->is_integer)) {
    return false;
  }
  program->columns_capacity = objective;
  return true;
}

size_t ls_linear_column(struct ls_linear *program, double objective) {
  size_t column = program->columns_count;
  if (has_failed(program)) return column;
  if (!can_hold(objective)) {
    (void)ls_fail(&program->failure, LS_EINVAL,
                  "column %zu: objective is %g, must be at most %g in size", column, objective,
                  largest);
    return column;
  }
  if (!reserve_column(program)) return column;
  program->objective[column] = objective;
  program->column_least[column] = 0;
  program->column_most[column] = (double)INFINITY;
  program->is_integer[column] = false;
  program->columns_count++;
  return column;
}

/* False, and the failure kept, when there is no such column. */
static bool has_column(struct ls_linear *program, size_t column) {
  if (has_failed(program)) return false;
  if (column < program->columns_count) return true;
  (void)ls_fail(&program->failure, LS_EINVAL, "column %zu: there are only %zu columns", column,
                program->columns_count);
  return false;
}

void ls_linear_bound(struct ls_linear *program, size_t column, double least, double most) {
  if (!has_column(program, column)) return;
  bool can_hold_least = can_hold(least) || (isinf(least) && least < 0);
  bool can_hold_most = can_hold(most) || (isinf(most) && most > 0);
  if (!can_hold_least || !can_hold_most || !(least <= most)) {
    (void)ls_fail(&program->failure, LS_EINVAL,
                  "column %zu: bounds are %g and %g, must rise and be at most %g in size", column,
                  least, most, largest);
    return;
  }
  program->column_least[column] = least;
  program->column_most[column] = most;
}

void ls_linear_integer(struct ls_linear *program, size_t column) {
  if (!has_column(program, column) || program->is_integer[column]) return;
  program->is_integer[column] = true;
  program->integers_count++;
}

static bool reserve_row(struct ls_linear *program) {
  size_t needed = program->rows_count + 2; /* row_starts has one entry more */
  size_t bounds = program->rows_capacity, relations = bounds, starts = bounds;
  if (!reserve(program, (void **)&program->bounds, &bounds, needed, sizeof *program->bounds) ||
      !reserve(program, (void **)&program->relations, &relations, needed,
               sizeof *program->relations) ||
      !reserve(program, (void **)&program->row_starts, &starts, needed,
               sizeof *program->row_starts)) {
    return false;
  }
  program->rows_capacity = starts;
  return true;
}

size_t ls_linear_row(struct ls_linear *program, enum ls_relation relation, double bound) {
  size_t row = program->rows_count;
  if (has_failed(program)) return row;
  if (!can_hold(bound)) {
    (void)ls_fail(&program->failure, LS_EINVAL, "row %zu: bound is %g, must be at most %g in size",
                  row, bound, largest);
    return row;
  }
  if (!reserve_row(program)) return row;
  program->bounds[row] = bound;
  program->relations[row] = relation;
  program->row_starts[row] = program->entries_count;
  program->row_starts[row + 1] = program->entries_count;
  program->rows_count++;
  return row;
}

void ls_linear_entry(struct ls_linear *program, size_t column, double value) {
  if (has_failed(program)) return;
  assert(program->rows_count > 0);
  if (column >= program->columns_count || !can_hold(value)) {
    (void)ls_fail(&program->failure, LS_EINVAL,
                  "row %zu: entry %g of column %zu, must be at most %g in size, of a column below "
                  "%zu",
                  program->rows_count - 1, value, column, largest, program->columns_count);
    return;
  }
  size_t count = program->entries_count, columns = program->entries_capacity, values = columns;
  if (!reserve(program, (void **)&program->columns, &columns, count + 1,
               sizeof *program->columns) ||
      !reserve(program, (void **)&program->values, &values, count + 1, sizeof *program->values)) {
    return;
  }
  program->entries_capacity = values;
  program->columns[count] = (int)column;
  program->values[count] = value;
  program->row_starts[program->rows_count] = ++program->entries_count;
}

enum ls_status ls_linear_solve(const struct ls_linear *program, uint64_t work_max,
                               struct ls_linear_solution *solution, struct ls_error *err) {
  if (has_failed(program)) {
    return ls_fail(err, program->failure.status, "%s", program->failure.text);
  }
  struct ls_matrix matrix;
  enum ls_status status = ls_matrix_open(&matrix, program, err);
  if (status == LS_OK)
    status = program->integers_count > 0
                 ? ls_integer_solve(program, &matrix, work_max, solution, err)
                 : ls_continuous_solve(program, &matrix, work_max, solution, err);
  ls_matrix_close(&matrix);
  return status;
}

void ls_linear_solution_close(struct ls_linear_solution *solution) {
  free(solution->values);
  free(solution->duals);
  *solution = (struct ls_linear_solution){0};
}
