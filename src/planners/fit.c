#include "planners/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/validate.h"

/* Pieces for one chunk at most, and for all. */
static const double PIECES_MAX = 100000;

/* One message: what was planned, what its worker allows, what it gets. */
struct piece {
  uint32_t worker, round;
  size_t chunk; /* of the plan; SIZE_MAX: added */
  double planned, least, most, units;
  bool is_used;
};

struct fit {
  const struct ls_platform *platform;
  struct piece *items;
  size_t count, capacity;
  double load;
  bool is_whole;
  bool is_total; /* a worker's pieces are its whole share: its room is their limit */
};

bool ls_fit_is_needed(const struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    if (worker->window_from > 0 || !isinf(ls_worker_chunk_most(worker))) return true;
  }
  return false;
}

/* The chunk sizes that a worker takes; none: `most` below `least`. */
static void find_limits(const struct fit *fit, uint32_t worker, double *least, double *most) {
  const struct ls_worker_model *model = &fit->platform->workers[worker];
  *least = ls_worker_chunk_least(model);
  *most = fit->is_total ? model->room_units : ls_worker_chunk_most(model);
  if (fit->is_whole) {
    *least = fmax(1, ceil(*least));
    *most = floor(*most);
  }
}

static bool add_piece(struct fit *fit, struct piece piece) {
  if (fit->count == fit->capacity) return false;
  find_limits(fit, piece.worker, &piece.least, &piece.most);
  piece.is_used = piece.least <= piece.most;
  fit->items[fit->count++] = piece;
  return true;
}

static double count_parts(const struct fit *fit, const struct ls_plan *plan, size_t chunk) {
  double least, most, units = plan->chunks[chunk].units;
  find_limits(fit, plan->chunks[chunk].worker, &least, &most);
  if (plan->has_returns || fit->is_total || isinf(most) || !(most > 0) || units <= most) return 1;
  return ceil(units / most * (1 - 1e-12));
}

/* The chunks of one round, `from` to `to`: their n-th parts go out before their n+1st. */
static void split_round(struct fit *fit, const struct ls_plan *plan, size_t from, size_t to,
                        uint32_t *round) {
  double parts = 1;
  for (size_t i = from; i < to; i++) parts = fmax(parts, count_parts(fit, plan, i));
  for (double part = 0; part < parts; part++, (*round)++) {
    for (size_t i = from; i < to; i++) {
      double own = count_parts(fit, plan, i);
      const struct ls_plan_chunk *chunk = &plan->chunks[i];
      if (part < own)
        (void)add_piece(fit, (struct piece){.worker = chunk->worker,
                                            .round = *round,
                                            .chunk = i,
                                            .planned = chunk->units / own});
    }
  }
}

static void split_chunks(struct fit *fit, const struct ls_plan *plan) {
  uint32_t round = 0;
  for (size_t from = 0; from < plan->chunks_count;) {
    size_t to = from + 1;
    while (to < plan->chunks_count && plan->chunks[to].round == plan->chunks[from].round) to++;
    split_round(fit, plan, from, to, &round);
    from = to;
  }
}

/* Every piece as near to what was planned as it may be; what is left of the load. */
static double clamp_pieces(struct fit *fit) {
  struct ls_sum sum = {0};
  for (size_t i = 0; i < fit->count; i++) {
    struct piece *piece = &fit->items[i];
    piece->units = 0;
    if (!piece->is_used) continue;
    piece->units = fmin(fmax(piece->planned, piece->least), piece->most);
    ls_sum_add(&sum, piece->units);
  }
  return fit->load - ls_sum_value(&sum);
}

/* What a piece can take (`sign` > 0) or give; in proportion to its size where there is no end. */
static double find_slack(const struct piece *piece, double sign, bool *is_endless) {
  *is_endless = sign > 0 && isinf(piece->most);
  if (!piece->is_used) return 0;
  if (*is_endless) return piece->units > 0 ? piece->units : 1;
  return sign > 0 ? piece->most - piece->units : piece->units - piece->least;
}

