#include "advise/policy_ties.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

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

/* Bit by bit: two that do the same compute the same. */
static bool is_same(const struct ls_policy_grid *grid, const struct ls_policy_case *one,
                    const struct ls_policy_case *other) {
  return one->platform == other->platform &&
         memcmp(&one->chunks, &other->chunks, sizeof one->chunks) == 0 &&
         memcmp(get_makespans(grid, one), get_makespans(grid, other),
                grid->seeds * sizeof *grid->makespans) == 0;
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
  for (size_t i = 0; i < grid->seeds; i++) ls_moments_add(&behind, own_s[i] - best_s[i]);
  struct ls_policy_tie tie = {.is_best = index == best,
                              .behind_s = ls_policy_figure_of(&behind),
                              .same_as = find_same(grid, cases, index)};
  tie.is_tied = !tie.is_best && !(tie.behind_s.mean > tie.behind_s.half_width);
  return tie;
}
