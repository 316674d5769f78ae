/* linear.c: linear programs, solved by COIN-OR Clp through its C interface.
 *
 * Clp_dual and Clp_primal are called, never the "initial solve" functions: those would install a
 * handler of SIGINT while they run.  Programs are always handed over as minimisations, so that the
 * sign of the duals does not depend on how Clp treats a direction.
 */
#include "solve/linear.h"

#include <Clp_C_Interface.h>
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"

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

/* The program as Clp takes it: by column, with a range for each row. */
struct matrix {
  int *starts, *rows;
  double *values;
  double *objective;
  double *row_least, *row_most;
};

void ls_linear_init(struct ls_linear *program, bool is_maximized) {
  *program = (struct ls_linear){.is_maximized = is_maximized};
}

void ls_linear_close(struct ls_linear *program) {
  free(program->objective);
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

size_t ls_linear_column(struct ls_linear *program, double objective) {
  size_t column = program->columns_count;
  if (has_failed(program)) return column;
  if (!can_hold(objective)) {
    (void)ls_fail(&program->failure, LS_EINVAL,
                  "column %zu: objective is %g, must be at most %g in size", column, objective,
                  largest);
    return column;
  }
  if (!reserve(program, (void **)&program->objective, &program->columns_capacity, column + 1,
               sizeof *program->objective)) {
    return column;
  }
  program->objective[column] = objective;
  program->columns_count++;
  return column;
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

static void close_matrix(struct matrix *matrix) {
  free(matrix->starts);
  free(matrix->rows);
  free(matrix->values);
  free(matrix->objective);
  free(matrix->row_least);
  free(matrix->row_most);
}

/* One item more than needed, so that nothing is asked for 0 bytes. */
static bool open_matrix(struct matrix *matrix, const struct ls_linear *program) {
  matrix->starts = calloc(program->columns_count + 2, sizeof *matrix->starts);
  matrix->rows = calloc(program->entries_count + 1, sizeof *matrix->rows);
  matrix->values = calloc(program->entries_count + 1, sizeof *matrix->values);
  matrix->objective = calloc(program->columns_count + 1, sizeof *matrix->objective);
  matrix->row_least = calloc(program->rows_count + 1, sizeof *matrix->row_least);
  matrix->row_most = calloc(program->rows_count + 1, sizeof *matrix->row_most);
  return matrix->starts != NULL && matrix->rows != NULL && matrix->values != NULL &&
         matrix->objective != NULL && matrix->row_least != NULL && matrix->row_most != NULL;
}

/* Transposes the rows.  Those are taken in order, so entries of one column in one row come to stand
 * beside each other, and are summed. */
static void fill_entries(struct matrix *matrix, const struct ls_linear *program) {
  int *starts = matrix->starts;
  for (size_t i = 0; i < program->entries_count; i++) starts[program->columns[i] + 2]++;
  for (size_t i = 2; i <= program->columns_count; i++) starts[i + 1] += starts[i];
  /* starts[column + 1] is where the next entry goes: in the end, where the next column begins. */
  for (size_t row = 0; row < program->rows_count; row++) {
    for (size_t i = program->row_starts[row]; i < program->row_starts[row + 1]; i++) {
      int place = starts[program->columns[i] + 1]++;
      matrix->rows[place] = (int)row;
      matrix->values[place] = program->values[i];
    }
  }
  int written = 0;
  for (size_t column = 0; column < program->columns_count; column++) {
    int begin = written;
    for (int i = starts[column]; i < starts[column + 1]; i++) {
      if (written > begin && matrix->rows[written - 1] == matrix->rows[i]) {
        matrix->values[written - 1] += matrix->values[i];
      } else {
        matrix->rows[written] = matrix->rows[i];
        matrix->values[written++] = matrix->values[i];
      }
    }
    starts[column] = begin;
  }
  starts[program->columns_count] = written;
}

static void fill_ranges(struct matrix *matrix, const struct ls_linear *program) {
  for (size_t row = 0; row < program->rows_count; row++) {
    double bound = program->bounds[row];
    bool is_open_below = program->relations[row] == LS_AT_MOST;
    bool is_open_above = program->relations[row] == LS_AT_LEAST;
    matrix->row_least[row] = is_open_below ? -DBL_MAX : bound;
    matrix->row_most[row] = is_open_above ? DBL_MAX : bound;
  }
  for (size_t column = 0; column < program->columns_count; column++) {
    double factor = program->objective[column];
    matrix->objective[column] = program->is_maximized ? -factor : factor;
  }
}

static void load(Clp_Simplex *model, const struct matrix *matrix, const struct ls_linear *program,
                 uint64_t iterations_max) {
  Clp_setLogLevel(model, 0);
  Clp_loadProblem(model, (int)program->columns_count, (int)program->rows_count, matrix->starts,
                  matrix->rows, matrix->values, NULL, NULL, matrix->objective, matrix->row_least,
                  matrix->row_most);
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
    /* Within its tolerance Clp may leave a column below 0; no caller could use that. */
    values[i] = found[i] > 0 ? found[i] : 0;
    objective += program->objective[i] * values[i];
  }
  for (size_t i = 0; i < program->rows_count; i++) duals[i] = sign * prices[i];
  *solution = (struct ls_linear_solution){
      .outcome = LS_LINEAR_OPTIMAL, .objective = objective, .values = values, .duals = duals};
  return LS_OK;
}

enum ls_status ls_linear_solve(const struct ls_linear *program, uint64_t iterations_max,
                               struct ls_linear_solution *solution, struct ls_error *err) {
  if (has_failed(program)) {
    return ls_fail(err, program->failure.status, "%s", program->failure.text);
  }
  struct matrix matrix = {0};
  Clp_Simplex *model = NULL;
  enum ls_status status = LS_OK;
  if (!open_matrix(&matrix, program) || (model = Clp_newModel()) == NULL) {
    status =
        ls_fail(err, LS_ENOMEM, "no memory for a linear program of %zu rows", program->rows_count);
    goto done;
  }
  fill_entries(&matrix, program);
  fill_ranges(&matrix, program);
  load(model, &matrix, program, iterations_max);
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
      *solution = (struct ls_linear_solution){.outcome = LS_LINEAR_STOPPED};
      break;
  }
done:
  if (model != NULL) Clp_deleteModel(model);
  close_matrix(&matrix);
  return status;
}

void ls_linear_solution_close(struct ls_linear_solution *solution) {
  free(solution->values);
  free(solution->duals);
  *solution = (struct ls_linear_solution){0};
}
