/* fit_counts.c: how many messages each worker gets, decided by a program of integers.
 *
 * Leaving pieces out one after another finds no mixture: of windows of exactly 10 and exactly 7
 * units, 27 is two of the one and one of the other.
 */
#include "planners/fit_private.h"

#include <math.h>
#include <stdlib.h>

#include "solve/linear.h"

enum { NODES_MAX = 2000, NEAR = 2 };

/* What the messages to one worker may be, and how many there are. */
struct ration {
  double least, most, planned; /* units */
  size_t pieces, wanted, used;
};

static void list_rations(const struct ls_fit *fit, struct ration *rations) {
  for (uint32_t i = 0; i < fit->platform->workers_count; i++) {
    rations[i] = (struct ration){0};
    ls_fit_limits(fit, i, &rations[i].least, &rations[i].most);
  }
  for (size_t i = 0; i < fit->count; i++) {
    struct ration *ration = &rations[fit->items[i].worker];
    ration->pieces++;
    ration->planned += fit->items[i].planned;
  }
}

/* More messages than that are of no use to this worker. */
static double find_count_most(const struct ls_fit *fit, const struct ration *ration) {
  if (!(ration->least <= ration->most) || !(ration->most > 0)) return 0;
  if (!fit->may_add) return (double)ration->pieces;
  if (fit->is_total) return 1;
  double most = ration->least > 0     ? floor(fit->load / ration->least * (1 + 1e-9))
                : isinf(ration->most) ? 1
                                      : ceil(fit->load / ration->most);
  return fmin(most, LS_FIT_PIECES_MAX);
}

/* Messages are cheap to those who were planned much. `is_near`: only numbers next to what the plan
 * has. */
static void build(const struct ls_fit *fit, const struct ration *rations, bool is_near,
                  struct ls_linear *program) {
  size_t workers = fit->platform->workers_count;
  for (size_t i = 0; i < workers; i++) {
    const struct ration *ration = &rations[i];
    double share = ration->planned / fit->load + 1 / (double)workers, from = 0;
    double most = find_count_most(fit, ration), pieces = (double)ration->pieces;
    size_t column = ls_linear_column(program, (ration->least / fit->load + 1e-3) / share);
    if (is_near) {
      from = fmin(most, fmax(0, pieces - NEAR));
      most = fmin(most, pieces + NEAR);
    }
    ls_linear_bound(program, column, from, most);
    ls_linear_integer(program, column);
  }
  (void)ls_linear_row(program, LS_AT_MOST, 1);
  for (size_t i = 0; i < workers; i++)
    ls_linear_entry(program, i, fmin(rations[i].least / fit->load, 2));
  (void)ls_linear_row(program, LS_AT_LEAST, 1);
  for (size_t i = 0; i < workers; i++)
    ls_linear_entry(program, i, fmin(fmax(rations[i].most, 0) / fit->load, 2));
}

static enum ls_status solve(const struct ls_fit *fit, struct ration *rations, bool is_near,
                            enum ls_linear_outcome *outcome, struct ls_error *err) {
  struct ls_linear program;
  struct ls_linear_solution solution = {0};
  ls_linear_init(&program, false);
  build(fit, rations, is_near, &program);
  enum ls_status status = ls_linear_solve(&program, NODES_MAX, &solution, err);
  if (status == LS_OK) {
    *outcome = solution.values != NULL ? LS_LINEAR_OPTIMAL : solution.outcome;
    for (size_t i = 0; solution.values != NULL && i < fit->platform->workers_count; i++)
      rations[i].wanted = (size_t)fmax(0, solution.values[i]);
  }
  ls_linear_solution_close(&solution);
  ls_linear_close(&program);
  return status;
}

/* By worker, the largest first. */
static int compare_pieces(const void *left, const void *right) {
  const struct ls_fit_piece *const *a = left, *const *b = right;
  if ((*a)->worker != (*b)->worker) return (*a)->worker < (*b)->worker ? -1 : 1;
  if ((*a)->planned > (*b)->planned) return -1;
  if ((*a)->planned < (*b)->planned) return 1;
  return *a < *b ? -1 : *a > *b;
}

