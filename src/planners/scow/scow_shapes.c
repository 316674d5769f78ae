/* scow_shapes.c: the rounds of candidates: sizes for a period, periods for a number of rounds.
 *
 * Symbols:  T -> period_s, Y -> chunk, q -> full, V -> round_units, N -> rounds, y_j -> ramp.
 */
#include <math.h>
#include <string.h>

#include "planners/scow/scow_production.h"
#include "planners/scow/scow_search_private.h"

enum { BISECTIONS = 60 };

/* ---- Sizes for a period (6.1) ---- */

/* What the master's processor, the network and the theory's h have left of a period. */
struct left {
  double master_s, link_s, send_s;
};

static bool fits(const struct left *left, const struct ls_scow_worker *worker, double units,
                 double period_s) {
  double slack = LS_SCOW_GUARD * period_s;
  return ls_cost_time(&worker->master, units) <= left->master_s + slack &&
         ls_cost_time(&worker->link, units) <= left->link_s + slack &&
         ls_cost_time(&worker->send, units) <= left->send_s + slack;
}

static double invert(const struct ls_cost *cost, double left_s) {
  if (left_s < cost->latency_s) return 0;
  if (!(cost->per_unit_s > 0)) return (double)INFINITY;
  return (left_s - cost->latency_s) / cost->per_unit_s;
}

static double find_part(const struct left *left, const struct ls_scow_worker *worker) {
  return fmin(invert(&worker->send, left->send_s),
              fmin(invert(&worker->master, left->master_s), invert(&worker->link, left->link_s)));
}

static void take(struct left *left, const struct ls_scow_worker *worker, double units) {
  left->master_s -= ls_cost_time(&worker->master, units);
  left->link_s -= ls_cost_time(&worker->link, units);
  left->send_s -= ls_cost_time(&worker->send, units);
}

/* Within the worker's window, whole where wanted; 0: too small. */
static double allow(const struct ls_scow_search *search, const struct ls_scow_worker *worker,
                    double units) {
  double most = fmin(units, worker->most);
  if (search->is_whole) most = floor(most * (1 + LS_SCOW_GUARD));
  return most > 0 && most >= worker->least ? most : 0;
}

void ls_scow_size_round(struct ls_scow_search *search, double period_s, size_t full_most,
                        bool may_have_partial) {
  struct ls_scow_schedule *trial = &search->trial;
  struct left left = {period_s, period_s, period_s};
  size_t i = 0;
  memset(trial->units, 0, trial->count * sizeof *trial->units);
  trial->full = trial->auxiliary_workers = 0;
  trial->partial = 0;
  trial->ramp_rounds = trial->falling_rounds = 0;
  for (; i < trial->count && trial->full < full_most; i++) {
    const struct ls_scow_worker *worker = &search->star->items[i];
    double chunk = allow(search, worker, ls_scow_chunk(worker, period_s));
    if (!(chunk > 0)) continue;
    if (!fits(&left, worker, chunk, period_s)) break;
    take(&left, worker, chunk);
    trial->units[i] = chunk;
    trial->full++;
  }
  for (; may_have_partial && i < trial->count; i++) {
    const struct ls_scow_worker *worker = &search->star->items[i];
    double part = fmin(find_part(&left, worker), ls_scow_chunk(worker, period_s));
    trial->units[i] = allow(search, worker, part);
    if (!(trial->units[i] > 0)) continue;
    if (!(trial->partial > 0)) trial->partial = trial->units[i];
    /* Whole sizes leave time that further workers can use. */
    if (!search->is_whole) break;
    take(&left, worker, trial->units[i]);
  }
}

/* The trial's rounds take as long as their slowest station, which is the period or less. */
static struct ls_scow_shape finish_round(struct ls_scow_search *search) {
  ls_scow_gather(search);
  struct ls_scow_load load =
      ls_scow_load_of(search->star->items, search->star->count, search->trial.units);
  search->trial.period_s = load.period_s;
  return (struct ls_scow_shape){.period_s = load.period_s, .send_s = (double)NAN};
}

