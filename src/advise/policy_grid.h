/* policy_grid.h: policies x orders x platforms, each under the same seeds.
 *
 * A case is one policy with one order on one platform.  All cases meet the same chance: seed k
 * draws the same task times and the same losses for each.  The result does not depend on the number
 * of processes.  A policy "auto" is chosen for each order and platform, by other seeds.
 */
#ifndef LS_ADVISE_POLICY_GRID_H
#define LS_ADVISE_POLICY_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advise/advise.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/status.h"
#include "model/platform.h"
#include "simulate/world.h"

struct ls_policy_words { /* borrowed */
  const char *const *items;
  size_t count;
};

/* Results that do not depend on each other: result i is what compute makes of i, `result_bytes`
 * plain bytes. */
struct ls_grid_work {
  size_t count, result_bytes;
  enum ls_status (*compute)(void *context, size_t index, void *result, struct ls_error *err);
  void *context;
};

struct ls_policy_grid {
  struct ls_policy_words policies, orders, platform_names;
  const struct ls_platform *platforms; /* one for each name */
  /* By policy: the plan of whole units that is followed under that name, which is of no policy
   * then; NULL: the policy decides.  NULL: there are none. */
  const struct ls_plan *const *plans;
  double error;                     /* of what is expected of a chunk */
  const char *sizing, *replication; /* NULL: the default */
  struct ls_json arguments;         /* `.value` NULL: none */
  bool knows_facts;
  uint64_t units, seed;
  size_t seeds; /* seed, seed + 1, ...; >= 1 */
  /* Computes them all, in any order, in processes if it likes; runtime's map over forked processes
   * does. */
  enum ls_status (*map)(const struct ls_policy_grid *grid, const struct ls_grid_work *work,
                        void *results, struct ls_error *err);
  size_t processes;  /* for it */
  double *prices;    /* where run puts those of all cases; NULL: not wanted */
  double *makespans; /* where run puts those of all simulations, case by case; NULL: not wanted */
};

/* Over the seeds: mean, deviation, extremes and half the width of the 95 % confidence interval of
 * the mean (0 for one seed). */
struct ls_policy_figure {
  double mean, deviation, least, largest, half_width;
};

struct ls_policy_case {
  size_t policy, order, platform;
  struct ls_candidate chosen; /* of "auto"; without a chunking policy: it is another one */
  struct ls_policy_figure makespan_s, efficiency, to_bound, chunks, price;
  double
      *prices; /* by worker of the platform, the mean; borrowed from the grid; NULL: not wanted */
};

size_t ls_policy_grid_cases(const struct ls_policy_grid *grid);
/* The plan that stands in place of a policy; NULL: none. */
const struct ls_plan *ls_policy_grid_plan(const struct ls_policy_grid *grid, size_t policy);
/* Room for the prices by worker, which the caller frees. */
LS_CHECKED enum ls_status ls_policy_grid_want_prices(struct ls_policy_grid *grid,
                                                     struct ls_error *err);
/* Room for the makespan of each simulation, 8 bytes, which the caller frees: for policy_ties.h. */
LS_CHECKED enum ls_status ls_policy_grid_want_makespans(struct ls_policy_grid *grid,
                                                        struct ls_error *err);
/* Where a case stands among the cases before they are ranked. */
size_t ls_policy_grid_place(const struct ls_policy_grid *grid, const struct ls_policy_case *item);
/* Chooses the policy of a case where it is "auto". */
LS_CHECKED enum ls_status ls_policy_grid_choose(const struct ls_policy_grid *grid,
                                                struct ls_policy_case *item, struct ls_error *err);
/* Opens the world of a case with this seed; the caller closes. */
LS_CHECKED enum ls_status ls_policy_grid_open(const struct ls_policy_grid *grid,
                                              const struct ls_policy_case *item, uint64_t seed,
                                              struct ls_world *world, struct ls_error *err);
/* Fills `cases`, ls_policy_grid_cases entries, platform by platform, order by order; sums over the
 * seeds as results come, so that their number costs no memory but that of wanted makespans. The
 * first refusal of a world is returned with its text. */
LS_CHECKED enum ls_status ls_policy_grid_run(const struct ls_policy_grid *grid,
                                             struct ls_policy_case *cases, struct ls_error *err);
/* Mean, extremes and interval of what was added. */
struct ls_policy_figure ls_policy_figure_of(const struct ls_moments *moments);
/* The least mean makespan first. */
void ls_policy_grid_rank(struct ls_policy_case *cases, size_t count);
/* How much longer a case takes than the best one of the same platform, as a share of its time. */
double ls_policy_grid_regret(const struct ls_policy_grid *grid, const struct ls_policy_case *cases,
                             size_t index);

#endif
