/* surrogate_cut.c: one row that sees all open pairs of workers at once.
 *
 * Reference:  none; a sum of all rows with multipliers that grow with the loads.
 * Assumes:    multipliers w > 0 of the node, which are improved.
 * Answers:    With e_i = w_i / x_i at the node's vertex, every solution a that agrees with the node
 *             meets  sum e_i a_i >= sum e_i a_i (row i) >= a'Qa,  where an open pair counts
 *             min(e_j c_i, e_i c_j) a_i a_j: whoever stands ahead, the other one pays.  A matrix of
 *             minima is positive semidefinite, so the set is convex, and its tangent at the vertex
 *             is a row.  Fixed pairs count what they cost, as far as Q stays positive definite.
 *             The w are sought by a subgradient method: the larger the sum, the deeper the cut.
 * Cost:       O(p^2) a step, O(p^3) at the end.
 * Symbols:    x -> point, w -> weights, e -> prices, Q -> matrix, c x -> loads.
 */
#include "planners/returns/surrogate_cut.h"

#include <math.h>
#include <string.h>

enum { STEPS = 10 };

static const double FIRST_STEP = 0.5;
/* Loads below that have the price of one of that size. */
static const double LEAST_LOAD = 1e-6;

/* What the weights are judged by: the rows without their open pairs, and those. */
struct field {
  double loads[2][LS_SMALL_MAX];
  double fixed[LS_SMALL_MAX]; /* excess of row i with those who surely stand ahead */
  double is_open[2][LS_SMALL_MAX][LS_SMALL_MAX]; /* 1 or 0, so that sums need no branches */
};

static void find_field(const struct ls_branch *branch, const struct ls_branch_node *node,
                       struct field *field) {
  const struct ls_small *small = &branch->small;
  const double *point = node->vertex.point;
  size_t count = small->count;
  for (size_t i = 0; i < count; i++) field->fixed[i] = point[i] - 1;
  for (int side = 0; side < 2; side++) {
    double *loads = field->loads[side];
    for (size_t i = 0; i < count; i++) loads[i] = small->cost[side][i] * point[i];
    for (size_t i = 0; i < count; i++) {
      unsigned ahead = node->ahead[side][i], known = ahead | node->behind[side][i] | 1u << i;
      for (size_t j = 0; j < count; j++) {
        if (((ahead >> j) & 1) != 0) field->fixed[i] += loads[j];
        field->is_open[side][i][j] = ((known >> j) & 1) != 0 ? 0 : 1;
      }
    }
  }
}

/* Excess of each row when of every open pair the cheaper one stands ahead, and half of each where
 * both cost the same; the weighted sum. */
static double find_excess(const struct field *field, size_t count, const double *restrict weights,
                          double *restrict excess) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) {
    double row = field->fixed[i], own = weights[i];
    for (int side = 0; side < 2; side++) {
      const double *loads = field->loads[side], *is_open = field->is_open[side][i];
      double load = loads[i];
      for (size_t j = 0; j < count; j++) {
        double ahead = own * loads[j], behind = weights[j] * load;
        row += 0.5 * is_open[j] * loads[j] * ((ahead < behind ? 1 : 0) + (ahead <= behind ? 1 : 0));
      }
    }
    excess[i] = row;
    sum += own * row;
  }
  return sum;
}

/* Raises the weights of rows that are exceeded; the best sum, whose weights the node keeps. */
static double improve_weights(const struct ls_branch *branch, struct ls_branch_node *node) {
  size_t count = branch->small.count;
  double weights[LS_SMALL_MAX], excess[LS_SMALL_MAX], best = -HUGE_VAL;
  struct field field;
  find_field(branch, node, &field);
  memcpy(weights, node->weights, sizeof weights);
  for (int step = 0; step < STEPS; step++) {
    double sum = find_excess(&field, count, weights, excess), total = 0;
    if (sum > best) {
      best = sum;
      memcpy(node->weights, weights, sizeof weights);
    }
    double rate = FIRST_STEP / sqrt(1 + step);
    for (size_t i = 0; i < count; i++) {
      double change = rate * excess[i];
      weights[i] *= change > -0.5 ? 1 + change : 0.5;
      total += weights[i];
    }
    for (size_t i = 0; i < count; i++) weights[i] /= total;
  }
  return best;
}

/* By Cholesky's method. */
static bool is_positive_definite(double matrix[LS_SMALL_MAX][LS_SMALL_MAX], size_t count) {
  double factor[LS_SMALL_MAX][LS_SMALL_MAX];
  for (size_t j = 0; j < count; j++) {
    double rest = matrix[j][j];
    for (size_t k = 0; k < j; k++) rest -= factor[j][k] * factor[j][k];
    if (!(rest > 1e-9 * matrix[j][j])) return false;
    factor[j][j] = sqrt(rest);
    for (size_t i = j + 1; i < count; i++) {
      double sum = matrix[i][j];
      for (size_t k = 0; k < j; k++) sum -= factor[i][k] * factor[j][k];
      factor[i][j] = sum / factor[j][j];
    }
  }
  return true;
}

/* `part`: how much of what a fixed pair costs beyond an open one counts. */
static void fill_matrix(const struct ls_branch *branch, const struct ls_branch_node *node,
                        const double *prices, double part,
                        double matrix[LS_SMALL_MAX][LS_SMALL_MAX]) {
  for (size_t i = 0; i < branch->small.count; i++) {
    matrix[i][i] = prices[i];
    for (size_t j = 0; j < i; j++) {
      double sum = 0;
      for (int side = 0; side < 2; side++) {
        const double *cost = branch->small.cost[side];
        double behind = prices[j] * cost[i], ahead = prices[i] * cost[j];
        double least = behind < ahead ? behind : ahead;
        sum += least;
        if (((node->ahead[side][j] >> i) & 1) != 0) sum += part * (behind - least);
        if (((node->ahead[side][i] >> j) & 1) != 0) sum += part * (ahead - least);
      }
      matrix[i][j] = matrix[j][i] = sum / 2;
    }
  }
}

/* The tangent at the vertex, with a right side of 1; its excess there. */
static double find_tangent(const struct ls_branch_node *node, size_t count, const double *prices,
                           double matrix[LS_SMALL_MAX][LS_SMALL_MAX], double *row) {
  const double *point = node->vertex.point;
  double right_side = 0, used = 0;
  for (size_t i = 0; i < count; i++) {
    double slope = 0;
    for (size_t j = 0; j < count; j++) slope += matrix[i][j] * point[j];
    right_side += slope * point[i];
    row[i] = 2 * slope - prices[i];
    used += row[i] * point[i];
  }
  if (!(right_side > 1e-9)) return 0;
  for (size_t i = 0; i < count; i++) row[i] /= right_side;
  return used / right_side - 1;
}

double ls_surrogate_cut(const struct ls_branch *branch, struct ls_branch_node *node, double *row) {
  static const double parts[] = {1, 0.7, 0.4};
  size_t count = branch->small.count;
  double prices[LS_SMALL_MAX], matrix[LS_SMALL_MAX][LS_SMALL_MAX];
  if (!(improve_weights(branch, node) > 0)) return 0;
  for (size_t i = 0; i < count; i++) {
    double point = node->vertex.point[i];
    prices[i] = node->weights[i] / (point > LEAST_LOAD ? point : LEAST_LOAD);
  }
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    fill_matrix(branch, node, prices, parts[k], matrix);
    if (is_positive_definite(matrix, count)) return find_tangent(node, count, prices, matrix, row);
  }
  fill_matrix(branch, node, prices, 0, matrix);
  return find_tangent(node, count, prices, matrix, row);
}
