/* task_times_csv.c: names and times of tasks in columns. */
#include <math.h>
#include <stdio.h>

#include "formats/table_lines.h"
#include "formats/task_times_text.h"

enum column { NAME, SECONDS, SIZE, COLUMNS };

static const char *const names[COLUMNS] = {"name", "seconds", "size"};
/* What a heading may call them. */
static const char *const headings[COLUMNS][6] = {{"name", "task", "test", "command", "file", NULL},
                                                 {"seconds", "time", "duration", "time_s", NULL},
                                                 {"size", "bytes", NULL}};
static const char EXPECTED[] = "name, and seconds or size or both";

struct reader {
  struct ls_table table;
  size_t columns[COLUMNS]; /* SIZE_MAX: there is none */
  bool has_heading;
};

static size_t find_column(const struct ls_table_field *field) {
  for (size_t i = 0; i < COLUMNS; i++)
    for (size_t k = 0; headings[i][k] != NULL; k++)
      if (ls_table_field_is(field, headings[i][k])) return i;
  return COLUMNS;
}

/* A heading names the task and a number of it; a task may well be called "test". */
static bool is_heading(const struct ls_table *table) {
  bool has[COLUMNS + 1] = {false};
  for (size_t i = 0; i < table->count; i++) has[find_column(&table->fields[i])] = true;
  return has[NAME] && (has[SECONDS] || has[SIZE]);
}

bool ls_task_times_is_csv(const char *line, size_t length) {
  struct ls_table table = {
      .text = {line, length, ""}, .separator = ',', .has_quotes = true, .has_comments = true};
  bool is_there = false;
  bool is_csv = ls_table_next(&table, &is_there, NULL) == LS_OK && is_there && is_heading(&table);
  ls_table_close(&table);
  return is_csv;
}

static enum ls_status read_heading(struct reader *reader, struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  for (size_t i = 0; i < COLUMNS; i++) reader->columns[i] = SIZE_MAX;
  for (size_t i = 0; i < table->count; i++) {
    size_t column = find_column(&table->fields[i]);
    if (column == COLUMNS) continue;
    if (reader->columns[column] != SIZE_MAX)
      return ls_fail(err, LS_EINVAL, "%s: line %zu: the heading has two columns of %s, expected %s",
                     table->text.source, table->line, names[column], EXPECTED);
    reader->columns[column] = i;
  }
  reader->has_heading = true;
  return LS_OK;
}

/* An empty field, or none where there is no such column, leaves the number as it is. */
static enum ls_status read_number(const struct reader *reader, enum column column, double *number,
                                  struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  size_t at = reader->columns[column];
  if (at == SIZE_MAX) return LS_OK;
  if (at >= table->count && !reader->has_heading && column == SIZE) return LS_OK;
  if (at < table->count && table->fields[at].length == 0) return LS_OK;
  enum ls_status status = ls_table_real(table, names[column], at, number, err);
  if (status == LS_OK && !(*number >= 0))
    status = ls_table_refuse(table, names[column], at, "a number >= 0", err);
  return status;
}

static enum ls_status read_line(const struct reader *reader, struct ls_task_times *times,
                                struct ls_error *err) {
  const struct ls_table *table = &reader->table;
  struct ls_task_times_row row = {.seconds = (double)NAN, .source = table->text.source};
  char where[32];
  size_t at = reader->columns[NAME];
  if (at >= table->count || table->fields[at].length == 0)
    return ls_table_refuse(table, names[NAME], at, "the name of a task", err);
  enum ls_status status = read_number(reader, SECONDS, &row.seconds, err);
  double size = (double)NAN;
  if (status == LS_OK) status = read_number(reader, SIZE, &size, err);
  row.has_size = !isnan(size);
  if (row.has_size) row.size = size;
  if (status == LS_OK && !reader->has_heading && table->count > COLUMNS)
    status = ls_table_refuse(table, "a fourth field", COLUMNS, EXPECTED, err);
  if (status != LS_OK) return status;
  row.name = table->fields[at].data;
  row.length = table->fields[at].length;
  (void)snprintf(where, sizeof where, "line %zu", table->line);
  row.where = where;
  return ls_task_times_add(times, &row, err);
}

enum ls_status ls_task_times_read_csv(struct ls_task_times *times, struct ls_text text,
                                      struct ls_error *err) {
  struct reader reader = {
      .table = {.text = text, .separator = ',', .has_quotes = true, .has_comments = true},
      .columns = {NAME, SECONDS, SIZE}};
  bool is_there = true, is_first = true;
  ls_task_times_begin_file(times);
  enum ls_status status = ls_table_next(&reader.table, &is_there, err);
  while (status == LS_OK && is_there) {
    status = is_first && is_heading(&reader.table) ? read_heading(&reader, err)
                                                   : read_line(&reader, times, err);
    is_first = false;
    /* From here on a name may begin with #. */
    reader.table.has_comments = false;
    reader.table.has_spaced_comments = true;
    if (status == LS_OK) status = ls_table_next(&reader.table, &is_there, err);
  }
  ls_table_close(&reader.table);
  return status;
}
