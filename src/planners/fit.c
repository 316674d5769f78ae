#include "planners/fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/validate.h"
#include "planners/fit_private.h"

bool ls_fit_is_needed(const struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    if (worker->window_from > 0 || !isinf(ls_worker_chunk_most(worker))) return true;
  }
  return false;
}

static double count_parts(const struct ls_fit *fit, const struct ls_plan *plan, size_t chunk) {
  double least, most, units = plan->chunks[chunk].units;
  ls_fit_limits(fit, plan->chunks[chunk].worker, &least, &most);
  if (plan->has_returns || fit->is_total || isinf(most) || !(most > 0) || units <= most) return 1;
  return ceil(units / most * (1 - 1e-12));
}

/* Does a chunk of `own` parts send one in this turn of `parts`? The first ones, or for the sake of
 * rooms, which empty meanwhile, every so often. */
static bool has_turn(const struct ls_fit *fit, double own, double part, double parts) {
  if (!(fit->parts > 1)) return part < own;
  return floor((part + 1) * own / parts) > floor(part * own / parts);
}

/* The chunks of one round, `from` to `to`: their n-th parts go out before their n+1st. */
static void split_round(struct ls_fit *fit, const struct ls_plan *plan, size_t from, size_t to,
                        uint32_t *round) {
  double parts = 1;
  for (size_t i = from; i < to; i++) parts = fmax(parts, count_parts(fit, plan, i));
  for (double part = 0; part < parts; part++, (*round)++) {
    for (size_t i = from; i < to; i++) {
      double own = count_parts(fit, plan, i);
      const struct ls_plan_chunk *chunk = &plan->chunks[i];
      if (has_turn(fit, own, part, parts))
        (void)ls_fit_add(fit, (struct ls_fit_piece){.worker = chunk->worker,
                                                    .round = *round,
                                                    .chunk = i,
                                                    .planned = chunk->units / own});
    }
  }
}

