#include "formats/sacct_lines.h"

#include <ctype.h>
#include <string.h>

/* The first line that is not empty. */
static struct ls_text find_line(struct ls_text text) {
  const char *line = text.data, *end = text.data + text.length;
  while (line < end && (*line == '\n' || *line == '\r')) line++;
  const char *stop = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
  size_t length = (size_t)((stop == NULL ? end : stop) - line);
  if (length > 0 && line[length - 1] == '\r') length--;
  return (struct ls_text){line, length, text.source};
}

/* A name that no other file has in its heading. */
static bool is_name(const char *field, size_t length) {
  static const char *const names[] = {"JobID",   "JobIDRaw",   "JobName",
                                      "Elapsed", "ElapsedRaw", "NodeList"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (length == strlen(names[i]) && memcmp(field, names[i], length) == 0) return true;
  return false;
}

/* What stands between the names; 0: this is no heading. */
static char read_heading(struct ls_text line) {
  const char *at = line.data, *end = line.data + line.length;
  bool has_name = false;
  char separator = '\0';
  while (at < end && *at == ' ') at++;
  if (at == end || !isalnum((unsigned char)*at)) return '\0';
  for (; at < end; at++) {
    const char *field = at;
    while (at < end && isalnum((unsigned char)*at)) at++;
    has_name = has_name || is_name(field, (size_t)(at - field));
    if (at == end) break;
    if (separator == '\0') separator = *at;
    if (*at != separator) return '\0';
  }
  return !has_name ? '\0' : separator == '\0' ? '|' : separator;
}

/* 17, 17_4, 17_[5-9], 17.batch or 17+0, and a bar. */
static bool is_job(struct ls_text line) {
  size_t digits = 0;
  while (digits < line.length && isdigit((unsigned char)line.data[digits])) digits++;
  const char *bar = memchr(line.data, '|', line.length);
  return digits > 0 && bar != NULL && strchr("|_.+", line.data[digits]) != NULL;
}

bool ls_sacct_is_ours(struct ls_text text) {
  struct ls_text line = find_line(text);
  return line.length > 0 && (read_heading(line) != '\0' || is_job(line));
}

enum ls_status ls_sacct_find_separator(struct ls_text text, char *separator, struct ls_error *err) {
  struct ls_text line = find_line(text);
  *separator = line.length > 0 ? read_heading(line) : '|';
  if (*separator == ' ')
    return ls_fail(err, LS_EINVAL,
                   "%s: blanks divide its columns, expected what sacct --parsable2 writes",
                   text.source);
  if (*separator != '\0') return LS_OK;
  *separator = '|';
  if (!is_job(line)) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s: it begins with a job, expected the heading, which sacct writes without "
                 "--noheader",
                 text.source);
}
