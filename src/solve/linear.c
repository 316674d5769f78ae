/* linear.c: linear programs are built here, and solved by COIN-OR Clp through its C interface.
 *
 * Clp_dual and Clp_primal are called, never the "initial solve" functions: those would install a
 * handler of SIGINT while they run.  Programs with integer columns go to Cbc (integer.c).
 */
#include "solve/linear.h"

#include <Clp_C_Interface.h>
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "coin/coin.h"
#include "solve/integer_private.h"
#include "solve/matrix_private.h"

/* Clp's answers (Clp_status). */
enum { CLP_OPTIMAL, CLP_INFEASIBLE, CLP_UNBOUNDED, CLP_STOPPED, CLP_GAVE_UP };
/* Clp_scaling: unscaled, or geometric where that helps. */
enum { SCALING_NONE, SCALING_AUTOMATIC = 3 };
enum { PERTURBATION_NEVER = 102 };

static const double tolerance = 1e-9;
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

static void load(Clp_Simplex *model, const struct ls_matrix *matrix,
                 const struct ls_linear *program, uint64_t iterations_max) {
  Clp_setLogLevel(model, 0);
  Clp_loadProblem(model, (int)program->columns_count, (int)program->rows_count, matrix->starts,
                  matrix->rows, matrix->values, matrix->column_least, matrix->column_most,
                  matrix->objective, matrix->row_least, matrix->row_most);
  Clp_setOptimizationDirection(model, 1);
  Clp_setPrimalTolerance(model, tolerance);
  Clp_setDualTolerance(model, tolerance);
  Clp_scaling(model, SCALING_AUTOMATIC);
  if (iterations_max > 0 && iterations_max < INT_MAX) {
    Clp_setMaximumIterations(model, (int)iterations_max);
  }
}

/* The primal simplex finds the optimum: on programs of thousands of rows many times faster than the
 * dual one.  That then starts from the vertex found, and so computes its values anew, to the last
 * digits and without the perturbation.  What the primal one gave up, the dual one decides. */
static int solve(Clp_Simplex *model) {
  (void)Clp_primal(model, 0);
  int status = Clp_status(model);
  if (status != CLP_OPTIMAL && status != CLP_GAVE_UP) return status;
  Clp_setPerturbation(model, PERTURBATION_NEVER);
  (void)Clp_dual(model, 0);
  status = Clp_status(model);
  /* An optimum of the scaled program need not be one of the program itself. */
  if (status == CLP_OPTIMAL && Clp_secondaryStatus(model) != 0) {
    Clp_scaling(model, SCALING_NONE);
    (void)Clp_primal(model, 0);
    status = Clp_status(model);
  }
  return status;
}

static enum ls_status copy_solution(Clp_Simplex *model, const struct ls_linear *program,
                                    struct ls_linear_solution *solution, struct ls_error *err) {
  double *values = calloc(program->columns_count + 1, sizeof *values);
  double *duals = calloc(program->rows_count + 1, sizeof *duals);
  if (values == NULL || duals == NULL) {
    free(values);
    free(duals);
    return ls_fail(err, LS_ENOMEM, "no memory for the solution of a linear program");
  }
  const double *found = Clp_getColSolution(model), *prices = Clp_getRowPrice(model);
  double sign = program->is_maximized ? -1 : 1, objective = 0;
  for (size_t i = 0; i < program->columns_count; i++) {
    /* Within its tolerance Clp may leave a column beyond a bound; no caller could use that. */
    values[i] = fmin(fmax(found[i], program->column_least[i]), program->column_most[i]);
    objective += program->objective[i] * values[i];
  }
  for (size_t i = 0; i < program->rows_count; i++) duals[i] = sign * prices[i];
  *solution = (struct ls_linear_solution){
      .outcome = LS_LINEAR_OPTIMAL, .objective = objective, .values = values, .duals = duals};
  return LS_OK;
}

enum ls_status ls_linear_no_model(struct ls_error *err) {
  const char *why = ls_coin_failure();
  if (why == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a linear program");
  return ls_fail(err, LS_EIO, "linear programs need Clp and Cbc, which cannot be loaded: %s", why);
}

static enum ls_status solve_continuous(const struct ls_linear *program,
                                       const struct ls_matrix *matrix, uint64_t iterations_max,
                                       struct ls_linear_solution *solution, struct ls_error *err) {
  Clp_Simplex *model = Clp_newModel();
  if (model == NULL) return ls_linear_no_model(err);
  enum ls_status status = LS_OK;
  load(model, matrix, program, iterations_max);
  switch (solve(model)) {
    case CLP_OPTIMAL:
      status = copy_solution(model, program, solution, err);
      break;
    case CLP_INFEASIBLE:
      *solution = (struct ls_linear_solution){.outcome = LS_LINEAR_INFEASIBLE};
      break;
    case CLP_UNBOUNDED:
      *solution = (struct ls_linear_solution){.outcome = LS_LINEAR_UNBOUNDED};
      break;
    default:
      *solution =
          (struct ls_linear_solution){.outcome = LS_LINEAR_STOPPED, .gap = (double)INFINITY};
      break;
  }
  Clp_deleteModel(model);
  return status;
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
                 : solve_continuous(program, &matrix, work_max, solution, err);
  ls_matrix_close(&matrix);
  return status;
}

void ls_linear_solution_close(struct ls_linear_solution *solution) {
  free(solution->values);
  free(solution->duals);
  *solution = (struct ls_linear_solution){0};
}
