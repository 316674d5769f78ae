#include "model/certificate.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/statistics.h"
#include "model/plan_share.h"
#include "model/validate.h"

static const double ROUNDING = 1e-9;

/* Units per second. */
static double find_speed(const struct ls_worker_model *worker, const struct ls_plan_share *share) {
  assert(worker->costs[LS_OPERATION_RECEIVE].per_unit_s >= 0 &&
         worker->costs[LS_OPERATION_COMPUTE].per_unit_s >= 0);
  if (share->chunks > 0) return share->units / share->units_s;
  return 1 / (worker->costs[LS_OPERATION_RECEIVE].per_unit_s +
              worker->costs[LS_OPERATION_COMPUTE].per_unit_s);
}

static void split_idle(const struct ls_plan *plan, const struct ls_platform *platform,
                       const struct ls_plan_share *shares, double end_s,
                       struct ls_certificate *certificate) {
  assert(isfinite(end_s) && end_s <= plan->makespan_s);
  struct ls_sum speed = {0}, start_up = {0}, port_wait = {0}, imbalance = {0};
  for (size_t i = 0; i < platform->workers_count; i++) {
    const struct ls_plan_share *share = &shares[i];
    double weight = find_speed(&platform->workers[i], share);
    if (!isfinite(weight)) return;
    ls_sum_add(&speed, weight);
    ls_sum_add(&imbalance, weight * (end_s - share->last_s));
    if (share->chunks == 0) continue;
    ls_sum_add(&start_up, weight * share->first_s);
    double span_s = share->last_s - share->first_s;
    ls_sum_add(&port_wait, weight * fmax(0, span_s - share->busy_s));
  }
  double total = ls_sum_value(&speed);
  if (!(total > 0)) return;
  certificate->start_up_s = ls_sum_value(&start_up) / total;
  certificate->port_wait_s = ls_sum_value(&port_wait) / total;
  certificate->imbalance_s = ls_sum_value(&imbalance) / total;
  certificate->tail_s = plan->makespan_s - end_s;
}

static void find_beyond(const struct ls_plan *plan, const struct ls_platform *platform,
                        struct ls_certificate *certificate) {
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    double most = platform->workers[chunk->worker].measured_to;
    if (!(most > 0) || !(chunk->units > most * (1 + ROUNDING))) continue;
    if (!(chunk->units / most > certificate->beyond)) continue;
    certificate->beyond = chunk->units / most;
    certificate->beyond_worker = chunk->worker;
  }
}

/* Both are sums of many terms: what they differ by in the last digits is no gap. */
static double find_gap(double makespan_s, double bound_s) {
  if (!(bound_s > 0)) return (double)NAN;
  double gap = makespan_s / bound_s - 1;
  return fabs(gap) <= ROUNDING ? 0 : gap;
}

enum ls_status ls_certificate_of(const struct ls_plan *plan, const struct ls_platform *platform,
                                 struct ls_certificate *certificate, struct ls_error *err) {
  assert(platform->workers_count > 0);
  double none = (double)NAN;
  struct ls_certificate made = {.outside = SIZE_MAX,
                                .gap = none,
                                .start_up_s = none,
                                .port_wait_s = none,
                                .imbalance_s = none,
                                .tail_s = none};
  enum ls_status status = ls_lower_bound(platform, plan->load, &made.bound, err);
  if (status != LS_OK) return status;
  status = ls_validate_find_outside(plan, platform, &made.outside, err);
  if (status != LS_OK && status != LS_EINVAL) return status;
  if (isfinite(plan->makespan_s)) {
    find_beyond(plan, platform, &made);
    struct ls_plan_share *shares = calloc(platform->workers_count, sizeof *shares);
    if (shares == NULL) return ls_fail(err, LS_ENOMEM, "no memory for a plan's certificate");
    double end_s = 0;
    ls_plan_shares(plan, platform, shares);
    for (size_t i = 0; i < platform->workers_count; i++) end_s = fmax(end_s, shares[i].last_s);
    split_idle(plan, platform, shares, end_s, &made);
    made.gap = find_gap(plan->makespan_s, made.bound.bound_s);
    free(shares);
  }
  *certificate = made;
  return LS_OK;
}
