/* run_learnt.h: what a run has measured of its workers: the laws that `loadstar calibrate` would
 * find in its journal.
 */
#ifndef LS_CLI_RUN_LEARNT_H
#define LS_CLI_RUN_LEARNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "calibrate/calibration.h"
#include "model/measurement.h"
#include "model/run_course.h"
#include "runtime/journal/past/course_rows.h"

/* Starts as {0}. */
struct ls_run_learnt {
  struct ls_run_course course;
  struct ls_measurements measurements;
  struct ls_calibration calibration;
  uint64_t failed; /* chunks that were no measurement */
  bool has_laws;   /* something was measured */
};

/* Of the run so far, whose rows stay as they are; the caller closes `*learnt`. */
LS_CHECKED enum ls_status ls_run_learnt_make(const struct ls_course_rows *rows,
                                             struct ls_run_learnt *learnt, struct ls_error *err);
/* "learnt     compute 0.0021 s + 0.00113 s a unit (90 %: ...)": a line for each group of workers
 * that are alike. */
void ls_run_learnt_write(const struct ls_run_learnt *learnt, struct ls_bytes *out);
/* The same as a list of objects. */
void ls_run_learnt_write_json(const struct ls_run_learnt *learnt, struct ls_bytes *out);
void ls_run_learnt_close(struct ls_run_learnt *learnt);

#endif
