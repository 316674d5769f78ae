/* branch.c: branch and bound over pairs of workers: which of the two stands ahead.
 *
 * Reference:  docs/theory/returns.md, 5, with another branching: not on the next worker from
 *             outside but on the pair of workers whose order matters most.
 * Assumes:    what relax.c assumes.
 * Answers:    the best pair of orders of all workers of the set, or better than the given one.
 * Cost:       exponential; a node costs a few microseconds.
 * Symbols:    none.
 *
 * One pivot's worth of each possible decision is computed from the vertex without making it: the
 * excess of the row that the decision lengthens times the least rate.  A decision that would end
 * below the best pair is refused at once, so its opposite holds (and a node where both are refused
 * is finished); of those left the one with the largest product of losses is branched on.
 */

#include "planners/returns/branch.h"

#include <math.h>

#include "planners/returns/dual_simplex.h"
#include "planners/returns/relax.h"

enum { STOP_INTERVAL = 256 };

/* A decision: worker i ahead of j in one order, or the other way round. */
struct question {
  int side;
  size_t i, j;
  double loss[2]; /* at least so much of the bound; 0: i ahead, 1: j ahead */
};

/* Rows by worker and what basis rows share in them: i waits for those surely ahead (early), and for
 * those who may be (late, with the sign turned). */
struct shares {
  double early[LS_SMALL_MAX][LS_SMALL_MAX], late[LS_SMALL_MAX][LS_SMALL_MAX];
  double early_excess[LS_SMALL_MAX], late_excess[LS_SMALL_MAX];
};

static void find_shares(const struct ls_branch *branch, const struct ls_branch_node *node,
                        struct shares *shares) {
  const struct ls_small *small = &branch->small;
  size_t count = small->count;
  for (size_t i = 0; i < count; i++) {
    double early[LS_SMALL_MAX] = {0}, late[LS_SMALL_MAX] = {0};
    for (int side = 0; side < 2; side++) {
      unsigned ahead = node->ahead[side][i] | 1u << i, behind = node->behind[side][i];
      for (size_t j = 0; j < count; j++) {
        if (((ahead >> j) & 1) != 0) early[j] += small->cost[side][j];
        if (((behind >> j) & 1) == 0) late[j] -= small->cost[side][j];
      }
    }
    early[i] += small->compute[i];
    late[i] -= small->compute[i];
    shares->early_excess[i] = -1;
    shares->late_excess[i] = 1;
    for (size_t j = 0; j < count; j++) {
      shares->early_excess[i] += early[j] * node->vertex.point[j];
      shares->late_excess[i] += late[j] * node->vertex.point[j];
    }
    for (size_t k = 0; k < count; k++) {
      const double *edge = node->vertex.edge[k];
      double sum_early = 0, sum_late = 0;
      for (size_t j = 0; j < count; j++) {
        sum_early += early[j] * edge[j];
        sum_late += late[j] * edge[j];
      }
      shares->early[i][k] = sum_early;
      shares->late[i][k] = sum_late;
    }
  }
}

/* A row of a node, by what basis rows share in it, to which worker j is added at `cost`. */
struct longer_row {
  const double *shares;
  double excess, cost;
  size_t j;
};

/* The loss of bound in one pivot of the row. */
static double measure_loss(const struct ls_vertex *vertex, size_t count,
                           const struct longer_row *row) {
  double cost = row->cost, excess = row->excess + cost * vertex->point[row->j];
  if (!(excess > 1e-10)) return 0;
  double rate = HUGE_VAL;
  for (size_t k = 0; k < count; k++) {
    double share = row->shares[k] + cost * vertex->edge[k][row->j];
    if (share > 1e-9 && vertex->dual[k] < rate * share) rate = vertex->dual[k] / share;
  }
  if (isinf(rate)) return excess > 1e-6 ? HUGE_VAL : 0;
  return rate * excess;
}

/* `first` ahead of `second`: the one waits for the other, who does not wait for it. */
struct decision {
  int side;
  size_t first, second;
};

static double measure_decision(const struct ls_branch *branch, const struct ls_vertex *vertex,
                               const struct shares *shares, const struct decision *decision) {
  const double *cost = branch->small.cost[decision->side];
  size_t count = branch->small.count, first = decision->first, second = decision->second;
  struct longer_row early = {shares->early[second], shares->early_excess[second], cost[first],
                             first};
  double loss = measure_loss(vertex, count, &early);
  if (!branch->is_full) return loss;
  struct longer_row late = {shares->late[first], shares->late_excess[first], cost[second], second};
  double other = measure_loss(vertex, count, &late);
  return other > loss ? other : loss;
}

