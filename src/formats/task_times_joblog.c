/* task_times_joblog.c: commands and their times from the log of parallel and loadstar run. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/table_lines.h"
#include "formats/task_times_text.h"

enum column { SEQ, HOST, START, RUNTIME, SEND, RECEIVE, EXIT, SIGNAL, COMMAND, COLUMNS };

static const char *const names[COLUMNS] = {"Seq",     "Host",    "Starttime", "JobRuntime", "Send",
                                           "Receive", "Exitval", "Signal",    "Command"};

static enum ls_status check_heading(const struct ls_table *table, struct ls_error *err) {
  for (size_t i = 0; i < COLUMNS; i++)
    if (i >= table->count || !ls_table_field_is(&table->fields[i], names[i]))
      return ls_table_refuse(table, "a field of the heading", i, names[i], err);
  return LS_OK;
}

/* All numbers are checked, also those that nobody needs here. */
static enum ls_status read_numbers(const struct ls_table *table, double *numbers,
                                   struct ls_error *err) {
  for (size_t i = 0; i < COMMAND; i++) {
    if (i == HOST) continue;
    enum ls_status status = ls_table_real(table, names[i], i, &numbers[i], err);
    if (status != LS_OK) return status;
  }
  if (!(numbers[RUNTIME] >= 0))
    return ls_table_refuse(table, names[RUNTIME], RUNTIME, "seconds >= 0", err);
  if (table->count < COLUMNS || table->fields[COMMAND].length == 0)
    return ls_table_refuse(table, names[COMMAND], COMMAND, "a command", err);
  const struct ls_table_field *command = &table->fields[COMMAND];
  if (memchr(command->data, '\0', command->length) != NULL)
    return ls_table_refuse(table, names[COMMAND], COMMAND,
                           "one without a line end (a zero byte in a job log), which no line of a "
                           "shard can hold; the journal of a run is packed with such commands",
                           err);
  return LS_OK;
}

static enum ls_status read_line(const struct ls_table *table, struct ls_task_times *times,
                                struct ls_error *err) {
  double numbers[COLUMNS];
  char where[32];
  enum ls_status status = read_numbers(table, numbers, err);
  if (status != LS_OK) return status;
  bool has_failed = fabs(numbers[EXIT]) > 0 || fabs(numbers[SIGNAL]) > 0;
  if (has_failed) times->failed++;
  (void)snprintf(where, sizeof where, "line %zu", table->line);
  return ls_task_times_add(
      times,
      &(struct ls_task_times_row){.name = table->fields[COMMAND].data,
                                  .length = table->fields[COMMAND].length,
                                  .seconds = has_failed ? (double)NAN : numbers[RUNTIME],
                                  .source = table->text.source,
                                  .where = where},
      err);
}

enum ls_status ls_task_times_read_joblog(struct ls_task_times *times, struct ls_text text,
                                         struct ls_error *err) {
  struct ls_table table = {
      .text = text, .separator = '\t', .fields_most = COLUMNS, .has_zeros = true};
  bool is_there = true;
  ls_task_times_begin_file(times);
  enum ls_status status = ls_table_next(&table, &is_there, err);
  if (status == LS_OK && !is_there)
    status =
        ls_fail(err, LS_EINVAL, "%s: is empty, expected a job log with its heading", text.source);
  if (status == LS_OK) status = check_heading(&table, err);
  if (status == LS_OK) status = ls_table_next(&table, &is_there, err);
  while (status == LS_OK && is_there) {
    status = read_line(&table, times, err);
    if (status == LS_OK) status = ls_table_next(&table, &is_there, err);
  }
  ls_table_close(&table);
  return status;
}
