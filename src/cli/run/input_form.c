#include "cli/run/input_form.h"

#include <string.h>

static int read_hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Digits of a base, `most` at most; false: there are none. */
static bool read_code(const char **at, int base, int most, char *out) {
  int code = 0, digits = 0;
  for (; digits < most; digits++) {
    int digit = read_hexadecimal(**at);
    if (digit < 0 || digit >= base) break;
    code = base * code + digit;
    *at += 1;
  }
  *out = (char)code;
  return digits > 0;
}

/* Behind a backslash. */
static bool read_escape(const char **at, char *out) {
  static const char letters[] = "abfnrtv\\", characters[] = "\a\b\f\n\r\t\v\\";
  if (**at == 'x') {
    *at += 1;
    return read_code(at, 16, 2, out);
  }
  if (**at >= '0' && **at <= '7') return read_code(at, 8, 3, out);
  const char *place = **at == '\0' ? NULL : strchr(letters, **at);
  if (place == NULL) return false;
  *at += 1;
  *out = characters[place - letters];
  return true;
}

enum ls_status ls_input_form_read_stop(struct ls_input_form *form, const char *text,
                                       struct ls_error *err) {
  form->stop_length = 0;
  for (const char *at = text; *at != '\0';) {
    if (form->stop_length == LS_INPUT_STOP_MAX)
      return ls_fail(err, LS_EINVAL, "--delimiter is '%.40s...', expected at most %d characters",
                     text, LS_INPUT_STOP_MAX);
    char c = *at++;
    if (c == '\\' && !read_escape(&at, &c))
      return ls_fail(err, LS_EINVAL,
                     "--delimiter is '%s', expected characters, \\n, \\t, \\0, \\xHH or \\\\",
                     text);
    form->stop[form->stop_length++] = c;
  }
  return form->stop_length > 0
             ? LS_OK
             : ls_fail(err, LS_EINVAL, "--delimiter is empty, expected characters");
}

size_t ls_input_form_stop_bytes(const struct ls_input_form *form) {
  return form->stop_length == 0 ? 1 : form->stop_length;
}

/* A quote opens only where a field begins, and two of them within quotes are one. */
static bool cut_row(const struct ls_input_form *form, const char *data, size_t length,
                    struct ls_input_search *search, size_t *input_length) {
  char separator = form->csv_separator == '\0' ? ',' : form->csv_separator;
  for (; search->at < length; search->at++) {
    char c = data[search->at];
    if (c == '\n' && !search->is_quoted) {
      *input_length = search->at;
      return true;
    }
    bool begins = !search->is_inside && !search->is_quoted;
    bool turns = c == '"' && (begins || search->is_quoted || search->has_closed);
    search->has_closed = turns && search->is_quoted;
    if (turns) search->is_quoted = !search->is_quoted;
    search->is_inside = c != separator || search->is_quoted;
  }
  return false;
}

bool ls_input_form_cut(const struct ls_input_form *form, const char *data, size_t length,
                       struct ls_input_search *search, size_t *input_length) {
  if (form->is_csv) return cut_row(form, data, length, search, input_length);
  size_t stop_length = ls_input_form_stop_bytes(form);
  const char *stop = form->stop_length == 0 ? "\n" : form->stop;
  const char *place = NULL;
  if (length > search->at)
    place = stop_length == 1 ? memchr(data + search->at, stop[0], length - search->at)
                             : memmem(data + search->at, length - search->at, stop, stop_length);
  if (place != NULL) {
    *input_length = (size_t)(place - data);
    return true;
  }
  /* Its beginning may stand at the end. */
  if (length >= stop_length && length - stop_length + 1 > search->at)
    search->at = length - stop_length + 1;
  return false;
}

static bool is_blank(const char *data, size_t length) {
  for (size_t i = 0; i < length; i++)
    if (strchr(" \t\n\r\f\v", data[i]) == NULL || data[i] == '\0') return false;
  return true;
}

enum ls_input_fate ls_input_form_judge(const struct ls_input_form *form, const char *data,
                                       size_t length) {
  if (form->last != NULL && strlen(form->last) == length && memcmp(form->last, data, length) == 0)
    return LS_INPUT_LAST;
  return form->skips_blank && is_blank(data, length) ? LS_INPUT_SKIPPED : LS_INPUT_TAKEN;
}

enum ls_status ls_input_check(const struct ls_input *input, struct ls_error *err) {
  if (input->length == 0 || memchr(input->data, '\0', input->length) == NULL) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "%s: line %llu holds a zero byte, expected text (or -0 for values that end in "
                 "zero bytes)",
                 input->name, input->number);
}
