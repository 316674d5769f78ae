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
#include "planners/budget.h"

/* The problem to plan, and how far a search may go. */
struct ls_planner_setup {
  const struct ls_platform *platform;
  double load;                   /* units > 0 */
  struct ls_arguments arguments; /* by the planner's own parameters */
  bool is_whole;                 /* whole units are wanted */
  /* How far a search may go; work_max 0: its own default. The plan of a search that was stopped
   * says so in its parameter "stopped". */
  struct ls_budget budget;
  const struct ls_planner *const *others; /* what `best` chooses from; NULL: ls_planners */
};

/* Why a planner does not apply. */
struct ls_planner_reason {
  char text[160];
};

/* What a plan costs to make. */
enum ls_planner_cost {
  LS_PLANNER_FORMULAS,   /* closed forms and replays */
  LS_PLANNER_PROGRAMS,   /* many linear programs */
  LS_PLANNER_EXPONENTIAL /* in the number of workers */
};

struct ls_planner {
  const char *name;                      /* "umr" */
  const char *summary;                   /* one line */
  const char *reference;                 /* key in docs/references.bib, with equations */
  const struct ls_parameter *parameters; /* ends with a NULL name; NULL: none. The first one may
                                            stand after a colon: "umr:7" */
  bool rounds_itself;                    /* honours is_whole without help */
  /* What it is, for those who choose among planners. */
  bool plans_returns;     /* one chunk each, with an order of returns */
  bool is_search;         /* looks at candidates until its budget is spent */
  bool asks_others;       /* its plan is one that other planners make, or better */
  bool ignores_latencies; /* platforms that differ in latencies alone have the same chunks */
  enum ls_planner_cost cost;
  int trial_first, trial_last; /* values of the first parameter that are worth trying where it must
                                  be given; 0: none */
  /* May there be a plan? False, and why, when the theory does not cover the platform, load or
   * arguments. Cheap; NULL: always. `plan` may still refuse what only planning finds out. */
  bool (*applicable)(const struct ls_planner_setup *setup, struct ls_planner_reason *why);
  /* Adds the chunks of a schedule to the empty `plan`, or refuses. `budget` is what this plan may
   * spend; it is asked only where `applicable` said yes. */
  enum ls_status (*plan)(const struct ls_planner_setup *setup, struct ls_budget *budget,
                         struct ls_plan *plan, struct ls_error *err);
};

extern const struct ls_planner *const ls_planners[]; /* NULL-terminated; list.h */
const struct ls_planner *ls_planner_find(const char *name);
/* Reads "NAME" or "NAME:ARGUMENT" (further ones after commas as NAME=VALUE): the planner, and its
 * arguments in `setup`, which start as the defaults. LS_EINVAL lists the planners that exist. */
LS_CHECKED enum ls_status ls_planner_parse(const char *text, const struct ls_planner **planner,
                                           struct ls_planner_setup *setup, struct ls_error *err);
/* Writes why a planner does not apply; false, for `applicable` to return. */
bool ls_planner_refuse(struct ls_planner_reason *why, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* No theory here knows workers that read their own input; false, and which worker, if one does. */
bool ls_planner_sees_no_stage(const struct ls_planner_setup *setup, struct ls_planner_reason *why);
/* Asks the planner; the platform has been checked and has one law of each worker, the load is > 0.
 */
bool ls_planner_applies(const struct ls_planner *planner, const struct ls_planner_setup *setup,
                        struct ls_planner_reason *why);
/* Adds the chunks of a load > 0 on a checked platform with one law of each worker to an empty plan,
 * or refuses: what ls_planner_run does before it rounds and replays. */
LS_CHECKED enum ls_status ls_planner_make(const struct ls_planner *planner,
                                          const struct ls_planner_setup *setup,
                                          struct ls_plan *plan, struct ls_error *err);
/* Are the chunks the whole load? Costs many decades apart may leave a planner with sizes that are
 * no numbers, and so with chunks that are not there: such a plan must not win by its makespan. */
bool ls_planner_gave_all(const struct ls_plan *plan, double *total);
/* Plans and replays. `plan` is initialised here (the caller closes it, also after a failure) and
 * named after `label` ("umr:7"; NULL: the planner's name). Of several windows of a worker a plan
 * keeps to one (window_choices.h). Load 0 gives the empty plan. LS_EINVAL: the platform or the load
 * is wrong (field and value named), or the plan would not be the load. */
LS_CHECKED enum ls_status ls_planner_run(const struct ls_planner *planner,
                                         const struct ls_planner_setup *setup, const char *label,
                                         struct ls_plan *plan, struct ls_error *err);

#endif
