/* follow_plan.c: follow-plan, a plan made ahead is pushed to the workers.
 *
 * Reference:  none; a way for the coordinator to play a plan of whole units.
 * Assumes:    the plan hands out at least the units there are.
 * Answers:    the plan's chunks in the plan's order, each as soon as the master is free and the
 *             worker has room for all of it; it waits for a worker that has not joined yet.  A lost
 *             worker's chunks, and then the units that came back, go one by one to the worker that
 *             is present and has, with the chunk, the least of its planned load: the plan's own
 *             totals say how fast each worker is.  Units that came back go in chunks of 1/(2 alive)
 *             of them.  A chunk that its worker cannot do before its time is over goes to another
 *             one as a lost worker's does.  What was not planned for its worker is cut to the room,
 *             and the time, that there is.
 * Cost:       O(1) per chunk of the plan, O(p) per chunk after a loss and where workers have rooms;
 *             what repeats takes no memory.
 * Symbols:    none.
 */
#include <math.h>

#include "model/plan_repeat.h"
#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

struct follow_worker {
  uint64_t planned; /* units in the whole plan */
  uint64_t given;   /* units sent */
  bool is_lost;
};

struct follow_state {
  struct ls_arena *arena;
  struct ls_plan_cursor cursor;     /* borrows the plan */
  const struct ls_plan_chunk *next; /* to be pushed; NULL: all are */
  size_t planned_slots;
  double planned_mean; /* units per worker that the plan uses: what a newcomer counts with */
  struct follow_worker *workers; /* by slot */
};

/* So many units are counted exactly, whether a whole number or a double holds them. */
static const double UNITS_MOST = 9007199254740992.0; /* 2^53 */

/* With all its plays, behind `total` units. */
static enum ls_status check_chunk(const struct ls_chunking_setup *setup, size_t index,
                                  uint64_t total, struct ls_error *err) {
  const struct ls_plan_chunk *chunk = &setup->plan->chunks[index];
  if (chunk->worker >= setup->slots) {
    return ls_fail(err, LS_EINVAL, "plan: chunks[%zu].worker is %u, expected one below %zu", index,
                   (unsigned)chunk->worker, setup->slots);
  }
  if (!(chunk->units >= 1) || chunk->units > floor(chunk->units)) {
    return ls_fail(err, LS_EINVAL,
                   "plan: chunks[%zu].units is %g, expected a whole number of at least 1", index,
                   chunk->units);
  }
  double plays = (double)ls_plan_times(setup->plan, index);
  if (!(chunk->units * plays <= UNITS_MOST - (double)total)) {
    return ls_fail(err, LS_EINVAL, "plan: chunks[%zu].units is %g, the sum is too large", index,
                   chunk->units);
  }
  return LS_OK;
}

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct follow_state *state = memory;
  struct follow_worker *workers =
      ls_arena_array(state->arena, state->workers, slots, sizeof *workers);
  if (workers == NULL) return ls_chunking_no_memory(err);
  state->workers = workers;
  return LS_OK;
}

/* Sums up the plan, whose plays of one chunk are alike. */
static enum ls_status add_up(struct follow_state *state, const struct ls_chunking_setup *setup,
                             struct ls_error *err) {
  const struct ls_plan *plan = setup->plan;
  uint64_t total = 0;
  size_t used = 0;
  for (size_t i = 0; plan != NULL && i < plan->chunks_count; i++) {
    enum ls_status status = check_chunk(setup, i, total, err);
    if (status != LS_OK) return status;
    struct follow_worker *worker = &state->workers[plan->chunks[i].worker];
    uint64_t units = (uint64_t)plan->chunks[i].units * ls_plan_times(plan, i);
    used += worker->planned == 0;
    worker->planned += units;
    total += units;
  }
  /* More is fine: in a resumed run a part of the plan's units is done already. */
  if (total < setup->units) {
    return ls_fail(err, LS_EINVAL, "plan: its chunks hold %llu units, expected at least %llu",
                   (unsigned long long)total, (unsigned long long)setup->units);
  }
  state->planned_mean = used > 0 ? (double)total / (double)used : 0;
  return LS_OK;
}

