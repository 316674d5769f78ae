/* follow_plan.c: follow-plan, a plan made ahead is pushed to the workers.
 *
 * Reference:  none; how a plan of whole units is played by the coordinator.
 * Assumes:    the plan hands out at least the units there are.
 * Answers:    the plan's chunks in the plan's order, each as soon as the master is free; it waits
 *             for a worker that has not joined yet.  A lost worker's chunks, and then the units
 * that came back, go one by one to the worker that is present and has, with the chunk, the least of
 * its planned load: the plan's own totals say how fast each worker is. What came back goes in
 * chunks of 1/(2 alive) of it. Cost:       O(1) per chunk of the plan, O(workers_max) per chunk
 * after a loss. Symbols:    none.
 */
#include <math.h>

#include "policies/chunking.h"
#include "policies/chunking/rounding_private.h"

struct follow_worker {
  uint64_t planned; /* units in the whole plan */
  uint64_t given;   /* units sent */
  bool is_lost;
};

struct follow_state {
  const struct ls_planned_chunk *plan; /* borrowed */
  size_t plan_count, next;
  size_t workers, workers_max;
  double planned_mean; /* units per worker that the plan uses: what a newcomer counts with */
  struct follow_worker worker[];
};

static size_t state_bytes(const struct ls_chunking_setup *setup) {
  return sizeof(struct follow_state) + setup->workers_max * sizeof(struct follow_worker);
}

static enum ls_status check_chunk(const struct ls_chunking_setup *setup, size_t index,
                                  uint64_t total, struct ls_error *err) {
  const struct ls_planned_chunk *chunk = &setup->plan[index];
  if (chunk->worker >= setup->workers_max) {
    return ls_fail(err, LS_EINVAL, "plan: chunks[%zu].worker is %u, expected one below %zu", index,
                   (unsigned)chunk->worker, setup->workers_max);
  }
  if (chunk->units == 0) {
    return ls_fail(err, LS_EINVAL, "plan: chunks[%zu].units is 0, expected at least 1", index);
  }
  if (chunk->units > UINT64_MAX - total) {
    return ls_fail(err, LS_EINVAL, "plan: chunks[%zu].units is %llu, the sum is too large", index,
                   (unsigned long long)chunk->units);
  }
  return LS_OK;
}

static enum ls_status init_plan(void *memory, const struct ls_chunking_setup *setup,
                                struct ls_error *err) {
  struct follow_state *state = memory;
  uint64_t total = 0;
  size_t used = 0;
  if (setup->plan == NULL && setup->units > 0) {
    return ls_fail(err, LS_EINVAL, "follow-plan: there is no plan to follow, expected one");
  }
  for (size_t i = 0; i < setup->plan_count; i++) {
    enum ls_status status = check_chunk(setup, i, total, err);
    if (status != LS_OK) return status;
    struct follow_worker *worker = &state->worker[setup->plan[i].worker];
    used += worker->planned == 0;
    worker->planned += setup->plan[i].units;
    total += setup->plan[i].units;
  }
  /* More is fine: in a resumed run a part of the plan's units is done already. */
  if (total < setup->units) {
    return ls_fail(err, LS_EINVAL, "plan: its chunks hold %llu units, expected at least %llu",
                   (unsigned long long)total, (unsigned long long)setup->units);
  }
  state->plan = setup->plan;
  state->plan_count = setup->plan_count;
  state->workers = setup->workers;
  state->workers_max = setup->workers_max;
  state->planned_mean = used > 0 ? (double)total / (double)used : 0;
  return LS_OK;
}

/* The share of its planned load that a worker has with `units` more. */
static double measure_load(const struct follow_state *state, size_t worker, uint64_t units) {
  double planned = (double)state->worker[worker].planned;
  if (!(planned > 0) && worker >= state->workers) planned = state->planned_mean;
  /* The plan leaves this worker out: only for want of any other. */
  if (!(planned > 0)) return (double)INFINITY;
  return ((double)state->worker[worker].given + (double)units) / planned;
}

/* False when nobody is present. */
static bool find_worker(const struct follow_state *state, const struct ls_chunking_view *view,
                        uint64_t units, uint32_t *found) {
  bool is_found = false;
  double least = (double)INFINITY;
  for (size_t i = 0; i < state->workers_max; i++) {
    if (!view->is_present[i]) continue;
    double load = measure_load(state, i, units);
    if (is_found && !(load < least)) continue;
    is_found = true;
    least = load;
    *found = (uint32_t)i;
  }
  return is_found;
}

static bool push_next(void *memory, const struct ls_chunking_view *view, uint32_t *worker,
                      uint64_t *units) {
  struct follow_state *state = memory;
  bool is_planned = state->next < state->plan_count;
  uint64_t size =
      ls_divide_up(view->units_unassigned, 2 * ls_units_max((uint64_t)view->workers_present, 1));
  uint32_t target = is_planned ? state->plan[state->next].worker : 0;
  if (view->units_unassigned == 0) return false;
  if (is_planned) size = ls_units_min(state->plan[state->next].units, view->units_unassigned);
  if (!is_planned || !view->is_present[target]) {
    if (is_planned && !state->worker[target].is_lost) return false;
    if (!find_worker(state, view, size, &target)) return false;
  }
  state->next += is_planned;
  state->worker[target].given += size;
  *worker = target;
  *units = size;
  return true;
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct follow_state *state = memory;
  struct follow_worker *changed = &state->worker[worker];
  (void)view;
  changed->is_lost = change == LS_CHUNKING_LOST;
  /* Should it come again, what it lost is not a load any more. */
  changed->given -= ls_units_min(units_back, changed->given);
}

const struct ls_chunking ls_chunking_follow_plan = {
    .name = "follow-plan",
    .summary = "pushes the chunks of a plan of whole units, and plans anew after a loss",
    .reference = "none",
    .facts = LS_CHUNKING_PLAN,
    .is_pushed = true,
    .state_bytes = state_bytes,
    .init = init_plan,
    .next_send = push_next,
    .on_worker = on_worker,
};