/* Uses the largest pieces of each worker, as many as are wanted. */
static enum ls_status use_pieces(struct ls_fit *fit, struct ration *rations, struct ls_error *err) {
  struct ls_fit_piece **sorted = calloc(fit->count + 1, sizeof *sorted);
  if (sorted == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", fit->count);
  for (size_t i = 0; i < fit->count; i++) sorted[i] = &fit->items[i];
  qsort(sorted, fit->count, sizeof *sorted, compare_pieces);
  for (size_t i = 0; i < fit->count; i++) {
    struct ration *ration = &rations[sorted[i]->worker];
    sorted[i]->is_used = ration->used < ration->wanted;
    if (sorted[i]->is_used) ration->used++;
  }
  free(sorted);
  return LS_OK;
}

/* The messages that are missing, in rounds of their own. */
static enum ls_status add_pieces(struct ls_fit *fit, struct ration *rations, struct ls_error *err) {
  size_t missing = 0, workers = fit->platform->workers_count;
  for (size_t i = 0; i < workers; i++) missing += rations[i].wanted - rations[i].used;
  if (missing == 0) return LS_OK;
  struct ls_fit_piece *items = realloc(fit->items, (fit->count + missing) * sizeof *items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu chunks", missing);
  fit->items = items;
  fit->capacity = fit->count + missing;
  uint32_t round = fit->count > 0 ? fit->items[fit->count - 1].round : 0;
  while (missing > 0) {
    round++;
    for (uint32_t i = 0; i < workers; i++) {
      if (rations[i].used == rations[i].wanted) continue;
      double least, most;
      ls_fit_limits(fit, i, &least, &most);
      bool is_added = ls_fit_add(
          fit,
          (struct ls_fit_piece){
              .worker = i, .round = round, .chunk = SIZE_MAX, .planned = fmin(most, fit->load)});
      if (is_added) rations[i].used++;
      missing--;
    }
  }
  return LS_OK;
}

/* With these numbers of messages. */
static enum ls_status settle_counts(struct ls_fit *fit, struct ration *rations,
                                    enum ls_fit_answer *answer, struct ls_error *err) {
  double wanted = 0;
  for (size_t i = 0; i < fit->platform->workers_count; i++) wanted += (double)rations[i].wanted;
  if (!(wanted <= LS_FIT_PIECES_MAX)) return LS_OK;
  enum ls_status status = use_pieces(fit, rations, err);
  if (status == LS_OK) status = add_pieces(fit, rations, err);
  if (status != LS_OK) return status;
  bool may_add = fit->may_add;
  fit->may_add = false;
  bool is_settled = false;
  status = ls_fit_settle(fit, &is_settled, err);
  if (is_settled) *answer = LS_FIT_FOUND;
  fit->may_add = may_add;
  return status;
}

/* Is what the program says of all messages that there may be? */
static bool is_proof(const struct ls_fit *fit, const struct ration *rations) {
  if (!fit->may_add || fit->is_total) return false;
  for (size_t i = 0; i < fit->platform->workers_count; i++)
    if (!(find_count_most(fit, &rations[i]) < LS_FIT_PIECES_MAX)) return false;
  return true;
}

enum ls_status ls_fit_count(struct ls_fit *fit, enum ls_fit_answer *answer, struct ls_error *err) {
  enum ls_linear_outcome outcome = LS_LINEAR_INFEASIBLE;
  size_t workers = fit->platform->workers_count;
  struct ration *rations = calloc(workers, sizeof *rations);
  if (rations == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", workers);
  *answer = LS_FIT_NOT_FOUND;
  list_rations(fit, rations);
  enum ls_status status = solve(fit, rations, true, &outcome, err);
  if (status == LS_OK && outcome != LS_LINEAR_OPTIMAL)
    status = solve(fit, rations, false, &outcome, err);
  if (status == LS_OK && outcome == LS_LINEAR_OPTIMAL)
    status = settle_counts(fit, rations, answer, err);
  else if (status == LS_OK && outcome == LS_LINEAR_INFEASIBLE && is_proof(fit, rations))
    *answer = LS_FIT_NONE;
  free(rations);
  return status;
}
