/* joblog_records.h: the lines of a job log, as GNU parallel and loadstar run write it, the latter
 * also with what each command used (--joblog-usage).
 *
 * Every number of every line is checked, also one that nobody needs; a refusal names file, line,
 * field, value and what was expected.  A heading within, of logs that were put together, is passed
 * over.
 */
#ifndef LS_FORMATS_JOBLOG_RECORDS_H
#define LS_FORMATS_JOBLOG_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "formats/table_lines.h"

#define LS_JOBLOG_COLUMNS \
  "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"
/* The columns that loadstar run adds behind the command. */
#define LS_JOBLOG_USAGE_COLUMNS "\tUtime\tStime\tMaxrss"

/* Fields are borrowed from the text; the command may hold zero bytes, in place of its line ends. */
struct ls_joblog_record {
  uint64_t sequence; /* of the task, from 1; several lines have it where the task was repeated */
  struct ls_table_field host, command;
  double seconds;
  bool has_failed;
  uint64_t fed; /* bytes that it was given at standard input, and that the log does not hold */
};

struct ls_joblog_records {
  struct ls_table table; /* `line`: the number of the present line */
  bool has_usage;
  bool skips_bad; /* lines that are refused are left out and counted; set behind the opening */
  uint64_t skipped;
  struct ls_error first_skipped; /* why the first of them was */
  bool has_returns;              /* its lines end with \r\n; else a \r is the end of a command */
};

/* Reads the heading. LS_EINVAL, LS_ENOMEM. The caller closes, also after a failure. */
LS_CHECKED enum ls_status ls_joblog_records_open(struct ls_joblog_records *records,
                                                 struct ls_text text, struct ls_error *err);
LS_CHECKED enum ls_status ls_joblog_records_next(struct ls_joblog_records *records,
                                                 struct ls_joblog_record *record, bool *is_there,
                                                 struct ls_error *err);
/* For whoever needs times: where a clock was set back while a task ran, it has none. LS_EINVAL. */
LS_CHECKED enum ls_status ls_joblog_records_check_time(const struct ls_joblog_records *records,
                                                       const struct ls_joblog_record *record,
                                                       struct ls_error *err);
/* Is the line that was refused, as `err` says, to be left out? Then it is counted. */
bool ls_joblog_records_skip(struct ls_joblog_records *records, enum ls_status status,
                            const struct ls_error *err);
/* The present line has another command than was expected. */
enum ls_status ls_joblog_records_refuse(const struct ls_joblog_records *records,
                                        const char *expected, struct ls_error *err);
void ls_joblog_records_close(struct ls_joblog_records *records);

#endif
