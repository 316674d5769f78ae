/* policy_grid.h: policies x orders x platforms, each under the same seeds, in parallel processes.
 *
 * A case is one policy with one order on one platform.  All cases meet the same chance: seed k
 * draws the same task times and the same losses for each.  The result does not depend on the number
 * of processes.
 */
#ifndef LS_CLI_POLICY_GRID_H
#define LS_CLI_POLICY_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/status.h"
#include "model/platform.h"

struct ls_policy_words { /* borrowed */
  const char *const *items;
  size_t count;
};

struct ls_policy_grid {
  struct ls_policy_words policies, orders, platform_names;
  const struct ls_platform *platforms; /* one for each name */
  const char *sizing, *replication;    /* NULL: the default */
  struct ls_json arguments;            /* `.value` NULL: none */
  bool knows_facts;
  uint64_t units, seed;
  size_t seeds; /* seed, seed + 1, ...; >= 1 */
  size_t processes;
  double *prices; /* where run puts those of all cases; NULL: not wanted */
};

/* Over the seeds: mean, deviation, extremes and half the width of the 95 % confidence interval of
 * the mean (0 for one seed). */
struct ls_policy_figure {
  double mean, deviation, least, largest, half_width;
};

struct ls_policy_case {
  size_t policy, order, platform;
  struct ls_policy_figure makespan_s, efficiency, to_bound, chunks, price;
  double
      *prices; /* by worker of the platform, the mean; borrowed from the grid; NULL: not wanted */
};

size_t ls_policy_grid_cases(const struct ls_policy_grid *grid);
/* Room for the prices by worker, which the caller frees. */
LS_CHECKED enum ls_status ls_policy_grid_want_prices(struct ls_policy_grid *grid,
                                                     struct ls_error *err);
/* Fills `cases`, ls_policy_grid_cases entries, platform by platform, order by order; sums over the
 * seeds as results come, so that the number of seeds costs no memory. The first refusal of a world
 * is returned with its text. */
LS_CHECKED enum ls_status ls_policy_grid_run(const struct ls_policy_grid *grid,
                                             struct ls_policy_case *cases, struct ls_error *err);
/* The least mean makespan first. */
void ls_policy_grid_rank(struct ls_policy_case *cases, size_t count);
/* With `/ bound`, makespan over lower bound, and `regret`, the share of its time that a case takes
 * longer than the best one of the same platform; with the price where a platform has prices. */
void ls_policy_grid_write_table(const struct ls_policy_grid *grid,
                                const struct ls_policy_case *cases, struct ls_bytes *out);
void ls_policy_grid_write_json(const struct ls_policy_grid *grid,
                               const struct ls_policy_case *cases, struct ls_bytes *out);
/* `, "prices": [...]`: the mean price of each worker of a case; they were wanted. */
void ls_policy_grid_write_prices(const struct ls_policy_grid *grid,
                                 const struct ls_policy_case *item, struct ls_bytes *out);
/* Makespan over the bound by case, with the ends of the interval, as a drawing. */
LS_CHECKED enum ls_status ls_policy_grid_draw(const struct ls_policy_grid *grid,
                                              const struct ls_policy_case *cases,
                                              struct ls_bytes *out, struct ls_error *err);

#endif
