/* gain.c: replication where it gains.
 *
 * Reference:  ours; the expectations are those of heymann2001, chapter 5
 *             (docs/theory/adaptive.md, 5).
 * Assumes:    losses that come at a constant rate; tasks that take so much longer than expected as
 *             others of the run did, each run of them by its own chance.
 * Answers:    in front of an iteration the number of replicas, up to the number of extra workers,
 *             that makes the expected time, plus `price` times the expected loss of efficiency,
 *             least; at its end a replica of a running unit when the seconds that it is expected to
 *             save, of a slow original or a lost one, exceed `price` times the seconds that it is
 *             expected to run.
 * Cost:       O(X K n^2 T) in front of an iteration, bounded by WORK_MAX; for one look at a running
 *             unit some two hundred questions to the law of slowness.  A unit is looked at anew at
 *             eight instants while its time doubles, and when the law is made of a sixteenth
 *             more runs: O(log n) times in a run of n units, however many workers idle.
 * Symbols:    X -> extra, K -> midpoints, lambda -> loss_rate.
 */
#include <math.h>

#include "policies/outlook.h"
#include "policies/replication.h"
#include "theory/list_schedule.h"
#include "theory/loss.h"

/* Instants of loss: as many as the usual work allows, since few of them mistake the better of two
 * close numbers of replicas.  Where the least ones are more than the most work, the expectation
 * costs more than it tells. */
enum { MIDPOINTS_MAX = 40, MIDPOINTS_LEAST = 4, EXTRA_MAX = 8 };
enum { WORK_USUAL = 5000000, WORK_MAX = 20000000 };

static const struct ls_parameter gain_parameters[] = {
    {"price", "of a second of a replica, in seconds of the iteration", LS_PARAMETER_REAL, 0.05, 0,
     1e6, NULL},
    {0}};

/* The probability that one of the workers is lost while the iteration lasts. */
static double measure_risk(const struct ls_replication_view *view) {
  double total_s = 0;
  for (uint64_t i = 0; i < view->units; i++) total_s += view->seconds[i];
  return -expm1(-view->loss_rate * total_s);
}

static uint64_t replicate_by_expectation(const struct ls_replication_view *view) {
  if (view->seconds == NULL || !(view->loss_rate > 0) || view->units == 0) return 0;
  if (view->workers_present <= view->workers_wanted || view->workers_wanted == 0) return 0;
  size_t extra = view->workers_present - view->workers_wanted;
  if (extra > EXTRA_MAX) extra = EXTRA_MAX;
  double workers = (double)(view->workers_wanted + extra);
  double work = (double)extra * workers * workers * (double)view->units;
  if (!(work * MIDPOINTS_LEAST <= WORK_MAX)) return 0;
  double midpoints = fmin(MIDPOINTS_MAX, fmax(MIDPOINTS_LEAST, floor(WORK_USUAL / work)));
  struct ls_loss_study study = {.work = view->seconds,
                                .tasks = (size_t)view->units,
                                .workers = view->workers_wanted,
                                .extra = extra,
                                .midpoints = (size_t)midpoints,
                                .has_spare_replicas = true};
  double price = ls_arguments_get(&view->arguments, gain_parameters, "price");
  size_t replicas = 0;
  enum ls_status status = ls_loss_choose(&study, measure_risk(view), price, &replicas, NULL);
  if (status == LS_ENOMEM) return LS_REPLICAS_NO_MEMORY;
  return status == LS_OK ? replicas : 0;
}

static double weigh_replica(const struct ls_replica_facts *facts) {
  return ls_outlook_worth(facts, ls_arguments_get(&facts->arguments, gain_parameters, "price"));
}

const struct ls_replication ls_replication_gain = {
    .name = "gain",
    .summary = "a task runs twice where the expected gain exceeds the price of the replica",
    .reference = "ours, after Heymann 2001",
    .parameters = gain_parameters,
    .learns = true,
    .replicas = replicate_by_expectation,
    .worth = weigh_replica,
    .weigh_again_s = ls_outlook_next_s,
    .is_dear = true,
};
