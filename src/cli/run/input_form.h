/* input_form.h: how a text is cut into inputs: lines, or what ends otherwise; rows of CSV.
 *
 * Files are cut when they are read, streams as they arrive: both with this.
 */
#ifndef LS_CLI_RUN_INPUT_FORM_H
#define LS_CLI_RUN_INPUT_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum { LS_INPUT_STOP_MAX = 64 };

/* {0}: lines. */
struct ls_input_form {
  char stop[LS_INPUT_STOP_MAX]; /* what ends an input, if it is no line end */
  size_t stop_length;           /* 0: a line end */
  bool is_csv;                  /* a line end between quotes ends nothing */
  char csv_separator;           /* 0: a comma */
  const char *last;             /* -E: an input that equals it ends its source; NULL: none */
  bool skips_blank;             /* -r: inputs of nothing but white space are none */
};

/* Where a search goes on when more has arrived; {0} at the beginning of an input. */
struct ls_input_search {
  size_t at;
  bool is_quoted, is_inside; /* CSV: between quotes; within a field */
  bool has_closed;           /* the quote before closed, or is half of two */
};

/* What becomes of an input. */
enum ls_input_fate { LS_INPUT_TAKEN, LS_INPUT_SKIPPED, LS_INPUT_LAST };

/* Reads --delimiter: one or more characters, among them \n, \t, \0, \\, \xHH. LS_EINVAL. */
LS_CHECKED enum ls_status ls_input_form_read_stop(struct ls_input_form *form, const char *text,
                                                  struct ls_error *err);
/* Does the input that begins at `data` end within `length` bytes? Its length. */
bool ls_input_form_cut(const struct ls_input_form *form, const char *data, size_t length,
                       struct ls_input_search *search, size_t *input_length);
/* Bytes of what ends an input. */
size_t ls_input_form_stop_bytes(const struct ls_input_form *form);
/* Is it taken, passed over, or the end of its source? */
enum ls_input_fate ls_input_form_judge(const struct ls_input_form *form, const char *data,
                                       size_t length);
/* An input that is taken, and where it is from. */
struct ls_input {
  const char *data;
  size_t length;
  const char *name;          /* of the file */
  unsigned long long number; /* from 1 */
};
/* LS_EINVAL: it holds a zero byte. */
LS_CHECKED enum ls_status ls_input_check(const struct ls_input *input, struct ls_error *err);

#endif