/* Shares what is left (or too much) among those who can take (or give) it; what remains of it. */
static double share_rest(struct fit *fit, double rest) {
  struct ls_sum finite = {0}, endless = {0};
  for (size_t i = 0; i < fit->count; i++) {
    bool is_endless;
    double slack = find_slack(&fit->items[i], rest, &is_endless);
    ls_sum_add(is_endless ? &endless : &finite, slack);
  }
  bool has_endless = ls_sum_value(&endless) > 0;
  double total = has_endless ? ls_sum_value(&endless) : ls_sum_value(&finite);
  if (!(total > 0)) return rest;
  double share = has_endless ? rest / total : fmax(-1, fmin(1, rest / total));
  for (size_t i = 0; i < fit->count; i++) {
    bool is_endless;
    double slack = find_slack(&fit->items[i], rest, &is_endless);
    if (is_endless == has_endless && fit->items[i].is_used) fit->items[i].units += share * slack;
  }
  return has_endless ? 0 : rest - share * total;
}

static bool has_piece(const struct fit *fit, uint32_t worker) {
  for (size_t i = 0; i < fit->count; i++) {
    if (fit->items[i].worker == worker) return true;
  }
  return false;
}

/* One more message for every worker (of whole shares: for those without one), in a round of its
 * own. False: that leads to nothing. */
static bool add_round(struct fit *fit) {
  size_t before = fit->count;
  uint32_t round = before > 0 ? fit->items[before - 1].round + 1 : 0;
  for (uint32_t i = 0; i < fit->platform->workers_count; i++) {
    double least, most;
    find_limits(fit, i, &least, &most);
    if (!(least <= most) || (fit->is_total && has_piece(fit, i))) continue;
    struct piece piece = {
        .worker = i, .round = round, .chunk = SIZE_MAX, .planned = fmin(most, fit->load)};
    if (!add_piece(fit, piece)) return false;
  }
  return fit->count > before;
}

/* Leaves out the used piece that is farthest below its window, or the smallest. */
static bool drop_piece(struct fit *fit) {
  size_t worst = fit->count;
  double least = HUGE_VAL;
  for (size_t i = 0; i < fit->count; i++) {
    const struct piece *piece = &fit->items[i];
    double value = piece->planned - piece->least;
    if (!piece->is_used || !(value < least)) continue;
    least = value;
    worst = i;
  }
  if (worst == fit->count) return false;
  fit->items[worst].is_used = false;
  return true;
}

/* Pieces whose sum is the load, each within its limits. */
static bool settle(struct fit *fit, bool may_add) {
  double tolerance = 1e-12 * fit->load;
  for (;;) {
    double rest = clamp_pieces(fit);
    if (fabs(rest) > tolerance) rest = share_rest(fit, rest);
    if (fabs(rest) <= tolerance) return true;
    if (rest > 0 && !(may_add && add_round(fit))) return false;
    if (rest < 0 && !drop_piece(fit)) return false;
  }
}

/* The largest fraction first, one unit each, to those who may have more. */
static bool round_pieces(struct fit *fit) {
  double sum = 0;
  for (size_t i = 0; i < fit->count; i++) {
    struct piece *piece = &fit->items[i];
    if (!piece->is_used) continue;
    piece->planned = piece->units;
    piece->units = floor(piece->units + 1e-9);
    sum += piece->units;
  }
  for (double left = fit->load - sum; left > 0.5; left--) {
    size_t best = fit->count;
    for (size_t i = 0; i < fit->count; i++) {
      const struct piece *piece = &fit->items[i];
      if (!piece->is_used || !(piece->units + 1 <= piece->most)) continue;
      if (best == fit->count ||
          piece->planned - piece->units > fit->items[best].planned - fit->items[best].units)
        best = i;
    }
    if (best == fit->count) return false;
    fit->items[best].units++;
  }
  return true;
}

/* The order of returns, of the chunks that are still there. */
static void write_returns(const struct ls_plan *from, const size_t *places, struct ls_plan *plan) {
  ls_plan_order_returns(plan);
  for (size_t k = 0; k < from->returns_count; k++) {
    size_t place = places[from->returns[k]];
    if (place != SIZE_MAX) ls_plan_add_return(plan, place);
  }
}

