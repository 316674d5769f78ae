/* returns_relax.c: the bound of a node: rows that every pair of orders agreeing with it meets.
 *
 * Reference:  section 5 of the project's specification of returns (rows of subsets); the rows of
 *             differences, of two workers and of weights are this project's.
 * Assumes:    optima of the smaller subsets, where known.
 * Answers:    for every subset R with known optimum: sum_R a / rho(R) + what stands ahead of all of
 *             R <= 1; R = {i} is the row of worker i, and of two workers the whole hull is used.
 *             Without idle time (two-port, everybody loaded): row i counted with all that may stand
 *             ahead is >= 1, and two rows differ by no more than what may stand between.
 * Cost:       O(2^p) for the first and the last look at the subsets, O(p^2) a pivot else.
 * Symbols:    a_i / (scaled) -> point, rho -> 1 / slowness.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns_branch_private.h"

enum { PIVOTS_MAX = 200, WEIGHINGS_MAX = 2 };

static const double TOLERANCE = 1e-9;

enum row_kind { ROW_NONE, ROW_SUBSET, ROW_FACET, ROW_PORT, ROW_SIGN, ROW_LATEST, ROW_DIFFERENCE };

/* The most violated row so far. */
struct worst {
  enum row_kind kind;
  double excess;
  unsigned mask;
  size_t i, j;
  struct ls_facet facet;
};

enum ls_status ls_branch_open(struct ls_branch *branch, size_t workers_max, struct ls_error *err) {
  memset(branch, 0, sizeof *branch);
  size_t masks = (size_t)1 << workers_max;
  branch->slowness = calloc(masks, sizeof *branch->slowness);
  branch->load_sums = calloc(masks, sizeof *branch->load_sums);
  bool has_all = branch->slowness != NULL && branch->load_sums != NULL;
  for (int side = 0; side < 2; side++) {
    branch->ahead_all[side] = calloc(masks, sizeof *branch->ahead_all[side]);
    branch->cost_sums[side] = calloc(masks, sizeof *branch->cost_sums[side]);
    if (branch->ahead_all[side] == NULL || branch->cost_sums[side] == NULL) has_all = false;
  }
  if (has_all) return LS_OK;
  ls_branch_close(branch);
  return ls_fail(err, LS_ENOMEM, "no memory for the subsets of %zu workers", workers_max);
}

void ls_branch_close(struct ls_branch *branch) {
  free(branch->slowness);
  free(branch->load_sums);
  for (int side = 0; side < 2; side++) {
    free(branch->ahead_all[side]);
    free(branch->cost_sums[side]);
  }
  memset(branch, 0, sizeof *branch);
}

void ls_branch_root(const struct ls_branch *branch, struct ls_branch_node *node) {
  memset(node, 0, sizeof *node);
  ls_vertex_init(&node->vertex, &branch->small);
}

double ls_branch_cut_off(const struct ls_branch *branch) {
  return branch->best_value * (1 + 1e-11);
}

static unsigned everybody(const struct ls_branch *branch) {
  return (1u << branch->small.count) - 1;
}

static void find_ahead(struct ls_branch *branch, const struct ls_branch_node *node) {
  for (int side = 0; side < 2; side++) {
    ls_branch_mask *restrict all = branch->ahead_all[side];
    all[0] = (ls_branch_mask)everybody(branch);
    for (size_t i = 0; i < branch->small.count; i++) {
      size_t half = (size_t)1 << i;
      ls_branch_mask ahead = node->ahead[side][i];
      for (size_t mask = 0; mask < half; mask++) all[mask + half] = all[mask] & ahead;
    }
  }
}

static int state_of(const struct ls_branch_node *node, size_t i, size_t j) {
  int state = 0;
  for (int side = 0; side < 2; side++) {
    int here = 0;
    if (((node->behind[side][i] >> j) & 1) != 0) here = 1;
    if (((node->ahead[side][i] >> j) & 1) != 0) here = 2;
    state = 3 * state + here;
  }
  return state;
}

/* Where both orders are fixed, the rows of the two workers say all. */
static void list_open_pairs(struct ls_branch *branch, const struct ls_branch_node *node) {
  size_t count = branch->small.count;
  branch->pairs_count = 0;
  for (size_t i = 0; i < count; i++) {
    for (size_t j = i + 1; j < count; j++) {
      int state = state_of(node, i, j);
      if (state / 3 != 0 && state % 3 != 0) continue;
      branch->pairs[branch->pairs_count++] =
          (struct ls_branch_open_pair){(uint8_t)i, (uint8_t)j, &branch->facets[i][j][state]};
    }
  }
}

static void sum_masks(double *restrict sums, const double *terms, size_t count) {
  sums[0] = 0;
  for (size_t i = 0; i < count; i++) {
    size_t half = (size_t)1 << i;
    double term = terms[i];
    for (size_t mask = 0; mask < half; mask++) sums[mask + half] = sums[mask] + term;
  }
}

static void sum_point(struct ls_branch *branch, const double *point) {
  const struct ls_small *small = &branch->small;
  double terms[LS_SMALL_MAX];
  for (size_t i = 0; i < small->count; i++) terms[i] = small->gain[i] * point[i];
  sum_masks(branch->load_sums, terms, small->count);
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < small->count; i++) terms[i] = small->cost[side][i] * point[i];
    sum_masks(branch->cost_sums[side], terms, small->count);
  }
}

