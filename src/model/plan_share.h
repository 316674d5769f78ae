/* plan_share.h: what each worker gets of a plan, and when. */
#ifndef LS_MODEL_PLAN_SHARE_H
#define LS_MODEL_PLAN_SHARE_H

#include <stdint.h>

#include "model/plan.h"
#include "model/platform.h"

struct ls_plan_share {
  uint64_t chunks;
  double units;
  double busy_s;          /* receiving and computing */
  double units_s;         /* of these the seconds of its units: without latencies */
  double first_s, last_s; /* from the first receiving to the last end of computing; NAN while the
                             plan is not replayed, 0 for a worker that gets nothing */
};

/* Fills one entry for each worker of the platform; all chunks are for workers of it. */
void ls_plan_shares(const struct ls_plan *plan, const struct ls_platform *platform,
                    struct ls_plan_share *shares);
/* What the workers cost that the plan takes: those that get a chunk, each from the start to the
 * makespan. */
double ls_plan_price(const struct ls_plan *plan, const struct ls_platform *platform,
                     const struct ls_plan_share *shares);

#endif
