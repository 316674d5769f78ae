/* run_predict.h: how long a run will take and where its time will go, by what is known before it.
 *
 * The policy that the run uses is simulated in the world of the knowledge (advise_world.h); where
 * that leaves something to chance, the mean over several draws is the prediction.  A plan without a
 * platform is predicted by the times that its file tells, one of more units than are simulated by
 * its replay on the platform.
 */
#ifndef LS_ADVISE_RUN_PREDICT_H
#define LS_ADVISE_RUN_PREDICT_H

#include <stddef.h>
#include <stdint.h>

#include "advise/advise_world.h"
#include "base/status.h"
#include "coordinator/coordinator.h"
#include "model/account.h"
#include "model/platform.h"

/* A run of more units is not simulated: a prediction must not cost what it is about. */
enum { LS_RUN_PREDICT_UNITS_MAX = 1000000, LS_RUN_PREDICT_DRAWS = 16 /* at most */ };

struct ls_run_predictable {
  const struct ls_run_situation *situation;   /* its units: those that will run in an iteration */
  const struct ls_coordinator_config *config; /* as the run will use it */
  uint32_t iterations;                        /* 0 counts as 1 */
  /* Those that run in each, >= 1, the situation's units being the most of them; NULL: always as
   * many. */
  const uint64_t *iteration_units;
};

struct ls_run_predicted {
  bool is_known; /* else nothing is known that a prediction could begin with */
  struct ls_account account;
  /* That the simulation had, its workers in the order of the slots; none by a plan's own times.
   * Owned. */
  struct ls_platform platform;
  size_t draws;
  double makespans_s[LS_RUN_PREDICT_DRAWS]; /* of each of them */
};

/* The caller closes `*predicted`. LS_EINVAL: the world cannot be simulated, in words; LS_ENOMEM. */
LS_CHECKED enum ls_status ls_run_predict(const struct ls_run_predictable *run,
                                         struct ls_run_predicted *predicted, struct ls_error *err);
void ls_run_predicted_close(struct ls_run_predicted *predicted);

#endif
