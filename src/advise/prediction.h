/* prediction.h: what a platform would have predicted for a run that happened.
 *
 * The chunks of the run are replayed on the platform.  Where workers asked for them, each is sent
 * when its worker has come as far as it had when it asked; where a plan was followed, in the order
 * in which the master pushed them.  Times count from when the first worker joined.
 */
#ifndef LS_ADVISE_PREDICTION_H
#define LS_ADVISE_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/run_course.h"

/* Of one worker, or of all; seconds. */
struct ls_prediction_times {
  double busy_predicted_s, busy_happened_s; /* computing and receiving */
  double end_predicted_s, end_happened_s;
};

struct ls_prediction {
  size_t workers_count; /* of the run */
  struct ls_prediction_times *workers;
  struct ls_prediction_times all; /* busy: the sum; end: the makespan */
  uint64_t units;
  size_t chunks;
  bool is_asked;    /* else pushed: a plan was followed, or nobody can ask (replay_asked.h) */
  bool is_by_order; /* the platform has no name of the run: its workers are taken in their order */
};

/* The chunks of the run as a plan for the platform, not replayed (course->asked_units is of its
 * chunks); the caller closes it. Fails as ls_prediction_make does. */
LS_CHECKED enum ls_status ls_prediction_plan(const struct ls_run_course *course,
                                             const struct ls_platform *platform,
                                             struct ls_plan *plan, struct ls_error *err);
/* Workers are found by name; where no name of the run is on the platform, by their order. LS_EINVAL
 * names a worker that the platform lacks; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_prediction_make(const struct ls_run_course *course,
                                             const struct ls_platform *platform,
                                             struct ls_prediction *prediction,
                                             struct ls_error *err);
void ls_prediction_close(struct ls_prediction *prediction);

#endif
