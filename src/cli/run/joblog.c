#include "cli/run/joblog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/console.h"
#include "formats/joblog_records.h"

static const char header[] = LS_JOBLOG_COLUMNS "\n",
                  header_with_usage[] = LS_JOBLOG_COLUMNS LS_JOBLOG_USAGE_COLUMNS "\n";

/* Tasks with a line that counts: bit `sequence`. One bit per task is all that resuming costs. */
struct ls_joblog {
  int file;
  char *path;
  bool has_usage, is_synced;
  unsigned char *bits;
  size_t bits_bytes;
  struct ls_bytes line;
};

bool ls_joblog_has(const struct ls_joblog *joblog, uint64_t sequence) {
  return sequence / 8 < joblog->bits_bytes &&
         (joblog->bits[sequence / 8] >> (sequence % 8) & 1) != 0;
}

static enum ls_status mark_line(struct ls_joblog *joblog, uint64_t sequence, struct ls_error *err) {
  size_t needed = (size_t)(sequence / 8) + 1, before = joblog->bits_bytes;
  void *bits = joblog->bits;
  if (ls_array_reserve(&bits, &joblog->bits_bytes, needed, 1) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "%s: out of memory", joblog->path);
  joblog->bits = bits;
  memset(joblog->bits + before, 0, joblog->bits_bytes - before);
  joblog->bits[sequence / 8] |= (unsigned char)(1u << (sequence % 8));
  return LS_OK;
}

/* What a log holds up to the end of its last whole line. */
struct holding {
  size_t bytes;
  bool has_usage;
};

static enum ls_status read_records(struct ls_text text, struct holding *held,
                                   ls_joblog_record_fn visit, void *context, struct ls_error *err) {
  struct ls_joblog_records records;
  bool is_there = false;
  enum ls_status status = ls_joblog_records_open(&records, text, err);
  held->has_usage = records.has_usage;
  while (status == LS_OK) {
    struct ls_joblog_record record;
    status = ls_joblog_records_next(&records, &record, &is_there, err);
    if (status != LS_OK || !is_there) break;
    status = visit(context, &record, err);
    if (status == LS_EINVAL)
      status = ls_fail_while(err, status, "%s: line %zu", text.source, records.table.line);
  }
  ls_joblog_records_close(&records);
  return status;
}

static enum ls_status read_lines(const char *path, struct holding *held, ls_joblog_record_fn visit,
                                 void *context, struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = ls_console_read_most(path, LS_CONSOLE_BYTES_MOST, &text, err);
  while (text.length > 0 && text.data[text.length - 1] != '\n') text.length--;
  held->bytes = text.length;
  size_t mark = text.length > 0 ? ls_text_mark(text.data, text.length) : 0;
  const struct ls_text lines = {text.data + mark, text.length - mark, path};
  if (status == LS_OK && lines.length > 0) status = read_records(lines, held, visit, context, err);
  ls_bytes_close(&text);
  return status;
}

enum ls_status ls_joblog_read(const char *path, ls_joblog_record_fn visit, void *context,
                              struct ls_error *err) {
  struct holding held = {0};
  return read_lines(path, &held, visit, context, err);
}

struct opening {
  struct ls_joblog *joblog;
  const struct ls_joblog_setup *setup;
};

/* Which task, and does its line count? */
static enum ls_status take_line(void *context, const struct ls_joblog_record *record,
                                struct ls_error *err) {
  const struct opening *opening = context;
  const struct ls_joblog_setup *setup = opening->setup;
  if (setup->mode == LS_JOBLOG_APPEND) return LS_OK;
  if (record->sequence > setup->tasks)
    return ls_fail(err, LS_EINVAL,
                   "Seq is %llu, expected the number of one of the %llu tasks of this run (use "
                   "another file, or remove it)",
                   (unsigned long long)record->sequence, (unsigned long long)setup->tasks);
  if (setup->agree != NULL) {
    enum ls_status status = setup->agree(setup->context, record, err);
    if (status != LS_OK) return status;
  }
  if (setup->mode == LS_JOBLOG_RESUME_FAILED && record->has_failed) return LS_OK;
  return mark_line(opening->joblog, record->sequence, err);
}

