/* certificate.h: how far a replayed plan is from what no schedule can beat, and why.
 *
 * The four parts are means over the workers, weighted by their speed 1/(receive + compute per
 * unit), of the time in which they do nothing.  Together with the weighted mean of the latencies of
 * receiving and computing they are exactly the makespan less load / total speed.  A worker without
 * a chunk has only imbalance and tail.  Where a worker has several windows, its speed is that of
 * all its units in the windows of their chunks, and without a chunk that of the one in which a unit
 * costs least.
 */
#ifndef LS_MODEL_CERTIFICATE_H
#define LS_MODEL_CERTIFICATE_H

#include "base/status.h"
#include "model/metrics.h"
#include "model/plan.h"
#include "model/platform.h"

struct ls_certificate {
  struct ls_lower_bound bound;
  /* makespan / bound - 1; 0 within 1e-9, which is rounding. Below 0 the bound is wrong. NAN when
   * the bound is 0 or the plan is not replayed. */
  double gap;
  /* Seconds; NAN when the plan is not replayed or a worker is infinitely fast. */
  double start_up_s;  /* before a worker's first chunk */
  double port_wait_s; /* between its chunks */
  double imbalance_s; /* from its last chunk to the end of all computing */
  /* The largest chunk over the largest that its worker's costs were measured with, where that is
   * above 1: so far they are extrapolated, and `beyond_worker` is who has it. 0: nowhere. */
  double beyond;
  uint32_t beyond_worker;
  size_t outside; /* the first chunk outside its worker's window or room; SIZE_MAX: none */
  double tail_s;  /* from there to the makespan: returns */
};

LS_CHECKED enum ls_status ls_certificate_of(const struct ls_plan *plan,
                                            const struct ls_platform *platform,
                                            struct ls_certificate *certificate,
                                            struct ls_error *err);

#endif
