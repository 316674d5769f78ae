/* matrix_private.h: a program as the solvers take it: by column, a range for each row and column,
 * always to be minimised, so that no sign depends on how a solver treats a direction.
 */
#ifndef LS_SOLVE_MATRIX_PRIVATE_H
#define LS_SOLVE_MATRIX_PRIVATE_H

#include "solve/linear.h"

struct ls_matrix {
  int *starts, *rows; /* of the entries, by column */
  double *values;
  double *objective;
  double *row_least, *row_most;       /* -DBL_MAX, DBL_MAX: no bound */
  double *column_least, *column_most; /* likewise */
};

/* The caller closes it, also after a failure. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_matrix_open(struct ls_matrix *matrix, const struct ls_linear *program,
                                         struct ls_error *err);
void ls_matrix_close(struct ls_matrix *matrix);

#endif
