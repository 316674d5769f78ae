/* joblog_records.h: the lines of a job log, as GNU parallel and loadstar run write it, the latter
 * also with what each command used (--joblog-usage).
 *
 * Every number of every line is checked, also one that nobody needs; a refusal names file, line,
 * field, value and what was expected.
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

/* Was the task given data at standard input, which no log holds? To other hosts, whose names stand
 * in the log, files may have been sent. */
static inline bool ls_joblog_is_fed(const char *host, size_t length, double sent) {
  return sent > 0 && length == 1 && (host[0] == ':' || host[0] == '-');
}

/* Fields are borrowed from the text; the command may hold zero bytes, in place of its line ends. */
struct ls_joblog_record {
  uint64_t sequence; /* of the task, from 1; several lines have it where the task was repeated */
  struct ls_table_field host, command;
  double seconds;
  bool has_failed;
  bool has_data; /* it was given data at standard input, which the log does not hold */
};

struct ls_joblog_records {
  struct ls_table table; /* `line`: the number of the present line */
  bool has_usage;
};

/* Reads the heading. LS_EINVAL, LS_ENOMEM. The caller closes, also after a failure. */
LS_CHECKED enum ls_status ls_joblog_records_open(struct ls_joblog_records *records,
                                                 struct ls_text text, struct ls_error *err);
LS_CHECKED enum ls_status ls_joblog_records_next(struct ls_joblog_records *records,
                                                 struct ls_joblog_record *record, bool *is_there,
                                                 struct ls_error *err);
/* The present line has another command than was expected. */
enum ls_status ls_joblog_records_refuse(const struct ls_joblog_records *records,
                                        const char *expected, struct ls_error *err);
void ls_joblog_records_close(struct ls_joblog_records *records);

/* The length of a command without the three columns behind it; 0: they are not there. */
size_t ls_joblog_cut_usage(const char *text, size_t length);

#endif
