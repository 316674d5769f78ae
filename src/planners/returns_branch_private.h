/* returns_branch_private.h: the best pair of orders of a few workers, by branch and bound.
 *
 * A node fixes, for some pairs of workers and each of the two orders, which one stands ahead (both
 * orders are seen from outside, see returns_small_private.h), transitively closed.  Its bound is a
 * linear program of rows that hold for every pair of orders that agrees with it; a worker's time is
 * shared between compute, its own transfers and the transfers of those ahead of it.
 */
#ifndef LS_PLANNERS_RETURNS_BRANCH_PRIVATE_H
#define LS_PLANNERS_RETURNS_BRANCH_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "planners/returns_small_private.h"

enum {
  LS_BRANCH_FACETS_MAX = 6,
  LS_BRANCH_STATES = 9, /* of a pair of workers: 3 * order 0 + order 1; 0 open, 1 the lower number
                           ahead, 2 the higher */
  LS_BRANCH_RECENT = 16
};

/* a x_i + b x_j <= what is left to both. */
struct ls_facet {
  double a, b;
};

struct ls_facets {
  struct ls_facet facet[LS_BRANCH_FACETS_MAX];
  size_t count;
};

typedef uint16_t ls_branch_mask;

/* Two workers i < j whose place is open in at least one order. */
struct ls_branch_open_pair {
  uint8_t i, j;
  const struct ls_facets *facets; /* what is fixed of the two allows */
};

enum { LS_BRANCH_PAIRS_MAX = LS_SMALL_MAX * (LS_SMALL_MAX - 1) / 2 };

struct ls_branch_node {
  struct ls_vertex vertex;
  ls_branch_mask ahead[2][LS_SMALL_MAX];  /* of worker i: who stands ahead of it */
  ls_branch_mask behind[2][LS_SMALL_MAX]; /* who stands behind it */
};

struct ls_branch {
  struct ls_small small;
  double *slowness; /* by mask: 1 / (scaled) optimum of that subset; 0: not known. Of the full set
                       it is not read */
  struct ls_facets facets[LS_SMALL_MAX][LS_SMALL_MAX][LS_BRANCH_STATES];
  struct ls_pair best;
  double best_value;
  double duals[LS_SMALL_MAX]; /* of the best pair */
  bool is_full; /* only pairs that load everybody are looked for: smaller subsets are solved, so
                   nobody idles (two-port) */
  uint64_t nodes, nodes_max;
  bool (*stop)(void *context);
  void *stop_context;
  bool is_stopped;
  double open_bound; /* of the nodes that a stopped search left */
  /* Work space by mask, 2^count entries. */
  ls_branch_mask *ahead_all[2]; /* who stands ahead of all of the mask */
  double *load_sums;            /* sum of gain x over the mask */
  double *cost_sums[2];         /* sum of cost x */
  struct ls_branch_open_pair pairs[LS_BRANCH_PAIRS_MAX];
  size_t pairs_count;
  ls_branch_mask recent[LS_BRANCH_RECENT]; /* subsets whose rows were violated lately */
  size_t recent_count, recent_next;
};

LS_CHECKED enum ls_status ls_branch_open(struct ls_branch *branch, size_t workers_max,
                                         struct ls_error *err);
void ls_branch_close(struct ls_branch *branch);
/* Facets of all pairs of workers of branch->small (returns_facets.c). */
void ls_branch_find_facets(struct ls_branch *branch);
/* The node at which nothing is fixed. */
void ls_branch_root(const struct ls_branch *branch, struct ls_branch_node *node);
/* Adds violated rows until none is left, or the bound is not above the best pair: false. */
bool ls_branch_relax(struct ls_branch *branch, struct ls_branch_node *node);
/* A bound above this is worth looking at. */
double ls_branch_cut_off(const struct ls_branch *branch);
/* The row that bounds by weighing all rows with the best pair's multipliers (returns_weigh.c); its
 * excess at the node's vertex. */
double ls_branch_weigh(const struct ls_branch *branch, const struct ls_branch_node *node,
                       double *row);
/* Improves branch->best and best_value until they are optimal, or is_stopped with open_bound. */
void ls_branch_solve(struct ls_branch *branch);

#endif
