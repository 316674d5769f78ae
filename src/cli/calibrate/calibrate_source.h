/* calibrate_source.h: the files that `loadstar calibrate` reads measurements from.
 *
 * The content says what a file is: an SQLite database is the journal of a run; a first line with
 * tabs that begins with Seq is a job log; one with a field NodeList, Elapsed or
 * ElapsedRaw between | is sacct's; anything else is CSV.
 */
#ifndef LS_CLI_CALIBRATE_SOURCE_H
#define LS_CLI_CALIBRATE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/measurement.h"

enum ls_calibrate_form {
  LS_CALIBRATE_CSV,
  LS_CALIBRATE_JOBLOG,
  LS_CALIBRATE_SACCT,
  LS_CALIBRATE_JOURNAL,
  LS_CALIBRATE_FORMS,
  LS_CALIBRATE_ANY = LS_CALIBRATE_FORMS /* as the content says */
};

/* "csv", "joblog", "sacct", "journal". */
extern const char *const ls_calibrate_form_names[LS_CALIBRATE_FORMS];

/* What was read in all. */
struct ls_calibrate_sources {
  struct ls_measurements measurements;
  bool skips_bad;   /* lines of job logs that are refused are left out */
  uint64_t skipped; /* so many were */
  uint64_t failed;  /* tasks that were not completed, and chunks that hold one */
};

/* Adds what a file holds; "-" is standard input. LS_EINVAL names file, line, field, value. */
LS_CHECKED enum ls_status ls_calibrate_source_read(struct ls_calibrate_sources *sources,
                                                   const char *path, enum ls_calibrate_form form,
                                                   struct ls_error *err);
void ls_calibrate_sources_close(struct ls_calibrate_sources *sources);

#endif