/* Fixes i ahead of j, and what follows. */
static void fix(struct ls_branch_node *node, size_t count, int side, size_t i, size_t j) {
  unsigned before = node->ahead[side][i] | 1u << i, after = node->behind[side][j] | 1u << j;
  for (size_t k = 0; k < count; k++) {
    if (((before >> k) & 1) != 0) node->behind[side][k] |= (ls_branch_mask)after;
    if (((after >> k) & 1) != 0) node->ahead[side][k] |= (ls_branch_mask)before;
  }
}

static bool is_open(const struct ls_branch_node *node, int side, size_t i, size_t j) {
  unsigned fixed = (unsigned)node->ahead[side][i] | node->behind[side][i];
  return ((fixed >> j) & 1) == 0;
}

enum finding { FOUND_NOTHING, FOUND_QUESTION, FOUND_FIXED, FOUND_END };

/* Looks at all open decisions: fixes those with one possible answer, else finds the best. */
static enum finding find_question(const struct ls_branch *branch, struct ls_branch_node *node,
                                  struct question *question) {
  size_t count = branch->small.count;
  double room = node->vertex.bound - ls_branch_cut_off(branch);
  double best_score = -1;
  bool has_fixed = false;
  struct shares shares;
  find_shares(branch, node, &shares);
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < count; i++) {
      for (size_t j = i + 1; j < count; j++) {
        if (!is_open(node, side, i, j)) continue;
        double ahead =
            measure_decision(branch, &node->vertex, &shares, &(struct decision){side, i, j});
        double behind =
            measure_decision(branch, &node->vertex, &shares, &(struct decision){side, j, i});
        if (ahead >= room && behind >= room) return FOUND_END;
        if (ahead >= room || behind >= room) {
          fix(node, count, side, ahead >= room ? j : i, ahead >= room ? i : j);
          has_fixed = true;
          continue;
        }
        double score = (ahead + 0.1 * room) * (behind + 0.1 * room);
        if (score > best_score) {
          best_score = score;
          *question = (struct question){side, i, j, {ahead, behind}};
        }
      }
    }
  }
  if (has_fixed) return FOUND_FIXED;
  return best_score >= 0 ? FOUND_QUESTION : FOUND_NOTHING;
}

static void take_pair(struct ls_branch *branch, const struct ls_pair *pair) {
  double value = ls_pair_value(&branch->small, pair, NULL);
  if (!(value > branch->best_value)) return;
  branch->best_value = value;
  branch->best = *pair;
}

/* Everything is fixed: the places are the numbers of those ahead. */
static void take_leaf(struct ls_branch *branch, const struct ls_branch_node *node) {
  struct ls_pair pair = {0};
  for (int side = 0; side < 2; side++) {
    for (size_t i = 0; i < branch->small.count; i++) {
      int place = __builtin_popcount(node->ahead[side][i]);
      pair.order[side][place] = (uint8_t)i;
    }
  }
  take_pair(branch, &pair);
}

/* The depth is at most the number of decisions, p (p - 1). */
static void search_node(struct ls_branch *branch, struct ls_branch_node *node) {
  struct question question;
  enum finding finding;
  if (ls_budget_is_spent_shortly(branch->budget)) {
    branch->open_bound = fmax(branch->open_bound, node->vertex.bound);
    return;
  }
  ls_budget_spend(branch->budget, 1);
  do {
    if (!ls_branch_relax(branch, node)) return;
    finding = find_question(branch, node, &question);
  } while (finding == FOUND_FIXED);
  if (finding == FOUND_END) return;
  if (finding == FOUND_NOTHING) {
    take_leaf(branch, node);
    return;
  }
  size_t count = branch->small.count;
  bool is_swapped = question.loss[1] < question.loss[0];
  for (int turn = 0; turn < 2; turn++) {
    struct ls_branch_node child = *node;
    if ((turn == 0) != is_swapped)
      fix(&child, count, question.side, question.i, question.j);
    else
      fix(&child, count, question.side, question.j, question.i);
    search_node(branch, &child);
  }
}

void ls_branch_solve(struct ls_branch *branch) {
  struct ls_branch_node root;
  branch->recent_count = branch->recent_next = 0;
  branch->open_bound = 0;
  ls_branch_root(branch, &root);
  search_node(branch, &root);
}
