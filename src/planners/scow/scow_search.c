/* scow_search.c: last rounds, and who is best.
 *
 * Symbols:  m -> auxiliary, Y_i -> units, Z_i -> sizes, X -> load, K -> spacing_s.
 */
#include "planners/scow/scow_search.h"

#include <math.h>
#include <stdlib.h>

#include "planners/scow/scow_last.h"
#include "planners/scow/scow_rates.h"
#include "planners/scow/scow_rounds.h"
#include "planners/scow/scow_search_private.h"
#include "planners/scow/scow_spmd.h"
#include "planners/star/one_round.h"

enum { ALL_TAILS_MAX = 16, TAILS_BESIDE = 2, KEEPS = 3, SINGLE_MAX = 40 };
static const double ROUNDS_MOST = 1e15;

enum ls_status ls_scow_search_open(struct ls_scow_search *search,
                                   const struct ls_planner_setup *setup,
                                   const struct ls_scow_star *star, struct ls_budget *budget,
                                   struct ls_error *err) {
  size_t count = star->count;
  *search = (struct ls_scow_search){.star = star,
                                    .load = setup->load,
                                    .is_whole = setup->is_whole,
                                    .budget = budget,
                                    .best_s = (double)INFINITY};
  enum ls_status status = ls_scow_judge_open(&search->judge, star, setup->platform, err);
  if (status != LS_OK) return status;
  status = ls_scow_schedule_open(&search->trial, count, err);
  if (status == LS_OK) status = ls_scow_schedule_open(&search->best, count, err);
  search->workers = calloc(count, sizeof *search->workers);
  search->positions = calloc(count, sizeof *search->positions);
  search->units = calloc(2 * count, sizeof *search->units);
  search->slots = calloc(2 * count, sizeof *search->slots);
  bool has_memory = search->workers != NULL && search->positions != NULL && search->units != NULL &&
                    search->slots != NULL;
  if (status == LS_OK && !has_memory)
    status = ls_fail(err, LS_ENOMEM, "no memory for the schedules of %zu workers", count);
  if (status != LS_OK) {
    ls_scow_search_close(search);
    return status;
  }
  search->sizes = search->units + count;
  return LS_OK;
}

void ls_scow_search_close(struct ls_scow_search *search) {
  ls_scow_judge_close(&search->judge);
  ls_scow_schedule_close(&search->trial);
  ls_scow_schedule_close(&search->best);
  free(search->workers);
  free(search->positions);
  free(search->units);
  free(search->slots);
  *search = (struct ls_scow_search){0};
}

bool ls_scow_search_goes_on(const struct ls_scow_search *search) {
  return isinf(search->best_s) || !ls_budget_is_spent_shortly(search->budget);
}

/* Ties: the earlier candidate. */
static void keep_if_best(struct ls_scow_search *search, double makespan_s) {
  if (!(makespan_s < search->best_s * (1 - LS_SCOW_GUARD))) return;
  search->best_s = makespan_s;
  ls_scow_schedule_copy(&search->best, &search->trial);
}

enum ls_status ls_scow_judge_trial(struct ls_scow_search *search, struct ls_error *err) {
  double makespan_s;
  enum ls_status status = ls_scow_judge_schedule(&search->judge, &search->trial, &makespan_s, err);
  if (status != LS_OK) return status;
  ls_budget_spend(search->budget, 1);
  keep_if_best(search, makespan_s);
  return LS_OK;
}

void ls_scow_gather(struct ls_scow_search *search) {
  search->count = 0;
  for (size_t i = 0; i < search->star->count; i++) {
    if (!(search->trial.units[i] > 0)) continue;
    search->workers[search->count] = search->star->items[i];
    search->positions[search->count] = i;
    search->units[search->count++] = search->trial.units[i];
  }
}

/* ---- The last and the auxiliary round ---- */

static double sum_units(const double *units, size_t count) {
  double sum = 0;
  for (size_t i = 0; i < count; i++) sum += units[i];
  return sum;
}

/* Full chunks of the first m workers in the last round, sizes Z beside them. */
static void set_tail(struct ls_scow_search *search, size_t auxiliary) {
  struct ls_scow_schedule *trial = &search->trial;
  for (size_t i = 0; i < trial->count; i++) trial->last[i] = trial->auxiliary[i] = 0;
  for (size_t i = 0; i < search->count; i++) {
    size_t position = search->positions[i];
    double units = search->slots[i].units;
    if (i < auxiliary) {
      trial->last[position] = search->units[i];
      trial->auxiliary[position] = units;
    } else {
      trial->last[position] = units;
    }
  }
  trial->auxiliary_workers = auxiliary;
}

