/* outlook.c: what a replica of a running unit is worth.
 *
 * Reference:  ours.
 * Assumes:    losses that come at a constant rate; units that take so much longer than expected as
 *             others of the run did, each run of them by its own chance.
 * Answers:    the seconds that a replica is expected to save, of a slow original or a lost one,
 *             less `price` times the seconds that it is expected to run.
 * Cost:       some two hundred questions to the law of slowness.  A unit is looked at anew at
 *             eight instants while its time doubles.
 * Symbols:    lambda -> loss_rate; S, R, A of look_ahead.
 */
#include "policies/outlook.h"

#include <math.h>

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

double ls_outlook_worth(const struct ls_replica_facts *facts, double price) {
  struct ls_replica_facts known = *facts;
  if (!(facts->expected_s > 0 && facts->replica_s > 0)) {
    known.expected_s = known.replica_s = 1;
    known.elapsed_s = known.loss_rate = 0;
  }
  struct outlook outlook = look_ahead(&known);
  return outlook.alone_s - outlook.paired_s - price * outlook.paired_s;
}

double ls_outlook_next_s(const struct ls_replica_facts *facts) {
  double d = facts->expected_s;
  return d > 0 ? d * ls_slowness_next_edge(facts->elapsed_s / d) : (double)INFINITY;
}
