#include "cli/run/row.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/console.h"

bool ls_row_form_is_plain(const struct ls_row_form *form) {
  return form->columns == NULL && !form->is_csv && !form->trims_left && !form->trims_right;
}

static bool is_blank(char c) {
  return c != '\0' && strchr(" \t\n\r\f\v", c) != NULL;
}

static enum ls_status begin_value(struct ls_row *row, struct ls_error *err) {
  void *offsets = row->offsets;
  if (ls_array_reserve(&offsets, &row->offsets_capacity, row->count + 1, sizeof *row->offsets) !=
      LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for columns");
  row->offsets = offsets;
  row->offsets[row->count++] = row->text.length;
  return LS_OK;
}

/* A column that begins at the end of the text so far. */
static enum ls_status add_value(const struct ls_row_form *form, const char *data, size_t length,
                                struct ls_row *row, struct ls_error *err) {
  enum ls_status status = begin_value(row, err);
  while (form->trims_left && length > 0 && is_blank(*data)) {
    data++;
    length--;
  }
  while (form->trims_right && length > 0 && is_blank(data[length - 1])) length--;
  ls_bytes_append(&row->text, data, length);
  ls_bytes_append_char(&row->text, '\0');
  return status;
}

/* As Perl's split does it: an empty match leaves no empty column. */
static enum ls_status split(const struct ls_row_form *form, struct ls_subject input,
                            struct ls_row *row, struct ls_error *err) {
  size_t begin = 0;
  struct ls_match match;
  enum ls_status status = ls_pattern_find(form->columns, input, 0, &match, err);
  while (status == LS_OK && match.is_found) {
    bool is_edge = match.begin == match.end && (match.begin == begin || match.end == input.length);
    if (!is_edge) {
      status = add_value(form, input.data + begin, match.begin - begin, row, err);
      begin = match.end;
    }
    if (status == LS_OK) status = ls_pattern_find_next(form->columns, input, &match, err);
  }
  return status == LS_OK ? add_value(form, input.data + begin, input.length - begin, row, err)
                         : status;
}

static enum ls_status refuse_row(const char *input, const char *what, struct ls_error *err) {
  char shown[96];
  ls_console_show(input, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL, "'%s' is no row of CSV: %s", shown, what);
}

/* A field in quotes, from the first of them on; its end, behind the last one. */
static enum ls_status read_quoted(const char *input, size_t *at, struct ls_row *row,
                                  struct ls_error *err) {
  enum ls_status status = begin_value(row, err);
  for (*at += 1; input[*at] != '\0'; *at += 1) {
    if (input[*at] == '"' && input[*at + 1] != '"') {
      *at += 1;
      ls_bytes_append_char(&row->text, '\0');
      return status;
    }
    if (input[*at] == '"') *at += 1;
    ls_bytes_append_char(&row->text, input[*at]);
  }
  return refuse_row(input, "a quote does not end", err);
}

static enum ls_status split_csv(const struct ls_row_form *form, const char *input,
                                struct ls_row *row, struct ls_error *err) {
  char separator = form->separator == '\0' ? ',' : form->separator;
  size_t length = strlen(input);
  /* \r\n ends a row; what cut it took the \n. */
  if (length > 0 && input[length - 1] == '\r') length--;
  for (size_t at = 0;; at++) {
    enum ls_status status;
    if (input[at] == '"' && at < length) {
      status = read_quoted(input, &at, row, err);
    } else {
      const char *stop = memchr(input + at, separator, length - at);
      size_t end = stop == NULL ? length : (size_t)(stop - input);
      status = add_value(form, input + at, end - at, row, err);
      at = end;
    }
    if (status != LS_OK || at >= length) return status;
    if (input[at] != separator)
      return refuse_row(input, "there is text after the quote that ends a field", err);
  }
}

static enum ls_status add_input(const struct ls_row_form *form, const char *input,
                                struct ls_row *row, struct ls_error *err) {
  struct ls_subject subject = {input, strlen(input)};
  if (form->is_csv) return split_csv(form, input, row, err);
  return form->columns != NULL ? split(form, subject, row, err)
                               : add_value(form, input, subject.length, row, err);
}

/* Makes the pointers, now that the text stands still. */
static enum ls_status point_values(struct ls_row *row, struct ls_error *err) {
  void *values = row->values;
  if (row->text.failed ||
      ls_array_reserve(&values, &row->values_capacity, row->count, sizeof *row->values) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for columns");
  row->values = values;
  for (size_t i = 0; i < row->count; i++) row->values[i] = row->text.data + row->offsets[i];
  return LS_OK;
}

enum ls_status ls_row_make(const struct ls_row_form *form, const char *const *inputs,
                           size_t inputs_count, struct ls_row *row, struct ls_error *err) {
  void *begins = row->begins;
  ls_bytes_clear(&row->text);
  row->count = 0;
  if (ls_array_reserve(&begins, &row->begins_capacity, inputs_count + 1, sizeof *row->begins) !=
      LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for columns");
  row->begins = begins;
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < inputs_count && status == LS_OK; i++) {
    row->begins[i] = row->count;
    status = add_input(form, inputs[i], row, err);
  }
  row->begins[inputs_count] = row->count;
  return status == LS_OK ? point_values(row, err) : status;
}

void ls_row_close(struct ls_row *row) {
  ls_bytes_close(&row->text);
  free(row->values);
  free(row->begins);
  free(row->offsets);
  *row = (struct ls_row){0};
}
