/* window_choices.h: plans for workers that have several windows with costs of their own.
 *
 * A theory knows one law of each worker.  So each worker is left one of its windows, the planner
 * plans as for any other platform, and what it planned is replayed with all windows; several
 * choices are tried, and the plan that ends first is kept.  Where the windows of all kinds of
 * workers have few combinations all are tried; else each worker's cheapest window, and the n-th one
 * of all.
 */
#ifndef LS_PLANNERS_WINDOW_CHOICES_H
#define LS_PLANNERS_WINDOW_CHOICES_H

#include "base/status.h"
#include "planners/planner.h"

/* A platform that was left one window of each worker; it borrows all but its models. */
struct ls_one_window {
  struct ls_platform platform;
};

/* The window of each worker in which a unit costs least. The caller closes. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_one_window_open(struct ls_one_window *left,
                                             const struct ls_platform *platform,
                                             struct ls_error *err);
void ls_one_window_close(struct ls_one_window *left);
/* ls_planner_run for a checked platform with windows and a load > 0: `plan` is initialised. The
 * plan's parameter "windows" lists which windows were taken, by runs of workers. Refuses where the
 * planner does in all choices, for the reason of the first. */
LS_CHECKED enum ls_status ls_window_choices_run(const struct ls_planner *planner,
                                                const struct ls_planner_setup *setup,
                                                struct ls_plan *plan, struct ls_error *err);

#endif
