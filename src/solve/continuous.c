/* continuous.c: programs without integer columns, solved by COIN-OR Clp through its C interface.
 *
 * Clp_dual and Clp_primal are called, never the "initial solve" functions: those would install a
 * handler of SIGINT while they run.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "coin/coin.h"
#include "solve/solver_private.h"

/* Clp's answers (Clp_status). */
enum { CLP_OPTIMAL, CLP_INFEASIBLE, CLP_UNBOUNDED, CLP_STOPPED, CLP_GAVE_UP };
/* Clp_scaling: unscaled, or geometric where that helps. */
enum { SCALING_NONE, SCALING_AUTOMATIC = 3 };
enum { PERTURBATION_NEVER = 102 };

static const double tolerance = 1e-9;

static void load(Clp_Simplex *model, const struct ls_matrix *matrix,
                 const struct ls_linear *program, uint64_t iterations_max) {
  ls_Clp_setLogLevel(model, 0);
  ls_Clp_loadProblem(model, (int)program->columns_count, (int)program->rows_count, matrix->starts,
                     matrix->rows, matrix->values, matrix->column_least, matrix->column_most,
                     matrix->objective, matrix->row_least, matrix->row_most);
  ls_Clp_setOptimizationDirection(model, 1);
  ls_Clp_setPrimalTolerance(model, tolerance);
  ls_Clp_setDualTolerance(model, tolerance);
  ls_Clp_scaling(model, SCALING_AUTOMATIC);
  if (iterations_max > 0 && iterations_max < INT_MAX) {
    ls_Clp_setMaximumIterations(model, (int)iterations_max);
  }
}

/* The primal simplex finds the optimum: on programs of thousands of rows many times faster than the
 * dual one.  That then starts from the vertex found, and so computes its values anew, to the last
 * digits and without the perturbation.  What the primal one gave up, the dual one decides. */
static int solve(Clp_Simplex *model) {
  (void)ls_Clp_primal(model, 0);
  int status = ls_Clp_status(model);
  if (status != CLP_OPTIMAL && status != CLP_GAVE_UP) return status;
  ls_Clp_setPerturbation(model, PERTURBATION_NEVER);
  (void)ls_Clp_dual(model, 0);
  status = ls_Clp_status(model);
  /* An optimum of the scaled program need not be one of the program itself. */
  if (status == CLP_OPTIMAL && ls_Clp_secondaryStatus(model) != 0) {
    ls_Clp_scaling(model, SCALING_NONE);
    (void)ls_Clp_primal(model, 0);
    status = ls_Clp_status(model);
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
  const double *found = ls_Clp_getColSolution(model), *prices = ls_Clp_getRowPrice(model);
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

enum ls_status ls_continuous_solve(const struct ls_linear *program, const struct ls_matrix *matrix,
                                   uint64_t iterations_max, struct ls_linear_solution *solution,
                                   struct ls_error *err) {
  Clp_Simplex *model = ls_Clp_newModel();
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
  ls_Clp_deleteModel(model);
  return status;
}
