/* relax.c: the bound of a node: rows that every pair of orders agreeing with it meets.
 *
 * Reference:  docs/theory/returns.md, 5 (rows of subsets); the rows of differences and the
 *             surrogate cuts are this project's.
 * Assumes:    optima of the smaller subsets, where known.
 * Answers:    for every subset R with known optimum: sum_R a / rho(R) + what stands ahead of all of
 *             R <= 1; R = {i} is the row of worker i.  Without idle time (two-port, everybody
 *             loaded): row i counted with all that may stand ahead is >= 1, and two rows differ by
 *             no more than what may stand between.  Where no such row is violated, a surrogate cut.
 * Cost:       O(2^p) for a look at all subsets, O(p^2) a pivot else.
 * Symbols:    a_i / (scaled) -> point, rho -> 1 / slowness.
 */
#include "planners/returns/relax.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/dual_simplex.h"
#include "planners/returns/surrogate_cut.h"

enum { PIVOTS_MAX = 200, CUTS_MAX = 4 };

static const double TOLERANCE = 1e-9;

enum row_kind { ROW_NONE, ROW_SUBSET, ROW_PORT, ROW_SIGN, ROW_LATEST, ROW_DIFFERENCE };

/* The most violated row so far. */
struct worst {
  enum row_kind kind;
  double excess;
  unsigned mask;
  size_t i, j;
};

enum ls_status ls_branch_open(struct ls_branch *branch, size_t workers_max, struct ls_error *err) {
  memset(branch, 0, sizeof *branch);
  branch->slowness = calloc((size_t)1 << workers_max, sizeof *branch->slowness);
  if (branch->slowness != NULL) return LS_OK;
  return ls_fail(err, LS_ENOMEM, "no memory for the subsets of %zu workers", workers_max);
}

void ls_branch_close(struct ls_branch *branch) {
  free(branch->slowness);
  memset(branch, 0, sizeof *branch);
}

void ls_branch_root(const struct ls_branch *branch, struct ls_branch_node *node) {
  memset(node, 0, sizeof *node);
  ls_vertex_init(&node->vertex, &branch->small);
  for (size_t i = 0; i < branch->small.count; i++)
    node->weights[i] = 1 / (double)branch->small.count;
}

double ls_branch_cut_off(const struct ls_branch *branch) {
  return branch->best_value * (1 + 1e-11);
}

static unsigned everybody(const struct ls_branch *branch) {
  return (1u << branch->small.count) - 1;
}

static void find_ahead(struct ls_branch *branch, const struct ls_branch_node *node) {
  size_t count = branch->small.count, low = (count + 1) / 2;
  branch->low_bits = (unsigned)low;
  for (int side = 0; side < 2; side++) {
    for (int half = 0; half < 2; half++) {
      ls_branch_mask *restrict all = branch->ahead_all[side][half];
      size_t first = half == 0 ? 0 : low, bits = half == 0 ? low : count - low;
      all[0] = (ls_branch_mask)everybody(branch);
      for (size_t i = 0; i < bits; i++) {
        size_t known = (size_t)1 << i;
        ls_branch_mask ahead = node->ahead[side][first + i];
        for (size_t mask = 0; mask < known; mask++) all[mask + known] = all[mask] & ahead;
      }
    }
  }
}

static void sum_masks(double *restrict sums, const double *terms, size_t count) {
  sums[0] = 0;
  for (size_t i = 0; i < count; i++) {
    size_t known = (size_t)1 << i;
    double term = terms[i];
    for (size_t mask = 0; mask < known; mask++) sums[mask + known] = sums[mask] + term;
  }
}

static void sum_halves(double sums[2][LS_BRANCH_HALF_MASKS], const double *terms, size_t low,
                       size_t count) {
  sum_masks(sums[0], terms, low);
  sum_masks(sums[1], terms + low, count - low);
}

static void sum_point(struct ls_branch *branch, const double *point) {
  const struct ls_small *small = &branch->small;
  size_t low = branch->low_bits;
  double terms[LS_SMALL_MAX];
  for (size_t i = 0; i < small->count; i++) terms[i] = small->gain[i] * point[i];
  sum_halves(branch->load_sums, terms, low, small->count);
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < small->count; i++) terms[i] = small->cost[side][i] * point[i];
    sum_halves(branch->cost_sums[side], terms, low, small->count);
  }
}

