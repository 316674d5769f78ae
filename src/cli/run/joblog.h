/* joblog.h: a log of the tasks in GNU parallel's format.
 *
 * Tab separated: Seq Host Starttime JobRuntime Send Receive Exitval Signal Command, and where it
 * was asked for Utime Stime Maxrss behind them (seconds, seconds, KiB).  A line is one write, so a
 * reader never sees half of one while the master lives; half a line that a killed master left is
 * removed when the log is opened again.
 */
#ifndef LS_CLI_JOBLOG_H
#define LS_CLI_JOBLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/status.h"
#include "formats/joblog_records.h"
#include "model/usage.h"

enum ls_joblog_mode {
  LS_JOBLOG_NEW,          /* replaces the file */
  LS_JOBLOG_APPEND,       /* goes on, whatever it holds */
  LS_JOBLOG_RESUME,       /* goes on; a task that has a line gets no other */
  LS_JOBLOG_RESUME_FAILED /* goes on; a task whose line says that it failed may get another */
};

struct ls_joblog_entry {
  uint64_t sequence;
  const char *host;
  double start_s; /* since 1970 */
  double seconds;
  uint64_t sent, received; /* bytes of standard input, and of standard output */
  int exit_code, signal;
  struct ls_usage usage;
  const char *command; /* on one line; a zero byte stands for a line end */
  size_t command_length;
};

/* Of each line that is read. */
typedef enum ls_status (*ls_joblog_record_fn)(void *context, const struct ls_joblog_record *record,
                                              struct ls_error *err);

struct ls_joblog_setup {
  const char *path;
  enum ls_joblog_mode mode;
  uint64_t tasks;            /* a line of a later task is not of this run */
  bool has_usage;            /* the columns of it; of a log that goes on, as its heading says */
  bool is_synced;            /* every line is on the disk before it counts */
  ls_joblog_record_fn agree; /* asked about each line that is there when it goes on; NULL: nobody */
  void *context;
};

struct ls_joblog;

LS_CHECKED enum ls_status ls_joblog_open(const struct ls_joblog_setup *setup,
                                         struct ls_joblog **out, struct ls_error *err);
/* Appends the line of a task, unless it has one. */
LS_CHECKED enum ls_status ls_joblog_add(struct ls_joblog *joblog,
                                        const struct ls_joblog_entry *entry, struct ls_error *err);
/* Has the task a line that counts? */
bool ls_joblog_has(const struct ls_joblog *joblog, uint64_t sequence);
/* Tells the lines of a log, whoever wrote it. LS_EINVAL names file, line, field and value. */
LS_CHECKED enum ls_status ls_joblog_read(const char *path, ls_joblog_record_fn visit, void *context,
                                         struct ls_error *err);
void ls_joblog_close(struct ls_joblog *joblog);

#endif