/* One m: its sizes, clipped at 0, scaled, within windows; none where they cannot be. */
static enum ls_status try_tail(struct ls_scow_search *search, const struct ls_scow_rest *rest,
                               size_t auxiliary, bool is_published, struct ls_error *err) {
  double end_s, load = rest->load - sum_units(rest->units, auxiliary);
  bool is_found = false;
  if (load < -LS_SCOW_GUARD * rest->load) return LS_OK;
  ls_scow_last_sizes(rest, auxiliary, search->sizes, &end_s);
  for (size_t i = 0; i < search->count; i++)
    search->slots[i] = (struct ls_scow_slot){search->sizes[i], search->workers[i].tail_least,
                                             search->workers[i].most};
  struct ls_scow_slots slots = {search->slots, search->count, fmax(load, 0), search->is_whole};
  enum ls_status status = ls_scow_fit_slots(&slots, &is_found, err);
  if (status != LS_OK || !is_found) return status;
  set_tail(search, auxiliary);
  double first_s = ls_scow_first_s(&search->workers[0], search->units[0]);
  search->trial.predicted_s = first_s + (double)search->trial.keep * search->trial.period_s + end_s;
  if (is_published) {
    keep_if_best(search, search->trial.predicted_s);
    return LS_OK;
  }
  return ls_scow_judge_trial(search, err);
}

/* All is done in identical rounds. */
static enum ls_status try_no_tail(struct ls_scow_search *search, struct ls_error *err) {
  for (size_t i = 0; i < search->trial.count; i++)
    search->trial.last[i] = search->trial.auxiliary[i] = 0;
  search->trial.auxiliary_workers = 0;
  search->trial.predicted_s = (double)NAN;
  return ls_scow_judge_trial(search, err);
}

/* Growing rounds for many workers: one last round each, the one of the formula. */
static bool is_hasty(const struct ls_scow_search *search) {
  return search->star->count > LS_SCOW_FEW_WORKERS && search->trial.ramp_rounds > 0;
}

enum ls_status ls_scow_try_tails(struct ls_scow_search *search, const struct ls_scow_shape *shape,
                                 bool is_published, struct ls_error *err) {
  const struct ls_scow_schedule *trial = &search->trial;
  double end_s, done = (double)trial->keep * sum_units(search->units, search->count);
  for (size_t row = 0; row < trial->ramp_rounds; row++)
    done += sum_units(trial->ramp + row * trial->count, trial->count);
  struct ls_scow_rest rest = {.workers = search->workers,
                              .count = search->count,
                              .units = search->units,
                              .period_s = shape->period_s,
                              .load = search->load - done,
                              .spacing_s = search->judge.spacing_s,
                              .send_s = shape->send_s};
  if (search->is_whole) rest.load = round(rest.load);
  if (search->count == 0 || rest.load < -1e-12 * search->load) return LS_OK;
  if (!(rest.load > 1e-12 * search->load)) return try_no_tail(search, err);
  size_t best = ls_scow_last_round(&rest, search->sizes, &end_s);
  if (is_published) return try_tail(search, &rest, best, true, err);
  size_t least = best > TAILS_BESIDE ? best - TAILS_BESIDE : 0, most = best + TAILS_BESIDE;
  if (search->count <= ALL_TAILS_MAX) {
    least = 0;
    most = search->count;
  }
  if (is_hasty(search)) least = most = best;
  enum ls_status status = LS_OK;
  for (size_t m = least; m <= most && m <= search->count && status == LS_OK; m++)
    if (ls_scow_search_goes_on(search)) status = try_tail(search, &rest, m, false, err);
  return status;
}

enum ls_status ls_scow_try_keeps(struct ls_scow_search *search, const struct ls_scow_shape *shape,
                                 struct ls_error *err) {
  struct ls_scow_schedule *trial = &search->trial;
  double each = sum_units(search->units, search->count), left = search->load;
  enum ls_status status = LS_OK;
  for (size_t row = 0; row < trial->ramp_rounds; row++)
    left -= sum_units(trial->ramp + row * trial->count, trial->count);
  double keep = floor(left / each * (1 + LS_SCOW_GUARD));
  if (!(each > 0) || !(keep <= ROUNDS_MOST)) return LS_OK;
  int keeps = is_hasty(search) ? 1 : KEEPS;
  for (int drop = 0; drop < keeps && keep - drop >= 0 && status == LS_OK; drop++) {
    trial->keep = (uint64_t)(keep - drop);
    status = ls_scow_try_tails(search, shape, false, err);
  }
  return status;
}

/* ---- One round ---- */