enum ls_status ls_scow_search_period(struct ls_scow_search *search, double period_s,
                                     size_t full_most, bool may_have_partial,
                                     struct ls_error *err) {
  if (!(period_s > 0) || !isfinite(period_s) || !ls_scow_search_goes_on(search)) return LS_OK;
  ls_scow_size_round(search, period_s, full_most, may_have_partial);
  struct ls_scow_shape shape = finish_round(search);
  return search->count > 0 ? ls_scow_try_keeps(search, &shape, err) : LS_OK;
}

/* ---- Growing rounds before them (6.6) ---- */

/* The round before one that is sent in `sent_s`: each worker ends it just then. False: its chunks
 * would be too small, or not smaller. */
static bool size_before(const struct ls_scow_search *search, const double *after, double sent_s,
                        double *before) {
  const struct ls_scow_star *star = search->star;
  bool is_smaller = false;
  memset(before, 0, star->count * sizeof *before);
  for (size_t i = 0; i < search->count; i++) {
    size_t position = search->positions[i];
    const struct ls_scow_worker *worker = &star->items[position];
    if (!(after[position] > 0)) continue;
    double units = allow(search, worker, ls_scow_chunk(worker, sent_s));
    if (!(units > 0) || units > after[position]) return false;
    if (units < after[position] * (1 - 1e-9)) is_smaller = true;
    before[position] = units;
  }
  return is_smaller;
}

static double send_round(const struct ls_scow_star *star, const double *units) {
  double send_s = 0;
  for (size_t i = 0; i < star->count; i++) send_s += ls_cost_time(&star->items[i].send, units[i]);
  return send_s;
}

enum ls_status ls_scow_search_ramp(struct ls_scow_search *search, double period_s, size_t full_most,
                                   struct ls_error *err) {
  struct ls_scow_schedule *trial = &search->trial;
  if (!(period_s > 0) || !isfinite(period_s) || !ls_scow_search_goes_on(search)) return LS_OK;
  ls_scow_size_round(search, period_s, full_most, true);
  struct ls_scow_shape shape = finish_round(search);
  if (search->count == 0) return LS_OK;
  enum ls_status status = LS_OK;
  if (search->star->count <= LS_SCOW_FEW_WORKERS) status = ls_scow_try_keeps(search, &shape, err);
  const double *after = trial->units;
  double ramp_units = 0;
  size_t rounds = 0;
  while (rounds < LS_SCOW_RAMP_MAX && status == LS_OK) {
    double *before = trial->ramp + rounds * trial->count;
    if (!size_before(search, after, send_round(search->star, after), before)) break;
    /* The worker that is not full is left out of growing rounds. */
    for (size_t i = 0; i < trial->count; i++) ramp_units += before[i];
    if (ramp_units >= search->load) break;
    trial->ramp_rounds = ++rounds;
    status = ls_scow_try_keeps(search, &shape, err);
    after = before;
  }
  trial->ramp_rounds = 0;
  return status;
}

/* ---- A number of rounds (6.2) ---- */

/* i full workers and a partial one, the least i that its own period agrees with. False: none. */
static bool divide_by_production(const struct ls_scow_worker *worker, size_t count, double units,
                                 double *period_s, size_t *full) {
  for (size_t i = 1; i < count; i++) {
    double send_s = worker->send.per_unit_s * units + (double)(i + 1) * worker->send.latency_s;
    double chunk = ls_scow_chunk(worker, send_s);
    if (!(chunk > 0)) continue;
    double found = floor(send_s / ls_cost_time(&worker->send, chunk) * (1 + LS_SCOW_GUARD));
    if (found < (double)i || found > (double)i || units - (double)i * chunk < 0) continue;
    *period_s = send_s;
    *full = i;
    return true;
  }
  return false;
}

/* Equal chunks of the number of workers whose period is least. */
static double divide_equally(const struct ls_scow_worker *worker, size_t count, double units,
                             size_t *full) {
  double least_s = (double)INFINITY;
  for (size_t k = 1; k <= count; k++) {
    double chunk = units / (double)k;
    double period_s =
        fmax(ls_cost_time(&worker->compute, chunk), (double)k * ls_cost_time(&worker->send, chunk));
    if (!(period_s < least_s)) continue;
    least_s = period_s;
    *full = k;
  }
  return least_s;
}

