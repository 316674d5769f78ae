/* dual_simplex.h: few workers, many programs: the searches solve them by the thousand.
 *
 * Loads are scaled: x_i = (c_i + w_i + d_i) a_i, so that every column of every row is within [0, 1]
 * and x_i <= 1.  The two orders are seen from outside inwards: order 0 are the sends from the first
 * on, order 1 the returns from the last backwards; a worker that stands ahead of i in either order
 * delays i. A vertex is the state of a dual simplex method for  max gain.x, rows g.x <= h : a
 * point, the edges leaving it and the multipliers of its rows, not the rows themselves; so a row
 * that has grown stricter is simply a further row, and a child in a search tree starts from its
 * parent's vertex.
 */
#ifndef LS_PLANNERS_RETURNS_DUAL_SIMPLEX_H
#define LS_PLANNERS_RETURNS_DUAL_SIMPLEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "planners/returns/returns.h"

enum { LS_SMALL_MAX = 12 };

struct ls_small {
  size_t count;
  double cost[2][LS_SMALL_MAX]; /* c / (c+w+d), d / (c+w+d) */
  double compute[LS_SMALL_MAX]; /* w / (c+w+d) */
  double gain[LS_SMALL_MAX];    /* of x_i in the throughput; the fastest has 1 */
  double unit;                  /* throughput = unit * scaled throughput */
  bool is_one_port;
};

/* Both orders of all workers, outside first. */
struct ls_pair {
  uint8_t order[2][LS_SMALL_MAX];
};

struct ls_vertex {
  double edge[LS_SMALL_MAX][LS_SMALL_MAX]; /* row k: the direction against row k of the basis */
  double point[LS_SMALL_MAX];
  double dual[LS_SMALL_MAX];
  double bound; /* gain . point: no feasible x has more */
};

enum ls_pivot { LS_PIVOT_DONE, LS_PIVOT_INFEASIBLE, LS_PIVOT_STUCK };

/* The workers of `workers` (count of them, at most LS_SMALL_MAX), in this order. */
void ls_small_init(struct ls_small *small, const struct ls_returns *returns,
                   const uint32_t *workers, size_t count);
/* The vertex of x_i <= 1. */
void ls_vertex_init(struct ls_vertex *vertex, const struct ls_small *small);
/* Makes the vertex meet a row that it violates by `excess` > 0. */
enum ls_pivot ls_vertex_add(struct ls_vertex *vertex, size_t count, const double *row,
                            double excess);
/* As ls_pair_value, but 0 (and no loads) as soon as it is known not to be above `least`. */
double ls_pair_value_above(const struct ls_small *small, const struct ls_pair *pair, double least,
                           double *loads);
/* The scaled throughput of a pair with the rows of all workers; `loads` (scaled x; may be NULL) by
 * worker. */
double ls_pair_value(const struct ls_small *small, const struct ls_pair *pair, double *loads);
void ls_pair_shuffle(struct ls_pair *pair, size_t count, struct ls_random *random);
/* The pair of the scenario, as good as it: workers of the set that are not in its orders are sent
 * to last and return last, by number. `workers` as in ls_small_init. */
void ls_pair_of(struct ls_pair *pair, const struct ls_small *small, const uint32_t *workers,
                const struct ls_scenario *scenario);
/* The scenario of a pair with its loads for one second. */
void ls_pair_to(const struct ls_pair *pair, const struct ls_small *small,
                const struct ls_returns *returns, const uint32_t *workers,
                struct ls_scenario *scenario);

#endif