static enum ls_status init_plan(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                void **memory, struct ls_error *err) {
  if (setup->plan == NULL && setup->units > 0) {
    return ls_fail(err, LS_EINVAL, "follow-plan: there is no plan to follow, expected one");
  }
  struct follow_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->arena = arena;
  state->planned_slots = setup->slots;
  enum ls_status status = make_room(state, setup->slots, err);
  if (status == LS_OK) status = add_up(state, setup, err);
  if (status != LS_OK) return status;
  if (setup->plan != NULL) {
    state->cursor = ls_plan_begin(setup->plan);
    state->next = ls_plan_next(&state->cursor);
  }
  *memory = state;
  return LS_OK;
}

/* The share of its planned load that a worker has with `units` more. */
static double measure_load(const struct follow_state *state, size_t worker, uint64_t units) {
  double planned = (double)state->workers[worker].planned;
  if (!(planned > 0) && worker >= state->planned_slots) planned = state->planned_mean;
  /* The plan leaves this worker out: only for want of any other. */
  if (!(planned > 0)) return (double)INFINITY;
  return ((double)state->workers[worker].given + (double)units) / planned;
}

/* False when no worker is present, has room, and lives for so many units. */
static bool find_lasting(const struct follow_state *state, const struct ls_chunking_view *view,
                         uint64_t units, uint64_t lasting, uint32_t *found) {
  bool is_found = false;
  double least = (double)INFINITY;
  for (size_t i = 0; i < view->slots; i++) {
    if (!view->is_present[i] || ls_chunking_room(view, (uint32_t)i) == 0) continue;
    if (ls_chunking_lasting(view, (uint32_t)i) < lasting) continue;
    double load = measure_load(state, i, units);
    if (is_found && !(load < least)) continue;
    is_found = true;
    least = load;
    *found = (uint32_t)i;
  }
  return is_found;
}

/* Who lives for all of the units, or else for a part of them. */
static bool find_worker(const struct follow_state *state, const struct ls_chunking_view *view,
                        uint64_t units, uint32_t *found) {
  return find_lasting(state, view, units, units, found) ||
         find_lasting(state, view, units, 1, found);
}

static bool push_next(void *memory, const struct ls_chunking_view *view, uint32_t *worker,
                      uint64_t *units) {
  struct follow_state *state = memory;
  const struct ls_plan_chunk *planned = state->next;
  uint64_t size =
      ls_divide_up(view->units_unassigned, 2 * ls_units_max((uint64_t)view->workers_present, 1));
  uint32_t target = planned != NULL ? planned->worker : 0;
  if (view->units_unassigned == 0) return false;
  if (planned != NULL) size = ls_units_min((uint64_t)planned->units, view->units_unassigned);
  bool is_there = planned != NULL && view->is_present[target];
  if (!is_there || ls_chunking_lasting(view, target) < size) {
    if (planned != NULL && !is_there && !state->workers[target].is_lost) return false;
    if (!find_worker(state, view, size, &target)) return false;
    size = ls_units_min(size, ls_chunking_room(view, target));
    size = ls_units_min(size, ls_chunking_lasting(view, target));
  }
  if (size > ls_chunking_room(view, target)) return false;
  if (planned != NULL) state->next = ls_plan_next(&state->cursor);
  state->workers[target].given += size;
  *worker = target;
  *units = size;
  return true;
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct follow_state *state = memory;
  struct follow_worker *changed = &state->workers[worker];
  (void)view;
  changed->is_lost = change == LS_CHUNKING_LOST;
  /* A worker that comes into the slot goes on with its part of the plan; lost units are no load of
   * it. */
  changed->given -= ls_units_min(units_back, changed->given);
}

const struct ls_chunking ls_chunking_follow_plan = {
    .name = "follow-plan",
    .summary = "pushes the chunks of a plan of whole units, and plans again after a loss",
    .reference = "none",
    .facts = LS_CHUNKING_PLAN,
    .is_pushed = true,
    .init = init_plan,
    .resize = make_room,
    .next_send = push_next,
    .on_worker = on_worker,
};
