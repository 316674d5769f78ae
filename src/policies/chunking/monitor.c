/* monitor.c: Monitor, phases of shares by measured seconds per unit.
 *
 * Reference:  rosenvinge2004, chapter 3, with the corrections of docs/theory/online.md, 3: the
 *             benchmark waits for living workers only, and negative shares are dropped again and
 *             again, not once.
 * Assumes:    nothing ahead; the next units of a worker take about as long as its latest ones.
 * Answers:    single units until every worker that is not lost has reported benchmark_tasks times;
 *             then phases of half the rest (all of it when R < 2p), shared so that all that get
 *             something end together.  Each worker takes its share when it asks.  A worker that
 *             asks again, or has none, opens the next phase; units that were not fetched wait for
 *             all again.  A fresh share of 0 is 1 unit, since the worker would idle otherwise.
 * Cost:       O(p) per round of the solution, at most p of them, and O(p log p) per phase;
 *             O(history) per report.
 * Symbols:    R -> units_unassigned, A -> quota, t_i -> seconds, y_i -> waiting, x_i -> shares, eta
 *             -> history, T -> level, act -> the workers whose share is not yet 0.
 */
#include "policies/chunking/monitor.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

#include "base/statistics.h"
#include "model/load.h"
#include "policies/chunking.h"
#include "policies/chunking/rounding.h"
#include "policies/forecast.h"

static const double SECONDS_LEAST = 1e-9;

static const struct ls_parameter monitor_parameters[] = {
    {"benchmark_tasks", "times of single units that each worker reports first", LS_PARAMETER_WHOLE,
     1, 1, 1e6, NULL},
    {"history", "latest unit times of a worker that its mean counts; auto: what forecast it best",
     LS_PARAMETER_WHOLE_OR_AUTO, 20, 1, 1e6, NULL},
    {"report_every",
     "units after which a worker reports without asking; 0: with requests only; auto: every one",
     LS_PARAMETER_WHOLE_OR_AUTO, 0, 0, 0x1p53, NULL},
    {0}};

struct monitor_state {
  struct ls_arena *arena;
  size_t benchmark_tasks, history; /* the latest times that count, at most */
  bool is_auto;                    /* how many count is up to the forecasts */
  bool is_begun; /* the first phase was opened: newcomers are measured beside the phases */
  /* By slot: */
  double *seconds;  /* mean of the latest times; NAN or 0: not known well enough, or lost */
  double *waiting;  /* sent and not known to be finished */
  double *reals;    /* of a phase, before they are rounded */
  uint64_t *shares; /* of the open phase, not yet fetched */
  uint64_t *times;  /* reported so far */
  double *latest;   /* rings of `history` times; NULL: is_auto */
  struct ls_forecast *forecasts; /* is_auto; else NULL */
  struct ls_load_candidate *scratch;
};

/* The array with more room, or as before once there is no memory. */
static void *grow(struct ls_arena *arena, void *items, size_t count, size_t item_bytes,
                  bool *has_room) {
  void *grown = *has_room ? ls_arena_array(arena, items, count, item_bytes) : NULL;
  *has_room = grown != NULL;
  return grown != NULL ? grown : items;
}

static enum ls_status make_room(void *memory, size_t slots, struct ls_error *err) {
  struct monitor_state *state = memory;
  struct ls_arena *arena = state->arena;
  bool has_room = true;
  if (slots > SIZE_MAX / state->history) return ls_chunking_no_memory(err);
  size_t times = slots * state->history;
  state->scratch = grow(arena, state->scratch, slots, sizeof *state->scratch, &has_room);
  state->seconds = grow(arena, state->seconds, slots, sizeof *state->seconds, &has_room);
  state->waiting = grow(arena, state->waiting, slots, sizeof *state->waiting, &has_room);
  state->reals = grow(arena, state->reals, slots, sizeof *state->reals, &has_room);
  if (state->is_auto)
    state->forecasts = grow(arena, state->forecasts, slots, sizeof *state->forecasts, &has_room);
  else
    state->latest = grow(arena, state->latest, times, sizeof *state->latest, &has_room);
  state->shares = grow(arena, state->shares, slots, sizeof *state->shares, &has_room);
  state->times = grow(arena, state->times, slots, sizeof *state->times, &has_room);
  return has_room ? LS_OK : ls_chunking_no_memory(err);
}

static enum ls_status init_phases(struct ls_arena *arena, const struct ls_chunking_setup *setup,
                                  void **memory, struct ls_error *err) {
  struct monitor_state *state = ls_arena_take(arena, sizeof *state);
  if (state == NULL) return ls_chunking_no_memory(err);
  double history = ls_arguments_get(&setup->arguments, monitor_parameters, "history");
  state->arena = arena;
  state->benchmark_tasks =
      (size_t)ls_arguments_get(&setup->arguments, monitor_parameters, "benchmark_tasks");
  state->is_auto = history < 0;
  state->history = state->is_auto ? LS_FORECAST_TIMES : (size_t)history;
  *memory = state;
  return make_room(state, setup->slots, err);
}

double ls_monitor_solve(const double *seconds, const double *waiting, size_t count, double units,
                        double *shares) {
  double level = 0;
  bool has_dropped = true;
  for (size_t i = 0; i < count; i++) shares[i] = seconds[i] > 0 ? 1 : 0;
  while (has_dropped) {
    struct ls_sum load = {0}, rate = {0};
    size_t active = 0;
    ls_sum_add(&load, units);
    for (size_t i = 0; i < count; i++) {
      if (!(shares[i] > 0)) continue;
      active++;
      ls_sum_add(&load, waiting[i]);
      ls_sum_add(&rate, 1 / seconds[i]);
    }
    has_dropped = false;
    level = active > 0 ? ls_sum_value(&load) / ls_sum_value(&rate) : 0;
    for (size_t i = 0; i < count; i++) {
      if (!(shares[i] > 0) || !(level / seconds[i] < waiting[i])) continue;
      shares[i] = 0;
      has_dropped = true;
    }
  }
  for (size_t i = 0; i < count; i++) {
    if (shares[i] > 0) shares[i] = fmax(0, level / seconds[i] - waiting[i]);
  }
  return level;
}