/* What stands ahead of all of the mask takes this long, less the time there is. */
static double wait_of(const struct ls_branch *branch, unsigned mask) {
  return branch->cost_sums[0][branch->ahead_all[0][mask]] +
         branch->cost_sums[1][branch->ahead_all[1][mask]] - 1;
}

static void look_at_subset(const struct ls_branch *branch, unsigned mask, struct worst *worst) {
  double excess = branch->load_sums[mask] * branch->slowness[mask] + wait_of(branch, mask);
  if (!(excess > worst->excess)) return;
  *worst = (struct worst){.kind = ROW_SUBSET, .excess = excess, .mask = mask};
}

static void look_at_facets(const struct ls_branch *branch, const double *point,
                           struct worst *worst) {
  for (size_t p = 0; p < branch->pairs_count; p++) {
    const struct ls_branch_open_pair *pair = &branch->pairs[p];
    unsigned mask = 1u << pair->i | 1u << pair->j;
    double wait = wait_of(branch, mask), x = point[pair->i], y = point[pair->j];
    for (size_t k = 0; k < pair->facets->count; k++) {
      const struct ls_facet *facet = &pair->facets->facet[k];
      double excess = wait + facet->a * x + facet->b * y;
      if (!(excess > worst->excess)) continue;
      *worst = (struct worst){ROW_FACET, excess, mask, pair->i, pair->j, *facet};
    }
  }
}

/* Who may stand between i and the outside, i included. */
static unsigned may_be_ahead(const struct ls_branch *branch, const struct ls_branch_node *node,
                             int side, size_t i) {
  return everybody(branch) & ~(unsigned)node->behind[side][i];
}

static void look_at_latest(const struct ls_branch *branch, const struct ls_branch_node *node,
                           struct worst *worst) {
  for (size_t i = 0; i < branch->small.count; i++) {
    double row = branch->small.compute[i] * node->vertex.point[i];
    for (int side = 0; side < 2; side++)
      row += branch->cost_sums[side][may_be_ahead(branch, node, side, i)];
    if (1 - row > worst->excess)
      *worst = (struct worst){.kind = ROW_LATEST, .excess = 1 - row, .i = i};
  }
}

struct gap {
  unsigned mask;
  double sign;
};

/* Who makes i at most so much earlier than j in this order: with j ahead, -(i and those surely
 * between); else j and those who may stand between. */
static struct gap between(unsigned all, const struct ls_branch_node *node, int side, size_t i,
                          size_t j) {
  unsigned ahead_i = node->ahead[side][i], behind_j = node->behind[side][j];
  if (((ahead_i >> j) & 1) != 0) return (struct gap){(ahead_i & behind_j) | 1u << i, 1};
  return (struct gap){(all & ~(ahead_i | behind_j | 1u << i)) | 1u << j, -1};
}

/* Rows i and j are both 1 without idle time: w_i x_i - w_j x_j <= what j waits more than i. */
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
        excess += gap.sign * branch->cost_sums[side][gap.mask];
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
  look_at_facets(branch, node->vertex.point, worst);
  if (branch->is_full) look_at_latest(branch, node, worst);
  if (!branch->small.is_one_port) return;
  unsigned all = everybody(branch);
  double excess = branch->cost_sums[0][all] + branch->cost_sums[1][all] - 1;
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
      case ROW_FACET:
        add_mask(row, cost, branch->ahead_all[side][worst->mask], 1);
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
  if (worst->kind == ROW_FACET) {
    row[worst->i] += worst->facet.a;
    row[worst->j] += worst->facet.b;
  }
  if (worst->kind == ROW_SIGN) row[worst->i] = -1;
  if (worst->kind == ROW_LATEST) row[worst->i] -= small->compute[worst->i];
  if (worst->kind == ROW_DIFFERENCE) {
    row[worst->i] += small->compute[worst->i];
    row[worst->j] -= small->compute[worst->j];
  }
}

bool ls_branch_relax(struct ls_branch *branch, struct ls_branch_node *node) {
  double row[LS_SMALL_MAX];
  int weighings = 0;
  find_ahead(branch, node);
  list_open_pairs(branch, node);
  for (int pivot = 0; pivot < PIVOTS_MAX; pivot++) {
    if (!(node->vertex.bound > ls_branch_cut_off(branch))) return false;
    struct worst worst = {.kind = ROW_NONE, .excess = TOLERANCE};
    sum_point(branch, node->vertex.point);
    look_at_all(branch, node, &worst);
    if (worst.kind != ROW_NONE) {
      build_row(branch, node, &worst, row);
    } else {
      if (weighings++ == WEIGHINGS_MAX) return true;
      worst.excess = ls_branch_weigh(branch, node, row);
      if (!(worst.excess > TOLERANCE)) return true;
    }
    enum ls_pivot result = ls_vertex_add(&node->vertex, branch->small.count, row, worst.excess);
    if (result == LS_PIVOT_INFEASIBLE) return false;
    if (result == LS_PIVOT_STUCK) return true;
  }
  return node->vertex.bound > ls_branch_cut_off(branch);
}
