/* basis_update.h: a pair of orders of many workers in which no worker idles.
 *
 * The rows of all workers are equalities, so loads and throughput follow from the inverse of their
 * matrix; and how they change when two neighbours of one order swap places, or one worker leaves,
 * follows from four entries of it.  Two-port, no latencies.
 */
#ifndef LS_PLANNERS_RETURNS_BASIS_UPDATE_H
#define LS_PLANNERS_RETURNS_BASIS_UPDATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planners/returns/returns.h"

struct ls_basis {
  size_t count, capacity;
  uint32_t *workers;           /* by number within the basis */
  size_t *order[2];            /* numbers, outside first: sends forwards, returns backwards */
  double *cost[2], *compute_s; /* seconds per unit, by number */
  double *inverse;       /* capacity x capacity; row of a load, column of a row of the matrix */
  double *loads, *duals; /* for one second; the multipliers of the rows */
  double throughput;
  size_t *moved; /* scratch of the inversion: rows swapped for pivots */
};

LS_CHECKED enum ls_status ls_basis_open(struct ls_basis *basis, size_t capacity,
                                        struct ls_error *err);
void ls_basis_close(struct ls_basis *basis);
/* Takes a scenario's orders. False: the matrix is singular, or some load is negative; the
 * basis is then of no use. */
bool ls_basis_load(struct ls_basis *basis, const struct ls_returns *returns,
                   const struct ls_scenario *scenario);
/* Swaps the workers at `place` and `place` + 1 of an order if that raises the throughput by more
 * than the fraction `least` (which may be negative) and leaves no load negative. */
bool ls_basis_swap(struct ls_basis *basis, int side, size_t place, double least);
/* Lets a worker (by number) leave if that raises the throughput and leaves no load negative. */
bool ls_basis_drop(struct ls_basis *basis, size_t number);
/* Writes orders, units for one second and the throughput. */
void ls_basis_store(const struct ls_basis *basis, const struct ls_returns *returns,
                    struct ls_scenario *scenario);

#endif
