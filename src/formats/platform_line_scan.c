/* platform_line_scan.c: numbers, words and signs of a platform in one line. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_line_private.h"

void ls_line_skip_blanks(struct ls_line *line) {
  while (line->at < line->text.length && strchr(" \t\r\n", line->text.data[line->at]) != NULL &&
         line->text.data[line->at] != '\0')
    line->at++;
  assert(line->at <= line->text.length);
}

char ls_line_peek(const struct ls_line *line) {
  assert(line->at <= line->text.length);
  return line->at < line->text.length ? line->text.data[line->at] : '\0';
}

bool ls_line_take(struct ls_line *line, char c) {
  ls_line_skip_blanks(line);
  if (line->at >= line->text.length || line->text.data[line->at] != c) return false;
  line->at++;
  return true;
}

enum ls_status ls_line_refuse(const struct ls_line *line, size_t at, const char *expected,
                              struct ls_error *err) {
  char shown[24];
  size_t used = 0;
  for (size_t i = at; i < line->text.length && used < sizeof shown - 4; i++) {
    char c = line->text.data[i];
    shown[used++] = c < 0x20 || c > 0x7e ? '?' : c;
  }
  assert(used < sizeof shown);
  bool is_cut = at + used < line->text.length;
  shown[used] = '\0';
  if (at >= line->text.length)
    return ls_fail(err, LS_EINVAL, "%s: column %zu: the text ends, expected %s", line->text.source,
                   at + 1, expected);
  return ls_fail(err, LS_EINVAL, "%s: column %zu: found '%s%s', expected %s", line->text.source,
                 at + 1, shown, is_cut ? "..." : "", expected);
}

bool ls_line_is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* strtod would take "0x1" for hexadecimal, "inf" and "nan". */
size_t ls_line_measure_number(const struct ls_line *line) {
  assert(line->at <= line->text.length);
  const char *text = line->text.data + line->at;
  size_t left = line->text.length - line->at, count = 0, digits = 0;
  bool has_point = false;
  for (; count < left && (ls_line_is_digit(text[count]) || (text[count] == '.' && !has_point));
       count++) {
    if (text[count] == '.')
      has_point = true;
    else
      digits++;
  }
  if (digits == 0) return 0;
  size_t mark = count;
  if (mark < left && (text[mark] == 'e' || text[mark] == 'E')) {
    mark++;
    if (mark < left && (text[mark] == '+' || text[mark] == '-')) mark++;
    size_t first = mark;
    while (mark < left && ls_line_is_digit(text[mark])) mark++;
    if (mark > first) count = mark;
  }
  assert(count <= left);
  return count;
}

enum ls_status ls_line_read_number(struct ls_line *line, const char *expected, double *number,
                                   struct ls_error *err) {
  ls_line_skip_blanks(line);
  size_t count = ls_line_measure_number(line);
  char word[LS_LINE_WORD_BYTES];
  if (count == 0 || count >= sizeof word) return ls_line_refuse(line, line->at, expected, err);
  memcpy(word, line->text.data + line->at, count);
  word[count] = '\0';
  double value = strtod(word, NULL);
  if (!isfinite(value)) return ls_line_refuse(line, line->at, "a number that is finite", err);
  /* A sign is no part of a number here. */
  assert(value >= 0);
  *number = value;
  line->at += count;
  assert(line->at <= line->text.length);
  return LS_OK;
}

/* Letters, digits and signs that names of hosts hold. */
static bool is_word_character(char c) {
  return ls_line_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c != '\0' && strchr("-_.:/@#[]", c) != NULL);
}

enum ls_status ls_line_read_word(struct ls_line *line, const char *expected,
                                 char word[LS_LINE_WORD_BYTES], struct ls_error *err) {
  ls_line_skip_blanks(line);
  size_t count = 0;
  while (line->at + count < line->text.length &&
         is_word_character(line->text.data[line->at + count]))
    count++;
  if (count == 0 || count >= LS_LINE_WORD_BYTES)
    return ls_line_refuse(line, line->at, expected, err);
  memcpy(word, line->text.data + line->at, count);
  word[count] = '\0';
  line->at += count;
  return LS_OK;
}
