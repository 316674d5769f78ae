/* run_advise.h: --policy auto: which policy, prefetch and number of workers a run uses, from what
 * is known before it, and from what has been seen in it.
 */
#ifndef LS_ADVISE_RUN_ADVISE_H
#define LS_ADVISE_RUN_ADVISE_H

#include "advise/advise.h"
#include "advise/advise_world.h"
#include "base/bytes.h"
#include "base/status.h"
#include "coordinator/coordinator.h"
#include "coordinator/observation.h"

enum { LS_RUN_CHOICES_MAX = 16 };

/* The policies that auto chooses among in the midst of a run, as the coordinator wants them; their
 * number. */
size_t ls_run_advise_choices(struct ls_coordinator_choice choices[LS_RUN_CHOICES_MAX]);

/* The policy for tasks of several units of which nothing is known: it learns what they cost. */
const char *ls_run_advise_whole_chunks(void);

struct ls_run_advised {
  struct ls_candidate chosen;
  /* The facts that the policies knew when they were tried; NAN: none was tried. */
  double mean_s, deviation_s, overhead_s;
  struct ls_bytes reason; /* one line */
  struct ls_bytes table;  /* the expectation of each candidate; empty without a simulation */
};

/* The caller closes `*advised`, which is empty before. */
LS_CHECKED enum ls_status ls_run_advise(const struct ls_run_situation *situation,
                                        struct ls_run_advised *advised, struct ls_error *err);
void ls_run_advised_close(struct ls_run_advised *advised);

/* The same choice in a world that is given whole, over its draws. Of the situation count prefetch,
 * keeps_prefetch and has_whole_chunks; the rule's choice by these facts is kept unless another one
 * is clearly better. LS_EINVAL: the world refuses all candidates. */
LS_CHECKED enum ls_status ls_run_advise_in(const struct ls_advice_world *world,
                                           const struct ls_run_situation *situation,
                                           const struct ls_situation *facts,
                                           struct ls_candidate *chosen, struct ls_error *err);

/* The choices that may change in the midst of a run. */
struct ls_run_advisable {
  const struct ls_coordinator_config *used;                   /* with the policy of the start */
  bool is_remote, keeps_prefetch, has_whole_chunks, may_save; /* as of the situation, */
  double (*clock_s)(void);                                    /* and this, too */
};

/* During the run, in a process of its own: another policy, prefetch or number of workers, by what
 * the workers have shown. False: all is well as it is. */
bool ls_run_advise_now(const struct ls_run_advisable *advisable,
                       const struct ls_adviser_facts *facts, struct ls_adviser_answer *answer);

#endif
