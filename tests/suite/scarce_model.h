/* scarce_model.h: small platforms, plans and timelines with a bit of everything. */
#ifndef LS_TESTS_SCARCE_MODEL_H
#define LS_TESTS_SCARCE_MODEL_H

#include "model/plan.h"
#include "model/plan_repeat.h"
#include "model/platform.h"
#include "model/timeline.h"
#include "model/windows.h"
#include "scarce_memory.h"

enum { SCARCE_WORKERS = 3 };

static inline void scarce_open_platform(enum ls_ports ports, struct ls_platform *platform) {
  assert_int_equal(ls_platform_init(platform, SCARCE_WORKERS, NULL), LS_OK);
  for (size_t i = 0; i < SCARCE_WORKERS; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    double share = 1 + (double)i / 4;
    worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.25 * share, 0.125};
    worker->costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.5, share};
    worker->costs[LS_OPERATION_REPLY] = (struct ls_cost){0.125, 0.0625 * share};
  }
  struct ls_window windows[2] = {{.to = 2}, {.from = 2.25, .to = 40}};
  for (size_t i = 0; i < 2; i++)
    memcpy(windows[i].costs, platform->workers[1].costs, sizeof windows[i].costs);
  assert_int_equal(ls_platform_set_windows(platform, &platform->workers[1], windows, 2, NULL),
                   LS_OK);
  platform->ports = ports;
  if (ports == LS_PORTS_MULTI) platform->ports_limit = 2;
}

/* Of all kinds that are stored, played and checked in ways of their own. */
struct scarce_plan {
  enum ls_ports ports;
  size_t chunks;
  uint64_t times; /* of the middle third; 0: nothing repeats */
  bool has_returns, has_fractions;
};

static const struct scarce_plan scarce_plans[] = {
    {LS_PORTS_TWO, 11, 0, false, false},  {LS_PORTS_TWO, 11, 0, true, true},
    {LS_PORTS_TWO, 12, 40, false, false}, {LS_PORTS_ONE, 11, 0, false, true},
    {LS_PORTS_ONE, 6, 0, true, false},    {LS_PORTS_ONE, 12, 30, false, true},
    {LS_PORTS_MULTI, 11, 0, false, true}, {LS_PORTS_MULTI, 12, 5, false, false},
};
enum { SCARCE_PLANS = sizeof scarce_plans / sizeof scarce_plans[0] };

/* Not finished, not replayed. */
static inline void scarce_build_plan(const struct scarce_plan *what, struct ls_plan *plan) {
  uint32_t order[] = {2, 0, 1};
  double load = 0;
  for (size_t i = 0; i < what->chunks; i++) {
    bool is_body = i >= what->chunks / 3 && i < 2 * what->chunks / 3;
    double units = 1 + (double)(i % 3) + (what->has_fractions ? (i % 2 == 0 ? 0.25 : -0.25) : 0);
    load += is_body && what->times > 0 ? units * (double)what->times : units;
  }
  ls_plan_init(plan, "scarce", ceil(load));
  for (size_t i = 0; i < what->chunks; i++) {
    double units = 1 + (double)(i % 3) + (what->has_fractions ? (i % 2 == 0 ? 0.25 : -0.25) : 0);
    if (i + 1 == what->chunks) units += ceil(load) - load;
    ls_plan_add(plan, (uint32_t)(i % SCARCE_WORKERS), (uint32_t)(i / SCARCE_WORKERS), units);
  }
  if (what->times > 0) ls_plan_repeat(plan, what->chunks / 3, 2 * what->chunks / 3, what->times);
  for (size_t i = 0; what->has_returns && i < what->chunks; i++)
    ls_plan_add_return(plan, what->chunks - 1 - i);
  ls_plan_set(plan, "theta", 0.5);
  ls_plan_set_flag(plan, "is_scarce", true);
  ls_plan_set_text(plan, "mood", "scarce");
  ls_plan_set_list(plan, "order", order, 3);
  ls_plan_set_text(plan, "mood", "plentiful");
}

/* The same chunks, returns and repetition; the times that there are. */
static inline void scarce_copy_plan(const struct ls_plan *plan, struct ls_plan *copy) {
  ls_plan_init(copy, plan->algorithm, plan->load);
  for (size_t i = 0; i < plan->chunks_count; i++)
    ls_plan_add(copy, plan->chunks[i].worker, plan->chunks[i].round, plan->chunks[i].units);
  if (ls_plan_repeats(plan))
    ls_plan_repeat(copy, plan->repeat.from, plan->repeat.to, plan->repeat.times);
  for (size_t i = 0; i < plan->returns_count; i++) ls_plan_add_return(copy, plan->returns[i]);
  assert_int_equal(ls_plan_finish(copy, NULL), LS_OK);
}

/* Not finished. */
static inline void scarce_build_timeline(struct ls_timeline *timeline, bool is_summed) {
  ls_timeline_init(timeline);
  timeline->is_summed = is_summed;
  for (size_t i = 0; i < SCARCE_WORKERS; i++) {
    ls_timeline_add_worker(timeline, i == 1 ? "<beta>" : "alpha", 0, (double)INFINITY);
    ls_timeline_price_worker(timeline, 2);
  }
  for (uint32_t i = 0; i < 12; i++) {
    double start_s = (double)i;
    struct ls_span span = {.resource = LS_RESOURCE_NETWORK,
                           .operation = LS_OPERATION_TRANSFER,
                           .worker = i % SCARCE_WORKERS,
                           .chunk = i,
                           .units = 2,
                           .start_s = start_s,
                           .end_s = start_s + 1};
    ls_timeline_add_decision(timeline, i % SCARCE_WORKERS, 2);
    ls_timeline_add_span(timeline, &span);
    span.resource = LS_RESOURCE_WORKER;
    span.operation = LS_OPERATION_COMPUTE;
    span.outcome = i == 7 ? LS_OUTCOME_LOST : LS_OUTCOME_DONE;
    span.start_s = start_s + 1;
    span.end_s = start_s + 3;
    ls_timeline_add_span(timeline, &span);
    if (i % 2 == 0) ls_timeline_add_note(timeline, "a chunk is sent");
  }
  ls_timeline_add_absence(timeline, &(struct ls_absence){.worker = 1, .from_s = 3, .until_s = 4});
  timeline->makespan_s = 14;
}

#endif
