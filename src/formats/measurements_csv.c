/* measurements_csv.c: measurements as lines of operation, worker, units, seconds. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/measurements_text.h"
#include "formats/table_lines.h"

enum column { OPERATION, WORKER, UNITS, SECONDS, COLUMNS };

static const char *const names[COLUMNS] = {"operation", "worker", "units", "seconds"};
static const char COLUMN_NAMES[] = "operation, worker, units, seconds";
static const char OPERATIONS[] = "prepare, send, transfer, stage, receive, compute, reply or task";

struct reader {
  struct ls_table table;
  size_t columns[COLUMNS]; /* where each stands */
  struct ls_measurements *measurements;
};

/* LS_MEASURED_COUNT: it is none. */
static uint32_t find_operation(const struct ls_table_field *field) {
  uint32_t i = 0;
  while (i < LS_MEASURED_COUNT && !ls_table_field_is(field, ls_measured_name(i))) i++;
  return i;
}

static size_t find_column(const struct ls_table_field *field) {
  size_t i = 0;
  while (i < COLUMNS && !ls_table_field_is(field, names[i])) i++;
  return i;
}

/* It names a column and begins with no operation; a worker may be called as a column is. */
static bool is_heading(const struct ls_table *table) {
  if (find_operation(&table->fields[0]) < LS_MEASURED_COUNT) return false;
  for (size_t i = 0; i < table->count; i++)
    if (find_column(&table->fields[i]) < COLUMNS) return true;
  return false;
}

/* The columns are as it says: each once. */
static enum ls_status read_heading(struct reader *reader, struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  for (size_t name = 0; name < COLUMNS; name++) reader->columns[name] = SIZE_MAX;
  for (size_t i = 0; i < table->count; i++) {
    size_t name = find_column(&table->fields[i]);
    if (name == COLUMNS)
      return ls_table_refuse(table, "a field of the heading", i, COLUMN_NAMES, err);
    if (reader->columns[name] != SIZE_MAX)
      return ls_fail(err, LS_EINVAL, "%s: line %zu: the heading has %s twice, expected %s",
                     table->text.source, table->line, names[name], COLUMN_NAMES);
    reader->columns[name] = i;
  }
  for (size_t name = 0; name < COLUMNS; name++)
    if (reader->columns[name] == SIZE_MAX)
      return ls_fail(err, LS_EINVAL, "%s: line %zu: %s is missing in the heading, expected %s",
                     table->text.source, table->line, names[name], COLUMN_NAMES);
  return LS_OK;
}

static enum ls_status read_operation(const struct reader *reader, uint32_t *measured,
                                     struct ls_error *err) {
  size_t column = reader->columns[OPERATION];
  uint32_t found = column < reader->table.count ? find_operation(&reader->table.fields[column])
                                                : LS_MEASURED_COUNT;
  if (found == LS_MEASURED_COUNT)
    return ls_table_refuse(&reader->table, names[OPERATION], column, OPERATIONS, err);
  *measured = found;
  return LS_OK;
}

static enum ls_status read_worker(const struct reader *reader, uint32_t *worker,
                                  struct ls_error *err) {
  size_t column = reader->columns[WORKER];
  if (column >= reader->table.count || reader->table.fields[column].length == 0)
    return ls_table_refuse(&reader->table, names[WORKER], column, "a name", err);
  const struct ls_table_field *name = &reader->table.fields[column];
  return ls_measurements_worker(reader->measurements, name->data, name->length, worker, err);
}

static enum ls_status read_line(struct reader *reader, struct ls_error *err) {
  struct ls_measurement item = {.worker = LS_MEASUREMENT_NO_WORKER};
  const struct ls_table *table = &reader->table;
  enum ls_status status = read_operation(reader, &item.measured, err);
  /* The master prepares, whoever it is for. */
  if (status == LS_OK && item.measured != LS_OPERATION_PREPARE)
    status = read_worker(reader, &item.worker, err);
  if (status == LS_OK)
    status = ls_table_real(table, names[UNITS], reader->columns[UNITS], &item.units, err);
  if (status == LS_OK && !(item.units > 0))
    status = ls_table_refuse(table, names[UNITS], reader->columns[UNITS], "a number > 0", err);
  if (status == LS_OK)
    status = ls_table_real(table, names[SECONDS], reader->columns[SECONDS], &item.seconds, err);
  if (status == LS_OK && !(item.seconds >= 0))
    status = ls_table_refuse(table, names[SECONDS], reader->columns[SECONDS], "a number >= 0", err);
  if (status == LS_OK && table->count > COLUMNS)
    status = ls_table_refuse(table, "a fifth field", COLUMNS, COLUMN_NAMES, err);
  return status == LS_OK ? ls_table_measure(table, reader->measurements, &item, err) : status;
}

enum ls_status ls_measurements_read_csv(struct ls_measurements *measurements, struct ls_text text,
                                        struct ls_measurements_read *read, struct ls_error *err) {
  struct reader reader = {
      .table = {.text = text, .separator = ',', .has_quotes = true, .has_comments = true},
      .columns = {OPERATION, WORKER, UNITS, SECONDS},
      .measurements = measurements};
  bool is_there = true, is_first = true;
  enum ls_status status = ls_table_next(&reader.table, &is_there, err);
  *read = (struct ls_measurements_read){.lines = 0};
  while (status == LS_OK && is_there) {
    if (is_first && is_heading(&reader.table)) {
      status = read_heading(&reader, err);
    } else {
      status = read_line(&reader, err);
      read->lines++;
    }
    is_first = false;
    if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
  }
  ls_table_close(&reader.table);
  return status;
}