uint64_t ls_monitor_quota(uint64_t units_unassigned, size_t workers) {
  return units_unassigned < 2 * (uint64_t)workers ? units_unassigned : units_unassigned / 2;
}

static bool is_measured(const struct monitor_state *state, size_t worker) {
  return state->times[worker] >= state->benchmark_tasks;
}

static bool is_benchmark(const struct monitor_state *state, const struct ls_chunking_view *view) {
  for (size_t i = 0; i < view->slots; i++) {
    if (view->is_counted[i] && !is_measured(state, i)) return true;
  }
  return false;
}

/* The worker that asks is measured and there, so that one gets something. */
static void open_phase(struct monitor_state *state, const struct ls_chunking_view *view) {
  uint64_t quota = ls_monitor_quota(view->units_unassigned, view->slots);
  state->is_begun = true;
  ls_monitor_solve(state->seconds, state->waiting, view->slots, (double)quota, state->reals);
  ls_load_round_within(state->reals, view->slots, quota, state->scratch, state->shares);
}

static uint64_t choose_units(struct monitor_state *state, const struct ls_chunking_view *view,
                             uint32_t worker) {
  if (!is_measured(state, worker)) return 1;
  if (!state->is_begun && is_benchmark(state, view)) return 1;
  if (state->shares[worker] == 0) open_phase(state, view);
  uint64_t units = ls_units_min(state->shares[worker], ls_chunking_room(view, worker));
  state->shares[worker] -= units;
  return ls_units_max(units, 1);
}

static uint64_t give_share(void *memory, const struct ls_chunking_view *view, uint32_t worker) {
  struct monitor_state *state = memory;
  uint64_t units = ls_units_min(choose_units(state, view, worker), view->units_unassigned);
  state->waiting[worker] += (double)units;
  return units;
}

/* The mean of the latest times: from scratch, so that no rounding error gathers. */
static double measure_mean(const struct monitor_state *state, uint32_t worker) {
  if (state->is_auto) return ls_forecast_seconds(&state->forecasts[worker]);
  const double *latest = state->latest + (size_t)worker * state->history;
  size_t count = state->history;
  struct ls_sum sum = {0};
  if (state->times[worker] < count) count = (size_t)state->times[worker];
  for (size_t i = 0; i < count; i++) ls_sum_add(&sum, latest[i]);
  return fmax(ls_sum_value(&sum) / (double)count, SECONDS_LEAST);
}

static void keep_time(struct monitor_state *state, uint32_t worker, double seconds) {
  double kept = isfinite(seconds) ? fmax(seconds, SECONDS_LEAST) : SECONDS_LEAST;
  size_t place = (size_t)worker * state->history + state->times[worker] % state->history;
  if (state->is_auto)
    ls_forecast_observe(&state->forecasts[worker], kept);
  else
    state->latest[place] = kept;
  state->times[worker]++;
}

/* A report ends with the latest times one by one; those before them count as equal. */
static void keep_times(struct monitor_state *state, const struct ls_chunking_report *report) {
  uint64_t listed = report->latest_count, others = report->units - listed;
  double listed_s = 0;
  assert(listed <= report->units);
  for (size_t i = 0; i < listed; i++) listed_s += report->latest[i];
  double mean = others > 0 ? (report->seconds - listed_s) / (double)others : 0;
  uint64_t kept = ls_units_min(others, state->history);
  state->times[report->worker] += others - kept; /* a full ring of them follows */
  for (uint64_t i = 0; i < kept; i++) keep_time(state, report->worker, mean);
  for (size_t i = 0; i < listed; i++) keep_time(state, report->worker, report->latest[i]);
}

static void on_report(void *memory, const struct ls_chunking_view *view,
                      const struct ls_chunking_report *report) {
  struct monitor_state *state = memory;
  uint32_t worker = report->worker;
  double gone = (double)report->units + (double)report->units_gone;
  state->waiting[worker] = fmax(0, state->waiting[worker] - gone);
  if (report->units == 0) return;
  keep_times(state, report);
  if (view->is_counted[worker] && is_measured(state, worker))
    state->seconds[worker] = measure_mean(state, worker);
}

static void on_worker(void *memory, const struct ls_chunking_view *view, uint32_t worker,
                      enum ls_chunking_change change, uint64_t units_back) {
  struct monitor_state *state = memory;
  (void)view;
  (void)units_back;
  state->waiting[worker] = 0;
  state->shares[worker] = 0;
  if (change == LS_CHUNKING_JOINED) {
    state->times[worker] = 0;
    if (state->is_auto) state->forecasts[worker] = (struct ls_forecast){0};
  }
  bool is_known = change == LS_CHUNKING_RESUMED && is_measured(state, worker);
  state->seconds[worker] = is_known ? measure_mean(state, worker) : (double)NAN;
}

const struct ls_chunking ls_chunking_monitor = {
    .name = "monitor",
    .summary = "phases of half the rest, shared so that all end together by measured times",
    .reference = "Rosenvinge 2004",
    .parameters = monitor_parameters,
    .init = init_phases,
    .resize = make_room,
    .next_units = give_share,
    .on_report = on_report,
    .on_worker = on_worker,
};
