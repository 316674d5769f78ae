/* linear.h: linear programs, built row by row and solved by COIN-OR Clp.
 *
 * Columns are >= 0.  The builder is sticky: the first failure (no memory, a number beyond
 * 1e30 in size) is kept and reported by ls_linear_solve.  Clp stays silent and installs no signal
 * handlers; the same program gives the same solution everywhere with the same library.
 */
#ifndef LS_SOLVE_LINEAR_H
#define LS_SOLVE_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

enum ls_relation { LS_AT_MOST, LS_EQUAL, LS_AT_LEAST };

struct ls_linear {
  bool is_maximized;
  double *objective; /* by column */
  size_t columns_count, columns_capacity;
  double *bounds; /* by row */
  enum ls_relation *relations;
  size_t *row_starts; /* rows_count + 1 entries into columns and values, once a row exists */
  size_t rows_count, rows_capacity;
  int *columns;
  double *values;
  size_t entries_count, entries_capacity;
  struct ls_error failure;
};

enum ls_linear_outcome {
  LS_LINEAR_OPTIMAL,
  LS_LINEAR_INFEASIBLE,
  LS_LINEAR_UNBOUNDED,
  LS_LINEAR_STOPPED /* the limit of iterations was reached */
};

struct ls_linear_solution {
  enum ls_linear_outcome outcome;
  double objective;
  double *values; /* by column; owned */
  double *duals;  /* by row; owned; >= 0 for at-most rows of a maximised program */
};

void ls_linear_init(struct ls_linear *program, bool is_maximized);
void ls_linear_close(struct ls_linear *program);
/* Adds a column with this factor in the objective; its number. */
size_t ls_linear_column(struct ls_linear *program, double objective);
/* Starts a row; its number. The entries that follow are its. */
size_t ls_linear_row(struct ls_linear *program, enum ls_relation relation, double bound);
/* Adds to the row begun last; entries of one column in one row are summed. */
void ls_linear_entry(struct ls_linear *program, size_t column, double value);
/* Solves; `iterations_max` 0: no limit. Only an LS_LINEAR_OPTIMAL solution has values. The caller
 * closes it. LS_EINVAL: what the builder met; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_linear_solve(const struct ls_linear *program, uint64_t iterations_max,
                                          struct ls_linear_solution *solution,
                                          struct ls_error *err);
void ls_linear_solution_close(struct ls_linear_solution *solution);

#endif
