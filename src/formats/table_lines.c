#include "formats/table_lines.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 64, SHOWN_BYTES = 48, SHORT_DIGITS = 15 };

static enum ls_status refuse_line(const struct ls_table *table, const char *what,
                                  struct ls_error *err) {
  return ls_fail(err, LS_EINVAL, "%s: line %zu: %s", table->text.source, table->line, what);
}

static bool can_add(const struct ls_table *table) {
  return table->count < LS_TABLE_FIELDS_MAX;
}

/* Reads a field in quotes at `*at`, which is then behind its closing quote. */
static enum ls_status read_quoted(struct ls_table *table, size_t *at, size_t end,
                                  struct ls_error *err) {
  const char *data = table->text.data;
  size_t start = table->unquoted.length;
  for (size_t i = *at + 1; i < end; i++) {
    if (data[i] != '"') {
      ls_bytes_append_char(&table->unquoted, data[i]);
    } else if (i + 1 < end && data[i + 1] == '"') {
      ls_bytes_append_char(&table->unquoted, data[i++]);
    } else {
      *at = i + 1;
      if (*at < end && data[*at] != table->separator)
        return refuse_line(table, "there is text after the quote that ends a field", err);
      /* The buffer may still move: until the line is read, a field knows where it begins only. */
      table->fields[table->count++] = (struct ls_table_field){NULL, table->unquoted.length - start};
      return LS_OK;
    }
  }
  return refuse_line(table, "a quote does not end in its line", err);
}

static void read_plain(struct ls_table *table, size_t *at, size_t end) {
  const char *data = table->text.data;
  bool is_last = table->count + 1 == table->fields_most;
  const char *stop = is_last ? NULL : memchr(data + *at, table->separator, end - *at);
  size_t length = stop == NULL ? end - *at : (size_t)(stop - data) - *at;
  table->fields[table->count++] = (struct ls_table_field){data + *at, length};
  *at += length;
}

/* Quoted fields stand one behind the other. */
static void place_quoted(struct ls_table *table) {
  size_t at = 0;
  for (size_t i = 0; i < table->count; i++) {
    struct ls_table_field *field = &table->fields[i];
    if (field->data != NULL) continue;
    field->data = ls_bytes_text(&table->unquoted) + at;
    at += field->length;
  }
}

static enum ls_status read_fields(struct ls_table *table, size_t at, size_t end,
                                  struct ls_error *err) {
  table->count = 0;
  ls_bytes_clear(&table->unquoted);
  for (;; at++) {
    if (!can_add(table)) return refuse_line(table, "it has more than 256 fields", err);
    if (table->has_quotes && at < end && table->text.data[at] == '"') {
      enum ls_status status = read_quoted(table, &at, end, err);
      if (status != LS_OK) return status;
    } else {
      read_plain(table, &at, end);
    }
    if (at >= end) break;
  }
  if (table->unquoted.failed)
    return ls_fail(err, LS_ENOMEM, "%s: no memory for a line", table->text.source);
  place_quoted(table);
  return LS_OK;
}

static bool is_comment(const struct ls_table *table, size_t start, size_t end) {
  const char *data = table->text.data;
  if (data[start] != '#') return false;
  bool is_spaced = end == start + 1 || data[start + 1] == ' ';
  return table->has_comments || (table->has_spaced_comments && is_spaced);
}

/* A job log has them in place of the line ends of a command. */
static bool may_have_zeros(const struct ls_table *table, size_t start) {
  const char *line = table->text.data + start;
  if (!table->has_zeros || table->count < table->fields_most) return false;
  size_t before = (size_t)(table->fields[table->count - 1].data - line);
  return memchr(line, '\0', before) == NULL;
}

