/* task_times_list.c: a task on each line, perhaps with its size before it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/table_lines.h"
#include "formats/task_times_text.h"

/* Splits "  123\tname", as du and wc write it. */
static void split_size(const struct ls_table_field *line, struct ls_table_field parts[2]) {
  const char *at = line->data, *end = line->data + line->length;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  const char *number = at;
  while (at < end && *at != ' ' && *at != '\t') at++;
  parts[0] = (struct ls_table_field){number, (size_t)(at - number)};
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  parts[1] = (struct ls_table_field){at, (size_t)(end - at)};
}

static enum ls_status read_line(struct ls_table *table, bool has_sizes, struct ls_task_times *times,
                                struct ls_error *err) {
  struct ls_task_times_row row = {.seconds = (double)NAN, .source = table->text.source};
  char where[32];
  if (has_sizes) {
    split_size(&table->fields[0], table->fields);
    table->count = table->fields[1].length > 0 ? 2 : 1;
    enum ls_status status = ls_table_real(table, "the size", 0, &row.size, err);
    if (status == LS_OK && !(row.size >= 0))
      status = ls_table_refuse(table, "the size", 0, "a number >= 0", err);
    if (status == LS_OK && table->count < 2)
      status = ls_table_refuse(table, "the name", 1, "the name of a task after its size", err);
    if (status != LS_OK) return status;
    row.has_size = true;
  }
  row.name = table->fields[has_sizes].data;
  row.length = table->fields[has_sizes].length;
  (void)snprintf(where, sizeof where, "line %zu", table->line);
  row.where = where;
  return ls_task_times_add(times, &row, err);
}

enum ls_status ls_task_times_read_list(struct ls_task_times *times, struct ls_text text,
                                       bool has_sizes, struct ls_error *err) {
  struct ls_table table = {.text = text, .separator = '\n', .fields_most = 1};
  bool is_there = true;
  ls_task_times_begin_file(times);
  enum ls_status status = ls_table_next(&table, &is_there, err);
  while (status == LS_OK && is_there) {
    status = read_line(&table, has_sizes, times, err);
    if (status == LS_OK) status = ls_table_next(&table, &is_there, err);
  }
  ls_table_close(&table);
  return status;
}
