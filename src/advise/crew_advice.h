/* crew_advice.h: which workers to take under a policy, so that a deadline or a limit of price is
 * kept: by simulation of the crews that a search proposes (crews.h), all on the same draws.
 */
#ifndef LS_ADVISE_CREW_ADVICE_H
#define LS_ADVISE_CREW_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "advise/advise.h"
#include "advise/crews.h"
#include "base/status.h"

struct ls_crew_advice_setup {
  struct ls_advice_world world;
  const struct ls_candidate *candidate; /* its `workers` are not looked at */
  struct ls_terms terms;
  size_t draws, tries_max; /* >= 1 */
  double scale;            /* of time and price, where the world has a part of the units; else 1 */
  bool (*stop)(void *context);
  void *stop_context;
};

struct ls_crew_advice {
  struct ls_crews crews; /* all that were tried; owned */
  struct ls_deal deal;   /* of these */
};

/* LS_EINVAL: no crew can be simulated, or the world's workers come and go by number. The caller
 * closes, also after a failure. */
LS_CHECKED enum ls_status ls_crew_advise(const struct ls_crew_advice_setup *setup,
                                         struct ls_crew_advice *advice, struct ls_error *err);
/* The offers of these crews alone. LS_EINVAL: as above. */
LS_CHECKED enum ls_status ls_crew_judge(const struct ls_crew_advice_setup *setup,
                                        struct ls_crew *crews, size_t count, struct ls_error *err);
void ls_crew_advice_close(struct ls_crew_advice *advice);

#endif
