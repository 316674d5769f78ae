/* returns_weigh.c: one row that sees all open pairs of workers at once.
 *
 * Reference:  none; weak duality with the multipliers of the best known pair.
 * Assumes:    a node whose bound is above the best pair's value.
 * Answers:    sum_i y_i (row i of the node) + sum over open pairs of min(y_j c_i x_i, y_i c_j x_j)
 *             <= sum_i y_i.  The minimum is concave; a plane below it over the box that holds every
 *             better solution makes the row linear.  Slack k of the vertex is at most
 *             (bound - best) / y_k, which gives that box for nothing.
 * Cost:       O(p^2).
 * Symbols:    y -> duals, x -> point, c -> cost.
 */
#include <string.h>

#include "planners/returns_branch_private.h"

struct box {
  double least[LS_SMALL_MAX], most[LS_SMALL_MAX];
};

/* The C library's look after NaN, which does not come here, and are calls. */
static inline double larger(double a, double b) {
  return a > b ? a : b;
}

static inline double smaller(double a, double b) {
  return a < b ? a : b;
}

static void find_box(const struct ls_branch *branch, const struct ls_branch_node *node,
                     struct box *box) {
  const struct ls_vertex *vertex = &node->vertex;
  size_t count = branch->small.count;
  double room = vertex->bound - branch->best_value;
  double up[LS_SMALL_MAX] = {0}, down[LS_SMALL_MAX] = {0};
  for (size_t k = 0; k < count; k++) {
    double slack = room / larger(vertex->dual[k], 1e-12);
    for (size_t i = 0; i < count; i++) {
      double change = -slack * vertex->edge[k][i];
      up[i] = larger(up[i], change);
      down[i] = smaller(down[i], change);
    }
  }
  for (size_t i = 0; i < count; i++) {
    box->most[i] = larger(smaller(vertex->point[i] + up[i], 1), 0);
    box->least[i] = smaller(larger(vertex->point[i] + down[i], 0), box->most[i]);
  }
}

/* What an open pair costs at least: min(a x_i, b x_j). */
struct toll {
  size_t i, j;
  double a, b;
};

/* Adds to the row a plane below the toll over the box; returns its constant. */
static double add_plane(const struct box *box, const double *point, const struct toll *toll,
                        double *row) {
  size_t i = toll->i, j = toll->j;
  double a = toll->a, b = toll->b;
  double a_least = a * box->least[i], a_most = a * box->most[i];
  double b_least = b * box->least[j], b_most = b * box->most[j];
  if (a_most <= b_least) {
    row[i] += a;
    return 0;
  }
  if (b_most <= a_least) {
    row[j] += b;
    return 0;
  }
  double width = box->most[i] - box->least[i], height = box->most[j] - box->least[j];
  double low = smaller(a_least, b_least);
  if (!(width > 1e-9) || !(height > 1e-9)) return low;
  double right = smaller(a_most, b_least), top = smaller(a_least, b_most),
         high = smaller(a_most, b_most);
  double u = (point[i] - box->least[i]) / width, v = (point[j] - box->least[j]) / height;
  /* The lower hull of the four corners folds along one diagonal of the box. */
  double by_u, by_v, base = low;
  if (low + high >= right + top) {
    bool is_lower = u + v <= 1;
    by_u = is_lower ? right - low : high - top;
    by_v = is_lower ? top - low : high - right;
    if (!is_lower) base = high - by_u - by_v;
  } else {
    bool is_right = u >= v;
    by_u = is_right ? right - low : high - top;
    by_v = is_right ? high - right : top - low;
  }
  row[i] += by_u / width;
  row[j] += by_v / height;
  return base - by_u * box->least[i] / width - by_v * box->least[j] / height;
}

double ls_branch_weigh(const struct ls_branch *branch, const struct ls_branch_node *node,
                       double *row) {
  const struct ls_small *small = &branch->small;
  size_t count = small->count;
  struct box box;
  double right_side = 0;
  find_box(branch, node, &box);
  memset(row, 0, LS_SMALL_MAX * sizeof *row);
  for (size_t i = 0; i < count; i++) {
    double dual = branch->duals[i];
    right_side += dual;
    row[i] += dual * (small->compute[i] + small->cost[0][i] + small->cost[1][i]);
    for (int side = 0; side < 2; side++) {
      for (unsigned rest = node->ahead[side][i]; rest != 0; rest &= rest - 1) {
        size_t j = (size_t)__builtin_ctz(rest);
        row[j] += dual * small->cost[side][j];
      }
    }
  }
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < count; i++) {
      unsigned fixed = (unsigned)node->ahead[side][i] | node->behind[side][i];
      for (size_t j = i + 1; j < count; j++) {
        if (((fixed >> j) & 1) != 0) continue;
        struct toll toll = {i, j, branch->duals[j] * small->cost[side][i],
                            branch->duals[i] * small->cost[side][j]};
        right_side -= add_plane(&box, node->vertex.point, &toll, row);
      }
    }
  }
  double excess = -right_side;
  for (size_t j = 0; j < count; j++) excess += row[j] * node->vertex.point[j];
  /* Scaled like the other rows, whose right sides are 1. */
  if (!(right_side > 1e-9)) return 0;
  for (size_t j = 0; j < count; j++) row[j] /= right_side;
  return excess / right_side;
}
