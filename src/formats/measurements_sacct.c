/* measurements_sacct.c: jobs from Slurm's accounting, as sacct --parsable2 writes it. */
#include <stdint.h>
#include <string.h>

#include "formats/elapsed.h"
#include "formats/measurements_text.h"
#include "formats/sacct_lines.h"
#include "formats/table_lines.h"

enum column { JOB, NODES, STATE, ELAPSED_RAW, ELAPSED, COLUMNS };

static const char *const names[COLUMNS] = {"JobID", "NodeList", "State", "ElapsedRaw", "Elapsed"};
static const char ELAPSED_FORM[] = "a time such as 01:02:03 or 4-01:02:03";

struct reader {
  struct ls_table table;
  size_t columns[COLUMNS]; /* SIZE_MAX: the heading has none */
  size_t fields;           /* of the heading */
};

static bool has(const struct reader *reader, enum column column) {
  return reader->columns[column] != SIZE_MAX;
}

static enum ls_status read_heading(struct reader *reader, struct ls_error *err) {
  for (size_t name = 0; name < COLUMNS; name++) reader->columns[name] = SIZE_MAX;
  reader->fields = reader->table.count;
  for (size_t i = 0; i < reader->table.count; i++)
    for (size_t name = 0; name < COLUMNS; name++)
      if (ls_table_field_is(&reader->table.fields[i], names[name])) reader->columns[name] = i;
  for (size_t i = 0; i < reader->table.count && !has(reader, JOB); i++)
    if (ls_table_field_is(&reader->table.fields[i], "JobIDRaw")) reader->columns[JOB] = i;
  bool has_time = has(reader, ELAPSED_RAW) || has(reader, ELAPSED);
  if (has_time && has(reader, NODES)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s: line %zu: %s is missing in the heading, expected what sacct --parsable2 "
                 "--format=JobID,NodeList,State,ElapsedRaw writes",
                 reader->table.text.source, reader->table.line,
                 has_time ? names[NODES] : names[ELAPSED_RAW]);
}

static enum ls_status read_seconds(const struct reader *reader, double *seconds,
                                   struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  if (!has(reader, ELAPSED_RAW)) {
    size_t column = reader->columns[ELAPSED];
    const struct ls_table_field *field = &table->fields[column];
    return ls_elapsed_read(field->data, field->length, seconds)
               ? LS_OK
               : ls_table_refuse(table, names[ELAPSED], column, ELAPSED_FORM, err);
  }
  size_t column = reader->columns[ELAPSED_RAW];
  enum ls_status status = ls_table_real(table, names[ELAPSED_RAW], column, seconds, err);
  if (status == LS_OK && !(*seconds >= 0))
    status = ls_table_refuse(table, names[ELAPSED_RAW], column, "seconds >= 0", err);
  return status;
}

static bool is_step(const struct reader *reader) {
  if (!has(reader, JOB)) return false;
  const struct ls_table_field *job = &reader->table.fields[reader->columns[JOB]];
  return memchr(job->data, '.', job->length) != NULL;
}

static enum ls_status read_line(const struct reader *reader, struct ls_measurements *measurements,
                                struct ls_measurements_read *read, struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  if (table->count != reader->fields)
    return ls_fail(err, LS_EINVAL, "%s: line %zu: it has %zu fields, expected %zu as the heading",
                   table->text.source, table->line, table->count, reader->fields);
  /* What says nothing may have fields that say nothing: INVALID, or no time at all. */
  if (is_step(reader)) return LS_OK;
  read->lines++;
  if (has(reader, STATE) &&
      !ls_table_field_is(&table->fields[reader->columns[STATE]], "COMPLETED")) {
    read->failed++;
    return LS_OK;
  }
  struct ls_measurement item = {.measured = LS_OPERATION_COMPUTE, .units = 1};
  enum ls_status status = read_seconds(reader, &item.seconds, err);
  if (status != LS_OK) return status;
  const struct ls_table_field *nodes = &table->fields[reader->columns[NODES]];
  if (nodes->length == 0)
    return ls_table_refuse(table, names[NODES], reader->columns[NODES], "a name", err);
  status = ls_measurements_worker(measurements, nodes->data, nodes->length, &item.worker, err);
  return status == LS_OK ? ls_table_measure(table, measurements, &item, err) : status;
}

enum ls_status ls_measurements_read_sacct(struct ls_measurements *measurements, struct ls_text text,
                                          struct ls_measurements_read *read, struct ls_error *err) {
  struct reader reader = {.table = {
                              .text = text,
                          }};
  bool is_there = true;
  enum ls_status status = ls_sacct_find_separator(text, &reader.table.separator, err);
  if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
  *read = (struct ls_measurements_read){.lines = 0};
  if (status == LS_OK && !is_there)
    status = ls_fail(err, LS_EINVAL, "%s: is empty, expected what sacct --parsable2 writes",
                     text.source);
  if (status == LS_OK) status = read_heading(&reader, err);
  if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
  while (status == LS_OK && is_there) {
    status = read_line(&reader, measurements, read, err);
    if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
  }
  ls_table_close(&reader.table);
  return status;
}
