/* relax.h: a node of the search for the best pair of orders of a few workers, by branch and bound.
 *
 * A node fixes, for some pairs of workers and each of the two orders, which one stands ahead (both
 * orders are seen from outside, see dual_simplex.h), transitively closed.  Its bound is a
 * linear program of rows that hold for every pair of orders that agrees with it; a worker's time is
 * shared between compute, its own transfers and the transfers of those ahead of it.
 */
#ifndef LS_PLANNERS_RETURNS_RELAX_H
#define LS_PLANNERS_RETURNS_RELAX_H

#include <stdbool.h>
#include <stdint.h>

#include "planners/returns/dual_simplex.h"

enum { LS_BRANCH_RECENT = 16, LS_BRANCH_HALF_MASKS = 1 << (LS_SMALL_MAX / 2) };

typedef uint16_t ls_branch_mask;

struct ls_branch_node {
  struct ls_vertex vertex;
  ls_branch_mask ahead[2][LS_SMALL_MAX];  /* of worker i: the workers ahead of it */
  ls_branch_mask behind[2][LS_SMALL_MAX]; /* the workers behind it */
  double weights[LS_SMALL_MAX];           /* of the rows in a surrogate cut; > 0, sum 1 */
};

struct ls_branch {
  struct ls_small small;
  double *slowness; /* by mask: 1 / (scaled) optimum of that subset; 0: not known. Of the full set
                       it is not read */
  struct ls_pair best;
  double best_value;
  bool is_full; /* only pairs that load all workers are looked for: smaller subsets are solved, so
                 * no worker idles (two-port) */
  struct ls_budget *budget; /* a node is one work; NULL: no limit */
  double open_bound;        /* of the nodes that a stopped search left */
  /* Work space by mask, for the lower and the upper half of its bits. */
  unsigned low_bits;
  ls_branch_mask ahead_all[2][2][LS_BRANCH_HALF_MASKS]; /* the workers ahead of all of the mask */
  double cost_sums[2][2][LS_BRANCH_HALF_MASKS];         /* sum of cost x over the mask */
  double load_sums[2][LS_BRANCH_HALF_MASKS];            /* sum of gain x */
  ls_branch_mask recent[LS_BRANCH_RECENT]; /* subsets whose rows were violated lately */
  size_t recent_count, recent_next;
};

LS_CHECKED enum ls_status ls_branch_open(struct ls_branch *branch, size_t workers_max,
                                         struct ls_error *err);
void ls_branch_close(struct ls_branch *branch);
/* The node at which nothing is fixed. */
void ls_branch_root(const struct ls_branch *branch, struct ls_branch_node *node);
/* Adds violated rows until none is left, or the bound is not above the best pair: false. */
bool ls_branch_relax(struct ls_branch *branch, struct ls_branch_node *node);
/* A bound above this is worth looking at. */
double ls_branch_cut_off(const struct ls_branch *branch);
#endif
