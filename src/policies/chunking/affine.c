/* affine.c: affine factoring, for chunks that cost a start each, which is learnt.
 *
 * Reference:  none; Loadstar's own.  Near to adaptive factoring (banicescu2000) and to bold
 *             (hagerup1997), which know a request's cost; docs/algorithms/affine.md derives it.
 * Assumes:    a chunk is one process: its time is a start and a part for each unit
 *             (policies/affine_cost.h).  Nothing is known ahead.
 * Answers:    first one unit to one worker and an eighth of its fair share to each other one, that
 *             soon tells start from rate; then, with the fair share f of the worker that asks (all
 *             workers end together, each further chunk pays its start), max(f/4, min(f, L)): the
 *             least chunk L is 30 s, whose start is a thirtieth, or (4 s/v)^2 where less, whose
 *             deviation is four starts.
 * Cost:       O(p) per report, O(p) per round of the fair share, at most p of them.
 * Symbols:    f -> fair, s -> start_units, v -> variation, r_i -> rate, R -> units_unassigned,
 *             T -> level_s, o_i -> backlog.
 */
#include <math.h>
#include <stdbool.h>

#include "policies/affine_cost.h"
#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

/* Of a fair share that nothing is known for, of one whose worker has shown a chunk, and of one that
 * all is known for. */
static const double SHARE_FIRST = 0.125, SHARE_SECOND = 0.5, SHARE = 0.25;
/* Starts that are the least chunk, and starts that its deviation may be. */
static const double STARTS = 30, STARTS_SPREAD = 4;
/* The fit and the rates that it needs converge fast: each report adds to what is there. */
enum { FITS = 2 };

struct affine_worker {
  double units_open, chunks_open, since_s; /* sent and not ended; the first began then, or later */
  bool has_shown;                          /* a chunk of more than one unit */
  double rate;                             /* units per second; 0: weightless */
  struct ls_affine_sums sums;
};

struct affine_state {
  struct ls_arena *arena;
  bool has_probed, has_heard;
  struct ls_affine_cost cost;
  struct affine_worker *workers; /* by slot */
};

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct affine_state *state = memory;
  struct affine_worker *workers =
      ls_arena_array(state->arena, state->workers, slots, sizeof *workers);
  if (workers == NULL) return ls_chunking_no_memory(err);
  state->workers = workers;
  return LS_OK;
}

static enum ls_status init_state(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                 void **memory, struct ls_error *err) {
  enum ls_status status = ls_chunking_check_weights(setup, err);
  if (status != LS_OK) return status;
  struct affine_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->arena = arena;
  ls_affine_cost_init(&state->cost);
  *memory = state;
  return make_room(state, setup->slots, err);
}

/* A worker without a report is as fast as its weight says, beside those with one. */
static void rate_workers(struct affine_state *state, const struct ls_chunking_view *view) {
  double rates = 0, weights = 0;
  for (size_t i = 0; i < view->slots; i++) {
    struct affine_worker *worker = &state->workers[i];
    worker->rate = ls_affine_cost_rate(&worker->sums, state->cost.start_units);
    if (!(worker->rate > 0) || !(view->weights[i] > 0)) continue;
    rates += worker->rate;
    weights += view->weights[i];
  }
  double scale = weights > 0 ? rates / weights : 1;
  for (size_t i = 0; i < view->slots; i++) {
    if (!(state->workers[i].rate > 0)) state->workers[i].rate = scale * view->weights[i];
  }
}

/* What is left of the worker's chunks by now, in units, starts included. */
static double measure_backlog(const struct affine_state *state, const struct affine_worker *worker,
                              double now_s) {
  double open = worker->chunks_open * state->cost.start_units + worker->units_open;
  return fmax(0, open - (now_s - worker->since_s) * worker->rate);
}

/* All that may get a further chunk, pay its start and end together; who would get none stays out.
 * The worker that asks stays in. */
