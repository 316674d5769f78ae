/* task_times_joblog.c: commands and their times from the log of parallel and loadstar run.
 *
 * A task that was repeated has a line for each time, with one number and one command: of those that
 * did not fail the last one counts, else the last one.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "formats/joblog_records.h"
#include "formats/task_times_text.h"

struct line {
  struct ls_joblog_record record;
  size_t number;
  bool is_repeated; /* another line of the same task counts */
};

struct lines {
  struct line *items;
  size_t count, capacity;
};

static int compare_tasks(const struct line *a, const struct line *b) {
  const struct ls_table_field *one = &a->record.command, *other = &b->record.command;
  if (a->record.sequence != b->record.sequence)
    return a->record.sequence < b->record.sequence ? -1 : 1;
  if (one->length != other->length) return one->length < other->length ? -1 : 1;
  return memcmp(one->data, other->data, one->length);
}

/* What counts of a task comes last. */
static int compare_lines(const void *left, const void *right) {
  const struct line *a = *(const struct line *const *)left, *b = *(const struct line *const *)right;
  int order = compare_tasks(a, b);
  if (order != 0) return order;
  if (a->record.has_failed != b->record.has_failed) return a->record.has_failed ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static enum ls_status mark_repeated(struct lines *lines, struct ls_error *err) {
  struct line **sorted = calloc(lines->count + 1, sizeof(struct line *));
  if (sorted == NULL) return ls_fail(err, LS_ENOMEM, "no memory for %zu lines", lines->count);
  for (size_t i = 0; i < lines->count; i++) sorted[i] = &lines->items[i];
  qsort(sorted, lines->count, sizeof(struct line *), compare_lines);
  for (size_t i = 0; i + 1 < lines->count; i++)
    sorted[i]->is_repeated = compare_tasks(sorted[i], sorted[i + 1]) == 0;
  free(sorted);
  return LS_OK;
}

static enum ls_status check_command(const struct ls_joblog_records *records,
                                    const struct ls_table_field *command, struct ls_error *err) {
  if (command->length == 0) return ls_joblog_records_refuse(records, "a command", err);
  if (memchr(command->data, '\0', command->length) == NULL) return LS_OK;
  return ls_joblog_records_refuse(
      records,
      "one without a line end (a zero byte in a job log), which no line of a shard can hold; the "
      "journal of a run is packed with such commands",
      err);
}

static enum ls_status read_lines(struct lines *lines, struct ls_task_times *times,
                                 struct ls_text text, struct ls_error *err) {
  struct ls_joblog_records records;
  bool is_there = true;
  enum ls_status status = ls_joblog_records_open(&records, text, err);
  records.skips_bad = times->skips_bad;
  while (status == LS_OK) {
    struct line line = {.is_repeated = false};
    void *items = lines->items;
    status = ls_joblog_records_next(&records, &line.record, &is_there, err);
    if (status != LS_OK || !is_there) break;
    status = ls_joblog_records_check_time(&records, &line.record, err);
    if (status == LS_OK) status = check_command(&records, &line.record.command, err);
    if (ls_joblog_records_skip(&records, status, err)) {
      status = LS_OK;
      continue;
    }
    if (status != LS_OK) break;
    line.number = records.table.line;
    status = ls_array_reserve(&items, &lines->capacity, lines->count + 1, sizeof *lines->items);
    lines->items = items;
    if (status == LS_OK)
      lines->items[lines->count++] = line;
    else
      (void)ls_fail(err, status, "%s: no memory for its lines", text.source);
  }
  if (times->skipped == 0) times->first_skipped = records.first_skipped;
  times->skipped += records.skipped;
  ls_joblog_records_close(&records);
  return status;
}

static enum ls_status add_line(struct ls_task_times *times, const struct line *line,
                               const char *source, struct ls_error *err) {
  const struct ls_joblog_record *record = &line->record;
  char where[32];
  if (record->has_failed) times->failed++;
  if (record->fed > 0) times->fed++;
  (void)snprintf(where, sizeof where, "line %zu", line->number);
  return ls_task_times_add(
      times,
      &(struct ls_task_times_row){.name = record->command.data,
                                  .length = record->command.length,
                                  .seconds = record->has_failed ? (double)NAN : record->seconds,
                                  .source = source,
                                  .where = where},
      err);
}

enum ls_status ls_task_times_read_joblog(struct ls_task_times *times, struct ls_text text,
                                         struct ls_error *err) {
  struct lines lines = {.items = NULL};
  ls_task_times_begin_file(times);
  enum ls_status status = read_lines(&lines, times, text, err);
  if (status == LS_OK) status = mark_repeated(&lines, err);
  for (size_t i = 0; i < lines.count && status == LS_OK; i++)
    if (!lines.items[i].is_repeated) status = add_line(times, &lines.items[i], text.source, err);
  free(lines.items);
  return status;
}
