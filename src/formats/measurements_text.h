/* measurements_text.h: measurements as others write them: CSV, GNU parallel's job log, sacct.
 *
 * Every field of every line is checked; a refusal names file, line, field, value and what was
 * expected.  What is read is added to what was there; after a failure a part of it may be.
 */
#ifndef LS_FORMATS_MEASUREMENTS_TEXT_H
#define LS_FORMATS_MEASUREMENTS_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/linkage.h"
#include "base/status.h"
#include "base/text.h"
#include "model/measurement.h"

LS_C_BEGIN

/* What a reader passed over. */
struct ls_measurements_read {
  bool skips_bad;   /* asked for before: lines of a job log that are refused are left out */
  uint64_t lines;   /* of measurements, without a heading */
  uint64_t skipped; /* lines that were refused and left out */
  uint64_t failed;  /* tasks that were not completed: their times say nothing */
};

/* operation, worker, units, seconds, by commas; a first line of these names, in any order, is a
 * heading. Lines that begin with # are comments. */
LS_CHECKED enum ls_status ls_measurements_read_csv(struct ls_measurements *measurements,
                                                   struct ls_text text,
                                                   struct ls_measurements_read *read,
                                                   struct ls_error *err);
/* --joblog of GNU parallel, or of loadstar run: each task is one unit, its host the worker. */
LS_CHECKED enum ls_status ls_measurements_read_joblog(struct ls_measurements *measurements,
                                                      struct ls_text text,
                                                      struct ls_measurements_read *read,
                                                      struct ls_error *err);
/* sacct --parsable2 with at least NodeList and ElapsedRaw or Elapsed: each job is one unit, its
 * nodes are the worker. Lines of steps (1234.batch), and jobs whose State is not COMPLETED (failed,
 * running, pending), say nothing, whatever their times are. */
LS_CHECKED enum ls_status ls_measurements_read_sacct(struct ls_measurements *measurements,
                                                     struct ls_text text,
                                                     struct ls_measurements_read *read,
                                                     struct ls_error *err);

LS_C_END

#endif