static inline double get_sum(const struct ls_branch *branch,
                             double const sums[2][LS_BRANCH_HALF_MASKS], unsigned mask) {
  unsigned low = branch->low_bits;
  return sums[0][mask & ((1u << low) - 1)] + sums[1][mask >> low];
}

static inline unsigned get_ahead(const struct ls_branch *branch, int side, unsigned mask) {
  unsigned low = branch->low_bits;
  return (unsigned)branch->ahead_all[side][0][mask & ((1u << low) - 1)] &
         branch->ahead_all[side][1][mask >> low];
}

/* The time of all that stands ahead of the whole mask, less the time there is. */
static inline double wait_of(const struct ls_branch *branch, unsigned mask) {
  return get_sum(branch, branch->cost_sums[0], get_ahead(branch, 0, mask)) +
         get_sum(branch, branch->cost_sums[1], get_ahead(branch, 1, mask)) - 1;
}

static void look_at_subset(const struct ls_branch *branch, unsigned mask, struct worst *worst) {
  double excess =
      get_sum(branch, branch->load_sums, mask) * branch->slowness[mask] + wait_of(branch, mask);
  if (!(excess > worst->excess)) return;
  *worst = (struct worst){.kind = ROW_SUBSET, .excess = excess, .mask = mask};
}

/* The workers that may stand between i and the outside, i included. */
static unsigned may_be_ahead(const struct ls_branch *branch, const struct ls_branch_node *node,
                             int side, size_t i) {
  return everybody(branch) & ~(unsigned)node->behind[side][i];
}

static void look_at_latest(const struct ls_branch *branch, const struct ls_branch_node *node,
                           struct worst *worst) {
  for (size_t i = 0; i < branch->small.count; i++) {
    double row = branch->small.compute[i] * node->vertex.point[i];
    for (int side = 0; side < 2; side++)
      row += get_sum(branch, branch->cost_sums[side], may_be_ahead(branch, node, side, i));
    if (1 - row > worst->excess)
      *worst = (struct worst){.kind = ROW_LATEST, .excess = 1 - row, .i = i};
  }
}

struct gap {
  unsigned mask;
  double sign;
};

/* The workers that make i at most so much earlier than j in this order: with j ahead, -(i and those
 * surely between); else j and those who may stand between. */
static struct gap between(unsigned all, const struct ls_branch_node *node, int side, size_t i,
                          size_t j) {
  unsigned ahead_i = node->ahead[side][i], behind_j = node->behind[side][j];
  if (((ahead_i >> j) & 1) != 0) return (struct gap){(ahead_i & behind_j) | 1u << i, 1};
  return (struct gap){(all & ~(ahead_i | behind_j | 1u << i)) | 1u << j, -1};
}

/* Rows i and j are both 1 without idle time: w_i x_i - w_j x_j <= the time that j waits more than
 * i. */
static void look_at_differences(const struct ls_branch *branch, const struct ls_branch_node *node,
                                struct worst *worst) {
  const double *compute = branch->small.compute, *point = node->vertex.point;
  unsigned all = everybody(branch);
  for (size_t i = 0; i < branch->small.count; i++) {
    for (size_t j = 0; j < branch->small.count; j++) {
      if (i == j) continue;
      double excess = compute[i] * point[i] - compute[j] * point[j];
      for (int side = 0; side < 2; side++) {
        struct gap gap = between(all, node, side, i, j);
        excess += gap.sign * get_sum(branch, branch->cost_sums[side], gap.mask);
      }
      if (excess > worst->excess)
        *worst = (struct worst){.kind = ROW_DIFFERENCE, .excess = excess, .i = i, .j = j};
    }
  }
}

