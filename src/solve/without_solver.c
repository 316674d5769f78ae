/* without_solver.c: the answer of a build without Clp and Cbc (meson's -Dsolver=disabled). */
#include "solve/solver_private.h"

static enum ls_status refuse(struct ls_error *err) {
  return ls_fail(err, LS_EIO,
                 "linear programs need Clp and Cbc, without which this program was built");
}

enum ls_status ls_continuous_solve(const struct ls_linear *program, const struct ls_matrix *matrix,
                                   uint64_t iterations_max, struct ls_linear_solution *solution,
                                   struct ls_error *err) {
  (void)program, (void)matrix, (void)iterations_max, (void)solution;
  return refuse(err);
}

enum ls_status ls_integer_solve(const struct ls_linear *program, const struct ls_matrix *matrix,
                                uint64_t nodes_max, struct ls_linear_solution *solution,
                                struct ls_error *err) {
  (void)program, (void)matrix, (void)nodes_max, (void)solution;
  return refuse(err);
}
