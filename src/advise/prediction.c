#include "advise/prediction.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/replay_asked.h"
#include "model/windows.h"

static size_t find_worker(const struct ls_platform *platform, const char *name) {
  for (size_t i = 0; i < platform->workers_count && name != NULL; i++)
    if (strcmp(platform->workers[i].name, name) == 0) return i;
  return SIZE_MAX;
}

/* Does the platform know none of the names? */
static bool is_by_order(const struct ls_run_course *course, const struct ls_platform *platform) {
  for (size_t i = 0; i < course->workers_count; i++)
    if (find_worker(platform, course->workers[i]) != SIZE_MAX) return false;
  return true;
}

/* The platform's worker of each of the course. */
static enum ls_status match_workers(const struct ls_run_course *course,
                                    const struct ls_platform *platform, size_t *places,
                                    struct ls_error *err) {
  bool takes_order = is_by_order(course, platform);
  for (size_t i = 0; i < course->workers_count; i++) {
    places[i] =
        takes_order && i < platform->workers_count ? i : find_worker(platform, course->workers[i]);
    if (places[i] != SIZE_MAX || course->workers[i] == NULL) continue;
    return ls_fail(err, LS_EINVAL, "worker %s of the run is not on the platform, which has %zu",
                   course->workers[i], platform->workers_count);
  }
  return LS_OK;
}

static enum ls_status add_chunks(const struct ls_run_course *course, const size_t *places,
                                 struct ls_plan *plan, struct ls_error *err) {
  for (size_t i = 0; i < course->sent_count; i++) {
    const struct ls_course_chunk *chunk = &course->sent[i];
    if (places[chunk->worker] == SIZE_MAX)
      return ls_fail(err, LS_EINVAL, "chunk %llu was sent to a worker without a name",
                     (unsigned long long)chunk->chunk);
    plan->load += (double)chunk->units;
    ls_plan_add(plan, (uint32_t)places[chunk->worker], 0, (double)chunk->units);
  }
  return ls_plan_finish(plan, err);
}

enum ls_status ls_prediction_plan(const struct ls_run_course *course,
                                  const struct ls_platform *platform, struct ls_plan *plan,
                                  struct ls_error *err) {
  struct ls_plan made;
  if (course->sent_count == 0 || course->ended_count == 0)
    return ls_fail(err, LS_EINVAL, "the run computed nothing that could be predicted");
  size_t *places = calloc(course->workers_count, sizeof *places);
  if (places == NULL)
    return ls_fail(err, LS_ENOMEM, "no memory for %zu workers", course->workers_count);
  ls_plan_init(&made, "run", 0);
  enum ls_status status = match_workers(course, platform, places, err);
  if (status == LS_OK) status = add_chunks(course, places, &made, err);
  free(places);
  if (status == LS_OK)
    *plan = made;
  else
    ls_plan_close(&made);
  return status;
}

static double find_busy(const struct ls_worker_model *worker, double units) {
  const struct ls_cost *costs = ls_worker_costs(worker, units);
  return ls_cost_time(&costs[LS_OPERATION_RECEIVE], units) +
         ls_cost_time(&costs[LS_OPERATION_COMPUTE], units);
}

static void take_times(const struct ls_run_course *course, const struct ls_platform *platform,
                       const struct ls_plan *plan, struct ls_prediction *made) {
  for (size_t i = 0; i < course->sent_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    struct ls_prediction_times *times = &made->workers[course->sent[i].worker];
    times->busy_predicted_s += find_busy(&platform->workers[chunk->worker], chunk->units);
    times->end_predicted_s = fmax(times->end_predicted_s, chunk->compute_end_s);
    made->units += course->sent[i].units;
  }
  for (size_t i = 0; i < course->ended_count; i++) {
    const struct ls_course_chunk *chunk = &course->ended[i];
    struct ls_prediction_times *times = &made->workers[chunk->worker];
    times->busy_happened_s += chunk->compute_s + chunk->receive_s;
    times->end_happened_s = fmax(times->end_happened_s, chunk->end_s - course->from_s);
  }
  for (size_t i = 0; i < course->workers_count; i++) {
    made->all.busy_predicted_s += made->workers[i].busy_predicted_s;
    made->all.busy_happened_s += made->workers[i].busy_happened_s;
  }
  made->all.end_predicted_s = plan->makespan_s;
  made->all.end_happened_s = course->to_s - course->from_s;
  made->chunks = course->sent_count;
}

enum ls_status ls_prediction_make(const struct ls_run_course *course,
                                  const struct ls_platform *platform,
                                  struct ls_prediction *prediction, struct ls_error *err) {
  struct ls_prediction made = {.workers_count = course->workers_count};
  struct ls_plan plan;
  enum ls_status status = ls_prediction_plan(course, platform, &plan, err);
  if (status != LS_OK) return status;
  made.is_asked = course->asked_units != NULL && ls_replay_can_ask(&plan, platform);
  made.is_by_order = is_by_order(course, platform);
  status = ls_replay_asked(&plan, platform, course->asked_units, err);
  made.workers = calloc(course->workers_count, sizeof *made.workers);
  if (status == LS_OK && made.workers == NULL)
    status = ls_fail(err, LS_ENOMEM, "no memory for %zu workers", course->workers_count);
  if (status == LS_OK) take_times(course, platform, &plan, &made);
  ls_plan_close(&plan);
  if (status == LS_OK)
    *prediction = made;
  else
    ls_prediction_close(&made);
  return status;
}

void ls_prediction_close(struct ls_prediction *prediction) {
  free(prediction->workers);
  *prediction = (struct ls_prediction){.workers = NULL};
}
