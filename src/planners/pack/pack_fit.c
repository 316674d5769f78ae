/* The tasks are placed in falling order, each into the tightest room first.  Rooms of one size are
 * alike.  Where a task fits exactly, or alone of all that are left fits with nothing beside it but
 * sand, no other place for it needs to be tried: what another division has there can change places
 * with it (the dominance of martello1990, 8.5; sand goes wherever there is room).
 */
#include "planners/pack/pack_fit.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum ls_status ls_pack_fit_init(struct ls_pack_fit *fit, const struct ls_pack_problem *problem) {
  size_t tasks = problem->tasks;
  *fit = (struct ls_pack_fit){.problem = problem,
                              .rooms = calloc(problem->shards, sizeof *fit->rooms),
                              .tried = calloc(tasks, sizeof *fit->tried),
                              .rest = calloc(tasks + 1, sizeof *fit->rest),
                              .shard_of = calloc(tasks, sizeof *fit->shard_of),
                              .undone = calloc(tasks, sizeof *fit->undone)};
  if (fit->rooms != NULL && fit->tried != NULL && fit->rest != NULL && fit->shard_of != NULL &&
      fit->undone != NULL) {
    for (size_t i = tasks; i-- > 0;) fit->rest[i] = fit->rest[i + 1] + problem->seconds[i];
    return LS_OK;
  }
  ls_pack_fit_close(fit);
  return LS_ENOMEM;
}

void ls_pack_fit_close(struct ls_pack_fit *fit) {
  free(fit->rooms);
  free(fit->tried);
  free(fit->rest);
  free(fit->shard_of);
  free(fit->undone);
  *fit = (struct ls_pack_fit){0};
}

/* What a look at all rooms says of a task. */
struct view {
  size_t tightest; /* above what was tried; SIZE_MAX: none */
  size_t forced;   /* SIZE_MAX: none */
  double usable;   /* sum of the rooms into which the shortest large task fits */
};

static struct view look(const struct ls_pack_fit *fit, size_t task, size_t large) {
  const double *seconds = fit->problem->seconds;
  double task_s = seconds[task], least_s = seconds[large - 1];
  double two_s = large - task > 1 ? least_s + seconds[large - 2] : DBL_MAX;
  struct view view = {SIZE_MAX, SIZE_MAX, 0};
  double tightest = DBL_MAX, forced = DBL_MAX;
  for (size_t k = 0; k < fit->problem->shards; k++) {
    double room = fit->rooms[k];
    if (room >= least_s) view.usable += room;
    if (room < task_s) continue;
    if (room > fit->tried[task] && room < tightest) {
      tightest = room;
      view.tightest = k;
    }
    bool is_alone = room < two_s || room <= task_s * (1 + LS_PACK_ROUNDING / 1024);
    if (is_alone && room < forced) {
      forced = room;
      view.forced = k;
    }
  }
  return view;
}

static void place(struct ls_pack_fit *fit, size_t task, size_t shard) {
  fit->shard_of[task] = (uint32_t)shard;
  fit->undone[task] = fit->rooms[shard];
  fit->rooms[shard] -= fit->problem->seconds[task];
}

enum ls_pack_answer ls_pack_fit_ask(struct ls_pack_fit *fit, double makespan_s, size_t large,
                                    struct ls_budget *budget) {
  const struct ls_pack_problem *problem = fit->problem;
  size_t task = 0;
  double total = 0;
  for (size_t k = 0; k < problem->shards; k++) {
    fit->rooms[k] = makespan_s * problem->speeds[k];
    total += fit->rooms[k];
  }
  if (total < fit->rest[0] * (1 - LS_PACK_ROUNDING)) return LS_PACK_FITS_NOT;
  fit->tried[0] = -1;
  while (!ls_budget_is_spent_shortly(budget)) {
    ls_budget_spend(budget, problem->shards);
    struct view view = look(fit, task, large);
    bool is_forced = view.forced != SIZE_MAX;
    size_t shard = is_forced ? view.forced : view.tightest;
    double needed = (fit->rest[task] - fit->rest[large]) * (1 - LS_PACK_ROUNDING);
    /* A forced place is tried once. */
    if (view.usable < needed || (is_forced && fit->tried[task] >= 0)) shard = SIZE_MAX;
    if (shard != SIZE_MAX) {
      fit->tried[task] = is_forced ? DBL_MAX : fit->rooms[shard];
      place(fit, task, shard);
      if (++task == large) return LS_PACK_FITS;
      fit->tried[task] = -1;
      continue;
    }
    if (task == 0) return LS_PACK_FITS_NOT;
    task--;
    fit->rooms[fit->shard_of[task]] = fit->undone[task];
  }
  return LS_PACK_UNKNOWN;
}
