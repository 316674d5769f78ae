#include "advise/run_cost.h"

#include <math.h>
#include <stdlib.h>

#include "advise/time_trend.h"
#include "base/statistics.h"

/* Predictions, each of several draws; units that are played for the number of workers. */
enum { PREDICTIONS = 6, DURATIONS_MOST = PREDICTIONS * LS_RUN_PREDICT_DRAWS };
static const uint64_t UNITS_PLAYED = 4000000;

/* How far the mean of an earlier run's times may be off: the deviation of its logarithm. */
static double find_doubt(const struct ls_run_situation *situation) {
  const struct ls_run_history *history = situation->history;
  struct ls_moments moments = {0};
  if (history == NULL || situation->times != NULL || history->shares_count == 0) return 0;
  for (size_t i = 0; i < history->shares_count; i++) ls_moments_add(&moments, history->shares[i]);
  return ls_moments_deviation(&moments) / sqrt((double)history->shares_count);
}

static enum ls_status find_durations(const struct ls_run_predictable *run, struct ls_run_cost *cost,
                                     struct ls_platform *platform, struct ls_error *err) {
  double durations_s[DURATIONS_MOST], doubt = find_doubt(run->situation);
  struct ls_random random;
  size_t count = 0;
  enum ls_status status = LS_OK;
  ls_random_init(&random, run->situation->seed, "cost");
  for (size_t i = 0; i < PREDICTIONS && status == LS_OK; i++) {
    struct ls_run_predicted predicted;
    struct ls_run_situation situation = *run->situation;
    struct ls_run_predictable own = *run;
    situation.seed += i * LS_RUN_PREDICT_DRAWS;
    own.situation = &situation;
    status = ls_run_predict(&own, &predicted, err);
    if (status != LS_OK) break;
    cost->is_known = predicted.is_known;
    for (size_t k = 0; k < predicted.draws; k++)
      durations_s[count++] = predicted.makespans_s[k] * exp(doubt * ls_trend_normal(&random));
    const double *parts_s = predicted.account.parts_s;
    cost->work_s =
        (parts_s[LS_ACCOUNT_WORK] + parts_s[LS_ACCOUNT_LATENCY]) * predicted.account.workers;
    bool is_last = !predicted.is_known || predicted.draws == 1;
    if (i == 0) {
      *platform = predicted.platform;
      predicted.platform = (struct ls_platform){0};
    }
    ls_run_predicted_close(&predicted);
    if (is_last && !(doubt > 0)) break;
  }
  if (status != LS_OK || count == 0) return status;
  ls_sort_ascending(durations_s, count);
  cost->draws = count;
  cost->least_s = ls_quantile_sorted(durations_s, count, 0.1);
  cost->median_s = ls_quantile_sorted(durations_s, count, 0.5);
  cost->most_s = ls_quantile_sorted(durations_s, count, 0.9);
  return LS_OK;
}

/* One draw of the tasks, as if the first worker had done them all. */
static enum ls_status draw_tasks(const struct ls_run_situation *situation,
                                 const struct ls_platform *platform, struct ls_task_log *log,
                                 struct ls_error *err) {
  struct ls_advise_world world;
  struct ls_run_situation own = *situation;
  own.units_most = LS_TASK_LOG_MOST;
  own.clock_s = NULL;
  enum ls_status status = ls_advise_world_open(&world, &own, err);
  struct ls_advice_world draws = ls_advise_world_of(&world);
  struct ls_simulation setup = {.platform = NULL};
  if (status == LS_OK) status = draws.draw(draws.context, 0, &setup, err);
  const struct ls_cost *first = &platform->workers[0].costs[LS_OPERATION_COMPUTE];
  for (uint64_t i = 0; status == LS_OK && i < setup.units; i++)
    ls_task_log_add(
        log, &(struct ls_task_log_entry){
                 .units = 1, .seconds = first->latency_s + first->per_unit_s * setup.task_work[i]});
  ls_advise_world_close(&world);
  return status;
}

static enum ls_status find_size(const struct ls_run_predictable *run,
                                const struct ls_platform *platform, struct ls_run_cost *cost,
                                struct ls_error *err) {
  const struct ls_run_situation *situation = run->situation;
  const struct ls_run_history *history = situation->history;
  struct ls_task_log log = {.count = 0};
  struct ls_size_slot *slots = calloc(platform->workers_count + 1, sizeof *slots);
  if (slots == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a cost");
  double mean_s = platform->workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s;
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_worker_model *worker = &platform->workers[i];
    slots[i] =
        (struct ls_size_slot){.number = (uint32_t)i + 1,
                              .speed = mean_s / worker->costs[LS_OPERATION_COMPUTE].per_unit_s,
                              .price_per_s = 1};
  }
  const struct ls_size_setup setup = {
      .log = &log,
      .slots = slots,
      .slots_count = platform->workers_count,
      .start_up_s = history != NULL ? history->grant_s : 0,
      .loss_rate = history != NULL && history->up_s > 0 ? history->losses / history->up_s : 0,
      .seed = situation->seed,
      .units_max = UNITS_PLAYED};
  enum ls_status status = draw_tasks(situation, platform, &log, err);
  if (status == LS_OK) status = ls_size_advise(&setup, &cost->size, err);
  ls_task_log_close(&log);
  free(slots);
  return status;
}

enum ls_status ls_run_cost_find(const struct ls_run_predictable *run, struct ls_run_cost *cost,
                                struct ls_error *err) {
  struct ls_platform platform = {0};
  *cost = (struct ls_run_cost){.workers = run->situation->workers};
  if (run->situation->units == 0) return LS_OK;
  enum ls_status status = find_durations(run, cost, &platform, err);
  bool has_platform = status == LS_OK && cost->is_known && platform.workers_count > 0;
  if (has_platform && run->situation->units <= LS_TASK_LOG_MOST)
    status = find_size(run, &platform, cost, err);
  ls_platform_close(&platform);
  return status;
}

void ls_run_cost_close(struct ls_run_cost *cost) {
  ls_size_advice_close(&cost->size);
  *cost = (struct ls_run_cost){.is_known = false};
}
