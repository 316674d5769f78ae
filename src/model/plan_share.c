#include "model/plan_share.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

#include "base/statistics.h"
#include "model/plan_repeat.h"
#include "model/windows.h"

/* When the chunk at `index` is computed the last time. */
static double find_last_end(const struct ls_plan *plan, size_t index) {
  if (ls_plan_times(plan, index) == 1) return plan->chunks[index].compute_end_s;
  if (plan->repeat.last_end_s == NULL) return (double)NAN;
  return plan->repeat.last_end_s[index - plan->repeat.from];
}

void ls_plan_shares(const struct ls_plan *plan, const struct ls_platform *platform,
                    struct ls_plan_share *shares) {
  for (size_t i = 0; i < platform->workers_count; i++) shares[i] = (struct ls_plan_share){0};
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    assert(chunk->worker < platform->workers_count);
    const struct ls_cost *costs = ls_worker_costs(&platform->workers[chunk->worker], chunk->units);
    struct ls_plan_share *share = &shares[chunk->worker];
    uint64_t times = ls_plan_times(plan, i);
    double receive_s = ls_cost_time(&costs[LS_OPERATION_RECEIVE], chunk->units);
    double compute_s = ls_cost_time(&costs[LS_OPERATION_COMPUTE], chunk->units);
    double start_s = chunk->compute_start_s - receive_s, end_s = find_last_end(plan, i);
    /* Chunks of one worker pass in the order of sending, but on a shared network. */
    if (share->chunks == 0 || start_s < share->first_s) share->first_s = start_s;
    if (share->chunks == 0 || end_s > share->last_s) share->last_s = end_s;
    share->busy_s += (double)times * (receive_s + compute_s);
    share->units += (double)times * chunk->units;
    share->units_s +=
        (double)times * chunk->units *
        (costs[LS_OPERATION_RECEIVE].per_unit_s + costs[LS_OPERATION_COMPUTE].per_unit_s);
    share->chunks += times;
  }
}

double ls_plan_price(const struct ls_plan *plan, const struct ls_platform *platform,
                     const struct ls_plan_share *shares) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < platform->workers_count; i++)
    if (shares[i].chunks > 0) ls_sum_add(&sum, platform->workers[i].price_per_s * plan->makespan_s);
  return ls_sum_value(&sum);
}
