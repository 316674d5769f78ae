#include "planners/scow/scow_schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/plan_repeat.h"
#include "model/replay.h"

enum ls_status ls_scow_schedule_open(struct ls_scow_schedule *schedule, size_t count,
                                     struct ls_error *err) {
  size_t rows = 3 + LS_SCOW_RAMP_MAX + LS_SCOW_FALLING_MAX;
  *schedule = (struct ls_scow_schedule){.count = count};
  schedule->units = calloc(rows * count, sizeof *schedule->units);
  if (schedule->units == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for the schedule of %zu workers", count);
  schedule->last = schedule->units + count;
  schedule->auxiliary = schedule->units + 2 * count;
  schedule->ramp = schedule->units + 3 * count;
  schedule->falling = schedule->ramp + LS_SCOW_RAMP_MAX * count;
  return LS_OK;
}

void ls_scow_schedule_close(struct ls_scow_schedule *schedule) {
  free(schedule->units);
  *schedule = (struct ls_scow_schedule){0};
}

void ls_scow_schedule_copy(struct ls_scow_schedule *to, const struct ls_scow_schedule *from) {
  struct ls_scow_schedule own = *to;
  size_t rows = 3 + from->ramp_rounds;
  memcpy(own.units, from->units, rows * from->count * sizeof *own.units);
  memcpy(own.falling, from->falling, from->falling_rounds * from->count * sizeof *own.falling);
  *to = *from;
  to->units = own.units;
  to->last = own.last;
  to->auxiliary = own.auxiliary;
  to->ramp = own.ramp;
  to->falling = own.falling;
}

/* True: there is a chunk. */
static bool add_round(const struct ls_scow_star *star, const double *units, uint32_t round,
                      struct ls_plan *plan) {
  size_t before = plan->chunks_count;
  for (size_t i = 0; i < star->count; i++)
    if (units[i] > 0) ls_plan_add(plan, star->items[i].number, round, units[i]);
  return plan->chunks_count > before;
}

/* `is_apart`: the last identical round is written out behind those that repeat. */
static void write_rounds(const struct ls_scow_schedule *schedule, const struct ls_scow_star *star,
                         bool is_apart, struct ls_plan *plan) {
  uint64_t times = schedule->keep - (is_apart && schedule->keep > 1);
  uint32_t round = 0;
  for (size_t row = schedule->ramp_rounds; row-- > 0; round++)
    (void)add_round(star, schedule->ramp + row * schedule->count, round, plan);
  if (schedule->keep > 0) {
    size_t from = plan->chunks_count;
    (void)add_round(star, schedule->units, round++, plan);
    if (times > 1) ls_plan_repeat(plan, from, plan->chunks_count, times);
    if (times < schedule->keep) (void)add_round(star, schedule->units, round++, plan);
  }
  for (size_t row = 0; row < schedule->falling_rounds; row++, round++)
    (void)add_round(star, schedule->falling + row * schedule->count, round, plan);
  if (add_round(star, schedule->last, round, plan)) round++;
  (void)add_round(star, schedule->auxiliary, round, plan);
}

void ls_scow_schedule_write(const struct ls_scow_schedule *schedule,
                            const struct ls_scow_star *star, struct ls_plan *plan) {
  write_rounds(schedule, star, false, plan);
}

double ls_scow_schedule_rounds(const struct ls_scow_schedule *schedule) {
  bool has_last = false;
  for (size_t i = 0; i < schedule->count && !has_last; i++) has_last = schedule->last[i] > 0;
  size_t others = schedule->ramp_rounds + schedule->falling_rounds;
  return (double)others + (double)schedule->keep + has_last;
}

/* ---- The judge ---- */

/* A result that costs the same whatever the units were is one for each worker. */
static bool has_constant_results(const struct ls_platform *platform) {
  bool has_any = false;
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_cost *reply = &platform->workers[i].costs[LS_OPERATION_REPLY];
    if (reply->per_unit_s > 0) return false;
    has_any = has_any || reply->latency_s > 0;
  }
  return has_any;
}

