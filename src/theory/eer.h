/* eer.h: how many workers are right: EER, perfect number, ideal and usable set, asp.
 *
 * EER(n) = time(n) / efficiency(n).  The perfect number has the least; the ideal set is all n
 * within 1.1 times of it (it may have holes); the usable set has efficiency >= 0.8 and at most 1.1
 * times the time of the largest number.  asp = sum / largest task is the perfect number in closed
 * form.  A curve may come from list scheduling (here), from a simulation or from runs.
 */
#ifndef LS_THEORY_EER_H
#define LS_THEORY_EER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/timeline.h"
#include "theory/list_schedule.h"

/* One point of a curve: so many workers, and what comes of them. */
struct ls_eer_point {
  size_t workers;
  double time_s, efficiency, eer_s;
};

struct ls_eer_point ls_eer_point(size_t workers, double time_s, double efficiency);

/* Points for 1 .. setup->workers workers, the fastest first, under list scheduling with the largest
 * task first; `points` has setup->workers entries. `setup->list` is not looked at. */
LS_CHECKED enum ls_status ls_eer_curve(const struct ls_list_setup *setup,
                                       struct ls_eer_point *points, struct ls_error *err);
/* Index of the least EER of `count` >= 1 points; ties (1e-9): the first. */
size_t ls_eer_perfect(const struct ls_eer_point *points, size_t count);
/* EER at most 1.1 times the least. */
bool ls_eer_is_ideal(const struct ls_eer_point *point, const struct ls_eer_point *perfect);
/* Efficiency at least 0.8 and at most 1.1 times the time of the point with the most workers. */
bool ls_eer_is_usable(const struct ls_eer_point *point, const struct ls_eer_point *most);

/* How many equal workers the tasks of a timeline could use as one set. */
struct ls_eer_crew {
  size_t perfect, ideal_from, ideal_to;
  double asp;
};
/* From the compute spans that counted, each of whose units is a task.  All 0: there is no task, or
 * there are so many that the curve costs more than asp tells. */
LS_CHECKED enum ls_status ls_eer_crew_of(const struct ls_timeline *timeline,
                                         struct ls_eer_crew *crew, struct ls_error *err);

/* The facts of an iteration's task times that the sizings use. */
struct ls_task_facts {
  size_t tasks;
  double total_s, largest_s, least_s;
  double asp;              /* total / largest; 1 when the largest is 0 */
  double share_percent;    /* of the total, in the largest fifth of the tasks */
  bool is_large_different; /* the largest of this fifth is over 1.5 times its smallest */
};

/* `seconds` has `count` >= 1 entries >= 0. */
LS_CHECKED enum ls_status ls_task_facts(const double *seconds, size_t count,
                                        struct ls_task_facts *facts, struct ls_error *err);
double ls_task_asp(const double *seconds, size_t count);
/* The least number of the fastest workers whose speeds add up to asp times the largest speed, at
 * most `workers` >= 1. `speeds`: the fastest first; NULL: all equal. */
size_t ls_eer_size_by_asp(double asp, const double *speeds, size_t workers);

#endif
