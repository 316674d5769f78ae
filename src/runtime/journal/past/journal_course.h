/* journal_course.h: the course of a run, and measurements of it, from its journal. */
#ifndef LS_RUNTIME_JOURNAL_PAST_JOURNAL_COURSE_H
#define LS_RUNTIME_JOURNAL_PAST_JOURNAL_COURSE_H

#include <stdint.h>

#include "base/status.h"
#include "model/measurement.h"
#include "model/run_course.h"
#include "runtime/journal/journal.h"

/* All that an open journal holds so far; the caller closes the course. LS_ECORRUPT: a row is
 * damaged, or of a worker that never joined; LS_ENOMEM, LS_EIO. Each names the file. */
LS_CHECKED enum ls_status ls_journal_course(struct ls_journal *journal,
                                            struct ls_run_course *course, struct ls_error *err);
/* The same of a file. Fails as ls_journal_open does, too. */
LS_CHECKED enum ls_status ls_journal_course_read(const char *path, struct ls_run_course *course,
                                                 struct ls_error *err);
/* Adds what the run in a file says of its workers (model/run_course.h); `*failed` grows by the
 * chunks that are no measurement. LS_EINVAL: nothing was computed. */
LS_CHECKED enum ls_status ls_journal_measure(const char *path, struct ls_measurements *measurements,
                                             uint64_t *failed, struct ls_error *err);

#endif
