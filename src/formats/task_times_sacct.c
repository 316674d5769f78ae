/* task_times_sacct.c: jobs and their times from Slurm's accounting, as sacct --parsable2 writes it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/elapsed.h"
#include "formats/sacct_lines.h"
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
  for (size_t i = 0; i < reader->table.count && !has(reader, JOB); i++)
    if (ls_table_field_is(&reader->table.fields[i], "JobIDRaw")) reader->columns[JOB] = i;
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

/* Of an element of an array, 17_4: _4; the others of the array have the same name. */
static const char *find_element(const struct reader *reader, size_t *length) {
  const struct ls_table_field none = {"", 0};
  const struct ls_table_field *job =
      has(reader, JOB) ? &reader->table.fields[reader->columns[JOB]] : &none;
  const char *bar = memchr(job->data, '_', job->length);
  *length = bar == NULL ? 0 : job->length - (size_t)(bar - job->data);
  return bar;
}

/* The job's name, and, where each name must stand once, which element of an array it is. */
static void write_name(const struct reader *reader, const struct ls_table_field *name,
                       enum ls_same_names rule, struct ls_bytes *out) {
  size_t length = 0;
  const char *element = find_element(reader, &length);
  ls_bytes_append(out, name->data, name->length);
  if (has(reader, JOB_NAME) && length > 0 && rule == LS_SAME_NAMES_REFUSE)
    ls_bytes_append(out, element, length);
}

/* Elements that have not begun have one line together, 17_[5-9]. */
static bool is_range(const struct reader *reader) {
  size_t length = 0;
  const char *element = find_element(reader, &length);
  return length > 1 && element[1] == '[';
}

static enum ls_status add_job(const struct reader *reader, struct ls_bytes *name,
                              struct ls_task_times *times, struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  char where[32];
  (void)snprintf(where, sizeof where, "line %zu", table->line);
  struct ls_task_times_row row = {.name = ls_bytes_text(name),
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

static enum ls_status read_line(const struct reader *reader, struct ls_task_times *times,
                                struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  if (table->count != reader->fields)
    return ls_fail(err, LS_EINVAL, "%s: line %zu: it has %zu fields, expected %zu as the heading",
                   table->text.source, table->line, table->count, reader->fields);
  if (is_step(reader) || is_range(reader)) return LS_OK;
  enum column called = has(reader, JOB_NAME) ? JOB_NAME : JOB;
  const struct ls_table_field *name = &table->fields[reader->columns[called]];
  if (name->length == 0)
    return ls_table_refuse(table, names[called], reader->columns[called], "a name", err);
  struct ls_bytes called_so = {0};
  write_name(reader, name, times->same_names, &called_so);
  if (called_so.failed) return ls_fail(err, LS_ENOMEM, "%s: out of memory", table->text.source);
  enum ls_status status = add_job(reader, &called_so, times, err);
  ls_bytes_close(&called_so);
  return status;
}

enum ls_status ls_task_times_read_sacct(struct ls_task_times *times, struct ls_text text,
                                        struct ls_error *err) {
  struct reader reader = {.table = {
                              .text = text,
                          }};
  bool is_there = true;
  ls_task_times_begin_file(times);
  enum ls_status status = ls_sacct_find_separator(text, &reader.table.separator, err);
  if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
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
