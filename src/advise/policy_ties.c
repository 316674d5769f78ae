#include "advise/policy_ties.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>

#include "base/statistics.h"

/* By seed. */
static const double *get_makespans(const struct ls_policy_grid *grid,
                                   const struct ls_policy_case *item) {
  return grid->makespans + ls_policy_grid_place(grid, item) * grid->seeds;
}

static size_t find_best(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                        size_t platform) {
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < ls_policy_grid_cases(grid); i++) {
    if (cases[i].platform != platform) continue;
    if (best == SIZE_MAX || cases[i].makespan_s.mean < cases[best].makespan_s.mean) best = i;
  }
  return best;
}

/* Sums of the same times in another order differ by their rounding. */
static const double ROUNDING = 1e-9;

static bool is_equal(double one, double other) {
  return fabs(one - other) <= ROUNDING * fmax(fabs(one), fabs(other));
}

static bool is_same(const struct ls_policy_grid *grid, const struct ls_policy_case *one,
                    const struct ls_policy_case *other) {
  bool is_same = one->platform == other->platform &&
                 is_equal(one->chunks.mean, other->chunks.mean) &&
                 is_equal(one->chunks.deviation, other->chunks.deviation);
  for (size_t i = 0; i < grid->seeds && is_same; i++)
    is_same = is_equal(get_makespans(grid, one)[i], get_makespans(grid, other)[i]);
  return is_same;
}

static size_t find_same(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                        size_t index) {
  for (size_t i = 0; i < index; i++)
    if (is_same(grid, &cases[i], &cases[index])) return i;
  return SIZE_MAX;
}

struct ls_policy_tie ls_policy_tie_find(const struct ls_policy_grid *grid,
                                        const struct ls_policy_case *cases, size_t index) {
  assert(grid->makespans != NULL);
  struct ls_moments behind = {0};
  size_t best = find_best(grid, cases, cases[index].platform);
  const double *own_s = get_makespans(grid, &cases[index]),
               *best_s = get_makespans(grid, &cases[best]);
  for (size_t i = 0; i < grid->seeds; i++)
    ls_moments_add(&behind, is_equal(own_s[i], best_s[i]) ? 0 : own_s[i] - best_s[i]);
  struct ls_policy_tie tie = {.is_best = index == best,
                              .behind_s = ls_policy_figure_of(&behind),
                              .same_as = find_same(grid, cases, index)};
  tie.is_tied = !tie.is_best && !(tie.behind_s.mean > tie.behind_s.half_width);
  return tie;
}
