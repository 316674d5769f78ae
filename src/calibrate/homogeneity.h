/* homogeneity.h: which workers are alike within a tolerance (docs/theory/scow.md, 7).
 *
 * With the thesis's TOL, two workers are alike when latency and rate of every operation differ by
 * at most TOL each; then the law of a group errs by at most (x + 1) TOL at x units.  Without it,
 * when their times differ by at most 5 %, or by no more than their noise explains, at both ends of
 * what was measured.
 */
#ifndef LS_CALIBRATE_HOMOGENEITY_H
#define LS_CALIBRATE_HOMOGENEITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calibrate/affine_fit.h"
#include "model/measurement.h"

/* The laws of one worker in one window; one that was not measured has count 0. */
struct ls_worker_fits {
  struct ls_affine_fit fits[LS_MEASURED_FITTED];
};

/* Of workers in windows that are the same for all. Borrowed. */
struct ls_workers_laws {
  const struct ls_worker_fits *fits; /* [worker * windows + window] */
  size_t workers, windows;
};

/* In all windows. `tolerance`: seconds, and seconds per unit; NAN: none was given. */
bool ls_workers_are_alike(const struct ls_workers_laws *laws, size_t left, size_t right,
                          double tolerance);
/* Numbers the groups of workers of which all are alike, from 0, in the order of the workers, into
 * `groups`; `*made` is how many there are. LS_ENOMEM. O(workers^2) comparisons with a tolerance,
 * else O(workers * groups). */
LS_CHECKED enum ls_status ls_workers_group(const struct ls_workers_laws *laws, double tolerance,
                                           uint32_t *groups, uint32_t *made, struct ls_error *err);
/* factor_i = c_i(units) / mean c(units), c being receive and compute of this window; NAN without
 * compute, 1 where computing takes no time. */
void ls_workers_normalise(const struct ls_workers_laws *laws, size_t window, double units,
                          double *factors);

#endif
