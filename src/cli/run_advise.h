/* run_advise.h: --policy auto: which policy and prefetch a run uses, from what is known before it.
 */
#ifndef LS_CLI_RUN_ADVISE_H
#define LS_CLI_RUN_ADVISE_H

#include "advise/advise.h"
#include "base/bytes.h"
#include "base/status.h"
#include "cli/run_history.h"
#include "runtime/adviser.h"

struct ls_run_situation {
  const struct ls_run_history *history; /* NULL: nothing is known */
  uint64_t units;
  size_t workers;
  const double *weights; /* of the workers, as declared; NULL: none */
  uint64_t prefetch;
  bool is_remote; /* workers on other machines may join */
  uint64_t seed;
};

/* The choice into `*chosen`, the reason in one line into `reason`, and what was expected of each
 * candidate into `table` (empty without a simulation). */
LS_CHECKED enum ls_status ls_run_advise(const struct ls_run_situation *situation,
                                        struct ls_candidate *chosen, struct ls_bytes *reason,
                                        struct ls_bytes *table, struct ls_error *err);

/* During the run, in a process of its own: another prefetch for the policy in use, by what its
 * workers have shown. False: the present one is good. */
bool ls_run_advise_now(const struct ls_candidate *used, bool is_remote,
                       const struct ls_adviser_facts *facts, struct ls_adviser_answer *answer);

#endif
