#include "formats/joblog_records.h"

#include <math.h>
#include <string.h>

enum column { SEQ, HOST, START, RUNTIME, SEND, RECEIVE, EXIT, SIGNAL, COMMAND, COLUMNS };

static const char *const names[COLUMNS] = {"Seq",     "Host",    "Starttime", "JobRuntime", "Send",
                                           "Receive", "Exitval", "Signal",    "Command"};

/* Leaves the command without the three columns behind it; false: they are not there. */
static bool cut_usage(struct ls_table_field *command) {
  size_t length = command->length;
  for (int columns = 0; columns < 3; columns++) {
    while (length > 0 && command->data[length - 1] != '\t') length--;
    if (length == 0) return false;
    length--;
  }
  command->length = length;
  return true;
}

static enum ls_status check_heading(struct ls_joblog_records *records, struct ls_error *err) {
  const struct ls_table *table = &records->table;
  records->has_usage =
      table->count == COLUMNS &&
      ls_table_field_is(&table->fields[COMMAND], "Command" LS_JOBLOG_USAGE_COLUMNS);
  const struct ls_text *text = &table->text;
  size_t end = table->at < text->length ? table->at - 1 : text->length;
  records->has_returns = end > 0 && text->data[end - 1] == '\r';
  size_t plain = records->has_usage ? COMMAND : COLUMNS;
  for (size_t i = 0; i < plain; i++)
    if (i >= table->count || !ls_table_field_is(&table->fields[i], names[i]))
      return ls_table_refuse(table, "a field of the heading", i, names[i], err);
  return LS_OK;
}

enum ls_status ls_joblog_records_open(struct ls_joblog_records *records, struct ls_text text,
                                      struct ls_error *err) {
  bool is_there = false;
  *records = (struct ls_joblog_records){
      .table = {.text = text, .separator = '\t', .fields_most = COLUMNS, .has_zeros = true}};
  enum ls_status status = ls_table_next(&records->table, &is_there, err);
  if (status != LS_OK) return status;
  if (!is_there)
    return ls_fail(err, LS_EINVAL, "%s: is empty, expected a job log with its heading",
                   text.source);
  return check_heading(records, err);
}

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
  if (!(numbers[SEQ] >= 1 && numbers[SEQ] < 9e15))
    return ls_table_refuse(table, names[SEQ], SEQ, "the number of a task, from 1", err);
  if (table->count < COLUMNS)
    return ls_table_refuse(table, names[COMMAND], COMMAND, "a command", err);
  return LS_OK;
}

/* To other hosts, whose names stand in the log, files may have been sent. */
static bool is_fed(const struct ls_table_field *host, double sent) {
  return sent > 0 && host->length == 1 && (host->data[0] == ':' || host->data[0] == '-');
}

static bool ends_in_return(const struct ls_joblog_records *records,
                           const struct ls_table_field *command) {
  const struct ls_text *text = &records->table.text;
  size_t end = (size_t)(command->data - text->data) + command->length;
  return !records->has_usage && !records->has_returns && end < text->length &&
         text->data[end] == '\r';
}

/* The next line that is no heading. */
static enum ls_status next_line(struct ls_joblog_records *records, bool *is_there,
                                struct ls_error *err) {
  const struct ls_table *table = &records->table;
  for (;;) {
    enum ls_status status = ls_table_next(&records->table, is_there, err);
    if (status != LS_OK || !*is_there || !ls_table_field_is(&table->fields[SEQ], names[SEQ]))
      return status;
    status = check_heading(records, err);
    if (status != LS_OK) return status;
  }
}

static enum ls_status read_line(struct ls_joblog_records *records, struct ls_joblog_record *record,
                                bool *is_there, struct ls_error *err) {
  struct ls_table *table = &records->table;
  double numbers[COLUMNS];
  enum ls_status status = next_line(records, is_there, err);
  if (status == LS_OK && *is_there) status = read_numbers(table, numbers, err);
  if (status != LS_OK || !*is_there) return status;
  struct ls_table_field host = table->fields[HOST], command = table->fields[COMMAND];
  if (ends_in_return(records, &command)) command.length++;
  if (host.length == 0) return ls_table_refuse(table, names[HOST], HOST, "a name", err);
  if (records->has_usage && !cut_usage(&command))
    return ls_joblog_records_refuse(records, "a command and what it used", err);
  *record =
      (struct ls_joblog_record){.sequence = (uint64_t)numbers[SEQ],
                                .host = host,
                                .command = command,
                                .seconds = numbers[RUNTIME],
                                .fed = is_fed(&host, numbers[SEND]) ? (uint64_t)numbers[SEND] : 0,
                                .has_failed = fabs(numbers[EXIT]) > 0 || fabs(numbers[SIGNAL]) > 0};
  return LS_OK;
}

bool ls_joblog_records_skip(struct ls_joblog_records *records, enum ls_status status,
                            const struct ls_error *err) {
  if (!records->skips_bad || status != LS_EINVAL) return false;
  if (records->skipped++ == 0) records->first_skipped = *err;
  return true;
}

enum ls_status ls_joblog_records_next(struct ls_joblog_records *records,
                                      struct ls_joblog_record *record, bool *is_there,
                                      struct ls_error *err) {
  enum ls_status status;
  do {
    status = read_line(records, record, is_there, err);
  } while (ls_joblog_records_skip(records, status, err));
  return status;
}

enum ls_status ls_joblog_records_check_time(const struct ls_joblog_records *records,
                                            const struct ls_joblog_record *record,
                                            struct ls_error *err) {
  if (record->seconds >= 0) return LS_OK;
  return ls_table_refuse(&records->table, names[RUNTIME], RUNTIME, "seconds >= 0", err);
}

enum ls_status ls_joblog_records_refuse(const struct ls_joblog_records *records,
                                        const char *expected, struct ls_error *err) {
  return ls_table_refuse(&records->table, names[COMMAND], COMMAND, expected, err);
}

void ls_joblog_records_close(struct ls_joblog_records *records) {
  ls_table_close(&records->table);
}
