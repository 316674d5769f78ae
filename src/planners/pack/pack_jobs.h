/* pack_jobs.h: jobs of a target length, as few as can be: bin packing.
 *
 * A job has room for so many seconds of tasks; a task that is longer is a job of its own.  With
 * their number known, the jobs are made equally long, so that the longest is as short as can be.
 */
#ifndef LS_PLANNERS_PACK_JOBS_H
#define LS_PLANNERS_PACK_JOBS_H

#include "planners/pack/packing.h"

/* Owned. */
struct ls_pack_jobs {
  uint32_t *job_of;   /* each task */
  double *seconds;    /* of tasks in each job */
  size_t jobs, least; /* how many there are; no division has fewer */
  size_t too_long;    /* tasks that have no room: the first jobs, one each */
  bool is_optimal;
};

/* `seconds` of tasks, the longest first; room > 0. First fit decreasing, then a search for fewer
 * within the budget (NULL: the usual one). LS_ENOMEM: there is nothing to close. */
LS_CHECKED enum ls_status ls_pack_jobs_make(const double *seconds, size_t tasks, double room_s,
                                            const struct ls_budget *budget,
                                            struct ls_pack_jobs *out);
void ls_pack_jobs_close(struct ls_pack_jobs *jobs);

#endif
