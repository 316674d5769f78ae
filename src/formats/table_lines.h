/* table_lines.h: lines of fields, as CSV, job logs and sacct have them, with their line numbers.
 *
 * A line ends with \n or \r\n. Where fields may stand in quotes, "" in them is one quote, and they
 * end in their line. Empty lines and, where the table has comments, those that begin with # are
 * passed over.  A refusal names file, line, field, value and what was expected.
 */
#ifndef LS_FORMATS_TABLE_LINES_H
#define LS_FORMATS_TABLE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "base/text.h"
#include "model/measurement.h"

enum { LS_TABLE_FIELDS_MAX = 256 };

/* Borrowed; no zero ends it, and only the last one of a table with zeros holds some. */
struct ls_table_field {
  const char *data;
  size_t length;
};

/* Starts as {.text, .separator, .has_quotes, .has_comments, .fields_most}. */
struct ls_table {
  struct ls_text text;
  char separator;
  bool has_quotes, has_comments; /* comments: lines that begin with # */
  bool has_spaced_comments;      /* those that are # alone, or go on with a space */
  size_t fields_most;            /* the last field takes the rest of the line; 0: no limit */
  bool has_zeros;                /* the last of fields_most fields may hold zero bytes */
  size_t at, line;               /* the next byte; the number of the present line, from 1 */
  struct ls_table_field fields[LS_TABLE_FIELDS_MAX];
  size_t count;
  struct ls_bytes unquoted; /* fields of the present line that stood in quotes */
};

/* The next line, if any; its fields are valid until the next call. LS_EINVAL: too many fields, a
 * quote that does not end, a zero byte. LS_ENOMEM. */
LS_CHECKED enum ls_status ls_table_next(struct ls_table *table, bool *is_there,
                                        struct ls_error *err);
void ls_table_close(struct ls_table *table);
/* Is it this word? */
bool ls_table_field_is(const struct ls_table_field *field, const char *word);
/* The present line is wrong: "FILE: line 3: units is "x", expected a number > 0". */
enum ls_status ls_table_refuse(const struct ls_table *table, const char *name, size_t field,
                               const char *expected, struct ls_error *err);
/* A number in the present line, in a field that is there; nothing else may stand in it but blanks
 * around. `expected` is what the message says. */
LS_CHECKED enum ls_status ls_table_real(const struct ls_table *table, const char *name,
                                        size_t field, double *number, struct ls_error *err);

/* Adds a measurement that the present line tells; a refusal names file and line. */
LS_CHECKED enum ls_status ls_table_measure(const struct ls_table *table,
                                           struct ls_measurements *measurements,
                                           const struct ls_measurement *measurement,
                                           struct ls_error *err);

#endif
