/* scow_periods.c: periods of whole units: what the model's one optimum leaves to be found.
 *
 * Sizes of whole units change only at some periods: where a worker computes one unit more, or one
 * more can be sent.  Those are listed, all of the short ones and some of the long ones, ranked by
 * what the model says of their sizes, and the first few are replayed.
 *
 * Symbols:  T -> period_s, nu -> load / units, rho -> throughput, y -> rates.
 */
#include <math.h>
#include <stdlib.h>

#include "model/plan_repeat.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_search_private.h"

/* Periods that are looked at, and those that are replayed; of many workers fewer. */
enum { LISTED = 1000, LISTED_OF_MANY = 20, REPLAYED = 48, REPLAYED_OF_MANY = 1 };

struct period {
  double period_s, estimate_s;
  size_t full_most;
  bool may_have_partial;
};

/* Next to the best one all are listed, if they are not too many. */
static const double NEAR = 0.3;

/* The best by their estimates, in that order. */
struct ranking {
  struct period items[REPLAYED];
  size_t count, most;
};

static void rank(struct ranking *ranking, struct period period) {
  size_t at = ranking->count;
  while (at > 0 && period.estimate_s < ranking->items[at - 1].estimate_s) at--;
  /* The same sizes again. */
  if (at > 0 && !(period.estimate_s > ranking->items[at - 1].estimate_s * (1 + LS_SCOW_GUARD)))
    return;
  if (at >= ranking->most) return;
  if (ranking->count < ranking->most) ranking->count++;
  for (size_t i = ranking->count - 1; i > at; i--) ranking->items[i] = ranking->items[i - 1];
  ranking->items[at] = period;
}

/* The sizes of a period by the model: (nu + 1/2) T and the first chunk; no less than nu - 2 periods
 * in any case. What one more unit would cost the station that sends. */
static double estimate(struct ls_scow_search *search, struct period *period) {
  const struct ls_scow_star *star = search->star;
  ls_scow_size_round(search, period->period_s, period->full_most, period->may_have_partial);
  struct ls_scow_load load = ls_scow_load_of(star->items, star->count, search->trial.units);
  size_t first = 0, next = search->trial.full < star->count ? search->trial.full : 0;
  period->estimate_s = (double)INFINITY;
  if (!(load.units > 0) || load.units > search->load) return (double)INFINITY;
  while (!(search->trial.units[first] > 0)) first++;
  period->estimate_s = (search->load / load.units + 0.5) * load.period_s +
                       ls_scow_first_s(&star->items[first], search->trial.units[first]);
  const struct ls_cost *send = &star->items[next].send;
  bool is_new = !(search->trial.units[next] > 0);
  return fmax(load.master_s, load.link_s) + send->per_unit_s + (is_new ? send->latency_s : 0);
}

/* As many full workers as there can be, and one less, with others beside them and without. */
static double look_at(struct ls_scow_search *search, struct ranking *ranking, double period_s) {
  struct period period = {.period_s = period_s, .full_most = SIZE_MAX, .may_have_partial = true};
  double next_s = estimate(search, &period);
  size_t full = search->trial.full;
  rank(ranking, period);
  period.may_have_partial = false;
  (void)estimate(search, &period);
  rank(ranking, period);
  if (full < 2) return next_s;
  period.may_have_partial = true;
  period.full_most = full - 1;
  (void)estimate(search, &period);
  rank(ranking, period);
  return next_s;
}

/* The next period in which some worker computes one unit more. */
static double find_next(const struct ls_scow_star *star, double period_s) {
  double next_s = (double)INFINITY;
  for (size_t i = 0; i < star->count; i++) {
    const struct ls_scow_worker *worker = &star->items[i];
    double units = floor(fmax(0, ls_scow_chunk(worker, period_s)) * (1 + LS_SCOW_GUARD)) + 1;
    next_s = fmin(next_s, ls_cost_time(&worker->compute, units));
  }
  return next_s;
}

static bool has_few(const struct ls_scow_search *search) {
  return search->star->count <= LS_SCOW_FEW_WORKERS;
}

