/* umr2.c: Uniform Multi-Round with chunks that grow or shrink.
 *
 * Reference:  delatorre2009, section 3.4 (its (3.44) has chunk_{j+1}); docs/theory/scow.md, 6.5,
 *             and the closed form of docs/theory/umr.md, 3.1.
 * Assumes:    identical workers; one message after another; receiving and computing overlap.
 * Answers:    NOT_APPLICABLE when workers are not identical, or a worker computes or is sent to at
 *             no cost per unit.
 * Cost:       O(400 p).
 * Symbols:    B -> 1 / send.per_unit_s, nLat -> send.latency_s, S -> 1 / compute.per_unit_s, cLat
 *             -> compute.latency_s, N -> workers, M -> rounds, theta, alpha -> the same, c_j ->
 *             find_chunk.
 */
#include <math.h>

#include "planners/planner.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_star.h"

enum { ROUNDS_MOST = 400 };

static const struct ls_parameter umr2_parameters[] = {
    {"workers", "use N workers; absent: as many as are best", LS_PARAMETER_WHOLE, (double)NAN, 1,
     1e9, NULL},
    {"rounds", "rounds to send; absent: as many as are best", LS_PARAMETER_WHOLE, (double)NAN, 1,
     ROUNDS_MOST, NULL},
    {0}};

/* Rounds of identical workers: c_j = first + growth of the powers of theta. */
struct umr2 {
  double workers, rounds;
  double theta, alpha; /* alpha NAN: theta is 1, chunks change by `step` */
  double step;
  double first; /* c_0 - alpha; where theta is 1 c_0 */
  double makespan_s;
};

static double find_chunk(const struct umr2 *umr2, double round) {
  if (isnan(umr2->alpha)) return umr2->first + round * umr2->step;
  return pow(umr2->theta, round) * umr2->first + umr2->alpha;
}

/* All sent without pause, the last chunk then computed: no worker waits where chunks grow, and
 * where they shrink the last one waits least. */
static double predict(const struct umr2 *umr2, const struct ls_scow_worker *worker, double load) {
  double sent_s = load * worker->send.per_unit_s +
                  umr2->rounds * umr2->workers * worker->send.latency_s + worker->delay_s;
  return sent_s + ls_cost_time(&worker->compute, find_chunk(umr2, umr2->rounds - 1));
}

/* So many rounds for so many workers; an infinite makespan when a chunk would not be > 0. */
static struct umr2 divide(const struct ls_scow_worker *worker, double load, double workers,
                          double rounds) {
  double h = worker->send.per_unit_s, c = worker->compute.per_unit_s;
  double wait_s = workers * worker->send.latency_s - worker->compute.latency_s;
  struct umr2 umr2 = {.workers = workers, .rounds = rounds, .makespan_s = (double)INFINITY};
  double each = load / workers;
  umr2.theta = c / (workers * h);
  umr2.step = -wait_s / (workers * h);
  if (fabs(umr2.theta - 1) < LS_SCOW_GUARD) {
    umr2.alpha = (double)NAN;
    umr2.first = each / rounds - umr2.step * (rounds - 1) / 2;
  } else {
    umr2.alpha = wait_s / (c - workers * h);
    /* expm1, since theta may be next to 1. */
    double powers = expm1(rounds * log(umr2.theta)) / (umr2.theta - 1);
    umr2.first = (each - rounds * umr2.alpha) / powers;
  }
  /* Chunks lie between the first and the last one; powers beyond all numbers leave no chunk. */
  double least = LS_SCOW_GUARD * each;
  bool is_possible = find_chunk(&umr2, 0) > least && find_chunk(&umr2, rounds - 1) > least;
  if (is_possible && isfinite(pow(umr2.theta, rounds)))
    umr2.makespan_s = predict(&umr2, worker, load);
  return umr2;
}

static struct umr2 choose(const struct ls_scow_star *star, double load, double workers,
                          double rounds) {
  const struct ls_scow_worker *worker = &star->items[0];
  struct umr2 best = {.makespan_s = (double)INFINITY};
  double from = isnan(workers) ? 1 : fmin(workers, (double)star->count);
  double to = isnan(workers) ? (double)star->count : from;
  for (double n = from; n <= to; n++) {
    for (double m = isnan(rounds) ? 1 : rounds; m <= (isnan(rounds) ? ROUNDS_MOST : rounds); m++) {
      /* Every round costs the master its latencies. */
      double least_s = load * worker->send.per_unit_s + m * n * worker->send.latency_s;
      if (least_s > best.makespan_s) break;
      struct umr2 found = divide(worker, load, n, m);
      if (found.makespan_s < best.makespan_s * (1 - LS_SCOW_GUARD)) best = found;
    }
  }
  return best;
}

static bool is_applicable(const struct ls_planner_setup *setup, struct ls_planner_reason *why) {
  return ls_scow_is_valid(setup, NULL, why) && ls_reduced_star_is_alike(setup->platform, why);
}

static enum ls_status add_rounds(const struct ls_scow_star *star, const struct umr2 *umr2,
                                 struct ls_plan *plan, struct ls_error *err) {
  struct ls_star_notes notes = {0};
  double bound_s;
  size_t workers = (size_t)umr2->workers, rounds = (size_t)umr2->rounds;
  enum ls_status status = ls_star_reserve(plan, workers * rounds, err);
  if (status == LS_OK) status = ls_scow_bound(star, plan->load, &bound_s, err);
  if (status != LS_OK) return status;
  for (size_t j = 0; j < rounds; j++)
    for (size_t i = 0; i < workers; i++)
      ls_plan_add(plan, star->items[i].number, (uint32_t)j, find_chunk(umr2, (double)j));
  ls_plan_set(plan, "theta", umr2->theta);
  ls_plan_set(plan, "chunk", find_chunk(umr2, 0));
  ls_plan_set(plan, "predicted_makespan", umr2->makespan_s);
  ls_plan_set(plan, "lower_bound", bound_s);
  ls_scow_tell(star, &notes, plan);
  return LS_OK;
}

static enum ls_status make_plan(const struct ls_planner_setup *setup, struct ls_budget *budget,
                                struct ls_plan *plan, struct ls_error *err) {
  struct ls_scow_star star;
  double workers = ls_arguments_get(&setup->arguments, umr2_parameters, "workers");
  double rounds = ls_arguments_get(&setup->arguments, umr2_parameters, "rounds");
  (void)budget;
  enum ls_status status = ls_scow_star_open(&star, setup, NULL, err);
  if (status != LS_OK) return status;
  struct umr2 umr2 = choose(&star, plan->load, workers, rounds);
  if (isinf(umr2.makespan_s))
    ls_plan_refuse(plan, "with this number of rounds a chunk would not be positive");
  else
    status = add_rounds(&star, &umr2, plan, err);
  ls_scow_star_close(&star);
  return status;
}

const struct ls_planner ls_planner_umr2 = {
    .name = "umr2",
    .summary = "uniform multi-round of identical workers with chunks that grow or shrink",
    .reference = "delatorre2009",
    .parameters = umr2_parameters,
    .applicable = is_applicable,
    .plan = make_plan,
};