enum ls_status ls_table_next(struct ls_table *table, bool *is_there, struct ls_error *err) {
  const char *data = table->text.data;
  while (table->at < table->text.length) {
    size_t start = table->at;
    const char *newline = memchr(data + start, '\n', table->text.length - start);
    size_t end = newline == NULL ? table->text.length : (size_t)(newline - data);
    table->at = end + 1;
    table->line++;
    if (end > start && data[end - 1] == '\r') end--;
    if (end == start || is_comment(table, start, end)) continue;
    *is_there = true;
    enum ls_status status = read_fields(table, start, end, err);
    bool has_zero = status == LS_OK && memchr(data + start, '\0', end - start) != NULL;
    if (has_zero && !may_have_zeros(table, start))
      return refuse_line(table, "it holds a zero byte, expected text", err);
    return status;
  }
  *is_there = false;
  return LS_OK;
}

void ls_table_close(struct ls_table *table) {
  ls_bytes_close(&table->unquoted);
}

bool ls_table_field_is(const struct ls_table_field *field, const char *word) {
  return strlen(word) == field->length && memcmp(word, field->data, field->length) == 0;
}

enum ls_status ls_table_refuse(const struct ls_table *table, const char *name, size_t field,
                               const char *expected, struct ls_error *err) {
  if (field >= table->count)
    return ls_fail(err, LS_EINVAL, "%s: line %zu: %s is missing, expected %s", table->text.source,
                   table->line, name, expected);
  const struct ls_table_field *value = &table->fields[field];
  char shown[SHOWN_BYTES + 4];
  size_t length = value->length < SHOWN_BYTES ? value->length : SHOWN_BYTES;
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)value->data[i];
    shown[i] = c < ' ' || c == 0x7f ? '?' : (char)c;
  }
  (void)snprintf(shown + length, 4, "%s", length < value->length ? "..." : "");
  return ls_fail(err, LS_EINVAL, "%s: line %zu: %s is \"%s\", expected %s", table->text.source,
                 table->line, name, shown, expected);
}

/* Digits with a point among them, few enough that the quotient of two exact numbers is the nearest
 * one to what is written: as strtod reads it, in a tenth of the time. */
static bool read_short(const char *text, size_t length, double *number) {
  static const double powers[] = {1,   1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  uint64_t digits = 0;
  size_t point = length;
  if (length > SHORT_DIGITS + 1 || length == 0 || text[0] == '.') return false;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '.' && point == length)
      point = i;
    else if (text[i] >= '0' && text[i] <= '9')
      digits = digits * 10 + (uint64_t)(text[i] - '0');
    else
      return false;
  }
  if (length == SHORT_DIGITS + 1 && point == length) return false;
  *number = (double)digits / powers[point == length ? 0 : length - point - 1];
  return true;
}

enum ls_status ls_table_real(const struct ls_table *table, const char *name, size_t field,
                             double *number, struct ls_error *err) {
  static const char expected[] = "a number";
  char text[NUMBER_BYTES];
  if (field >= table->count) return ls_table_refuse(table, name, field, expected, err);
  const struct ls_table_field *value = &table->fields[field];
  const char *from = value->data, *to = value->data + value->length;
  while (from < to && *from == ' ') from++;
  while (to > from && to[-1] == ' ') to--;
  size_t length = (size_t)(to - from);
  if (read_short(from, length, number)) return LS_OK;
  if (length == 0 || length >= sizeof text)
    return ls_table_refuse(table, name, field, expected, err);
  memcpy(text, from, length);
  text[length] = '\0';
  /* No word such as "inf", and no hexadecimal number. */
  if (strspn(text, "0123456789+-.eE") != length)
    return ls_table_refuse(table, name, field, expected, err);
  char *end = NULL;
  *number = strtod(text, &end);
  if (end != text + length || !isfinite(*number))
    return ls_table_refuse(table, name, field, expected, err);
  return LS_OK;
}

enum ls_status ls_table_measure(const struct ls_table *table, struct ls_measurements *measurements,
                                const struct ls_measurement *measurement, struct ls_error *err) {
  enum ls_status status = ls_measurements_add(measurements, measurement, err);
  if (status == LS_OK) return LS_OK;
  return ls_fail_while(err, status, "%s: line %zu", table->text.source, table->line);
}