static enum ls_status try_single(struct ls_scow_search *search, const struct ls_star_worker *stars,
                                 size_t count, double *scratch, struct ls_error *err) {
  struct ls_scow_schedule *trial = &search->trial;
  double *units = scratch + 4 * count;
  bool is_found = false;
  (void)ls_one_round_sizes(stars, count, search->load, scratch, units);
  for (size_t i = 0; i < count; i++)
    search->slots[i] = (struct ls_scow_slot){units[i], search->star->items[i].tail_least,
                                             search->star->items[i].most};
  struct ls_scow_slots slots = {search->slots, count, search->load, search->is_whole};
  enum ls_status status = ls_scow_fit_slots(&slots, &is_found, err);
  if (status != LS_OK || !is_found) return status;
  for (size_t i = 0; i < trial->count; i++) {
    trial->units[i] = trial->auxiliary[i] = 0;
    trial->last[i] = i < count ? search->slots[i].units : 0;
  }
  trial->keep = trial->auxiliary_workers = trial->ramp_rounds = trial->falling_rounds = 0;
  trial->full = 0;
  trial->partial = 0;
  trial->period_s = trial->predicted_s = (double)NAN;
  return ls_scow_judge_trial(search, err);
}

enum ls_status ls_scow_search_single(struct ls_scow_search *search, struct ls_error *err) {
  size_t most = search->star->count < SINGLE_MAX ? search->star->count : SINGLE_MAX;
  struct ls_star_worker stars[SINGLE_MAX];
  double scratch[5 * SINGLE_MAX];
  enum ls_status status = LS_OK;
  ls_scow_reduce(search->star->items, most, stars);
  for (size_t count = 1; count <= most && status == LS_OK; count++) {
    if (search->is_whole && (double)count > search->load) break;
    if (!ls_scow_search_goes_on(search)) break;
    status = try_single(search, stars, count, scratch, err);
  }
  return status;
}

/* ---- The plan ---- */

static void tell_optimum(const struct ls_scow_optimum *optimum, struct ls_plan *plan) {
  if (isinf(optimum->makespan_s)) return;
  ls_plan_set(plan, "period", optimum->period_s);
  ls_plan_set(plan, "rounds_real", optimum->rounds_real);
  ls_plan_set(plan, "model_makespan", optimum->makespan_s);
}

static double find_first(const double *units, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (units[i] > 0) return units[i];
  return 0;
}

static enum ls_status tell_schedule(const struct ls_scow_search *search, struct ls_plan *plan,
                                    struct ls_error *err) {
  const struct ls_scow_schedule *best = &search->best;
  ls_plan_set(plan, "rounds", ls_scow_schedule_rounds(best));
  ls_plan_set(plan, "full_workers", (double)best->full);
  ls_plan_set(plan, "chunk", find_first(best->units, best->count));
  ls_plan_set(plan, "partial_chunk", best->partial);
  ls_plan_set(plan, "auxiliary_workers", (double)best->auxiliary_workers);
  struct ls_scow_spmd spmd = {best->keep, best->units, best->last, best->auxiliary};
  bool is_loop = best->ramp_rounds == 0 && best->falling_rounds == 0;
  if (search->is_whole && is_loop) ls_scow_tell_spmd(search->star, &spmd, plan);
  if (best->ramp_rounds > 0) ls_plan_set(plan, "ramp_rounds", (double)best->ramp_rounds);
  if (best->falling_rounds > 0) ls_plan_set(plan, "falling_rounds", (double)best->falling_rounds);
  if (isfinite(best->period_s)) ls_plan_set(plan, "period_discrete", best->period_s);
  if (isfinite(best->predicted_s)) ls_plan_set(plan, "predicted_makespan", best->predicted_s);
  return ls_scow_tell_round(search->star, best->units, (double)NAN, plan, err);
}

enum ls_status ls_scow_search_write(struct ls_scow_search *search,
                                    const struct ls_scow_optimum *optimum,
                                    struct ls_star_notes *notes, struct ls_plan *plan,
                                    struct ls_error *err) {
  if (isinf(search->best_s)) {
    ls_plan_refuse(plan, "no sizes of rounds are the load within the windows of the workers");
    return LS_OK;
  }
  enum ls_status status = ls_scow_judge_write(&search->judge, &search->best, plan, err);
  if (status != LS_OK) return status;
  tell_optimum(optimum, plan);
  status = tell_schedule(search, plan, err);
  if (search->judge.has_results) ls_star_note(notes, "one result of each worker returns");
  ls_plan_set(plan, "replays", (double)search->budget->work);
  ls_scow_tell(search->star, notes, plan);
  return status;
}
