/* measurements_joblog.c: tasks from the log that parallel and loadstar run write. */
#include <math.h>

#include "formats/measurements_text.h"
#include "formats/table_lines.h"

enum column { SEQ, HOST, START, RUNTIME, SEND, RECEIVE, EXIT, SIGNAL, COMMAND, COLUMNS };

static const char *const names[COLUMNS] = {"Seq",     "Host",    "Starttime", "JobRuntime", "Send",
                                           "Receive", "Exitval", "Signal",    "Command"};

static enum ls_status check_heading(const struct ls_table *table, struct ls_error *err) {
  for (size_t i = 0; i < COLUMNS; i++)
    if (i >= table->count || !ls_table_field_is(&table->fields[i], names[i]))
      return ls_table_refuse(table, "a field of the heading", i, names[i], err);
  return LS_OK;
}

/* All numbers are checked, also those that no measurement needs. */
static enum ls_status read_numbers(const struct ls_table *table, double *numbers,
                                   struct ls_error *err) {
  for (size_t i = 0; i < COMMAND; i++) {
    if (i == HOST) continue;
    enum ls_status status = ls_table_real(table, names[i], i, &numbers[i], err);
    if (status != LS_OK) return status;
    if (i == START || i == RUNTIME) continue;
    if (floor(numbers[i]) < numbers[i])
      return ls_table_refuse(table, names[i], i, "a whole number", err);
  }
  if (!(numbers[SEQ] >= 1))
    return ls_table_refuse(table, names[SEQ], SEQ, "the number of a task, from 1", err);
  if (!(numbers[RUNTIME] >= 0))
    return ls_table_refuse(table, names[RUNTIME], RUNTIME, "seconds >= 0", err);
  if (table->count < COLUMNS)
    return ls_table_refuse(table, names[COMMAND], COMMAND, "a command", err);
  return LS_OK;
}

static enum ls_status read_line(const struct ls_table *table, struct ls_measurements *measurements,
                                struct ls_measurements_read *read, struct ls_error *err) {
  double numbers[COLUMNS];
  enum ls_status status = read_numbers(table, numbers, err);
  if (status != LS_OK) return status;
  const struct ls_table_field *host = &table->fields[HOST];
  if (host->length == 0) return ls_table_refuse(table, names[HOST], HOST, "a name", err);
  read->lines++;
  if (fabs(numbers[EXIT]) > 0 || fabs(numbers[SIGNAL]) > 0) {
    read->failed++;
    return LS_OK;
  }
  struct ls_measurement item = {
      .measured = LS_OPERATION_COMPUTE, .units = 1, .seconds = numbers[RUNTIME]};
  /* ":" is how parallel calls the machine that it runs on. */
  bool is_here = ls_table_field_is(host, ":");
  status =
      ls_measurements_worker(measurements, is_here ? "localhost" : host->data,
                             is_here ? sizeof "localhost" - 1 : host->length, &item.worker, err);
  return status == LS_OK ? ls_table_measure(table, measurements, &item, err) : status;
}

enum ls_status ls_measurements_read_joblog(struct ls_measurements *measurements,
                                           struct ls_text text, struct ls_measurements_read *read,
                                           struct ls_error *err) {
  struct ls_table table = {
      .text = text, .separator = '\t', .fields_most = COLUMNS, .has_zeros = true};
  bool is_there = true;
  enum ls_status status = ls_table_next(&table, &is_there, err);
  *read = (struct ls_measurements_read){.lines = 0};
  if (status == LS_OK && !is_there)
    status =
        ls_fail(err, LS_EINVAL, "%s: is empty, expected a job log with its heading", text.source);
  if (status == LS_OK) status = check_heading(&table, err);
  if (status == LS_OK) status = ls_table_next(&table, &is_there, err);
  while (status == LS_OK && is_there) {
    status = read_line(&table, measurements, read, err);
    if (status == LS_OK) status = ls_table_next(&table, &is_there, err);
  }
  ls_table_close(&table);
  return status;
}
