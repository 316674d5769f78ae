/* scow_rates.h: the steady state of a platform: how many units a second it takes at most.
 *
 * Bandwidth-centric: workers to which a unit is sent fastest are kept busy, as long as the master
 * can.  docs/theory/scow.md, 2 (Theorem 1, corrected).
 */
#ifndef LS_PLANNERS_SCOW_SCOW_RATES_H
#define LS_PLANNERS_SCOW_SCOW_RATES_H

#include <stddef.h>

#include "base/status.h"
#include "planners/scow/scow_star.h"

struct ls_scow_rates {
  double throughput; /* rho, units/s: load / throughput is a lower bound on every makespan */
  size_t full;       /* q, workers that are always busy */
  double slack;      /* what their chunks leave of the master's time */
};

/* Rates y, units/s, by position, into `rates` (NULL: only the sums). */
struct ls_scow_rates ls_scow_rates_of(const struct ls_scow_worker *workers, size_t count,
                                      double *rates);
/* sqrt(X/rho), the period that steady-state and asymptotic take of themselves. */
double ls_scow_period_of_load(const struct ls_scow_rates *rates, double load);
/* tau: the part of a period that the latencies of the workers with a rate are. */
double ls_scow_lost(const struct ls_scow_star *star, const double *rates, double period_s);
/* Units of each of the fewest equal rounds that are no longer than a period without latencies. */
double ls_scow_equal_units(const struct ls_scow_rates *rates, double load, double period_s);
/* X/rho for what the master's processor and, unless transfers share it, the network allow by
 * themselves: seconds that no schedule of `load` units beats.  LS_ENOMEM. */
LS_CHECKED enum ls_status ls_scow_bound(const struct ls_scow_star *star, double load,
                                        double *bound_s, struct ls_error *err);

#endif