/* Gives the chunks and returns of `fitted` to the plan, which keeps its name and parameters. */
static void swap_chunks(struct ls_plan *plan, struct ls_plan *fitted) {
  struct ls_plan kept = *plan;
  plan->chunks = fitted->chunks;
  plan->chunks_count = fitted->chunks_count;
  plan->chunks_capacity = fitted->chunks_capacity;
  plan->returns = fitted->returns;
  plan->returns_count = fitted->returns_count;
  plan->returns_capacity = fitted->returns_capacity;
  plan->makespan_s = (double)NAN;
  fitted->chunks = kept.chunks;
  fitted->returns = kept.returns;
}

static enum ls_status write_pieces(const struct fit *fit, struct ls_plan *plan,
                                   struct ls_error *err) {
  struct ls_plan fitted;
  size_t *places = calloc(plan->chunks_count + 1, sizeof *places);
  if (places == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", plan->chunks_count);
  for (size_t i = 0; i < plan->chunks_count; i++) places[i] = SIZE_MAX;
  ls_plan_init(&fitted, plan->algorithm, plan->load);
  for (size_t i = 0; i < fit->count; i++) {
    const struct piece *piece = &fit->items[i];
    if (!piece->is_used || !(piece->units > 0)) continue;
    if (piece->chunk != SIZE_MAX) places[piece->chunk] = fitted.chunks_count;
    ls_plan_add(&fitted, piece->worker, piece->round, piece->units);
  }
  if (plan->has_returns) write_returns(plan, places, &fitted);
  enum ls_status status = ls_plan_finish(&fitted, err);
  if (status == LS_OK) {
    swap_chunks(plan, &fitted);
    ls_plan_set_flag(plan, "fitted", true);
    status = ls_plan_finish(plan, err);
  }
  ls_plan_close(&fitted);
  free(places);
  return status;
}

/* The first chunk that its worker does not take. */
static size_t find_outside(const struct ls_plan *plan, const struct ls_platform *platform) {
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[plan->chunks[i].worker];
    double units = plan->chunks[i].units;
    if (!ls_worker_window_contains(worker, units) || units > worker->room_units * (1 + 1e-9))
      return i;
  }
  return plan->chunks_count;
}

static void refuse(struct ls_plan *plan, const struct ls_platform *platform, size_t chunk) {
  uint32_t number = plan->chunks[chunk].worker;
  const struct ls_worker_model *worker = &platform->workers[number];
  ls_plan_refuse(plan,
                 "worker %u: a chunk of %.6g units is outside its window, %g to %g (room %g), and "
                 "no other sizes are the load",
                 number, plan->chunks[chunk].units, worker->window_from, worker->window_to,
                 worker->room_units);
}

