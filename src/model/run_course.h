/* run_course.h: the course of a run, chunk by chunk: who was there, what was sent to whom in which
 * order, and how long it took.
 *
 * Whoever reads the record of a run fills it in; it owns its arrays.  A chunk whose units all ended
 * well at the first attempt is one measurement of compute, of receive where that took time, and of
 * staging where there was some; a result of a single unit is the time of a task.  A chunk that was
 * asked for, and found its worker without units and nobody else's on the way, tells a transfer:
 * from when it was sent to when its first result came back, but for what the worker did.  Where
 * chunks were pushed, the time that sending took the master is one.  Neither tells the master's
 * processor from the network: both are called transfer, since there are planners that know nothing
 * else.  What any chunk needed for its way is no longer than until its worker began with it: that
 * bounds what a unit costs where nothing tells it.  Where a network lies between, inputs that are
 * not short are timed on their way, and their times take the place of both.
 */
#ifndef LS_MODEL_RUN_COURSE_H
#define LS_MODEL_RUN_COURSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "model/measurement.h"

LS_C_BEGIN

/* One chunk as it was sent and computed; worker by its place among the names. */
struct ls_course_chunk {
  uint64_t chunk;
  uint32_t worker;
  uint64_t units;                       /* that ended */
  double compute_s, receive_s, stage_s; /* in all */
  double lead_s; /* from the beginning of staging its first units to that of computing them */
  double start_s, end_s; /* of its first unit, of its last one, by the master's clock */
  double way_s;          /* to its worker, and of its first result back; NAN: not known */
  double within_s;       /* it had come so long after it was sent, at most; > 0, else not known */
  bool has_failed;       /* a unit failed, was lost or was tried again */
};

/* What the master needed to send a chunk: the mean over those that it sent together. */
struct ls_course_send {
  uint32_t worker;
  double units, seconds;
};

/* An input on its way, from its first byte on until the worker had the last one. */
struct ls_course_transfer {
  uint32_t worker;
  uint64_t chunk, units;
  double start_s, seconds;
};

/* Starts as {0}. */
struct ls_run_course {
  char **workers; /* names, by the run's number; NULL: that number never joined */
  size_t workers_count, workers_capacity;
  struct ls_course_chunk *sent; /* in the order of the decisions; units that ended there */
  size_t sent_count, sent_capacity;
  /* Of each of them, the units that its worker had ended in all when it was sent; NULL: nobody
   * asked, the master pushed them. */
  double *asked_units;
  struct ls_course_chunk *ended; /* by chunk, each once */
  size_t ended_count, ended_capacity;
  struct ls_course_send *sends; /* of chunks that were pushed */
  size_t sends_count, sends_capacity;
  struct ls_course_transfer *transfers;
  size_t transfers_count, transfers_capacity;
  double *task_seconds; /* of results of one unit that ended well */
  uint32_t *task_workers;
  size_t tasks_count, tasks_capacity, task_workers_capacity;
  double from_s, to_s; /* the first worker joined; the last unit ended */
};

void ls_run_course_close(struct ls_run_course *course);
/* Adds the measurements of a run, its workers by their numbers; `*failed` grows by the chunks that
 * are none. LS_EINVAL, LS_ENOMEM. */
LS_CHECKED enum ls_status ls_run_course_measure(const struct ls_run_course *course,
                                                struct ls_measurements *measurements,
                                                uint64_t *failed, struct ls_error *err);

LS_C_END

#endif
