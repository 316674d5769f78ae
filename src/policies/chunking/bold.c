/* bold.c: Hagerup's BOLD.
 *
 * Reference:  hagerup1997, with the estimates of the work under way that it keeps.
 * Assumes:    equal workers; independent units of known mean and deviation; a known cost of a
 *             request.
 * Answers:    the formula of size_bold below, at least 1 and at most R.  When mean, deviation or
 *             overhead is unknown, fac2.
 * Cost:       O(1) per request, O(p) memory.
 * Symbols:    N' -> units_estimated, M -> units_open, v -> speed, R -> units_unassigned,
 *             p -> slots, mu -> mean_seconds, h -> overhead_seconds, k -> chunk.units,
 *             s -> chunk.start_s; a, b, c1, c2, c3 -> terms; Q, r, t, d, w, K in lower case.
 */
#include <math.h>
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/batch.h"

/* The constants of the formula. */
struct bold_terms {
  double a, b, c1, c2, c3;
};

/* The chunk of a worker, as far as the policy knows. */
struct bold_chunk {
  double units, start_s; /* 0 units: nothing */
};

struct bold_state {
  double mean_seconds, overhead_seconds;
  struct bold_terms terms;
  double units_open;      /* unassigned or running */
  double units_estimated; /* the same less the progress of what runs */
  double speed;           /* of all that runs, in units per second */
  double latest_s;        /* the estimate holds for this time */
  bool is_informed;
  struct ls_batch batch; /* when it is not informed */
  struct ls_arena *arena;
  struct bold_chunk *chunks; /* by slot */
};

static enum ls_status check_facts(const struct ls_chunking_setup *setup, struct ls_error *err) {
  const struct {
    const char *name;
    double value;
  } facts[] = {{"mean_seconds", setup->mean_seconds},
               {"deviation_seconds", setup->deviation_seconds},
               {"overhead_seconds", setup->overhead_seconds}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
    bool is_bad = facts[i].value < 0 || isinf(facts[i].value);
    /* A mean of 0 leaves no scale for the deviation. */
    if (i == 0 && facts[i].value <= 0) is_bad = true;
    if (!is_bad) continue;
    return ls_fail(err, LS_EINVAL, "bold: %s is %g, expected a finite number %s", facts[i].name,
                   facts[i].value, i == 0 ? "> 0" : ">= 0");
  }
  return LS_OK;
}

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct bold_state *state = memory;
  struct bold_chunk *chunks = ls_arena_array(state->arena, state->chunks, slots, sizeof *chunks);
  if (chunks == NULL) return ls_chunking_no_memory(err);
  state->chunks = chunks;
  return LS_OK;
}

static void init_terms(struct bold_state *state, const struct ls_chunking_setup *setup) {
  struct bold_terms *terms = &state->terms;
  const double pi = 3.14159265358979323846;
  double variation = setup->deviation_seconds / setup->mean_seconds;
  state->mean_seconds = setup->mean_seconds;
  /* Without any overhead the formula divides by 0. */
  state->overhead_seconds = setup->overhead_seconds > 1e-12 ? setup->overhead_seconds : 1e-12;
  state->is_informed = variation >= 0 && setup->overhead_seconds >= 0;
  terms->a = 2 * variation * variation;
  terms->b = terms->a > 0 ? 8 * terms->a * log(8 * terms->a) : 0;
  terms->c1 = state->overhead_seconds / (state->mean_seconds * log(2));
  terms->c2 = sqrt(2 * pi) * terms->c1;
  terms->c3 = log(terms->c2);
  state->units_open = state->units_estimated = (double)setup->units;
}

static enum ls_status init_estimate(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                    void **memory, struct ls_error *err) {
  enum ls_status status = check_facts(setup, err);
  if (status != LS_OK) return status;
  struct bold_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->arena = arena;
  init_terms(state, setup);
  *memory = state;
  return make_room(state, setup->slots, err);
}

static double rate_chunk(const struct bold_state *state, double units) {
  return units / (units * state->mean_seconds + state->overhead_seconds);
}

