/* planning.h: what one algorithm reaches on one platform, for studies that play few plans. */
#ifndef LS_LAB_PLANNING_H
#define LS_LAB_PLANNING_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/platform.h"

struct ls_study_plan {
  double makespan_s;  /* of the replay */
  double predicted_s; /* by the algorithm; NAN: it predicts nothing */
  uint32_t rounds;
  size_t workers; /* that have chunks */
};

/* `algorithm` as on the command line ("umr:3"). LS_EINVAL: it does not apply; says why. */
LS_CHECKED enum ls_status ls_study_plan(const struct ls_platform *platform, double load,
                                        const char *algorithm, struct ls_study_plan *result,
                                        struct ls_error *err);
/* `count` identical workers that transfer and compute at these costs; the caller closes it. */
LS_CHECKED enum ls_status ls_study_identical(struct ls_platform *platform, size_t count,
                                             struct ls_cost transfer, struct ls_cost compute,
                                             struct ls_error *err);

#endif
