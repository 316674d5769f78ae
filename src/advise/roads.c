#include "advise/roads.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "advise/prediction.h"
#include "model/replay_asked.h"

/* A fit may replay so many chunks in all. */
enum { EVALUATIONS_LEAST = 200, EVALUATIONS_MOST = 5000 };
static const double CHUNKS_MOST = 2e7;

static double find_happened(const struct ls_run_course *course) {
  return course->to_s - course->from_s;
}

enum ls_status ls_roads_by_measurements(const struct ls_roads_setup *setup, size_t without,
                                        struct ls_platform *platform, struct ls_error *err) {
  struct ls_measurements measurements = {.items = NULL};
  struct ls_calibration calibration;
  uint64_t failed = 0;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < setup->count && status == LS_OK; i++)
    if (i != without)
      status = ls_run_course_measure(&setup->courses[i], &measurements, &failed, err);
  if (status == LS_OK) status = ls_calibrate(&measurements, setup->options, &calibration, err);
  if (status == LS_OK) {
    status = ls_calibration_platform(&calibration, &measurements, setup->window, platform, err);
    ls_calibration_close(&calibration);
  }
  ls_measurements_close(&measurements);
  return status;
}

/* By makespans of all runs but one. */
static enum ls_status fit_makespans(const struct ls_roads_setup *setup, size_t without,
                                    struct ls_platform *platform, struct ls_makespan_fit *fit,
                                    struct ls_error *err) {
  struct ls_plan *plans = calloc(setup->count, sizeof *plans);
  struct ls_makespan_run *items = calloc(setup->count, sizeof *items);
  struct ls_makespan_runs runs = {items, 0};
  double chunks = 1;
  enum ls_status status = LS_OK;
  if (plans == NULL || items == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu runs", setup->count);
  for (size_t i = 0; i < setup->count && status == LS_OK; i++) {
    if (i == without) continue;
    struct ls_plan *plan = &plans[runs.count];
    status = ls_prediction_plan(&setup->courses[i], platform, plan, err);
    if (status != LS_OK) {
      status = ls_fail_while(err, status, "run %zu", i + 1);
      break;
    }
    items[runs.count++] = (struct ls_makespan_run){plan, setup->courses[i].asked_units,
                                                   find_happened(&setup->courses[i])};
    chunks += (double)plan->chunks_count;
  }
  double evaluations = fmin(fmax(CHUNKS_MOST / chunks, EVALUATIONS_LEAST), EVALUATIONS_MOST);
  struct ls_makespan_limits limits = {.evaluations = (uint64_t)evaluations};
  if (status == LS_OK) status = ls_makespan_fit(&runs, &limits, platform, fit, err);
  for (size_t i = 0; i < runs.count; i++) ls_plan_close(&plans[i]);
  free(plans);
  free(items);
  return status;
}

static enum ls_status predict(const struct ls_run_course *course,
                              const struct ls_platform *platform, double *makespan_s,
                              struct ls_error *err) {
  struct ls_plan plan;
  enum ls_status status = ls_prediction_plan(course, platform, &plan, err);
  if (status != LS_OK) return status;
  status = ls_replay_asked(&plan, platform, course->asked_units, err);
  if (status == LS_OK) *makespan_s = plan.makespan_s;
  ls_plan_close(&plan);
  return status;
}

/* What the others say of one run. Nothing, where its workers are not among theirs. */
static enum ls_status hold_out(const struct ls_roads_setup *setup, size_t index,
                               struct ls_roads_run *run, struct ls_error *err) {
  struct ls_platform platform;
  struct ls_makespan_fit fit;
  size_t without = setup->count > 1 ? index : SIZE_MAX;
  enum ls_status status = ls_roads_by_measurements(setup, without, &platform, err);
  if (status == LS_EINVAL) return LS_OK;
  if (status != LS_OK) return status;
  status = predict(&setup->courses[index], &platform, &run->by_measurements_s, err);
  if (status == LS_OK) status = fit_makespans(setup, without, &platform, &fit, err);
  if (status == LS_OK)
    status = predict(&setup->courses[index], &platform, &run->by_makespans_s, err);
  ls_platform_close(&platform);
  return status == LS_EINVAL ? LS_OK : status;
}

enum ls_status ls_roads_compare(const struct ls_roads_setup *setup, struct ls_platform *platform,
                                struct ls_roads *roads, struct ls_error *err) {
  struct ls_roads made = {.is_held_out = setup->count > 1};
  enum ls_status status = LS_OK;
  made.runs = calloc(LS_ROADS_HELD_OUT_MAX, sizeof *made.runs);
  if (made.runs == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %d runs", (int)LS_ROADS_HELD_OUT_MAX);
  for (size_t i = 0; i < setup->count && i < LS_ROADS_HELD_OUT_MAX && status == LS_OK; i++) {
    made.runs[i] =
        (struct ls_roads_run){find_happened(&setup->courses[i]), (double)NAN, (double)NAN};
    made.count++;
    status = hold_out(setup, i, &made.runs[i], err);
  }
  if (status == LS_OK) status = fit_makespans(setup, SIZE_MAX, platform, &made.fit, err);
  if (status == LS_OK)
    *roads = made;
  else
    ls_roads_close(&made);
  return status;
}

void ls_roads_close(struct ls_roads *roads) {
  free(roads->runs);
  *roads = (struct ls_roads){.runs = NULL};
}
