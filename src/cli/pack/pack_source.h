/* pack_source.h: the files that `loadstar pack` reads names and times of tasks from.
 *
 * The content says what a file is: an SQLite database is the journal of a run; < begins JUnit's
 * XML, { or [ pytest's durations; a first line with tabs that begins with Seq is a job log, one of
 * sacct's fields between | is sacct's, one that names a task's name and time between commas is CSV.
 */
#ifndef LS_CLI_PACK_SOURCE_H
#define LS_CLI_PACK_SOURCE_H

#include "base/status.h"
#include "formats/task_times_table.h"

enum ls_pack_form {
  LS_PACK_FORM_CSV,
  LS_PACK_FORM_JOBLOG,
  LS_PACK_FORM_JUNIT,
  LS_PACK_FORM_DURATIONS,
  LS_PACK_FORM_SACCT,
  LS_PACK_FORM_JOURNAL,
  LS_PACK_FORM_LIST,
  LS_PACK_FORMS,
  LS_PACK_FORM_ANY = LS_PACK_FORMS /* as the content says */
};

/* "csv", "joblog", ..., ended by NULL. */
extern const char *const ls_pack_form_names[LS_PACK_FORMS + 1];

/* Adds what a file holds; "-" is standard input. LS_EINVAL names file, line, field, value, or says
 * that the content is of no known form, or empty. */
LS_CHECKED enum ls_status ls_pack_source_read(struct ls_task_times *times, const char *path,
                                              enum ls_pack_form form, struct ls_error *err);
/* Adds the tasks of a list, with sizes or without. */
LS_CHECKED enum ls_status ls_pack_source_list(struct ls_task_times *list, const char *path,
                                              bool has_sizes, struct ls_error *err);

#endif