static double solve_fair(const struct affine_state *state, const struct ls_chunking_view *view,
                         uint32_t number) {
  const struct affine_worker *asking = &state->workers[number];
  double start = state->cost.start_units, level_s = HUGE_VAL;
  size_t count = view->slots + 1, before;
  do {
    double load = (double)view->units_unassigned, rate = 0;
    before = count;
    count = 0;
    for (size_t i = 0; i < view->slots; i++) {
      const struct affine_worker *worker = &state->workers[i];
      if (i != number && (!view->is_counted[i] || !(worker->rate > 0))) continue;
      double least = measure_backlog(state, worker, view->now_s) + start;
      if (i != number && !(level_s * worker->rate > least)) continue;
      load += least;
      rate += worker->rate;
      count++;
    }
    level_s = rate > 0 ? load / rate : 0;
  } while (count < before);
  return level_s * asking->rate - measure_backlog(state, asking, view->now_s) - start;
}

/* By weight, or an equal one where nobody weighs anything. */
static double share_rest(const struct ls_chunking_view *view, uint32_t number) {
  double weights = 0, workers = 0;
  for (size_t i = 0; i < view->slots; i++) {
    if (!view->is_counted[i]) continue;
    weights += view->weights[i];
    workers++;
  }
  double share = weights > 0 ? view->weights[number] / weights : 1 / fmax(workers, 1);
  return (double)view->units_unassigned * fmin(share, 1);
}

static double size_chunk(struct affine_state *state, const struct ls_chunking_view *view,
                         uint32_t number) {
  const struct affine_worker *worker = &state->workers[number];
  if (!state->has_probed) {
    state->has_probed = true;
    return 1;
  }
  if (!state->has_heard || !state->cost.is_fitted)
    return share_rest(view, number) * (worker->has_shown ? SHARE_SECOND : SHARE_FIRST);
  rate_workers(state, view);
  double fair = solve_fair(state, view, number);
  if (!(worker->sums.chunks > 0)) return fmin(fair, share_rest(view, number)) * SHARE;
  double start = state->cost.start_units;
  /* One that asks ahead may have its share already: what it gets is worth a start at least. */
  if (!(fair > 0)) return worker->units_open > 0 ? start : 1;
  double safe = STARTS_SPREAD * start / fmax(state->cost.variation, 1e-6);
  return fmax(SHARE * fair, fmin(fair, fmin(STARTS * start, safe * safe)));
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t number) {
  struct affine_state *state = memory;
  struct affine_worker *worker = &state->workers[number];
  uint64_t units = ls_units_max(ls_units_ceil(size_chunk(state, view, number)), 1);
  units = ls_units_min(units, view->units_unassigned);
  units = ls_units_min(units, ls_chunking_room(view, number));
  if (!(worker->units_open > 0)) worker->since_s = view->now_s;
  worker->units_open += (double)units;
  worker->chunks_open++;
  return units;
}

static void on_report(void *memory, const struct ls_chunking_view *view,
                      const struct ls_chunking_report *report) {
  struct affine_state *state = memory;
  struct affine_worker *worker = &state->workers[report->worker];
  double ended = (double)report->units + (double)report->units_gone;
  worker->units_open = fmax(0, worker->units_open - ended);
  worker->chunks_open = worker->units_open > 0 ? fmax(1, worker->chunks_open - 1) : 0;
  worker->since_s = view->now_s;
  if (report->units == 0) return;
  if (report->units > 1) worker->has_shown = true;
  state->has_heard = true;
  ls_affine_cost_observe(&worker->sums, &state->cost, (double)report->units, report->seconds);
  for (int i = 0; i < FITS; i++) {
    struct ls_affine_pool pool = {0};
    for (size_t k = 0; k < view->slots; k++)
      ls_affine_cost_pool(&pool, &state->workers[k].sums, state->cost.start_units);
    ls_affine_cost_fit(&state->cost, &pool);
  }
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t number,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct affine_state *state = memory;
  struct affine_worker *worker = &state->workers[number];
  (void)view;
  (void)units_back;
  if (change == LS_CHUNKING_JOINED) *worker = (struct affine_worker){0};
  worker->units_open = worker->chunks_open = 0;
}

const struct ls_chunking ls_chunking_affine = {
    .name = "affine",
    .summary = "affine factoring: by start cost and rates that are learnt; Loadstar's own",
    .reference = "none",
    .facts = LS_CHUNKING_WEIGHTS,
    .learns = true,
    .init = init_state,
    .resize = make_room,
    .next_units = give_chunk,
    .on_report = on_report,
    .on_worker = on_worker,
};
