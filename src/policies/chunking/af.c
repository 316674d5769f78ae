/* af.c: Adaptive Factoring (AF).
 *
 * Reference:  banicescu2000; the formula agrees with the public codes LB4OMP and DLS4LB.  The guard
 *             at the start is Loadstar's own.
 * Assumes:    nothing ahead: mean and deviation of each worker are measured.
 * Answers:    with D = sum sigma_i^2 / mu_i and T = 1 / sum (1 / mu_i), the nearest whole number to
 *             (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i), at least 1.  A worker without a report
 *             gets first_units and counts with the harmonic mean of the known means and no
 *             deviation.  Guard: until p first_units units are reported, at most
 *             ceil(R / (2 mu_i sum (1 / mu))), since a single sample shows no deviation and the
 *             formula then hands out the whole fair share.
 * Cost:       O(p) per request.
 * Symbols:    R -> units_unassigned, p -> slots, mu_i, sigma_i^2 -> mean_seconds,
 *             variance, D -> spread, 1/T -> rate.
 */
#include <math.h>
#include <stdbool.h>

#include "policies/chunking.h"
#include "policies/chunking/rounding.h"

/* Zero times would make a worker infinitely fast. */
static const double SECONDS_LEAST = 1e-9;

static const struct ls_parameter af_parameters[] = {
    {"first_units", "first chunks of a worker, in units; 0: max(1 or 2, min(10, ceil(N/10p)))",
     LS_PARAMETER_WHOLE, 0, 0, 0x1p53, NULL},
    {0}};

struct af_worker {
  double units, seconds, squares; /* reported: sums */
};

struct af_state {
  struct ls_arena *arena;
  uint64_t first_given;
  double units_reported;
  struct af_worker *workers; /* by slot */
};

static uint64_t size_first(const struct af_state *state, const struct ls_chunking_view *view) {
  uint64_t p = view->slots;
  uint64_t least = view->units / 4 >= p ? 2 : 1;
  if (state->first_given > 0) return state->first_given;
  return ls_units_max(least, ls_units_min(10, ls_divide_up(view->units, 10 * p)));
}

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct af_state *state = memory;
  struct af_worker *workers = ls_arena_array(state->arena, state->workers, slots, sizeof *workers);
  if (workers == NULL) return ls_chunking_no_memory(err);
  state->workers = workers;
  return LS_OK;
}

static enum ls_status init_samples(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                   void **memory, struct ls_error *err) {
  struct af_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  state->arena = arena;
  state->first_given =
      ls_units_of(ls_arguments_get(&setup->arguments, af_parameters, "first_units"));
  *memory = state;
  return make_room(state, setup->slots, err);
}

static double measure_mean(const struct af_worker *worker) {
  return fmax(worker->seconds / worker->units, SECONDS_LEAST);
}

static double measure_variance(const struct af_worker *worker) {
  if (!(worker->units > 1)) return 0;
  double mean = worker->seconds / worker->units;
  return fmax(0, (worker->squares - mean * worker->seconds) / (worker->units - 1));
}

static uint64_t give_adapted(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct af_state *state = memory;
  double rate = 0, spread = 0;
  size_t known = 0, silent = 0;
  if (!(state->workers[worker].units > 0)) return size_first(state, view);
  for (size_t i = 0; i < view->slots; i++) {
    if (!(state->workers[i].units > 0)) {
      silent++;
      continue;
    }
    double mean_seconds = measure_mean(&state->workers[i]);
    rate += 1 / mean_seconds;
    spread += measure_variance(&state->workers[i]) / mean_seconds;
    known++;
  }
  /* The harmonic mean of the means is the mean of the rates. */
  rate += rate / (double)known * (double)silent;
  double rest = (double)view->units_unassigned,
         mean_seconds = measure_mean(&state->workers[worker]);
  double work = rest / rate;
  double root = sqrt(spread * spread + 4 * spread * work);
  uint64_t units = ls_units_nearest((spread + 2 * work - root) / (2 * mean_seconds));
  if (state->units_reported < (double)view->slots * (double)size_first(state, view)) {
    units = ls_units_min(units, ls_units_ceil(work / (2 * mean_seconds)));
  }
  return ls_units_max(units, 1);
}

static void on_report(void *memory, const struct ls_chunking_view *view,
                      const struct ls_chunking_report *report) {
  struct af_state *state = memory;
  struct af_worker *worker = &state->workers[report->worker];
  (void)view;
  worker->units += (double)report->units;
  worker->seconds += report->seconds;
  worker->squares += report->squares;
  state->units_reported += (double)report->units;
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct af_state *state = memory;
  (void)view;
  (void)units_back;
  if (change == LS_CHUNKING_JOINED) state->workers[worker] = (struct af_worker){0};
}

const struct ls_chunking ls_chunking_af = {
    .name = "af",
    .summary = "adaptive factoring: chunks from each worker's measured mean and deviation",
    .reference = "Banicescu, Liu 2000",
    .parameters = af_parameters,
    .init = init_samples,
    .resize = make_room,
    .next_units = give_adapted,
    .on_report = on_report,
    .on_worker = on_worker,
};