/* False in `*is_fitted`: no such sizes were found. */
static enum ls_status fit_plan(struct fit *fit, struct ls_plan *plan, bool *is_fitted,
                               struct ls_error *err) {
  double pieces = (double)fit->platform->workers_count;
  *is_fitted = false;
  for (size_t i = 0; i < plan->chunks_count; i++) pieces += count_parts(fit, plan, i);
  if (!(pieces <= PIECES_MAX)) return LS_OK;
  fit->capacity = 2 * (size_t)pieces;
  fit->items = calloc(fit->capacity, sizeof *fit->items);
  if (fit->items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", fit->capacity);
  split_chunks(fit, plan);
  *is_fitted = settle(fit, !plan->has_returns) && (!fit->is_whole || round_pieces(fit));
  enum ls_status status = *is_fitted ? write_pieces(fit, plan, err) : LS_OK;
  free(fit->items);
  return status;
}

enum ls_status ls_fit_windows(struct ls_plan *plan, const struct ls_platform *platform,
                              bool is_whole, struct ls_error *err) {
  if (plan->outcome != LS_PLAN_OK || !ls_fit_is_needed(platform)) return LS_OK;
  size_t outside = find_outside(plan, platform);
  if (outside == plan->chunks_count) return LS_OK;
  bool is_fitted = false;
  struct fit fit = {.platform = platform, .load = plan->load, .is_whole = is_whole};
  enum ls_status status = ls_plan_unfold(plan, err);
  if (status == LS_OK) status = fit_plan(&fit, plan, &is_fitted, err);
  if (status == LS_OK && !is_fitted) refuse(plan, platform, outside);
  return status;
}

/* One chunk for each worker: what it gets in all. */
static enum ls_status gather(struct ls_plan *plan, const struct ls_platform *platform,
                             struct ls_error *err) {
  double *totals = calloc(platform->workers_count, sizeof *totals);
  if (totals == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", platform->workers_count);
  ls_plan_units(plan, platform->workers_count, totals);
  size_t kept = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    double *total = &totals[plan->chunks[i].worker];
    if (!(*total > 0)) continue;
    plan->chunks[kept] = plan->chunks[i];
    plan->chunks[kept].units = *total;
    plan->chunks[kept++].round = 0;
    *total = 0;
  }
  plan->chunks_count = kept;
  free(totals);
  return LS_OK;
}

/* The worker gets no more in all than it may hold. */
static enum ls_status fit_rooms(struct ls_plan *plan, const struct ls_platform *platform,
                                bool is_whole, struct ls_error *err) {
  bool is_fitted = false;
  struct fit fit = {
      .platform = platform, .load = plan->load, .is_whole = is_whole, .is_total = true};
  enum ls_status status = ls_plan_unfold(plan, err);
  if (status == LS_OK) status = gather(plan, platform, err);
  if (status == LS_OK) status = fit_plan(&fit, plan, &is_fitted, err);
  if (status == LS_OK && is_fitted) status = ls_fit_windows(plan, platform, is_whole, err);
  return status;
}

static enum ls_status replay(struct ls_plan *plan, const struct ls_platform *platform,
                             struct ls_error *limits, struct ls_error *err) {
  enum ls_status status = ls_replay(plan, platform, err);
  *limits = (struct ls_error){0};
  if (status != LS_OK) return status;
  status = ls_validate_limits(plan, platform, limits);
  if (status == LS_OK || status == LS_EINVAL) return LS_OK;
  return ls_fail(err, status, "%s", limits->text);
}

/* What a planner of returns said of its own sizes, said of these. */
static void judge_fitted(struct ls_plan *plan) {
  double gap = ls_plan_get(plan, "search_gap", (double)NAN);
  double predicted_s = ls_plan_get(plan, "predicted_makespan", (double)NAN);
  if (!plan->has_returns || !(ls_plan_get(plan, "fitted", 0) > 0)) return;
  ls_plan_set_flag(plan, "proven", false);
  ls_plan_set(plan, "throughput", plan->load / plan->makespan_s);
  if (isfinite(gap))
    ls_plan_set(plan, "search_gap", fmax(0, (1 + gap) * plan->makespan_s / predicted_s - 1));
}

enum ls_status ls_fit_replay(struct ls_plan *plan, const struct ls_platform *platform,
                             bool is_whole, struct ls_error *err) {
  struct ls_error limits;
  enum ls_status status = ls_fit_windows(plan, platform, is_whole, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  status = replay(plan, platform, &limits, err);
  if (status != LS_OK) return status;
  if (limits.status != LS_OK && !plan->has_returns) {
    char why[sizeof limits.text];
    memcpy(why, limits.text, sizeof why);
    status = fit_rooms(plan, platform, is_whole, err);
    if (status == LS_OK && plan->outcome == LS_PLAN_OK) {
      status = replay(plan, platform, &limits, err);
      if (status == LS_OK && limits.status != LS_OK) ls_plan_refuse(plan, "%s", why);
    }
  } else if (limits.status != LS_OK) {
    ls_plan_refuse(plan, "%s", limits.text);
  }
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  judge_fitted(plan);
  return ls_plan_finish(plan, err);
}

enum ls_status ls_fit_makespan(const struct ls_plan *plan, const struct ls_platform *platform,
                               bool is_whole, double *makespan_s, struct ls_error *err) {
  if (!ls_fit_is_needed(platform)) return ls_replay_makespan(plan, platform, makespan_s, err);
  struct ls_plan trial;
  enum ls_status status = ls_plan_unfolded(plan, UINT64_MAX, &trial, err);
  if (status != LS_OK) return status;
  status = ls_fit_replay(&trial, platform, is_whole, err);
  if (status == LS_OK)
    *makespan_s = trial.outcome == LS_PLAN_OK ? trial.makespan_s : (double)INFINITY;
  ls_plan_close(&trial);
  return status;
}
