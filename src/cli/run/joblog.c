#include "cli/run/joblog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/console.h"

/* Both may begin a log. */
static const char header[] =
    "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n",
                  header_with_usage[] =
                      "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\t"
                      "Utime\tStime\tMaxrss\n";

/* Tasks with a line that counts: bit `sequence`. One bit per task is all that resuming costs. */
struct ls_joblog {
  int file;
  char *path;
  uint64_t tasks;
  bool has_usage, is_synced;
  unsigned char *bits;
  size_t bits_bytes;
  struct ls_bytes line;
};

static bool has_line(const struct ls_joblog *joblog, uint64_t sequence) {
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

static enum ls_status refuse_line(const struct ls_joblog *joblog, size_t number, const char *what,
                                  struct ls_error *err) {
  return ls_fail(err, LS_EINVAL,
                 "%s: line %zu: %s, expected a job log in GNU parallel's format (use another file, "
                 "or remove it)",
                 joblog->path, number, what);
}

/* Reads one line (ended by a zero byte): which task, and does its line count? */
static enum ls_status read_line(struct ls_joblog *joblog, const char *line, size_t number,
                                enum ls_joblog_mode mode, struct ls_error *err) {
  long long fields[8] = {0};
  const char *next = line;
  for (int i = 0; i < 8; i++) {
    const char *tab = strchr(next, '\t');
    if (tab == NULL) return refuse_line(joblog, number, "it has too few fields", err);
    fields[i] = strtoll(next, NULL, 10);
    next = tab + 1;
  }
  if (fields[0] < 1 || (unsigned long long)fields[0] > joblog->tasks)
    return refuse_line(joblog, number, "Seq is not the number of a task of this run", err);
  bool has_failed = fields[6] != 0 || fields[7] != 0;
  if (mode == LS_JOBLOG_RESUME_FAILED && has_failed) return LS_OK;
  return mark_line(joblog, (uint64_t)fields[0], err);
}

static enum ls_status read_lines(struct ls_joblog *joblog, enum ls_joblog_mode mode,
                                 size_t *kept_bytes, struct ls_error *err) {
  struct ls_bytes text = {0};
  enum ls_status status = ls_console_read(joblog->path, &text, err);
  size_t at = 0, number = 0;
  while (status == LS_OK && at < text.length) {
    char *end = memchr(text.data + at, '\n', text.length - at);
    if (end == NULL) break;
    *end = '\0';
    number++;
    if (number == 1 && strncmp(text.data + at, header, strlen("Seq\tHost\t")) != 0)
      status = refuse_line(joblog, number, "it is no heading", err);
    else if (number == 1)
      joblog->has_usage = strstr(text.data + at, "\tMaxrss") != NULL;
    else
      status = read_line(joblog, text.data + at, number, mode, err);
    at = (size_t)(end - text.data) + 1;
  }
  *kept_bytes = at;
  ls_bytes_close(&text);
  return status;
}

enum ls_status ls_joblog_open(const struct ls_joblog_setup *setup, struct ls_joblog **out,
                              struct ls_error *err) {
  const char *path = setup->path;
  struct ls_joblog *joblog = calloc(1, sizeof *joblog);
  if (joblog == NULL) return ls_fail(err, LS_ENOMEM, "%s: out of memory", path);
  enum ls_status status = LS_OK;
  size_t kept_bytes = 0;
  joblog->tasks = setup->tasks;
  joblog->has_usage = setup->has_usage;
  joblog->is_synced = setup->is_synced;
  joblog->path = strdup(path);
  joblog->file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0666);
  if (joblog->path == NULL) {
    status = ls_fail(err, LS_ENOMEM, "%s: out of memory", path);
  } else if (joblog->file < 0) {
    status = ls_fail(err, LS_EINVAL, "--joblog %s: %s", path, strerror(errno));
  } else if (setup->mode != LS_JOBLOG_NEW) {
    status = read_lines(joblog, setup->mode, &kept_bytes, err);
  }
  /* A pipe or a terminal as log cannot be cut, and needs not be. */
  if (status == LS_OK && ftruncate(joblog->file, (off_t)kept_bytes) != 0 && errno != EINVAL)
    status = ls_fail(err, LS_EIO, "--joblog %s: %s", path, strerror(errno));
  const char *heading = joblog->has_usage ? header_with_usage : header;
  if (status == LS_OK && kept_bytes == 0 &&
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
  if (has_line(joblog, entry->sequence)) return LS_OK;
  ls_bytes_clear(&joblog->line);
  ls_bytes_printf(&joblog->line, "%llu\t%s\t%.3f\t%10.3f\t0\t%llu\t%d\t%d\t%s",
                  (unsigned long long)entry->sequence, entry->host, entry->start_s, entry->seconds,
                  (unsigned long long)entry->received, entry->exit_code, entry->signal,
                  entry->command);
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
