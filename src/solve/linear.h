/* linear.h: linear and mixed-integer programs, built row by row, solved by COIN-OR Clp and Cbc.
 *
 * Columns are >= 0 unless ls_linear_bound says otherwise.  The builder is sticky: the first failure
 * (no memory, a number beyond 1e30 in size) is kept and reported by ls_linear_solve.  A program
 * without integer columns never meets Cbc.  Both solvers stay silent and install no signal
 * handlers; the same program gives the same solution everywhere with the same libraries.
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
  double *objective;                  /* by column */
  double *column_least, *column_most; /* by column; -INFINITY, INFINITY: no bound */
  bool *is_integer;                   /* by column */
  size_t columns_count, columns_capacity, integers_count;
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
  LS_LINEAR_UNBOUNDED, /* with integer columns: were they not integer */
  LS_LINEAR_STOPPED    /* the limit of work was reached, or the solver gave up */
};

struct ls_linear_solution {
  enum ls_linear_outcome outcome;
  double objective;
  double gap; /* no solution is better by more than that; 0 of an optimum, INFINITY: not known */
  double *values; /* by column; owned; NULL: none. Of integer columns whole numbers */
  double *duals;  /* by row; owned; >= 0 for at-most rows of a maximised program; NULL where there
                     are integer columns */
};

void ls_linear_init(struct ls_linear *program, bool is_maximized);
void ls_linear_close(struct ls_linear *program);
/* Adds a column with this factor in the objective; its number. */
size_t ls_linear_column(struct ls_linear *program, double objective);
/* Bounds a column: least <= most; -INFINITY, INFINITY: none on that side. */
void ls_linear_bound(struct ls_linear *program, size_t column, double least, double most);
/* Only whole numbers are wanted of a column. */
void ls_linear_integer(struct ls_linear *program, size_t column);
/* Starts a row; its number. The entries that follow are its. */
size_t ls_linear_row(struct ls_linear *program, enum ls_relation relation, double bound);
/* Adds to the row begun last; entries of one column in one row are summed. */
void ls_linear_entry(struct ls_linear *program, size_t column, double value);
/* Solves.  `work_max` limits the iterations of Clp, or the nodes of Cbc where there are integer
 * columns; 0: no limit.  An LS_LINEAR_OPTIMAL solution has values; an LS_LINEAR_STOPPED one has the
 * best values found, where there are integer columns and Cbc had any.  The caller closes it.
 * LS_EINVAL: what the builder met; LS_EIO: Clp and Cbc cannot be loaded; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_linear_solve(const struct ls_linear *program, uint64_t work_max,
                                          struct ls_linear_solution *solution,
                                          struct ls_error *err);
void ls_linear_solution_close(struct ls_linear_solution *solution);

#endif