static enum ls_status open_silent(struct ls_scow_judge *judge, struct ls_error *err) {
  const struct ls_platform *platform = judge->platform;
  size_t count = platform->workers_count;
  judge->silent = *platform;
  judge->silent.workers = malloc(count * sizeof *platform->workers);
  if (judge->silent.workers == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", count);
  memcpy(judge->silent.workers, platform->workers, count * sizeof *platform->workers);
  for (size_t i = 0; i < count; i++) {
    struct ls_cost *reply = &judge->silent.workers[i].costs[LS_OPERATION_REPLY];
    judge->spacing_s = fmax(judge->spacing_s, reply->latency_s);
    *reply = (struct ls_cost){0, 0};
  }
  return LS_OK;
}

enum ls_status ls_scow_judge_open(struct ls_scow_judge *judge, const struct ls_scow_star *star,
                                  const struct ls_platform *platform, struct ls_error *err) {
  *judge = (struct ls_scow_judge){.star = star, .platform = platform};
  ls_plan_init(&judge->plan, "scow", 0);
  judge->has_results = has_constant_results(platform);
  if (!judge->has_results) return LS_OK;
  judge->ends = calloc(platform->workers_count, sizeof *judge->ends);
  enum ls_status status = judge->ends == NULL ? ls_fail(err, LS_ENOMEM, "no memory for %zu workers",
                                                        platform->workers_count)
                                              : open_silent(judge, err);
  if (status != LS_OK) ls_scow_judge_close(judge);
  return status;
}

void ls_scow_judge_plainly(struct ls_scow_judge *judge) {
  if (judge->platform->ports != LS_PORTS_MULTI) return;
  judge->plain = *judge->platform;
  judge->plain.ports = LS_PORTS_TWO;
  judge->platform = &judge->plain;
  judge->silent.ports = LS_PORTS_TWO;
}

void ls_scow_judge_close(struct ls_scow_judge *judge) {
  ls_plan_close(&judge->plan);
  free(judge->silent.workers); /* its names are those of the platform */
  free(judge->ends);
  *judge = (struct ls_scow_judge){0};
}

static void write_scratch(struct ls_scow_judge *judge, const struct ls_scow_schedule *schedule) {
  struct ls_plan *plan = &judge->plan;
  plan->chunks_count = 0;
  free(plan->repeat.last_end_s);
  plan->repeat = (struct ls_plan_repeat){0};
  ls_scow_schedule_write(schedule, judge->star, plan);
}

/* When each worker ends, by worker; 0: it has no chunk. */
static void find_ends(const struct ls_plan *plan, size_t workers_count, double *ends) {
  for (size_t i = 0; i < workers_count; i++) ends[i] = 0;
  for (size_t i = 0; i < plan->chunks_count; i++) {
    bool is_body = ls_plan_times(plan, i) > 1;
    double end_s =
        is_body ? plan->repeat.last_end_s[i - plan->repeat.from] : plan->chunks[i].compute_end_s;
    double *end = &ends[plan->chunks[i].worker];
    *end = fmax(*end, end_s);
  }
}

struct ending {
  double end_s, reply_s;
  size_t chunk; /* the last one of the worker */
};

static int compare_endings(const void *left, const void *right) {
  const struct ending *a = left, *b = right;
  if (a->end_s < b->end_s) return -1;
  if (a->end_s > b->end_s) return 1;
  return a->chunk < b->chunk ? -1 : a->chunk > b->chunk;
}

/* The workers that have chunks, in the order of their ends; `*endings` is the caller's. */
static enum ls_status sort_endings(const struct ls_scow_judge *judge, const struct ls_plan *plan,
                                   struct ending **endings, size_t *count, struct ls_error *err) {
  size_t workers_count = judge->platform->workers_count;
  struct ending *items = calloc(workers_count, sizeof *items);
  if (items == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu results", workers_count);
  for (size_t i = 0; i < workers_count; i++)
    items[i] = (struct ending){
        judge->ends[i], judge->platform->workers[i].costs[LS_OPERATION_REPLY].latency_s, SIZE_MAX};
  for (size_t i = 0; i < plan->chunks_count; i++) items[plan->chunks[i].worker].chunk = i;
  *count = 0;
  for (size_t i = 0; i < workers_count; i++)
    if (items[i].chunk != SIZE_MAX) items[(*count)++] = items[i];
  qsort(items, *count, sizeof *items, compare_endings);
  *endings = items;
  return LS_OK;
}

/* Results come back one after another, the worker that ended first before the others. */
static enum ls_status return_results(struct ls_scow_judge *judge, double *makespan_s,
                                     struct ls_error *err) {
  struct ending *endings = NULL;
  size_t count = 0;
  double back_s = 0;
  enum ls_status status = ls_replay(&judge->plan, &judge->silent, err);
  if (status != LS_OK) return status;
  find_ends(&judge->plan, judge->platform->workers_count, judge->ends);
  status = sort_endings(judge, &judge->plan, &endings, &count, err);
  if (status != LS_OK) return status;
  for (size_t i = 0; i < count; i++) back_s = fmax(back_s, endings[i].end_s) + endings[i].reply_s;
  *makespan_s = back_s;
  free(endings);
  return LS_OK;
}

enum ls_status ls_scow_judge_schedule(struct ls_scow_judge *judge,
                                      const struct ls_scow_schedule *schedule, double *makespan_s,
                                      struct ls_error *err) {
  write_scratch(judge, schedule);
  if (judge->has_results) return return_results(judge, makespan_s, err);
  return ls_replay_makespan(&judge->plan, judge->platform, makespan_s, err);
}

/* The last chunk of each worker, in the order in which the workers end. */
static enum ls_status order_returns(const struct ls_scow_judge *judge, struct ls_plan *plan,
                                    struct ls_error *err) {
  struct ending *endings = NULL;
  size_t count = 0;
  enum ls_status status = sort_endings(judge, plan, &endings, &count, err);
  if (status != LS_OK) return status;
  ls_plan_order_returns(plan);
  for (size_t i = 0; i < count; i++) ls_plan_add_return(plan, endings[i].chunk);
  free(endings);
  return LS_OK;
}

static bool is_last_in_body(const struct ls_scow_schedule *schedule, size_t position) {
  bool has_more = schedule->last[position] > 0 || schedule->auxiliary[position] > 0;
  for (size_t row = 0; row < schedule->falling_rounds && !has_more; row++)
    has_more = schedule->falling[row * schedule->count + position] > 0;
  return schedule->units[position] > 0 && !has_more;
}

/* An order of returns names no chunk that repeats: has every worker one behind them? */
static bool ends_behind_rounds(const struct ls_scow_schedule *schedule) {
  for (size_t i = 0; i < schedule->count; i++)
    if (is_last_in_body(schedule, i)) return false;
  return true;
}

enum ls_status ls_scow_judge_write(struct ls_scow_judge *judge,
                                   const struct ls_scow_schedule *schedule, struct ls_plan *plan,
                                   struct ls_error *err) {
  double makespan_s;
  bool is_apart = judge->has_results && !ends_behind_rounds(schedule);
  write_rounds(schedule, judge->star, is_apart, plan);
  if (!judge->has_results) return LS_OK;
  enum ls_status status = ls_scow_judge_schedule(judge, schedule, &makespan_s, err);
  return status == LS_OK ? order_returns(judge, plan, err) : status;
}