/* Who appends shares it with others that do; who begins it anew, or goes on by what it holds, must
 * be alone. A file system without locks, or a pipe, has nobody to ask. */
static enum ls_status hold(const struct ls_joblog *joblog, enum ls_joblog_mode mode,
                           struct ls_error *err) {
  int how = mode == LS_JOBLOG_APPEND ? LOCK_SH : LOCK_EX;
  if (flock(joblog->file, how | LOCK_NB) == 0 || errno != EWOULDBLOCK) return LS_OK;
  return ls_fail(err, LS_EBUSY, "--joblog %s: another run writes it", joblog->path);
}

enum ls_status ls_joblog_open(const struct ls_joblog_setup *setup, struct ls_joblog **out,
                              struct ls_error *err) {
  const char *path = setup->path;
  struct ls_joblog *joblog = calloc(1, sizeof *joblog);
  if (joblog == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory", path);
  enum ls_status status = LS_OK;
  struct holding held = {.has_usage = setup->has_usage};
  joblog->is_synced = setup->is_synced;
  joblog->path = strdup(path);
  joblog->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
  if (joblog->path == NULL) {
    status = ls_fail(err, LS_ENOMEM, "%s: out of memory", path);
  } else if (joblog->file < 0) {
    status = ls_fail(err, LS_EINVAL, "--joblog %s: %s", path, strerror(errno));
  } else {
    status = hold(joblog, setup->mode, err);
    if (status == LS_OK && setup->mode != LS_JOBLOG_NEW)
      status = read_lines(path, &held, take_line, &(struct opening){joblog, setup}, err);
  }
  /* A pipe or a terminal as log cannot be cut, and needs not be. */
  if (status == LS_OK && ftruncate(joblog->file, (off_t)held.bytes) != 0 && errno != EINVAL)
    status = ls_fail(err, LS_EIO, "--joblog %s: %s", path, strerror(errno));
  joblog->has_usage = held.has_usage;
  const char *heading = held.has_usage ? header_with_usage : header;
  if (status == LS_OK && held.bytes == 0 &&
      !ls_console_write(joblog->file, heading, strlen(heading)))
    status = ls_fail(err, LS_EIO, "--joblog %s: %s", path, strerror(errno));
  if (status != LS_OK) {
    ls_joblog_close(joblog);
    return status;
  }
  *out = joblog;
  return LS_OK;
}

enum ls_status ls_joblog_add(struct ls_joblog *joblog, const struct ls_joblog_entry *entry,
                             struct ls_error *err) {
  if (ls_joblog_has(joblog, entry->sequence)) return LS_OK;
  ls_bytes_clear(&joblog->line);
  ls_bytes_printf(&joblog->line, "%llu\t%s\t%.3f\t%10.3f\t%llu\t%llu\t%d\t%d\t",
                  (unsigned long long)entry->sequence, entry->host, entry->start_s, entry->seconds,
                  (unsigned long long)entry->sent, (unsigned long long)entry->received,
                  entry->exit_code, entry->signal);
  ls_bytes_append(&joblog->line, entry->command, entry->command_length);
  if (joblog->has_usage)
    ls_bytes_printf(&joblog->line, "\t%.3f\t%.3f\t%llu", entry->usage.user_s, entry->usage.system_s,
                    (unsigned long long)entry->usage.peak_bytes / 1024);
  ls_bytes_append_char(&joblog->line, '\n');
  if (joblog->line.failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", joblog->path);
  if (!ls_console_write(joblog->file, joblog->line.data, joblog->line.length) ||
      (joblog->is_synced && fdatasync(joblog->file) != 0 && errno != EINVAL))
    return ls_fail(err, LS_EIO, "%s: %s", joblog->path, strerror(errno));
  return LS_OK;
}

void ls_joblog_close(struct ls_joblog *joblog) {
  if (joblog == NULL) return;
  if (joblog->file >= 0) close(joblog->file);
  free(joblog->path);
  free(joblog->bits);
  ls_bytes_close(&joblog->line);
  free(joblog);
}
