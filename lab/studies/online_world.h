/* online_world.h: the experiments of the thesis on Monitor in virtual time: 1024 tasks on 8
 * machines.
 *
 * Speeds are uniform in 0.7 to 1.3, the way to a machine a tenth of a task; in the dynamic
 * environment others use the machines by the seven patterns.  Makespans are those over the least
 * that the work takes at full speed.
 */
#ifndef LS_LAB_ONLINE_WORLD_H
#define LS_LAB_ONLINE_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "lab/studies/study.h"

enum { LS_ONLINE_WORKERS = 8, LS_ONLINE_UNITS = 1024 };

struct ls_online_case {
  const char *policy; /* "monitor:report_every=4" */
  bool is_dynamic;
  uint64_t seed;
  double prefetch;  /* < 0: found by itself */
  double variation; /* of task times: deviation over mean, by a gamma law; 0: constant */
};

struct ls_online_result {
  double to_bound; /* makespan over work / total speed */
  double prefetch; /* that was used */
};

LS_CHECKED enum ls_status ls_online_play(const struct ls_online_case *played,
                                         struct ls_online_result *result, struct ls_error *err);

/* A figure of one of the two environments, beside what is expected of it or alone. */
void ls_online_compare(struct ls_study_report *report, bool is_dynamic, const char *what,
                       struct ls_study_expected expected, double ours);
void ls_online_show(struct ls_study_report *report, bool is_dynamic, const char *what, double ours);

#endif
