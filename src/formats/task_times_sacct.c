/* task_times_sacct.c: jobs and their times from Slurm's accounting, as sacct --parsable2 writes it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/elapsed.h"
#include "formats/table_lines.h"
#include "formats/task_times_text.h"

enum column { JOB, JOB_NAME, STATE, ELAPSED_RAW, ELAPSED, COLUMNS };

static const char *const names[COLUMNS] = {"JobID", "JobName", "State", "ElapsedRaw", "Elapsed"};

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
  bool has_time = has(reader, ELAPSED_RAW) || has(reader, ELAPSED);
  bool has_name = has(reader, JOB_NAME) || has(reader, JOB);
  if (has_time && has_name) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s: line %zu: %s is missing in the heading, expected what sacct --parsable2 "
                 "--format=JobID,JobName,State,ElapsedRaw writes",
                 reader->table.text.source, reader->table.line,
                 has_time ? names[JOB_NAME] : names[ELAPSED_RAW]);
}

static enum ls_status read_seconds(const struct reader *reader, double *seconds,
                                   struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  if (has(reader, ELAPSED_RAW)) {
    size_t column = reader->columns[ELAPSED_RAW];
    enum ls_status status = ls_table_real(table, names[ELAPSED_RAW], column, seconds, err);
    if (status == LS_OK && !(*seconds >= 0))
      status = ls_table_refuse(table, names[ELAPSED_RAW], column, "seconds >= 0", err);
    return status;
  }
  size_t column = reader->columns[ELAPSED];
  const struct ls_table_field *field = &table->fields[column];
  return ls_elapsed_read(field->data, field->length, seconds)
             ? LS_OK
             : ls_table_refuse(table, names[ELAPSED], column,
                               "a time such as 01:02:03 or 4-01:02:03", err);
}

static bool is_step(const struct reader *reader) {
  if (!has(reader, JOB)) return false;
  const struct ls_table_field *job = &reader->table.fields[reader->columns[JOB]];
  return memchr(job->data, '.', job->length) != NULL;
}

static enum ls_status read_line(const struct reader *reader, struct ls_task_times *times,
                                struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  if (table->count != reader->fields)
    return ls_fail(err, LS_EINVAL, "%s: line %zu: it has %zu fields, expected %zu as the heading",
                   table->text.source, table->line, table->count, reader->fields);
  if (is_step(reader)) return LS_OK;
  enum column called = has(reader, JOB_NAME) ? JOB_NAME : JOB;
  const struct ls_table_field *name = &table->fields[reader->columns[called]];
  if (name->length == 0)
    return ls_table_refuse(table, names[called], reader->columns[called], "a name", err);
  char where[32];
  (void)snprintf(where, sizeof where, "line %zu", table->line);
  struct ls_task_times_row row = {.name = name->data,
                                  .length = name->length,
                                  .seconds = (double)NAN,
                                  .source = table->text.source,
                                  .where = where};
  const struct ls_table_field *state =
      has(reader, STATE) ? &table->fields[reader->columns[STATE]] : NULL;
  bool is_done = state == NULL || ls_table_field_is(state, "COMPLETED");
  bool has_failed =
      !is_done && !ls_table_field_is(state, "RUNNING") && !ls_table_field_is(state, "PENDING");
  enum ls_status status = LS_OK;
  /* What was not completed may have a time that is none. */
  if (is_done) status = read_seconds(reader, &row.seconds, err);
  times->failed += has_failed;
  return status == LS_OK ? ls_task_times_add(times, &row, err) : status;
}

enum ls_status ls_task_times_read_sacct(struct ls_task_times *times, struct ls_text text,
                                        struct ls_error *err) {
  struct reader reader = {.table = {.text = text, .separator = '|'}};
  bool is_there = true;
  ls_task_times_begin_file(times);
  enum ls_status status = ls_table_next(&reader.table, &is_there, err);
  if (status == LS_OK && !is_there)
    status = ls_fail(err, LS_EINVAL, "%s: is empty, expected what sacct --parsable2 writes",
                     text.source);
  if (status == LS_OK) status = read_heading(&reader, err);
  if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
  while (status == LS_OK && is_there) {
    status = read_line(&reader, times, err);
    if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
  }
  ls_table_close(&reader.table);
  return status;
}