static void look_at_cheap(const struct ls_branch *branch, const struct ls_branch_node *node,
                          struct worst *worst) {
  size_t count = branch->small.count;
  for (size_t i = 0; i < count; i++) {
    look_at_subset(branch, 1u << i, worst);
    if (-node->vertex.point[i] > worst->excess)
      *worst = (struct worst){.kind = ROW_SIGN, .excess = -node->vertex.point[i], .i = i};
  }
  for (size_t k = 0; k < branch->recent_count; k++)
    look_at_subset(branch, branch->recent[k], worst);
  if (branch->is_full) look_at_latest(branch, node, worst);
  if (!branch->small.is_one_port) return;
  unsigned all = everybody(branch);
  double excess =
      get_sum(branch, branch->cost_sums[0], all) + get_sum(branch, branch->cost_sums[1], all) - 1;
  if (excess > worst->excess) *worst = (struct worst){.kind = ROW_PORT, .excess = excess};
}

static void look_at_all(struct ls_branch *branch, const struct ls_branch_node *node,
                        struct worst *worst) {
  look_at_cheap(branch, node, worst);
  if (worst->kind == ROW_NONE && branch->is_full) look_at_differences(branch, node, worst);
  if (worst->kind != ROW_NONE) return;
  for (unsigned mask = 1; mask < everybody(branch); mask++) look_at_subset(branch, mask, worst);
  if (worst->kind == ROW_NONE) return;
  branch->recent[branch->recent_next] = (ls_branch_mask)worst->mask;
  branch->recent_next = (branch->recent_next + 1) % LS_BRANCH_RECENT;
  if (branch->recent_count < LS_BRANCH_RECENT) branch->recent_count++;
}

static void add_mask(double *row, const double *cost, unsigned mask, double factor) {
  for (; mask != 0; mask &= mask - 1) {
    size_t j = (size_t)__builtin_ctz(mask);
    row[j] += factor * cost[j];
  }
}

static void build_row(const struct ls_branch *branch, const struct ls_branch_node *node,
                      const struct worst *worst, double *row) {
  const struct ls_small *small = &branch->small;
  memset(row, 0, LS_SMALL_MAX * sizeof *row);
  for (int side = 0; side < 2; side++) {
    const double *cost = small->cost[side];
    struct gap gap;
    switch (worst->kind) {
      case ROW_SUBSET:
        add_mask(row, cost, get_ahead(branch, side, worst->mask), 1);
        break;
      case ROW_PORT:
        add_mask(row, cost, everybody(branch), 1);
        break;
      case ROW_LATEST:
        add_mask(row, cost, may_be_ahead(branch, node, side, worst->i), -1);
        break;
      case ROW_DIFFERENCE:
        gap = between(everybody(branch), node, side, worst->i, worst->j);
        add_mask(row, cost, gap.mask, gap.sign);
        break;
      case ROW_SIGN:
      case ROW_NONE:
        break;
    }
  }
  if (worst->kind == ROW_SUBSET)
    add_mask(row, small->gain, worst->mask, branch->slowness[worst->mask]);
  if (worst->kind == ROW_SIGN) row[worst->i] = -1;
  if (worst->kind == ROW_LATEST) row[worst->i] -= small->compute[worst->i];
  if (worst->kind == ROW_DIFFERENCE) {
    row[worst->i] += small->compute[worst->i];
    row[worst->j] -= small->compute[worst->j];
  }
}

bool ls_branch_relax(struct ls_branch *branch, struct ls_branch_node *node) {
  double row[LS_SMALL_MAX];
  int cuts = 0;
  find_ahead(branch, node);
  for (int pivot = 0; pivot < PIVOTS_MAX; pivot++) {
    if (!(node->vertex.bound > ls_branch_cut_off(branch))) return false;
    struct worst worst = {.kind = ROW_NONE, .excess = TOLERANCE};
    sum_point(branch, node->vertex.point);
    look_at_all(branch, node, &worst);
    if (worst.kind != ROW_NONE) {
      build_row(branch, node, &worst, row);
    } else {
      if (cuts++ == CUTS_MAX) return true;
      worst.excess = ls_surrogate_cut(branch, node, row);
      if (!(worst.excess > TOLERANCE)) return true;
    }
    enum ls_pivot result = ls_vertex_add(&node->vertex, branch->small.count, row, worst.excess);
    if (result == LS_PIVOT_INFEASIBLE) return false;
    if (result == LS_PIVOT_STUCK) return true;
  }
  return node->vertex.bound > ls_branch_cut_off(branch);
}
