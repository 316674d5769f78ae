#include "cli/compare_ways.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "cli/compare_sites.h"
#include "cli/crew_judges.h"

bool ls_front_tries(const struct ls_planner *planner) {
  return planner->cost == LS_PLANNER_FORMULAS && !planner->asks_others;
}

static enum ls_status show(const struct ls_front_request *request, bool *holds,
                           struct ls_error *err) {
  return request->shows_sites ? ls_compare_sites(request, holds, err)
                              : ls_compare_front(request, holds, err);
}

enum ls_status ls_front_of_planners(struct ls_front_request *request,
                                    const struct ls_policy_words *labels,
                                    const struct ls_planner_limits *limits, bool *holds,
                                    struct ls_error *err) {
  size_t count = labels->count;
  struct ls_planner_judge *judges = calloc(count, sizeof *judges);
  struct ls_front_way *ways = calloc(count, sizeof *ways);
  enum ls_status status = judges == NULL || ways == NULL
                              ? ls_fail(err, LS_ENOMEM, "no memory for %zu planners", count)
                              : LS_OK;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    const struct ls_planner *planner = NULL;
    struct ls_planner_setup setup = {.platform = request->platform};
    judges[i] = (struct ls_planner_judge){request->platform, limits, labels->items[i], NULL};
    ways[i] = (struct ls_front_way){labels->items[i], ls_judge_by_planner, &judges[i]};
    /* A wrong name is said at once; what a planner refuses is no offer. */
    status = ls_planner_parse(labels->items[i], &planner, &setup, err);
    if (status == LS_OK) ls_arguments_close(&setup.arguments);
  }
  request->ways = ways;
  request->ways_count = count;
  request->kind = "algorithm";
  if (status == LS_OK) status = show(request, holds, err);
  free(judges);
  free(ways);
  return status;
}

/* One policy with one order. */
struct policy_way {
  struct ls_policy_grid grid;
  struct ls_policy_judge judge;
  struct ls_bytes name;
};

static void open_way(struct policy_way *way, const struct ls_policy_grid *grid, size_t policy,
                     size_t order) {
  way->grid = *grid;
  way->grid.policies = (struct ls_policy_words){&grid->policies.items[policy], 1};
  way->grid.orders = (struct ls_policy_words){&grid->orders.items[order], 1};
  way->judge.grid = &way->grid;
  ls_bytes_append_text(&way->name, grid->policies.items[policy]);
  if (grid->orders.count > 1) ls_bytes_printf(&way->name, ", %s", grid->orders.items[order]);
}

enum ls_status ls_front_of_policies(struct ls_front_request *request,
                                    const struct ls_policy_run *run, bool *holds,
                                    struct ls_error *err) {
  const struct ls_policy_grid *grid = &run->grid;
  size_t policies = grid->policies.count, count = policies * grid->orders.count;
  if (grid->platform_names.count > 1)
    return ls_fail(err, LS_EINVAL, "%s goes with one platform, but %zu are given",
                   request->shows_sites ? "--sites" : "--front", grid->platform_names.count);
  struct policy_way *made = calloc(count, sizeof *made);
  struct ls_front_way *ways = calloc(count, sizeof *ways);
  enum ls_status status = made == NULL || ways == NULL
                              ? ls_fail(err, LS_ENOMEM, "no memory for %zu policies", count)
                              : LS_OK;
  for (size_t i = 0; i < count && status == LS_OK; i++) {
    open_way(&made[i], grid, i % policies, i / policies);
    ways[i] =
        (struct ls_front_way){ls_bytes_text(&made[i].name), ls_judge_by_policy, &made[i].judge};
  }
  request->ways = ways;
  request->ways_count = count;
  request->kind = "policy";
  if (status == LS_OK) status = show(request, holds, err);
  for (size_t i = 0; made != NULL && i < count; i++) ls_bytes_close(&made[i].name);
  free(made);
  free(ways);
  return status;
}
