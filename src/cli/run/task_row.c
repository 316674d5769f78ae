#include "cli/run/task_row.h"

#include <stdlib.h>

#include "base/array.h"

enum ls_status ls_task_row_read(struct ls_task_row *row, const struct ls_task_source *source,
                                uint64_t task, struct ls_template_task *facts,
                                struct ls_error *err) {
  void *inputs = row->inputs;
  size_t count = ls_task_source_values_count(source), hosts = source->has_hosts;
  if (ls_array_reserve(&inputs, &row->capacity, count + 1, sizeof *row->inputs) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for input values");
  row->inputs = inputs;
  enum ls_status status = ls_task_source_values(source, task, row->inputs, err);
  if (status != LS_OK) return status;
  while (count > 0 && row->inputs[count - 1] == NULL) count--;
  row->count = count;
  *facts = (struct ls_template_task){.values = row->inputs + hosts,
                                     .values_count = count - hosts,
                                     .sequence = ls_task_source_sequence(source, task),
                                     .tasks = ls_task_source_tasks(source),
                                     .slot = 1};
  if (source->rows == NULL) return LS_OK;
  status = ls_row_make(source->rows, facts->values, count - hosts, &row->columns, err);
  facts->values = row->columns.values;
  facts->values_count = row->columns.count;
  facts->begins = row->columns.begins;
  return status;
}

void ls_task_row_close(struct ls_task_row *row) {
  ls_row_close(&row->columns);
  free(row->inputs);
  *row = (struct ls_task_row){0};
}
