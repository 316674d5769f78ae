/* measurements_csv.c: measurements as lines of operation, worker, units, seconds. */
#include <string.h>

#include "formats/measurements_text.h"
#include "formats/table_lines.h"

enum column { OPERATION, WORKER, UNITS, SECONDS, COLUMNS };

static const char *const names[COLUMNS] = {"operation", "worker", "units", "seconds"};
static const char OPERATIONS[] = "prepare, send, transfer, stage, receive, compute, reply or task";

struct reader {
  struct ls_table table;
  size_t columns[COLUMNS]; /* where each stands */
  struct ls_measurements *measurements;
};

/* Is the present line a heading, of each name once? Then the columns are as it says. */
static bool take_heading(struct reader *reader) {
  bool is_there[COLUMNS] = {false};
  size_t columns[COLUMNS];
  if (reader->table.count != COLUMNS) return false;
  for (size_t i = 0; i < COLUMNS; i++) {
    size_t name = 0;
    while (name < COLUMNS && !ls_table_field_is(&reader->table.fields[i], names[name])) name++;
    if (name == COLUMNS || is_there[name]) return false;
    is_there[name] = true;
    columns[name] = i;
  }
  memcpy(reader->columns, columns, sizeof columns);
  return true;
}

static enum ls_status read_operation(const struct reader *reader, uint32_t *measured,
                                     struct ls_error *err) {
  size_t column = reader->columns[OPERATION];
  for (uint32_t i = 0; i < LS_MEASURED_COUNT && column < reader->table.count; i++) {
    if (!ls_table_field_is(&reader->table.fields[column], ls_measured_name(i))) continue;
    *measured = i;
    return LS_OK;
  }
  return ls_table_refuse(&reader->table, names[OPERATION], column, OPERATIONS, err);
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
    status =
        ls_table_refuse(table, "a fifth field", COLUMNS, "operation, worker, units, seconds", err);
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
    if (!is_first || !take_heading(&reader)) {
      status = read_line(&reader, err);
      read->lines++;
    }
    is_first = false;
    if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
  }
  ls_table_close(&reader.table);
  return status;
}