static void split_chunks(struct ls_fit *fit, const struct ls_plan *plan) {
  uint32_t round = 0;
  for (size_t from = 0; from < plan->chunks_count;) {
    size_t to = from + 1;
    while (to < plan->chunks_count && plan->chunks[to].round == plan->chunks[from].round) to++;
    split_round(fit, plan, from, to, &round);
    from = to;
  }
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

/* The sizes are no longer those that the planner wrote into a loop. */
static void mark_fitted(struct ls_plan *plan) {
  ls_plan_set_flag(plan, "fitted", true);
  ls_plan_unset(plan, "spmd");
}

static enum ls_status write_pieces(const struct ls_fit *fit, struct ls_plan *plan,
                                   struct ls_error *err) {
  struct ls_plan fitted;
  size_t *places = calloc(plan->chunks_count + 1, sizeof *places);
  if (places == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", plan->chunks_count);
  for (size_t i = 0; i < plan->chunks_count; i++) places[i] = SIZE_MAX;
  ls_plan_init(&fitted, plan->algorithm, plan->load);
  for (size_t i = 0; i < fit->count; i++) {
    const struct ls_fit_piece *piece = &fit->items[i];
    if (!piece->is_used || !(piece->units > 0)) continue;
    if (piece->chunk != SIZE_MAX) places[piece->chunk] = fitted.chunks_count;
    ls_plan_add(&fitted, piece->worker, piece->round, piece->units);
  }
  if (plan->has_returns) write_returns(plan, places, &fitted);
  enum ls_status status = ls_plan_finish(&fitted, err);
  if (status == LS_OK) {
    swap_chunks(plan, &fitted);
    mark_fitted(plan);
    status = ls_plan_finish(plan, err);
  }
  ls_plan_close(&fitted);
  free(places);
  return status;
}

/* The largest chunk that its worker does not take. */
static size_t find_outside(const struct ls_plan *plan, const struct ls_platform *platform) {
  size_t found = plan->chunks_count;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    double units = plan->chunks[i].units;
    if (ls_worker_takes(&platform->workers[plan->chunks[i].worker], units)) continue;
    if (found == plan->chunks_count || units > plan->chunks[found].units) found = i;
  }
  return found;
}

static void refuse(struct ls_plan *plan, const struct ls_platform *platform, size_t chunk,
                   bool is_proven) {
  uint32_t number = plan->chunks[chunk].worker;
  const struct ls_worker_model *worker = &platform->workers[number];
  ls_plan_refuse(plan,
                 "worker %u: a chunk of %.6g units is outside its window, %g to %g (room %g), and "
                 "no other sizes %s",
                 number, plan->chunks[chunk].units, worker->window_from, worker->window_to,
                 worker->room_units, is_proven ? "are the load" : "were found");
}

/* The pieces of the chunks, with room for a round more of each. False: they are too many. */
static enum ls_status open_pieces(struct ls_fit *fit, const struct ls_plan *plan, bool *is_open,
                                  struct ls_error *err) {
  double pieces = (double)fit->platform->workers_count;
  for (size_t i = 0; i < plan->chunks_count; i++) pieces += count_parts(fit, plan, i);
  *is_open = pieces <= LS_FIT_PIECES_MAX;
  if (!*is_open) return LS_OK;
  fit->count = 0;
  fit->capacity = 2 * (size_t)pieces;
  free(fit->items);
  fit->items = calloc(fit->capacity, sizeof *fit->items);
  if (fit->items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", fit->capacity);
  split_chunks(fit, plan);
  return LS_OK;
}

/* Sizes of the pieces one after another; where that leads to nothing, all numbers of them. */
static enum ls_status fit_plan(struct ls_fit *fit, struct ls_plan *plan, enum ls_fit_answer *answer,
                               struct ls_error *err) {
  bool is_open;
  *answer = LS_FIT_NOT_FOUND;
  fit->may_add = !plan->has_returns;
  enum ls_status status = open_pieces(fit, plan, &is_open, err);
  if (status == LS_OK && is_open) {
    bool is_settled = false;
    status = ls_fit_settle(fit, &is_settled, err);
    if (is_settled) {
      *answer = LS_FIT_FOUND;
    } else if (status == LS_OK && !fit->is_quick) {
      status = open_pieces(fit, plan, &is_open, err);
      if (status == LS_OK) status = ls_fit_count(fit, answer, err);
    }
  }
  if (status == LS_OK && *answer == LS_FIT_FOUND) status = write_pieces(fit, plan, err);
  free(fit->items);
  return status;
}

/* `*has_changed` is set where the chunks are others now. */
static enum ls_status fit_windows(const struct ls_fit *how, struct ls_plan *plan, bool *has_changed,
                                  struct ls_error *err) {
  if (plan->outcome != LS_PLAN_OK || !ls_fit_is_needed(how->platform)) return LS_OK;
  size_t outside = find_outside(plan, how->platform);
  if (outside == plan->chunks_count) return LS_OK;
  enum ls_fit_answer answer = LS_FIT_NOT_FOUND;
  struct ls_fit fit = *how;
  enum ls_status status = ls_plan_unfold(plan, err);
  if (status == LS_OK) status = fit_plan(&fit, plan, &answer, err);
  if (status == LS_OK && answer != LS_FIT_FOUND)
    refuse(plan, how->platform, find_outside(plan, how->platform), answer == LS_FIT_NONE);
  *has_changed = true;
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

static enum ls_status replay(struct ls_plan *plan, const struct ls_platform *platform,
                             struct ls_error *limits, struct ls_error *err) {
  enum ls_status status = ls_replay(plan, platform, err);
  *limits = (struct ls_error){0};
  if (status != LS_OK) return status;
  status = ls_validate_limits(plan, platform, limits);
  if (status == LS_OK || status == LS_EINVAL) return LS_OK;
  return ls_fail(err, status, "%s", limits->text);
}

/* What may keep a room: chunks of at most a part of it, so many rooms at most in all. */
struct remedy {
  double parts, rooms;
};

/* Rooms empty while a plan runs, so that smaller chunks over more rounds may do. Then less and less
 * in all; the last one holds whatever empties. */
static const struct remedy remedies[] = {{2, (double)INFINITY},
                                         {4, (double)INFINITY},
                                         {8, (double)INFINITY},
                                         {4, 4},
                                         {8, 4},
                                         {3, 2},
                                         {8, 2},
                                         {3, 1.5},
                                         {6, 1.5},
                                         {1, 1}};
enum { REMEDIES = sizeof remedies / sizeof *remedies };

/* The chunks of `plan` with a remedy, replayed. */
static enum ls_status try_remedy(const struct ls_fit *how, const struct remedy *remedy,
                                 struct ls_plan *plan, bool *is_kept, struct ls_error *err) {
  enum ls_fit_answer answer = LS_FIT_FOUND;
  struct ls_error limits;
  struct ls_fit shares = *how, chunks = *how;
  shares.is_total = true;
  shares.rooms = remedy->rooms;
  chunks.parts = remedy->parts;
  shares.is_quick = chunks.is_quick = how->is_quick || remedy->parts > 1;
  enum ls_status status = LS_OK;
  if (!isinf(remedy->rooms)) {
    status = gather(plan, how->platform, err);
    if (status == LS_OK) status = fit_plan(&shares, plan, &answer, err);
  }
  if (status == LS_OK && answer == LS_FIT_FOUND) status = fit_plan(&chunks, plan, &answer, err);
  if (status != LS_OK || answer != LS_FIT_FOUND) return status;
  status = replay(plan, how->platform, &limits, err);
  *is_kept = status == LS_OK && limits.status == LS_OK;
  return status;
}

/* The first remedy that keeps all rooms; else the plan is refused for the reason that it had. */
static enum ls_status fit_rooms(const struct ls_fit *how, struct ls_plan *plan, const char *why,
                                struct ls_error *err) {
  bool is_kept = false;
  enum ls_status status = ls_plan_unfold(plan, err);
  for (size_t i = 0; i < REMEDIES && status == LS_OK && !is_kept; i++) {
    struct ls_plan trial;
    status = ls_plan_unfolded(plan, UINT64_MAX, &trial, err);
    if (status != LS_OK) return status;
    status = try_remedy(how, &remedies[i], &trial, &is_kept, err);
    if (is_kept) {
      swap_chunks(plan, &trial);
      plan->makespan_s = trial.makespan_s;
      mark_fitted(plan);
    }
    ls_plan_close(&trial);
  }
  if (status == LS_OK && !is_kept) ls_plan_refuse(plan, "%s", why);
  return status;
}

static int compare_numbers(const void *left, const void *right) {
  uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return a < b ? -1 : a > b;
}

/* Who is there, and in which orders, where the plan says so. */
static enum ls_status tell_orders(struct ls_plan *plan, struct ls_error *err) {
  size_t count = plan->chunks_count;
  uint32_t *workers = calloc(count + 1, sizeof *workers);
  if (workers == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu names", count);
  for (size_t i = 0; i < count; i++) workers[i] = plan->chunks[i].worker;
  if (ls_plan_has(plan, "send_order")) ls_plan_set_list(plan, "send_order", workers, count);
  qsort(workers, count, sizeof *workers, compare_numbers);
  if (ls_plan_has(plan, "enrolled")) ls_plan_set_list(plan, "enrolled", workers, count);
  count = plan->returns_count < count ? plan->returns_count : count;
  for (size_t i = 0; i < count; i++) workers[i] = plan->chunks[plan->returns[i]].worker;
  if (ls_plan_has(plan, "return_order")) ls_plan_set_list(plan, "return_order", workers, count);
  free(workers);
  return LS_OK;
}

/* What a planner of returns said of its own sizes, said of these, or not said any more. No sizes
 * in the same orders end sooner than those that were its own to choose. */
static enum ls_status judge_fitted(struct ls_plan *plan, struct ls_error *err) {
  double gap = ls_plan_get(plan, "search_gap", (double)NAN);
  double predicted_s = ls_plan_get(plan, "predicted_makespan", (double)NAN);
  if (!plan->has_returns) return LS_OK;
  ls_plan_set_flag(plan, "proven", false);
  ls_plan_set(plan, "throughput", plan->load / plan->makespan_s);
  if (isfinite(gap))
    ls_plan_set(plan, "search_gap", fmax(0, (1 + gap) * plan->makespan_s / predicted_s - 1));
  ls_plan_unset(plan, "makespan_at_most");
  ls_plan_unset(plan, "linear_makespan_and_latencies");
  return tell_orders(plan, err);
}

static enum ls_status fit_replay(const struct ls_fit *how, struct ls_plan *plan,
                                 struct ls_error *err) {
  struct ls_error limits;
  bool has_changed = false;
  enum ls_status status = fit_windows(how, plan, &has_changed, err);
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  status = replay(plan, how->platform, &limits, err);
  if (status != LS_OK) return status;
  if (limits.status != LS_OK && !plan->has_returns) {
    char why[sizeof limits.text];
    memcpy(why, limits.text, sizeof why);
    status = fit_rooms(how, plan, why, err);
  } else if (limits.status != LS_OK) {
    ls_plan_refuse(plan, "%s", limits.text);
  }
  if (status != LS_OK || plan->outcome != LS_PLAN_OK) return status;
  if (has_changed) status = judge_fitted(plan, err);
  return status == LS_OK ? ls_plan_finish(plan, err) : status;
}

enum ls_status ls_fit_replay(struct ls_plan *plan, const struct ls_platform *platform,
                             bool is_whole, struct ls_error *err) {
  struct ls_fit fit = {.platform = platform, .load = plan->load, .is_whole = is_whole};
  return fit_replay(&fit, plan, err);
}

enum ls_status ls_fit_makespan(const struct ls_plan *plan, const struct ls_platform *platform,
                               bool is_whole, double *makespan_s, struct ls_error *err) {
  bool is_needed = ls_fit_is_needed(platform), must_round = is_whole && !ls_plan_is_whole(plan);
  if (!is_needed && !must_round) return ls_replay_makespan(plan, platform, makespan_s, err);
  struct ls_plan trial;
  struct ls_fit fit = {
      .platform = platform, .load = plan->load, .is_whole = is_whole, .is_quick = true};
  enum ls_status status = ls_plan_unfolded(plan, UINT64_MAX, &trial, err);
  if (status != LS_OK) return status;
  if (must_round) status = ls_plan_make_whole(&trial, platform, err);
  if (status == LS_OK && !is_needed) {
    status = ls_replay_makespan(&trial, platform, makespan_s, err);
  } else if (status == LS_OK) {
    status = fit_replay(&fit, &trial, err);
    if (status == LS_OK)
      *makespan_s = trial.outcome == LS_PLAN_OK ? trial.makespan_s : (double)INFINITY;
  }
  ls_plan_close(&trial);
  return status;
}
