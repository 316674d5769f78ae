/* random_model.h: seeded random platforms and plans for the suites over the model. */
#ifndef LS_TESTS_RANDOM_MODEL_H
#define LS_TESTS_RANDOM_MODEL_H

#include <math.h>

#include "base/random.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/windows.h"

/* Zero in a third of the cases, small or large in the others: ties and idle stations must occur. */
static inline double random_cost(struct ls_random *random, double scale) {
  uint64_t kind = ls_random_below(random, 3);
  if (kind == 0) return 0;
  if (kind == 1) return scale * (double)ls_random_below(random, 4); /* equal values are likely */
  return scale * ls_random_real(random);
}

static inline struct ls_cost random_operation(struct ls_random *random, double scale) {
  struct ls_cost cost = {random_cost(random, scale), random_cost(random, scale)};
  return cost;
}

/* A law of the times of single units. */
static inline void random_spread(struct ls_random *random, struct ls_worker_model *worker) {
  enum ls_duration_law law = (enum ls_duration_law)ls_random_below(random, LS_DURATION_LAWS);
  double mean_s = worker->costs[LS_OPERATION_COMPUTE].per_unit_s;
  if (mean_s > 0) ls_worker_spread_units(worker, law, mean_s, mean_s * ls_random_real(random));
}

/* Two or three windows, with gaps or without, of costs around the worker's own. */
static inline void random_windows(struct ls_random *random, struct ls_platform *platform,
                                  struct ls_worker_model *worker) {
  struct ls_window windows[3] = {{.from = 0}};
  size_t count = 2 + ls_random_below(random, 2);
  double end = ls_random_below(random, 2) == 0 ? 0 : 1;
  for (size_t i = 0; i < count; i++) {
    windows[i].from = end + (double)ls_random_below(random, 3);
    windows[i].to = windows[i].from + 4 + 100 * ls_random_real(random);
    end = windows[i].to;
    for (size_t j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_COUNT; j++) {
      windows[i].costs[j].latency_s = worker->costs[j].latency_s * ls_random_real(random) * 2;
      windows[i].costs[j].per_unit_s = worker->costs[j].per_unit_s * (0.5 + ls_random_real(random));
    }
  }
  if (ls_random_below(random, 2) == 0) windows[count - 1].to = (double)INFINITY;
  assert_int_equal(ls_platform_set_windows(platform, worker, windows, count, NULL), LS_OK);
}

/* Some workers have several windows, and some of these the same ones. */
static inline void random_window_lists(struct ls_random *random, struct ls_platform *platform) {
  struct ls_worker_model *before = NULL;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    if (ls_random_below(random, 3) == 0) continue;
    if (before != NULL && ls_random_below(random, 2) == 0) {
      const struct ls_window *windows = before->windows;
      assert_int_equal(
          ls_platform_set_windows(platform, worker, windows, before->windows_count, NULL), LS_OK);
    } else {
      random_windows(random, platform, worker);
    }
    before = worker;
  }
}

/* Leaves a worker no window at all. */
static inline void forget_windows(struct ls_worker_model *worker) {
  worker->windows_count = 0;
  worker->window_from = 0;
  worker->window_to = (double)INFINITY;
}

/* All sizes `units` times as large, which take `seconds` times as long. */
static inline void scale_windows(struct ls_platform *platform, struct ls_worker_model *worker,
                                 double units, double seconds) {
  for (size_t k = 0; k < platform->window_lists_count; k++) {
    struct ls_window *windows = platform->window_lists[k];
    if (worker->windows_count == 0 || worker->windows != windows) continue;
    for (size_t i = 0; i < worker->windows_count; i++) {
      windows[i].from *= units;
      windows[i].to *= units;
      for (size_t j = LS_OPERATION_OF_WORKER; j < LS_OPERATION_COUNT; j++) {
        windows[i].costs[j].latency_s *= seconds;
        windows[i].costs[j].per_unit_s *= seconds / units;
      }
    }
  }
}

/* 1 to 6 workers. The caller closes the platform. */
static inline void random_platform(struct ls_random *random, struct ls_platform *platform) {
  assert_int_equal(ls_platform_init(platform, 1 + ls_random_below(random, 6), NULL), LS_OK);
  bool has_replies = ls_random_below(random, 2) == 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_SEND] = random_operation(random, 0.1);
    worker->costs[LS_OPERATION_TRANSFER] = random_operation(random, 0.3);
    worker->costs[LS_OPERATION_RECEIVE] = random_operation(random, 0.1);
    worker->costs[LS_OPERATION_COMPUTE] = random_operation(random, 1);
    if (has_replies) worker->costs[LS_OPERATION_REPLY] = random_operation(random, 0.3);
    worker->delay_s = random_cost(random, 0.5);
    worker->price_per_s = random_cost(random, 2);
    worker->is_on_master = ls_random_below(random, 5) == 0;
    if (ls_random_below(random, 4) == 0) worker->window_from = 3;
    if (ls_random_below(random, 4) == 0) worker->window_to = 400.5;
    if (ls_random_below(random, 4) == 0) random_spread(random, worker);
  }
  if (ls_random_below(random, 5) == 0) random_window_lists(random, platform);
  platform->prepare = random_operation(random, 0.05);
  platform->master_share = 1 - ls_random_real(random);
  platform->ports = (enum ls_ports)ls_random_below(random, 3);
  if (platform->ports == LS_PORTS_MULTI) {
    const double alphas[] = {0, 0.5, 1, ls_random_real(random)};
    platform->ports_alpha = alphas[ls_random_below(random, 4)];
    platform->ports_limit = ls_random_below(random, 4);
  }
}

/* A replica of the order 0 .. count-1, shuffled, cut to a random length. */
static inline void random_returns(struct ls_random *random, struct ls_plan *plan) {
  uint64_t order[64];
  for (uint64_t i = 0; i < plan->chunks_count; i++) order[i] = i;
  ls_random_shuffle(random, order, plan->chunks_count);
  size_t kept = ls_random_below(random, plan->chunks_count + 1);
  ls_plan_order_returns(plan);
  for (size_t i = 0; i < kept; i++) ls_plan_add_return(plan, (size_t)order[i]);
}

/* Up to 40 chunks, not yet replayed. The caller closes the plan. */
static inline void random_plan(struct ls_random *random, const struct ls_platform *platform,
                               struct ls_plan *plan) {
  double units[40];
  uint32_t workers[40];
  size_t count = ls_random_below(random, 41);
  double load = 0;
  bool is_whole = ls_random_below(random, 2) == 0;
  for (size_t i = 0; i < count; i++) {
    units[i] =
        is_whole ? 1 + (double)ls_random_below(random, 9) : 0.01 + 9 * ls_random_real(random);
    workers[i] = (uint32_t)ls_random_below(random, platform->workers_count);
    /* Of a worker with a window only chunks within it. */
    const struct ls_worker_model *worker = &platform->workers[workers[i]];
    if (worker->windows_count > 0 && !ls_worker_takes(worker, units[i]))
      units[i] = fmax(1, ceil(ls_worker_window(worker, units[i])->from));
    else if (units[i] < worker->window_from)
      units[i] += worker->window_from;
    load += units[i];
  }
  ls_plan_init(plan, "random", load);
  for (size_t i = 0; i < count; i++) {
    ls_plan_add(plan, workers[i], (uint32_t)(i / platform->workers_count), units[i]);
  }
  if (ls_random_below(random, 3) == 0) random_returns(random, plan);
  ls_plan_set(plan, "theta", ls_random_real(random));
  assert_int_equal(ls_plan_finish(plan, NULL), LS_OK);
}

#endif