/* The trial's round of `units` by identical workers. */
static struct ls_scow_shape size_identical(struct ls_scow_search *search, double units,
                                           enum ls_scow_constraint constraint, size_t workers) {
  const struct ls_scow_worker *worker = &search->star->items[0];
  struct ls_scow_schedule *trial = &search->trial;
  double period_s = 0;
  size_t full = workers;
  memset(trial->units, 0, trial->count * sizeof *trial->units);
  trial->partial = 0;
  trial->ramp_rounds = 0;
  bool has_partial = constraint == LS_SCOW_MP &&
                     divide_by_production(worker, trial->count, units, &period_s, &full);
  if (constraint == LS_SCOW_MP && !has_partial)
    period_s = divide_equally(worker, trial->count, units, &full);
  double chunk = has_partial ? ls_scow_chunk(worker, period_s) : units / (double)full;
  for (size_t i = 0; i < full; i++) trial->units[i] = chunk;
  if (has_partial) trial->partial = trial->units[full] = units - (double)full * chunk;
  double compute_s = ls_cost_time(&worker->compute, chunk);
  double sent_s = (double)full * ls_cost_time(&worker->send, chunk);
  trial->full = full;
  trial->period_s = has_partial ? period_s : fmax(compute_s, sent_s);
  ls_scow_gather(search);
  return (struct ls_scow_shape){.period_s = constraint == LS_SCOW_MP ? trial->period_s : compute_s,
                                .send_s = ls_cost_time(&worker->send, chunk)};
}

static bool is_within(const struct ls_scow_search *search) {
  for (size_t i = 0; i < search->count; i++) {
    const struct ls_scow_worker *worker = &search->workers[i];
    if (search->units[i] > worker->most * (1 + 1e-9)) return false;
    if (search->units[i] < worker->least * (1 - 1e-9)) return false;
  }
  return true;
}

/* Beyond, a plan could not count its chunks. */
static const double MESSAGES_MOST = 0x1p52;

enum ls_status ls_scow_search_published(struct ls_scow_search *search, double rounds,
                                        enum ls_scow_constraint constraint, struct ls_error *err) {
  if (!(rounds * (double)search->star->count < MESSAGES_MOST)) return LS_OK;
  struct ls_scow_shape shape =
      size_identical(search, search->load / rounds, constraint, search->star->count);
  search->trial.keep = (uint64_t)rounds - 1;
  return is_within(search) ? ls_scow_try_tails(search, &shape, true, err) : LS_OK;
}

/* The period in which different workers produce so many units, by bisection. */
static double find_period(const struct ls_scow_search *search, double units,
                          enum ls_scow_constraint constraint, size_t full_most) {
  const struct ls_scow_star *star = search->star;
  double least_s = 0, most_s = ls_cost_time(&star->items[0].compute, units) +
                               ls_cost_time(&star->items[0].send, units);
  for (int step = 0; step < BISECTIONS; step++) {
    double middle_s = (least_s + most_s) / 2;
    struct ls_scow_production found =
        ls_scow_produce(star->items, star->count, middle_s, full_most, NULL);
    double made = constraint == LS_SCOW_PWU ? found.total - found.partial : found.total;
    if (made < units)
      least_s = middle_s;
    else
      most_s = middle_s;
  }
  return most_s;
}

enum ls_status ls_scow_search_rounds(struct ls_scow_search *search, double rounds,
                                     enum ls_scow_constraint constraint, struct ls_error *err) {
  if (!(rounds >= 1 && rounds * (double)search->star->count < MESSAGES_MOST)) return LS_OK;
  if (!ls_scow_search_goes_on(search)) return LS_OK;
  if (!search->star->is_identical) {
    double period_s = find_period(search, search->load / rounds, constraint, SIZE_MAX);
    return ls_scow_search_period(search, period_s, SIZE_MAX, constraint == LS_SCOW_MP, err);
  }
  size_t workers = search->star->count;
  if (constraint == LS_SCOW_PWU)
    (void)divide_equally(&search->star->items[0], workers, search->load / rounds, &workers);
  struct ls_scow_shape shape = size_identical(search, search->load / rounds, constraint, workers);
  search->trial.keep = (uint64_t)rounds - 1;
  return is_within(search) ? ls_scow_try_tails(search, &shape, false, err) : LS_OK;
}
