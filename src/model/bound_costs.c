#include "model/bound_costs.h"

#include <assert.h>
#include <math.h>

struct ls_bound_way ls_bound_way(const struct ls_worker_model *worker, size_t index) {
  if (worker->windows_count == 0)
    return (struct ls_bound_way){worker->costs, ls_worker_chunk_most(worker)};
  const struct ls_window *window = &worker->windows[index];
  return (struct ls_bound_way){window->costs, fmin(window->to, worker->room_units)};
}

double ls_bound_start(const struct ls_platform *platform, size_t i) {
  assert(i < platform->workers_count);
  const struct ls_worker_model *worker = &platform->workers[i];
  double start_s = (double)INFINITY;
  for (size_t k = 0; k < ls_bound_ways(worker); k++) {
    const struct ls_cost *costs = ls_bound_way(worker, k).costs;
    start_s = fmin(start_s, platform->prepare.latency_s + costs[LS_OPERATION_SEND].latency_s +
                                costs[LS_OPERATION_TRANSFER].latency_s + worker->delay_s +
                                costs[LS_OPERATION_STAGE].latency_s +
                                costs[LS_OPERATION_RECEIVE].latency_s +
                                costs[LS_OPERATION_COMPUTE].latency_s);
  }
  return start_s;
}

double ls_bound_seconds(const struct ls_platform *platform, size_t i, bool with_starts) {
  const struct ls_worker_model *worker = &platform->workers[i];
  double own_s = (double)INFINITY, stage_s = own_s, both_s = own_s;
  for (size_t k = 0; k < ls_bound_ways(worker); k++) {
    struct ls_bound_way way = ls_bound_way(worker, k);
    const struct ls_cost *receive = &way.costs[LS_OPERATION_RECEIVE];
    const struct ls_cost *compute = &way.costs[LS_OPERATION_COMPUTE];
    const struct ls_cost *stage = &way.costs[LS_OPERATION_STAGE];
    double latency_s = with_starts ? 0 : receive->latency_s + compute->latency_s;
    double latency_stage_s = with_starts ? 0 : stage->latency_s;
    double own_here_s = receive->per_unit_s + compute->per_unit_s + latency_s / way.most;
    double stage_here_s = stage->per_unit_s + latency_stage_s / way.most;
    own_s = fmin(own_s, own_here_s);
    stage_s = fmin(stage_s, stage_here_s);
    both_s = fmin(both_s, own_here_s + stage_here_s);
  }
  return platform->stage_ahead > 0 ? fmax(own_s, stage_s) : both_s;
}

/* k transfers share k^(1-alpha) times what one has alone. */
double ls_bound_sharing_gain(const struct ls_platform *platform) {
  if (platform->ports != LS_PORTS_MULTI || !(platform->ports_alpha < 1)) return 1;
  assert(platform->ports_alpha >= 0);
  if (platform->ports_limit == 0) return (double)INFINITY;
  return pow((double)platform->ports_limit, 1 - platform->ports_alpha);
}
