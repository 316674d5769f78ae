/* report_private.h: what workers finished, on its way to the policy and to later iterations.
 *
 * Every result and every request passes here, the usual ones and all others; inline, since a
 * simulation passes millions of times a second.
 */
#ifndef LS_COORDINATOR_REPORT_PRIVATE_H
#define LS_COORDINATOR_REPORT_PRIVATE_H

#include <float.h>
#include <math.h>

#include "coordinator/coordinator_private.h"

/* The facts of this instant, for the policy. */
static inline const struct ls_chunking_view *ls_request_view(struct ls_coordinator *c) {
  assert(c->view.is_present == c->is_active);
  c->view.now_s = c->now_s;
  c->view.units_unassigned = c->waiting.units;
  c->view.workers_present = c->active;
  return &c->view;
}

/* Counts finished units and their seconds for later iterations. */
static inline void ls_request_observe(struct ls_coordinator *c, uint32_t worker,
                                      const struct ls_chunking_report *fresh) {
  double weight = c->iterations_opened;
  assert(fresh->units > 0 && worker < c->config.workers_max);
  c->earlier[worker].units += weight * (double)fresh->units;
  c->earlier[worker].seconds += weight * fresh->seconds;
  c->observed.units += fresh->units;
  c->observed.seconds += fresh->seconds;
  c->observed.squares += fresh->squares;
}

/* What the worker finished since the last time reaches the policy. */
static inline void ls_request_deliver(struct ls_coordinator *c, uint32_t worker) {
  struct ls_member *member = &c->members[worker];
  const struct ls_chunking *policy = c->config.chunking;
  assert(member->presence == LS_PRESENCE_ACTIVE);
  if (member->report.units == 0 && member->report.units_gone == 0) return;
  if (member->report.units > 0) {
    /* What a worker did not compute between two reports is what asking costs it. */
    double idle_s = c->now_s - member->reported_s - member->report.seconds;
    if (idle_s > 0) c->observed.overhead_s += idle_s;
    c->observed.reports++;
  }
  if (policy->on_report != NULL && c->policy_state != NULL) {
    member->report.worker = worker;
    member->report.elapsed_s = c->now_s - member->reported_s;
    policy->on_report(c->policy_state, ls_request_view(c), &member->report);
  }
  member->reported_s = c->now_s;
  /* Field by field: a literal of a whole structure is made by a slow string instruction. */
  struct ls_chunking_report *report = &member->report;
  report->units = report->units_gone = 0;
  report->seconds = report->squares = report->elapsed_s = report->last_seconds = 0;
}

/* Durations of finished units are kept for the policy until the worker asks or reports. */
static inline void ls_result_gather(struct ls_coordinator *c, const struct ls_event *event,
                                    uint64_t units, bool is_copy) {
  struct ls_member *member = &c->members[event->worker];
  struct ls_chunking_report *report = &member->report;
  uint64_t all = event->units.count;
  assert(units > 0 && units <= all);
  if (!(event->seconds >= 0 && event->seconds <= DBL_MAX)) return;
  double share = units == all ? 1 : (double)units / (double)all;
  double mean = all == 1 ? event->seconds : event->seconds / (double)all;
  double squares =
      event->squares > 0 && event->squares <= DBL_MAX ? event->squares : mean * event->seconds;
  struct ls_chunking_report fresh = {
      .units = units, .seconds = event->seconds * share, .squares = squares * share};
  c->working_seconds += fresh.seconds;
  if (c->learning.learns) ls_learning_observe(c, event->worker, &event->units, mean);
  if (is_copy) return; /* the policy did not send it */
  ls_request_observe(c, event->worker, &fresh);
  report->units += units;
  report->seconds += fresh.seconds;
  report->squares += fresh.squares;
  report->last_seconds =
      event->last_seconds > 0 && event->last_seconds <= DBL_MAX ? event->last_seconds : mean;
  uint64_t before = member->results;
  member->results = before + units;
  if (c->report_every > 0 && before / c->report_every < (before + units) / c->report_every) {
    ls_request_deliver(c, event->worker);
  }
}

#endif
