/* validate_private.h: intervals of resources, of which no two may overlap. */
#ifndef LS_MODEL_VALIDATE_PRIVATE_H
#define LS_MODEL_VALIDATE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/timeline.h"

struct ls_interval {
  enum ls_resource resource;
  uint32_t worker; /* 0 but for LS_RESOURCE_WORKER and LS_RESOURCE_READER */
  uint64_t chunk;
  double start_s, end_s;
};

/* Is `a` before `b` or equal, but for rounding (1e-9, relative above 1)? NaN is not. */
bool ls_validate_before(double a, double b);
/* Sorts the intervals; fails when two of one resource overlap. */
LS_CHECKED enum ls_status ls_validate_intervals(struct ls_interval *intervals, size_t count,
                                                struct ls_error *err);

/* Multi-port: every transfer moves its data at 1/k^alpha, no more than `limit` at once. */
LS_CHECKED enum ls_status ls_validate_sharing(const struct ls_plan *plan,
                                              const struct ls_platform *platform,
                                              struct ls_error *err);

/* Workers are no further ahead with staging, and no more of them stage at once, than they may. */
LS_CHECKED enum ls_status ls_validate_storage(const struct ls_plan *plan,
                                              const struct ls_platform *platform,
                                              struct ls_error *err);

#endif
