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
#include <stdlib.h>

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

/* The means of a unit's time to its end, alone and with a replica. */
struct outlook {
  double alone_s, paired_s;
};

/* Steps that grow by this share, from this part of the expected time to so many times the longest
 * of what is known. */
static const double STEP_GROWTH = 1.12, STEP_FIRST = 0.02, STEPS_END = 100;

/* Integrals over the shares that are left after t: of the original, S, that lasts so much longer
 * already, and of a fresh run where it is done, R, or done again when it is lost, A.  At rate
 * lambda the original is lost, and never ends: alone it takes the mean of what is left while it is
 * not lost, and a fresh run with the probability that it is.  The steps do not depend on the
 * replica, so that a slower one is never worth more. */
static struct outlook look_ahead(const struct ls_replica_facts *facts) {
  double d = facts->expected_s, c = facts->replica_s, again_s = fmin(c, d);
  struct ls_slowness_law first;
  if (facts->law == NULL) ls_slowness_estimate(&(struct ls_slowness){{0}, {0}}, &first);
  const struct ls_slowness_law *law = facts->law != NULL ? facts->law : &first;
  double longer = ls_slowness_longer(law, facts->elapsed_s / d);
  double end_s = STEPS_END * fmax(d, facts->elapsed_s), step = STEP_FIRST * d, lost = 0;
  double kept_s = 0, fresh_s = 0, paired_s = 0;
  for (double t = 0; t < end_s; t += step, step *= STEP_GROWTH) {
    double middle = t + step / 2;
    double left = ls_slowness_longer(law, (facts->elapsed_s + middle) / d) / longer;
    double before = exp(-facts->loss_rate * t), after = exp(-facts->loss_rate * (t + step));
    kept_s += step * left * before;
    fresh_s += step * ls_slowness_longer(law, middle / again_s);
    paired_s += step * (left * before + lost) * ls_slowness_longer(law, middle / c);
    lost += left * (before - after);
  }
  return (struct outlook){kept_s + lost * fresh_s, paired_s};
}

static double weigh_replica(const struct ls_replica_facts *facts) {
  double d = facts->expected_s, c = facts->replica_s;
  if (!(d > 0 && c > 0)) return -1;
  struct outlook outlook = look_ahead(facts);
  double price = ls_arguments_get(&facts->arguments, gain_parameters, "price");
  return outlook.alone_s - outlook.paired_s - price * outlook.paired_s;
}

static double find_next_look_s(const struct ls_replica_facts *facts) {
  double d = facts->expected_s;
  return d > 0 ? d * ls_slowness_next_edge(facts->elapsed_s / d) : (double)INFINITY;
}

const struct ls_replication ls_replication_gain = {
    .name = "gain",
    .summary = "a task runs twice where the expected gain exceeds the price of the replica",
    .reference = "ours, after Heymann 2001",
    .parameters = gain_parameters,
    .learns = true,
    .replicas = replicate_by_expectation,
    .worth = weigh_replica,
    .weigh_again_s = find_next_look_s,
    .is_dear = true,
};
