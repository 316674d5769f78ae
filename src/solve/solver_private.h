/* solver_private.h: who solves a program that has been built: Clp or Cbc. */
#ifndef LS_SOLVE_SOLVER_PRIVATE_H
#define LS_SOLVE_SOLVER_PRIVATE_H

#include "solve/matrix_private.h"

/* As ls_linear_solve, of a program that has not failed: one without integer columns. */
LS_CHECKED enum ls_status ls_continuous_solve(const struct ls_linear *program,
                                              const struct ls_matrix *matrix,
                                              uint64_t iterations_max,
                                              struct ls_linear_solution *solution,
                                              struct ls_error *err);
/* One with integer columns. */
LS_CHECKED enum ls_status ls_integer_solve(const struct ls_linear *program,
                                           const struct ls_matrix *matrix, uint64_t nodes_max,
                                           struct ls_linear_solution *solution,
                                           struct ls_error *err);
/* Why there is no model: LS_ENOMEM, or LS_EIO where the libraries cannot be loaded. */
LS_CHECKED enum ls_status ls_linear_no_model(struct ls_error *err);

#endif
