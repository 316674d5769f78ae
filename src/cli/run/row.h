/* row.h: the inputs of a task as columns, without the blanks around them.
 *
 * What a task's inputs are (lines, rows of a table) stays as it was read, in memory and in a
 * journal; this is done when a command is made of them.
 */
#ifndef LS_CLI_RUN_ROW_H
#define LS_CLI_RUN_ROW_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/pattern.h"

/* {0}: each input is one value, as it is. */
struct ls_row_form {
  struct ls_pattern *columns; /* --colsep: what is between columns; NULL: nothing is */
  bool is_csv;                /* columns as RFC 4180 has them */
  char separator;             /* of these; 0: a comma */
  bool trims_left, trims_right;
};

/* Starts as {0}; storage is kept between calls. */
struct ls_row {
  struct ls_bytes text;
  const char **values; /* count entries, of text */
  size_t count;
  size_t *begins; /* where those of each input begin, and the end: inputs + 1 entries */
  size_t *offsets;
  size_t values_capacity, begins_capacity, offsets_capacity;
};

bool ls_row_form_is_plain(const struct ls_row_form *form);
/* LS_EINVAL: a row is no CSV, or the expression takes too long. */
LS_CHECKED enum ls_status ls_row_make(const struct ls_row_form *form, const char *const *inputs,
                                      size_t inputs_count, struct ls_row *row,
                                      struct ls_error *err);
void ls_row_close(struct ls_row *row);

#endif