/* Steps so large at least that the longest period is reached. */
static void list_periods(struct ls_scow_search *search, double period_s, double most_s,
                         struct ranking *ranking) {
  double listed = has_few(search) ? LISTED : LISTED_OF_MANY;
  double growth = fmax(1, pow(most_s / period_s, 1 / listed));
  for (double i = 0; i < listed && period_s <= most_s; i++) {
    double sent_s = look_at(search, ranking, period_s);
    double next_s = find_next(search->star, fmax(period_s, period_s * growth / (1 + 1e-9)));
    if (sent_s > period_s && sent_s < next_s) (void)look_at(search, ranking, sent_s);
    period_s = next_s;
  }
}

/* So many identical rounds keep one station busy. */
static bool is_hopeless(const struct ls_scow_search *search, const struct ls_scow_load *load) {
  return (floor(search->load / load->units) - 2) * load->period_s >= search->best_s;
}

static enum ls_status replay_period(struct ls_scow_search *search, const struct period *period,
                                    struct ls_error *err) {
  const struct ls_scow_star *star = search->star;
  ls_scow_size_round(search, period->period_s, period->full_most, period->may_have_partial);
  struct ls_scow_load load = ls_scow_load_of(star->items, star->count, search->trial.units);
  if (!(load.units > 0) || is_hopeless(search, &load)) return LS_OK;
  return ls_scow_search_period(search, period->period_s, period->full_most,
                               period->may_have_partial, err);
}

static enum ls_status try_periods(struct ls_scow_search *search, double least_s, double most_s,
                                  struct ls_error *err) {
  struct ranking ranking = {.most = has_few(search) ? REPLAYED : REPLAYED_OF_MANY};
  enum ls_status status = LS_OK;
  list_periods(search, least_s, most_s, &ranking);
  for (size_t i = 0; i < ranking.count && status == LS_OK; i++)
    status = replay_period(search, &ranking.items[i], err);
  return status;
}

enum ls_status ls_scow_search_periods(struct ls_scow_search *search, struct ls_error *err) {
  const struct ls_scow_star *star = search->star;
  double most_s = 0;
  if (!ls_scow_search_goes_on(search)) return LS_OK;
  for (size_t i = 0; i < star->count; i++)
    most_s = fmax(most_s, ls_cost_time(&star->items[i].compute, search->load));
  enum ls_status status = try_periods(search, find_next(star, 0), most_s, err);
  double best_s = search->best.period_s;
  if (status != LS_OK || !has_few(search) || !isfinite(best_s)) return status;
  return try_periods(search, best_s * (1 - NEAR), best_s * (1 + NEAR), err);
}

/* ---- Rounds at the rates of the steady state ---- */

/* Reads a plan of ls_scow_add_rounds, of equal rounds and perhaps a last one. */
static void read_rounds(struct ls_scow_search *search, const struct ls_plan *plan,
                        const size_t *positions) {
  struct ls_scow_schedule *trial = &search->trial;
  for (size_t i = 0; i < trial->count; i++)
    trial->units[i] = trial->last[i] = trial->auxiliary[i] = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    (chunk->round == 0 ? trial->units : trial->last)[positions[chunk->worker]] = chunk->units;
  }
  trial->keep = plan->repeat.times > 1 ? plan->repeat.times : 1;
  trial->full = search->count = 0;
  trial->partial = 0;
  trial->auxiliary_workers = trial->ramp_rounds = trial->falling_rounds = 0;
  ls_scow_gather(search);
  trial->full = search->count;
}

/* The trial is these rounds. `*load`: of one of them; without units: windows leave none. */
static enum ls_status take_rounds(struct ls_scow_search *search, struct ls_scow_rounds *rounds,
                                  const size_t *positions, struct ls_scow_load *load,
                                  struct ls_error *err) {
  struct ls_plan plan;
  ls_plan_init(&plan, "scow", search->load);
  *load = (struct ls_scow_load){0};
  enum ls_status status = ls_scow_add_rounds(rounds, &plan, err);
  if (status == LS_OK && plan.outcome == LS_PLAN_OK && plan.chunks_count > 0) {
    read_rounds(search, &plan, positions);
    *load = ls_scow_load_of(search->star->items, search->star->count, search->trial.units);
    search->trial.period_s = load->period_s;
    search->trial.predicted_s = (double)NAN;
  }
  ls_plan_close(&plan);
  return status;
}

