/* returns_platforms.h: the stars of the studies of loads with results, and their throughputs. */
#ifndef LS_LAB_RETURNS_PLATFORMS_H
#define LS_LAB_RETURNS_PLATFORMS_H

#include <stdint.h>

#include "base/random.h"
#include "base/status.h"
#include "model/platform.h"

/* c uniform in [0.5, 1.5], w uniform in [0.5, 1.5] times w_over_c, d = z c; z = 0: d uniform in
 * [0.5, 1.5], too. The caller closes it. */
LS_CHECKED enum ls_status ls_study_returns_star(struct ls_platform *platform, size_t workers,
                                                double w_over_c, double z, struct ls_random *random,
                                                struct ls_error *err);
/* The result of `algorithm`: units per second, and how many workers take part (may be NULL). */
LS_CHECKED enum ls_status ls_study_throughput(const struct ls_platform *platform,
                                              const char *algorithm, double *throughput,
                                              double *enrolled, struct ls_error *err);

#endif