/* The estimate follows the time. */
static void advance(struct bold_state *state, double now_s) {
  double seconds = now_s - state->latest_s;
  state->latest_s = now_s;
  if (seconds > 0) state->units_estimated -= seconds * state->speed;
}

/* The units of a chunk that its rate makes done by now. */
static double estimate_progress(const struct bold_state *state, const struct bold_chunk *chunk,
                                double now_s) {
  return (now_s - chunk->start_s) * rate_chunk(state, chunk->units);
}

/* A worker that asks has finished its chunk. */
static void end_chunk(struct bold_state *state, struct bold_chunk *chunk, double now_s) {
  if (!(chunk->units > 0)) return;
  state->units_estimated -= chunk->units - estimate_progress(state, chunk, now_s);
  state->units_open -= chunk->units;
  state->speed -= rate_chunk(state, chunk->units);
  chunk->units = 0;
}

static double size_bold(const struct bold_state *state, const struct ls_chunking_view *view) {
  const struct bold_terms *terms = &state->terms;
  double unassigned = (double)view->units_unassigned, p = (double)view->slots;
  double quotient = unassigned / p;
  if (quotient <= 1) return 1;
  double r = fmax(unassigned, fmax(0, state->units_estimated)), t = r / p;
  double logarithm = log(quotient);
  double q = terms->b + quotient > 0 ? quotient / (terms->b + quotient) : 1;
  double divisor = 1 + 1 / logarithm - q;
  double d = divisor > 0 ? unassigned / divisor : HUGE_VAL;
  if (d <= terms->c2) return t;
  double spread = terms->a;
  if (isfinite(d)) {
    spread *= (log(d) - terms->c3) * (1 + state->units_open / (r * p));
    spread = fmax(0, spread);
  }
  double w = terms->b > 0 ? log(q * logarithm) + log(terms->b) : log(logarithm);
  /* A tiny overhead times minus infinity must not make the sum undefined. */
  double margin = w > 0 ? terms->c1 * w : 0;
  return fmin(t, t + spread / 2 - sqrt(spread * (t + spread / 4)) + margin);
}

static uint64_t give_bold(struct bold_state *state, const struct ls_chunking_view *view,
                          uint32_t worker) {
  struct bold_chunk *chunk = &state->chunks[worker];
  advance(state, view->now_s);
  end_chunk(state, chunk, view->now_s);
  uint64_t units = ls_units_of(trunc(size_bold(state, view)));
  units = ls_units_min(ls_units_max(units, 1), view->units_unassigned);
  units = ls_units_min(units, ls_chunking_room(view, worker));
  chunk->units = (double)units;
  chunk->start_s = view->now_s;
  state->speed += rate_chunk(state, chunk->units);
  return units;
}

static uint64_t give_chunk(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct bold_state *state = memory;
  if (state->is_informed) return give_bold(state, view, worker);
  if (ls_batch_is_used_up(&state->batch)) {
    uint64_t units = ls_batch_halve(view->units_unassigned, view->slots);
    ls_batch_open(&state->batch, units, view->slots);
  }
  return ls_batch_take(&state->batch);
}

/* The progress of a lost worker in its chunk is undone, but for the units that were finished. */
static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct bold_state *state = memory;
  struct bold_chunk *chunk = &state->chunks[worker];
  if (change != LS_CHUNKING_LOST || !state->is_informed) return;
  advance(state, view->now_s);
  end_chunk(state, chunk, view->now_s);
  state->units_open += (double)units_back;
  state->units_estimated += (double)units_back;
}

static void on_return(void *memory, const struct ls_chunking_view *view, uint64_t units_back) {
  struct bold_state *state = memory;
  (void)view;
  state->units_open += (double)units_back;
  state->units_estimated += (double)units_back;
}

const struct ls_chunking ls_chunking_bold = {
    .name = "bold",
    .summary = "Hagerup's bold strategy: as large as the units' spread and the overhead allow",
    .reference = "Hagerup 1997",
    .facts = LS_CHUNKING_MEAN | LS_CHUNKING_DEVIATION | LS_CHUNKING_OVERHEAD,
    .init = init_estimate,
    .resize = make_room,
    .next_units = give_chunk,
    .on_worker = on_worker,
    .on_return = on_return,
};