/* These rounds as they are, and then with last and auxiliary rounds of their own. */
static enum ls_status try_rounds(struct ls_scow_search *search, struct ls_scow_rounds *rounds,
                                 const size_t *positions, struct ls_error *err) {
  struct ls_scow_load load;
  enum ls_status status = take_rounds(search, rounds, positions, &load, err);
  if (status != LS_OK || !(load.units > 0)) return status;
  status = ls_scow_judge_trial(search, err);
  struct ls_scow_shape shape = {.period_s = load.period_s, .send_s = (double)NAN};
  if (status == LS_OK && has_few(search) && !is_hopeless(search, &load))
    status = ls_scow_try_keeps(search, &shape, err);
  return status;
}

static enum ls_status list_positions(const struct ls_scow_star *star, size_t **positions,
                                     struct ls_error *err) {
  *positions = calloc(star->platform_count, sizeof **positions);
  if (*positions == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the rates of %zu workers", star->count);
  for (size_t i = 0; i < star->count; i++) (*positions)[star->items[i].number] = i;
  return LS_OK;
}

enum ls_status ls_scow_search_rates(struct ls_scow_search *search, struct ls_error *err) {
  const struct ls_scow_star *star = search->star;
  size_t *positions = NULL;
  double *shares = calloc(star->count, sizeof *shares);
  enum ls_status status = list_positions(star, &positions, err);
  if (status == LS_OK && shares == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for the rates of %zu workers", star->count);
  for (int are_equal = 0; are_equal < 2 && status == LS_OK; are_equal++) {
    struct ls_scow_rates found = ls_scow_rates_of(star->items, star->count, shares);
    double period_s = ls_scow_period_of_load(&found, search->load);
    double lost = ls_scow_lost(star, shares, period_s);
    double units = ls_scow_equal_units(&found, search->load, period_s);
    if (!are_equal) units = (1 - lost) * period_s * found.throughput;
    if (!(units > 0)) continue;
    for (size_t i = 0; i < star->count; i++) shares[i] /= found.throughput;
    struct ls_scow_rounds rounds = {star, shares, units, search->is_whole, are_equal > 0};
    if (ls_scow_search_goes_on(search)) status = try_rounds(search, &rounds, positions, err);
  }
  free(positions);
  free(shares);
  return status;
}

/* ---- Rounds whose number is given ---- */

/* What is left behind the equal rounds, and behind all but one of them. Where the network or the
 * master limits, a worker waits in each round: free when it has computed, not at the period's end.
 */
static enum ls_status try_last(struct ls_scow_search *search, const struct ls_scow_load *load,
                               struct ls_error *err) {
  double compute_s = 0;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < search->count; i++)
    compute_s = fmax(compute_s, ls_cost_time(&search->workers[i].compute, search->units[i]));
  const double periods[] = {load->period_s, compute_s};
  uint64_t keep = search->trial.keep;
  for (uint64_t drop = 0; drop < 2 && drop <= keep; drop++) {
    for (size_t i = 0; i < sizeof periods / sizeof *periods && status == LS_OK; i++) {
      struct ls_scow_shape shape = {.period_s = periods[i], .send_s = (double)NAN};
      search->trial.keep = keep - drop;
      status = ls_scow_try_tails(search, &shape, false, err);
    }
  }
  return status;
}

enum ls_status ls_scow_search_last(struct ls_scow_search *search, struct ls_scow_rounds *rounds,
                                   struct ls_error *err) {
  size_t *positions;
  struct ls_scow_load load;
  enum ls_status status = list_positions(search->star, &positions, err);
  if (status != LS_OK) return status;
  status = take_rounds(search, rounds, positions, &load, err);
  if (status == LS_OK && load.units > 0) status = ls_scow_judge_trial(search, err);
  if (status == LS_OK && load.units > 0) status = try_last(search, &load, err);
  free(positions);
  return status;
}
