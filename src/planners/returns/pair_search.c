/* pair_search.c: local search over pairs of orders of a few workers.
 *
 * Reference:  docs/theory/returns.md, 6.
 * Assumes:    at most LS_SMALL_MAX workers.
 * Answers:    a pair that no swap of two workers in one order, no move of one worker in one order
 *             and no exchange of two names in both improves.
 * Cost:       O(p^2) programs a pass, a few passes.
 * Symbols:    none.
 */

#include "planners/returns/pair_search.h"

#include <string.h>

#include "planners/returns/dual_simplex.h"

static const double IMPROVEMENT = 1e-12;

struct walk {
  const struct ls_small *small;
  struct ls_budget *budget;
  struct ls_pair *pair;
  double value;
};

/* Goes to `next` when it is better. */
static bool try_pair(struct walk *walk, const struct ls_pair *next) {
  if (ls_budget_is_spent_shortly(walk->budget)) return false;
  ls_budget_spend(walk->budget, 1);
  double value = ls_pair_value_above(walk->small, next, walk->value + IMPROVEMENT, NULL);
  if (!(value > walk->value + IMPROVEMENT)) return false;
  walk->value = value;
  *walk->pair = *next;
  return true;
}

static void move_worker(uint8_t *order, size_t from, size_t to) {
  uint8_t worker = order[from];
  if (from < to)
    memmove(order + from, order + from + 1, (to - from) * sizeof *order);
  else
    memmove(order + to + 1, order + to, (from - to) * sizeof *order);
  order[to] = worker;
}

static bool try_moves(struct walk *walk, int side) {
  bool has_improved = false;
  for (size_t from = 0; from < walk->small->count; from++) {
    for (size_t to = 0; to < walk->small->count; to++) {
      if (from == to || from == to + 1) continue; /* the neighbour's move is the same */
      struct ls_pair next = *walk->pair;
      move_worker(next.order[side], from, to);
      if (try_pair(walk, &next)) has_improved = true;
    }
  }
  return has_improved;
}

static bool try_swaps(struct walk *walk, int side) {
  bool has_improved = false;
  for (size_t i = 0; i < walk->small->count; i++) {
    for (size_t j = i + 2; j < walk->small->count; j++) {
      struct ls_pair next = *walk->pair;
      uint8_t worker = next.order[side][i];
      next.order[side][i] = next.order[side][j];
      next.order[side][j] = worker;
      if (try_pair(walk, &next)) has_improved = true;
    }
  }
  return has_improved;
}

static bool try_exchanges(struct walk *walk) {
  bool has_improved = false;
  size_t count = walk->small->count;
  for (uint8_t a = 0; a < count; a++) {
    for (uint8_t b = (uint8_t)(a + 1); b < count; b++) {
      struct ls_pair next = *walk->pair;
      for (int side = 0; side < 2; side++) {
        for (size_t k = 0; k < count; k++) {
          uint8_t worker = next.order[side][k];
          if (worker == a) next.order[side][k] = b;
          if (worker == b) next.order[side][k] = a;
        }
      }
      if (try_pair(walk, &next)) has_improved = true;
    }
  }
  return has_improved;
}

double ls_pair_climb(const struct ls_small *small, struct ls_pair *pair, struct ls_budget *budget) {
  struct walk walk = {small, budget, pair, ls_pair_value(small, pair, NULL)};
  bool has_improved = true;
  while (has_improved && !ls_budget_is_spent_shortly(budget)) {
    has_improved = false;
    for (int side = 0; side < 2; side++) {
      if (try_moves(&walk, side)) has_improved = true;
      if (try_swaps(&walk, side)) has_improved = true;
    }
    if (try_exchanges(&walk)) has_improved = true;
  }
  return walk.value;
}
