/* planner.h: computes the whole schedule ahead: platform x load -> plan.  The interface of
 * planners.
 *
 * One file per published algorithm, one line each in list.h.  "The theory does not cover this
 * platform" is an answer (ls_plan_refuse), not an error.  A planner only orders and sizes the
 * chunks; ls_planner_run rounds them where whole units are wanted, replays the result, and so
 * reports what the replay says.
 */
#ifndef LS_PLANNERS_PLANNER_H
#define LS_PLANNERS_PLANNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/parameter.h"
#include "base/status.h"
#include "model/plan.h"
#include "model/platform.h"

/* What is to be planned, and how far a search may go. */
struct ls_planner_setup {
  const struct ls_platform *platform;
  double load;                   /* units > 0 */
  struct ls_arguments arguments; /* by the planner's own parameters */
  bool is_whole;                 /* whole units are wanted */
  uint64_t work_max;             /* replays (or nodes) that a search may spend; 0: its default */
  /* Asked now and then by searches; true: stop and give the best so far, saying so in the plan's
   * parameter "stopped". NULL: never. */
  bool (*stop)(void *context);
  void *stop_context;
};

struct ls_planner {
  const char *name;                      /* "umr" */
  const char *summary;                   /* one line */
  const char *reference;                 /* key in docs/references.bib, with equations */
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none. The first one may
                                            stand after a colon: "umr:7" */
  bool rounds_itself;                    /* honours is_whole without help */
  /* Adds the chunks of a schedule to the empty `plan`, or refuses. */
  enum ls_status (*plan)(const struct ls_planner_setup *setup, struct ls_plan *plan,
                         struct ls_error *err);
};

extern const struct ls_planner *const ls_planners[]; /* NULL-terminated; list.h */
const struct ls_planner *ls_planner_find(const char *name);
/* Reads "NAME" or "NAME:ARGUMENT" (further ones after commas as NAME=VALUE): the planner, and its
 * arguments in `setup`, which start as the defaults. LS_EINVAL lists the planners that exist. */
LS_CHECKED enum ls_status ls_planner_parse(const char *text, const struct ls_planner **planner,
                                           struct ls_planner_setup *setup, struct ls_error *err);
/* Are the chunks the whole load? Costs many decades apart may leave a planner with sizes that are
 * no numbers, and so with chunks that are not there: such a plan must not win by its makespan. */
bool ls_planner_gave_all(const struct ls_plan *plan, double *total);
/* Plans and replays. `plan` is initialised here (the caller closes it, also after a failure) and
 * named after `label` ("umr:7"; NULL: the planner's name). Load 0 gives the empty plan. LS_EINVAL:
 * the platform or the load is wrong (field and value named), or the plan would not be the load. */
LS_CHECKED enum ls_status ls_planner_run(const struct ls_planner *planner,
                                         const struct ls_planner_setup *setup, const char *label,
                                         struct ls_plan *plan, struct ls_error *err);

#endif
