/* returns_program.h: the loads of any pair of orders, by linear programming. */
#ifndef LS_PLANNERS_RETURNS_RETURNS_PROGRAM_H
#define LS_PLANNERS_RETURNS_RETURNS_PROGRAM_H

#include "base/status.h"
#include "planners/returns/returns.h"

/* Of more workers, where there are latencies, subsets are sought among those with the most units
 * only (returns_many.h). */
enum { LS_RETURNS_AFFINE_MAX = 200 };
/* A program has as many numbers as pairs of workers: with these it takes seconds and 250 MB. */
enum { LS_RETURNS_PROGRAM_MAX = 2000 };

/* The best loads of scenario->sends and ->returns for one second with the rows of all the listed
 * workers; units that are 0 leave a worker idle. LS_EINVAL: more than LS_RETURNS_PROGRAM_MAX of
 * them, or costs that are too far apart for the solver. */
LS_CHECKED enum ls_status ls_returns_program(const struct ls_returns *returns,
                                             struct ls_scenario *scenario, struct ls_error *err);
/* With latencies, windows and rooms: the units of returns->load in these orders, all listed workers
 * enrolled, and when the last return ends; INFINITY when some worker would get nothing, or when
 * no sizes within the limits are the load (then there are no units). */
LS_CHECKED enum ls_status ls_returns_affine(const struct ls_returns *returns,
                                            struct ls_scenario *scenario, double *makespan_s,
                                            struct ls_error *err);

#endif
