#include "model/certificate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/statistics.h"

/* What one worker did. */
struct activity {
  double first_s, last_s, busy_s;
};

static double find_seconds_per_unit(const struct ls_worker_model *worker) {
  assert(worker->receive.per_unit_s >= 0 && worker->compute.per_unit_s >= 0);
  return worker->receive.per_unit_s + worker->compute.per_unit_s;
}

/* The end of all computing. */
static double collect_activities(const struct ls_plan *plan, const struct ls_platform *platform,
                                 struct activity *activities) {
  double end_s = 0;
  for (size_t i = 0; i < platform->workers_count; i++) {
    activities[i] = (struct activity){.first_s = (double)INFINITY};
  }
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    assert(chunk->worker < platform->workers_count);
    struct activity *activity = &activities[chunk->worker];
    double receive_s = ls_cost_time(&platform->workers[chunk->worker].receive, chunk->units);
    double start_s = chunk->compute_start_s - receive_s;
    activity->first_s = fmin(activity->first_s, start_s);
    activity->last_s = fmax(activity->last_s, chunk->compute_end_s);
    activity->busy_s += chunk->compute_end_s - start_s;
    end_s = fmax(end_s, chunk->compute_end_s);
  }
  assert(end_s >= 0);
  return end_s;
}

static void split_idle(const struct ls_plan *plan, const struct ls_platform *platform,
                       const struct activity *activities, double end_s,
                       struct ls_certificate *certificate) {
  assert(isfinite(end_s) && end_s <= plan->makespan_s);
  struct ls_sum speed = {0}, start_up = {0}, port_wait = {0}, imbalance = {0};
  for (size_t i = 0; i < platform->workers_count; i++) {
    double weight = 1 / find_seconds_per_unit(&platform->workers[i]);
    if (!isfinite(weight)) return;
    const struct activity *activity = &activities[i];
    bool is_used = isfinite(activity->first_s);
    ls_sum_add(&speed, weight);
    ls_sum_add(&imbalance, weight * (end_s - activity->last_s));
    if (!is_used) continue;
    ls_sum_add(&start_up, weight * activity->first_s);
    double span_s = activity->last_s - activity->first_s;
    ls_sum_add(&port_wait, weight * fmax(0, span_s - activity->busy_s));
  }
  double total = ls_sum_value(&speed);
  if (!(total > 0)) return;
  certificate->start_up_s = ls_sum_value(&start_up) / total;
  certificate->port_wait_s = ls_sum_value(&port_wait) / total;
  certificate->imbalance_s = ls_sum_value(&imbalance) / total;
  certificate->tail_s = plan->makespan_s - end_s;
}

enum ls_status ls_certificate_of(const struct ls_plan *plan, const struct ls_platform *platform,
                                 struct ls_certificate *certificate, struct ls_error *err) {
  assert(platform->workers_count > 0);
  double none = (double)NAN;
  struct ls_certificate made = {.bound = ls_lower_bound(platform, plan->load),
                                .gap = none,
                                .start_up_s = none,
                                .port_wait_s = none,
                                .imbalance_s = none,
                                .tail_s = none};
  if (isfinite(plan->makespan_s)) {
    struct activity *activities = calloc(platform->workers_count, sizeof *activities);
    if (activities == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a plan's certificate");
    double end_s = collect_activities(plan, platform, activities);
    split_idle(plan, platform, activities, end_s, &made);
    if (made.bound.bound_s > 0) made.gap = plan->makespan_s / made.bound.bound_s - 1;
    free(activities);
  }
  *certificate = made;
  return LS_OK;
}
