/* integer.c: programs with integer columns, solved by COIN-OR Cbc through its C interface.
 *
 * Cbc decides the integer columns; Clp then finds the other ones anew with those fixed, since Cbc
 * takes what is within 1e-6 of a whole number for one.  Its presolve before the first relaxation is
 * switched off: only that would install a handler of SIGINT while it runs.  So are its zero-half
 * cuts: in version 2.10.8 they read memory that nobody has set, and may go round for ever.  So are
 * its heuristics and its fast trees below a node: what they look at counts for no limit of nodes.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "coin/coin.h"
#include "solve/solver_private.h"

/* Cbc's answers (Cbc_secondaryStatus). */
enum { CBC_INFEASIBLE = 1, CBC_UNBOUNDED = 7 };

static Cbc_Model *load(const struct ls_linear *program, const struct ls_matrix *matrix,
                       uint64_t nodes_max) {
  Cbc_Model *model = ls_Cbc_newModel();
  if (model == NULL) return NULL;
  ls_Cbc_setLogLevel(model, 0);
  ls_Cbc_loadProblem(model, (int)program->columns_count, (int)program->rows_count, matrix->starts,
                     matrix->rows, matrix->values, matrix->column_least, matrix->column_most,
                     matrix->objective, matrix->row_least, matrix->row_most);
  for (size_t i = 0; i < program->columns_count; i++) {
    if (program->is_integer[i]) ls_Cbc_setInteger(model, (int)i);
  }
  ls_Cbc_setObjSense(model, 1);
  ls_Cbc_setParameter(model, "presolve", "off");
  ls_Cbc_setParameter(model, "zeroHalfCuts", "off");
  ls_Cbc_setParameter(model, "heuristicsOnOff", "off");
  ls_Cbc_setParameter(model, "depthMiniBab", "-999");
  ls_Cbc_setAllowableGap(model, 0);
  ls_Cbc_setAllowableFractionGap(model, 0);
  if (nodes_max > 0 && nodes_max < INT_MAX) ls_Cbc_setMaximumNodes(model, (int)nodes_max);
  return model;
}

/* The program with its integer columns fixed: what is left to Clp. */
static enum ls_status solve_rest(const struct ls_linear *program, const double *found,
                                 struct ls_linear_solution *solution, struct ls_error *err) {
  struct ls_linear rest = *program; /* a view; only the bounds are its own */
  size_t bytes = program->columns_count * sizeof *rest.column_least;
  rest.integers_count = 0;
  rest.column_least = malloc(bytes);
  rest.column_most = malloc(bytes);
  enum ls_status status;
  if (rest.column_least == NULL || rest.column_most == NULL) {
    status = ls_fail(err, LS_ENOMEM, "no memory for a linear program of %zu columns",
                     program->columns_count);
  } else {
    memcpy(rest.column_least, program->column_least, bytes);
    memcpy(rest.column_most, program->column_most, bytes);
    for (size_t i = 0; i < program->columns_count; i++) {
      if (program->is_integer[i]) rest.column_least[i] = rest.column_most[i] = round(found[i]);
    }
    struct ls_matrix matrix;
    status = ls_matrix_open(&matrix, &rest, err);
    if (status == LS_OK) status = ls_continuous_solve(&rest, &matrix, 0, solution, err);
    ls_matrix_close(&matrix);
  }
  free(rest.column_least);
  free(rest.column_most);
  return status;
}

/* Cbc has a solution: proven, or the best until its limit, with `bound` on the objective. */
static enum ls_status conclude(const struct ls_linear *program, Cbc_Model *model,
                               struct ls_linear_solution *solution, struct ls_error *err) {
  struct ls_linear_solution rest;
  enum ls_status status = solve_rest(program, ls_Cbc_getColSolution(model), &rest, err);
  if (status != LS_OK) return status;
  free(rest.duals);
  rest.duals = NULL;
  rest.gap = (double)INFINITY;
  if (rest.outcome == LS_LINEAR_OPTIMAL) {
    bool is_proven = ls_Cbc_isProvenOptimal(model) != 0;
    double least = ls_Cbc_getBestPossibleObjValue(model);
    double objective = program->is_maximized ? -rest.objective : rest.objective;
    rest.gap = is_proven ? 0 : fmax(objective - least, 0);
    if (!is_proven) rest.outcome = LS_LINEAR_STOPPED;
  } else {
    /* What Cbc found holds within its tolerance only: nothing a caller could use. */
    rest.outcome = LS_LINEAR_STOPPED;
  }
  *solution = rest;
  return LS_OK;
}

enum ls_status ls_integer_solve(const struct ls_linear *program, const struct ls_matrix *matrix,
                                uint64_t nodes_max, struct ls_linear_solution *solution,
                                struct ls_error *err) {
  Cbc_Model *model = load(program, matrix, nodes_max);
  if (model == NULL) return ls_linear_no_model(err);
  enum ls_status status = LS_OK;
  (void)ls_Cbc_solve(model);
  int reason = ls_Cbc_secondaryStatus(model);
  if (reason == CBC_UNBOUNDED)
    *solution = (struct ls_linear_solution){.outcome = LS_LINEAR_UNBOUNDED};
  else if (reason == CBC_INFEASIBLE || ls_Cbc_isProvenInfeasible(model))
    *solution = (struct ls_linear_solution){.outcome = LS_LINEAR_INFEASIBLE};
  else if (ls_Cbc_bestSolution(model) == NULL)
    *solution = (struct ls_linear_solution){.outcome = LS_LINEAR_STOPPED, .gap = (double)INFINITY};
  else
    status = conclude(program, model, solution, err);
  ls_Cbc_deleteModel(model);
  return status;
}
