/* pack_multifit.c: MULTIFIT: the least capacity into which first fit decreasing puts all tasks.
 *
 * Reference:  coffman1978; friesen1983 for uniform workers, the slowest first.
 * Assumes:    nothing.
 * Answers:    at most 13/11 times the optimum on equal workers, 1.4 times on unequal ones.
 * Cost:       O(S N log K) for S steps of bisection, N tasks, K shards.
 * Symbols:    none.
 */
#include <stdlib.h>

#include "planners/pack/pack_bins.h"
#include "planners/pack/pack_list.h"

enum { STEPS = 20 };

static uint64_t cost(const struct ls_pack_problem *problem) {
  return 8 * (uint64_t)STEPS * problem->tasks;
}

static enum ls_status divide(struct ls_pack_search *search) {
  const struct ls_pack_problem *problem = search->problem;
  double *rooms = calloc(problem->shards, sizeof *rooms);
  struct ls_pack_bins bins;
  enum ls_status status = rooms == NULL ? LS_ENOMEM : ls_pack_bins_init(&bins, problem->shards);
  if (status != LS_OK) {
    free(rooms);
    return status;
  }
  double from_s = search->bound_s, to_s = search->best.makespan_s;
  for (int step = 0; step < STEPS && to_s - from_s > from_s * LS_PACK_ROUNDING; step++) {
    /* The bound itself first: often it can be met. */
    double middle_s =
        step == 0 ? from_s * (1 + LS_PACK_ROUNDING / 2) : from_s + (to_s - from_s) / 2;
    for (size_t k = 0; k < problem->shards; k++)
      rooms[k] = middle_s * problem->speeds[problem->shards - 1 - k];
    ls_pack_bins_open(&bins, rooms, problem->shards);
    bool fits = true;
    for (size_t i = 0; i < problem->tasks && fits; i++) {
      size_t bin = ls_pack_bins_put(&bins, problem->seconds[i]);
      fits = bin < problem->shards;
      if (fits) search->trial.shard_of[i] = (uint32_t)(problem->shards - 1 - bin);
    }
    ls_budget_spend(&search->budget, 8 * (uint64_t)problem->tasks);
    if (fits) ls_pack_offer(search, ls_pack_multifit.name);
    if (fits)
      to_s = middle_s;
    else
      from_s = middle_s;
  }
  ls_pack_bins_close(&bins);
  free(rooms);
  return LS_OK;
}

const struct ls_pack_algorithm ls_pack_multifit = {
    .name = "multifit",
    .summary = "the least capacity into which first fit decreasing puts all tasks",
    .reference = "coffman1978",
    .cost = cost,
    .divide = divide,
};
