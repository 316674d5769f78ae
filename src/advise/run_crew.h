/* run_crew.h: which workers a run takes, so that it keeps a deadline or a limit of price, and
 * whether those that are far pay: by what is known before it.
 */
#ifndef LS_ADVISE_RUN_CREW_H
#define LS_ADVISE_RUN_CREW_H

#include "advise/advise_world.h"
#include "advise/crew_advice.h"
#include "base/status.h"

/* The world of the situation, in which the candidate is played by the crews that a search proposes.
 * Time and price are those of all units, also where a part of them tells enough. LS_EINVAL: nothing
 * is known of the tasks, or no crew can be simulated. The caller closes, also after a failure. */
LS_CHECKED enum ls_status ls_run_advise_crew(const struct ls_run_situation *situation,
                                             const struct ls_candidate *candidate,
                                             const struct ls_terms *terms,
                                             struct ls_crew_advice *advice, struct ls_error *err);

/* Seconds of the run without the workers of a second site, and with them (sites.h). */
struct ls_run_sites {
  size_t far; /* 0: there is one site, and no seconds */
  double near_s, all_s;
};

/* By the candidate, in the world of the situation, of the platform's first workers, or, where
 * others may join, of all of them. Without a platform nobody is far. LS_EINVAL: the
 * candidate cannot be simulated. */
LS_CHECKED enum ls_status ls_run_advise_sites(const struct ls_run_situation *situation,
                                              const struct ls_candidate *candidate,
                                              struct ls_run_sites *sites, struct ls_error *err);

#endif
