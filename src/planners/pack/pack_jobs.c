/* pack_jobs.c: first fit decreasing, the bound L2, fewer bins by search, then equal lengths.
 *
 * Reference:  johnson1974: at most 11/9 of the fewest bins, and 6/9 of one; martello1990, 8.3.
 * Assumes:    nothing.
 * Answers:    always; what is proven says `is_optimal`.
 * Cost:       O(N log N) for N tasks, and the budget.
 * Symbols:    none.
 */
#include "planners/pack/pack_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "planners/pack/pack_bins.h"
#include "planners/pack/pack_bound.h"
#include "planners/pack/pack_choice.h"
#include "planners/pack/pack_fit.h"

/* More tasks than these are not searched for one job fewer. */
enum { SEARCHED_MAX = 4096 };

/* The tasks that have room in a job, and the jobs for them. */
struct work {
  struct ls_pack_problem problem; /* `shards`: the jobs so far */
  uint32_t *job_of;
  double *ones; /* speeds */
  double room_s;
  size_t least;
  struct ls_budget budget;
};

static enum ls_status fit_first(struct work *work) {
  struct ls_pack_bins bins;
  size_t tasks = work->problem.tasks;
  double *rooms = calloc(tasks, sizeof *rooms);
  enum ls_status status = rooms == NULL ? LS_ENOMEM : ls_pack_bins_init(&bins, tasks);
  if (status != LS_OK) {
    free(rooms);
    return status;
  }
  /* Sums that are the room but for rounding fit. */
  for (size_t k = 0; k < tasks; k++) rooms[k] = work->room_s * (1 + LS_PACK_ROUNDING);
  ls_pack_bins_open(&bins, rooms, tasks);
  for (size_t i = 0; i < tasks; i++) {
    size_t bin = ls_pack_bins_put(&bins, work->problem.seconds[i]);
    work->job_of[i] = (uint32_t)bin;
    if (bin >= work->problem.shards) work->problem.shards = bin + 1;
  }
  ls_pack_bins_close(&bins);
  free(rooms);
  return LS_OK;
}

/* One job fewer, as long as the search finds that; what it shows not to fit is a bound. */
static enum ls_status search_fewer(struct work *work) {
  while (work->problem.shards > work->least && work->problem.tasks <= SEARCHED_MAX) {
    struct ls_pack_problem fewer = work->problem;
    struct ls_pack_fit fit;
    fewer.shards--;
    enum ls_status status = ls_pack_fit_init(&fit, &fewer);
    if (status != LS_OK) return status;
    struct ls_budget part = ls_budget_part(&work->budget, work->budget.work_max / 4 + 1);
    enum ls_pack_answer answer =
        ls_pack_fit_ask(&fit, work->room_s * (1 + LS_PACK_ROUNDING), fewer.tasks, &part);
    ls_budget_spend(&work->budget, part.work);
    if (answer == LS_PACK_FITS) {
      memcpy(work->job_of, fit.shard_of, fewer.tasks * sizeof *fit.shard_of);
      work->problem.shards = fewer.shards;
    }
    if (answer == LS_PACK_FITS_NOT) work->least = work->problem.shards;
    ls_pack_fit_close(&fit);
    if (answer != LS_PACK_FITS) break;
  }
  return LS_OK;
}

/* The same number of jobs, the longest as short as can be; where that is not found they stay. */
static enum ls_status balance(struct work *work) {
  struct ls_pack_result result;
  if (work->problem.shards > LS_PACK_SHARDS_MAX) return LS_OK;
  enum ls_status status = ls_pack_choose(&work->problem, &work->budget, &result, NULL);
  if (status != LS_OK) return status;
  if (result.packing.makespan_s <= work->room_s * (1 + LS_PACK_ROUNDING))
    memcpy(work->job_of, result.packing.shard_of, work->problem.tasks * sizeof *work->job_of);
  ls_pack_result_close(&result);
  return LS_OK;
}

static enum ls_status divide(struct work *work) {
  enum ls_status status = fit_first(work);
  if (status != LS_OK) return status;
  work->least = ls_pack_bins_least(work->problem.seconds, work->problem.tasks,
                                   work->room_s * (1 + LS_PACK_ROUNDING));
  work->ones = calloc(work->problem.shards, sizeof *work->ones);
  if (work->ones == NULL) return LS_ENOMEM;
  for (size_t k = 0; k < work->problem.shards; k++) work->ones[k] = 1;
  work->problem.speeds = work->ones;
  status = search_fewer(work);
  return status == LS_OK ? balance(work) : status;
}

enum ls_status ls_pack_jobs_make(const double *seconds, size_t tasks, double room_s,
                                 const struct ls_budget *budget, struct ls_pack_jobs *out) {
  *out = (struct ls_pack_jobs){.job_of = calloc(tasks, sizeof *out->job_of)};
  if (out->job_of == NULL) return LS_ENOMEM;
  while (out->too_long < tasks && seconds[out->too_long] > room_s * (1 + LS_PACK_ROUNDING))
    out->job_of[out->too_long] = (uint32_t)out->too_long, out->too_long++;
  struct work work = {
      .problem = {.seconds = seconds + out->too_long, .tasks = tasks - out->too_long},
      .job_of = out->job_of + out->too_long,
      .room_s = room_s,
      .budget = budget != NULL ? *budget : (struct ls_budget){.work_max = LS_PACK_WORK}};
  enum ls_status status = work.problem.tasks > 0 ? divide(&work) : LS_OK;
  out->jobs = out->too_long + work.problem.shards;
  out->least = out->too_long + work.least;
  out->is_optimal = out->jobs == out->least;
  out->seconds = calloc(out->jobs, sizeof *out->seconds);
  free(work.ones);
  if (status != LS_OK || out->seconds == NULL) {
    ls_pack_jobs_close(out);
    return LS_ENOMEM;
  }
  for (size_t i = 0; i < tasks; i++) {
    if (i >= out->too_long) out->job_of[i] += (uint32_t)out->too_long;
    out->seconds[out->job_of[i]] += seconds[i];
  }
  return LS_OK;
}

void ls_pack_jobs_close(struct ls_pack_jobs *jobs) {
  free(jobs->job_of);
  free(jobs->seconds);
  *jobs = (struct ls_pack_jobs){0};
}
