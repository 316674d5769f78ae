#include "cli/pack/pack_journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run_private.h"
#include "runtime/journal/journal.h"

/* A journal that tells of more is damaged, or none to be divided here. */
enum { UNITS_MAX = 1 << 27 };

struct reader {
  struct ls_task_times *times;
  struct ls_commands *commands; /* NULL: another application's units */
  const char *path;
  uint32_t iteration; /* of the last result */
  struct ls_error *err;
};

static enum ls_status add_unit(struct reader *reader, const struct ls_journal_result *result,
                               uint64_t unit) {
  char number[64], where[64];
  const char *name = number;
  bool is_done = result->outcome == LS_OUTCOME_DONE && isfinite(result->seconds);
  (void)snprintf(number, sizeof number, "unit %llu", (unsigned long long)unit + 1);
  (void)snprintf(where, sizeof where, "task %llu", (unsigned long long)unit + 1);
  bool has_command = reader->commands != NULL && unit < reader->commands->source->tasks;
  if (has_command) {
    enum ls_status status = ls_commands_describe(reader->commands, (struct ls_range){unit, 1},
                                                 result->slot, reader->err);
    if (status != LS_OK) return status;
    name = ls_bytes_text(&reader->commands->line);
  }
  if (!is_done) reader->times->failed++;
  struct ls_task_times_row row = {
      .name = name,
      .length = strlen(name),
      .seconds = is_done ? result->seconds / (double)result->units.count : (double)NAN,
      .source = reader->path,
      .where = where};
  return ls_task_times_add(reader->times, &row, reader->err);
}

static enum ls_status on_result(void *context, const struct ls_journal_result *result) {
  struct reader *reader = context;
  enum ls_status status = LS_OK;
  if (result->units.count == 0) return LS_OK;
  if (result->units.first >= UNITS_MAX || result->units.count > UNITS_MAX)
    return ls_fail(reader->err, LS_EINVAL, "%s: holds more than %d tasks", reader->path, UNITS_MAX);
  /* Each iteration measures the same units. */
  if (result->iteration != reader->iteration) ls_task_times_begin_file(reader->times);
  reader->iteration = result->iteration;
  for (uint64_t i = 0; i < result->units.count && status == LS_OK; i++)
    status = add_unit(reader, result, result->units.first + i);
  return status;
}

enum ls_status ls_pack_journal_read(struct ls_task_times *times, const char *path,
                                    struct ls_error *err) {
  struct ls_journal_request request = {.path = path, .mode = LS_JOURNAL_READ};
  struct ls_journal *journal = NULL;
  struct ls_journal_summary summary;
  struct ls_run *run = NULL;
  struct reader reader = {.times = times, .path = path, .err = err};
  enum ls_status status = ls_journal_open(&request, &journal, err);
  if (status == LS_OK) status = ls_journal_summary(journal, &summary, err);
  if (status == LS_OK && strcmp(summary.job.application, "run") == 0) {
    run = calloc(1, sizeof *run);
    status = run == NULL ? ls_fail(err, LS_ENOMEM, "%s: out of memory", path)
                         : ls_run_job_recall(run, path, err);
    if (status == LS_OK) reader.commands = &run->commands;
  }
  ls_task_times_begin_file(times);
  size_t before = times->count;
  if (status == LS_OK) status = ls_journal_each_result(journal, on_result, &reader, err);
  if (status == LS_OK && times->count == before && before == 0)
    status = ls_fail(err, LS_EINVAL, "%s: holds no finished task, expected at least one", path);
  ls_journal_close(journal);
  if (run != NULL) ls_run_job_close(run);
  free(run);
  return status;
}
