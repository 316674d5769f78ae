#include "cli/run/substituted_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/console.h"
#include "cli/run/letter_case.h"

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static enum ls_status add_piece(struct ls_substituted_text *out, struct ls_text_piece piece,
                                struct ls_error *err) {
  void *pieces = out->pieces;
  if (ls_array_reserve(&pieces, &out->capacity, out->count + 1, sizeof *out->pieces) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for a substitution");
  out->pieces = pieces;
  out->pieces[out->count++] = piece;
  return LS_OK;
}

/* Literal characters that follow each other are one piece. */
static enum ls_status add_literal(struct ls_substituted_text *out, char c, struct ls_error *err) {
  size_t begin = out->literals.length;
  ls_bytes_append_char(&out->literals, c);
  struct ls_text_piece *last = out->count > 0 ? &out->pieces[out->count - 1] : NULL;
  if (last != NULL && last->action == LS_TEXT_LITERAL) {
    last->length++;
    return LS_OK;
  }
  return add_piece(out, (struct ls_text_piece){.action = LS_TEXT_LITERAL, begin, 1, 0}, err);
}

/* The character that \ and this letter stand for; the letter itself: none. */
static char find_escape(char letter) {
  static const char letters[] = "ntrfae", characters[] = "\n\t\r\f\a\033";
  const char *place = strchr(letters, letter);
  return letter == '\0' || place == NULL ? letter : characters[place - letters];
}

static int read_digit(char c) {
  static const char digits[] = "0123456789abcdef";
  const char *place = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c);
  return place == NULL ? -1 : (int)(place - digits);
}

/* \x41 */
static enum ls_status add_hexadecimal(struct ls_substituted_text *out, const char **at,
                                      struct ls_error *err) {
  int code = 0, digits = 0;
  for (; digits < 2 && read_digit(**at) >= 0; digits++) code = 16 * code + read_digit(*(*at)++);
  return add_literal(out, (char)code, err);
}

/* Behind a backslash, at `*at`. */
static enum ls_status add_escaped(struct ls_substituted_text *out, const char **at,
                                  struct ls_error *err) {
  static const char letters[] = "ULulE";
  char letter = **at;
  if (letter == '\0') return add_literal(out, '\\', err);
  *at += 1;
  const char *place = strchr(letters, letter);
  if (place != NULL) {
    static const enum ls_text_action actions[] = {LS_TEXT_UPPER, LS_TEXT_LOWER, LS_TEXT_UPPER_NEXT,
                                                  LS_TEXT_LOWER_NEXT, LS_TEXT_END};
    return add_piece(out, (struct ls_text_piece){.action = actions[place - letters]}, err);
  }
  if (letter == 'x') return add_hexadecimal(out, at, err);
  if (letter >= '1' && letter <= '9')
    return add_piece(
        out, (struct ls_text_piece){.action = LS_TEXT_GROUP, .group = (size_t)(letter - '0')}, err);
  return add_literal(out, find_escape(letter), err);
}

/* Behind a dollar: the group that is named there, and its length; 0: a mere dollar. */
static size_t read_group(const char *text, size_t *group) {
  size_t has_brace = text[0] == '{';
  const char *next = text + has_brace;
  *group = 0;
  if (text[0] == '&') return 1;
  if (!is_digit(*next)) return 0;
  while (is_digit(*next) && *group < 100000) *group = 10 * *group + (size_t)(*next++ - '0');
  if (has_brace == 1 && *next++ != '}') return 0;
  return (size_t)(next - text);
}

enum ls_status ls_substituted_text_compile(const char *field, const char *text, size_t groups,
                                           struct ls_substituted_text *out, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (const char *at = text; *at != '\0' && status == LS_OK;) {
    char c = *at++;
    size_t group = 0, length = c == '$' ? read_group(at, &group) : 0;
    if (c == '\\') {
      status = add_escaped(out, &at, err);
    } else if (length > 0) {
      at += length;
      status = add_piece(out, (struct ls_text_piece){.action = LS_TEXT_GROUP, .group = group}, err);
    } else if (c == '$' && (is_letter(*at) || *at == '$' || *at == '{')) {
      status = ls_fail(err, LS_EINVAL,
                       "%s: '%.60s' names a variable of Perl, expected text, $1 or $& (\\$ is a "
                       "dollar)",
                       field, text);
    } else {
      status = add_literal(out, c, err);
    }
  }
  for (size_t i = 0; i < out->count && status == LS_OK; i++)
    if (out->pieces[i].group > groups)
      status = ls_fail(err, LS_EINVAL, "%s: '%.60s' names group %zu of an expression with %zu",
                       field, text, out->pieces[i].group, groups);
  if (status == LS_OK && out->literals.failed)
    status = ls_fail(err, LS_ENOMEM, "out of memory for a substitution");
  return status;
}

/* Upper and lower case as they are asked for, of the next character and from here on. */
struct cases {
  enum ls_letter_case all, next;
};

static void append_part(const char *text, size_t length, struct cases *cases,
                        struct ls_bytes *out) {
  size_t first = cases->next == LS_CASE_KEPT ? 0 : ls_letter_case_first(text, length);
  ls_letter_case_append(text, first, cases->next, out);
  ls_letter_case_append(text + first, length - first, cases->all, out);
  if (first > 0) cases->next = LS_CASE_KEPT;
}

void ls_substituted_text_append(const struct ls_substituted_text *text,
                                const struct ls_pattern *pattern, struct ls_subject subject,
                                struct ls_bytes *out) {
  struct cases cases = {LS_CASE_KEPT, LS_CASE_KEPT};
  for (size_t i = 0; i < text->count; i++) {
    const struct ls_text_piece *piece = &text->pieces[i];
    struct ls_match group;
    switch (piece->action) {
      case LS_TEXT_LITERAL:
        append_part(text->literals.data + piece->begin, piece->length, &cases, out);
        break;
      case LS_TEXT_GROUP:
        group = ls_pattern_group(pattern, piece->group);
        if (group.is_found)
          append_part(subject.data + group.begin, group.end - group.begin, &cases, out);
        break;
      case LS_TEXT_UPPER:
        cases.all = LS_CASE_UPPER;
        break;
      case LS_TEXT_LOWER:
        cases.all = LS_CASE_LOWER;
        break;
      case LS_TEXT_UPPER_NEXT:
        cases.next = LS_CASE_UPPER;
        break;
      case LS_TEXT_LOWER_NEXT:
        cases.next = LS_CASE_LOWER;
        break;
      case LS_TEXT_END:
        cases = (struct cases){LS_CASE_KEPT, LS_CASE_KEPT};
        break;
    }
  }
}

void ls_substituted_text_close(struct ls_substituted_text *text) {
  free(text->pieces);
  ls_bytes_close(&text->literals);
  *text = (struct ls_substituted_text){0};
}
