#include "cli/run/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "cli/console.h"

struct ls_pattern {
  char *text, *field; /* for messages */
  pcre2_code *code;
  pcre2_match_data *found;
  bool is_wide; /* characters may have several bytes */
};

enum { FAILURE_BYTES = 128, SHOWN_BYTES = 96 };

static enum ls_status refuse(const char *field, const char *text, int code, size_t place,
                             struct ls_error *err) {
  PCRE2_UCHAR why[FAILURE_BYTES] = "";
  (void)pcre2_get_error_message(code, why, sizeof why);
  char shown[SHOWN_BYTES];
  ls_console_show(text, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL, "%s is '%s', expected a regular expression: %s at character %zu",
                 field, shown, (const char *)why, place + 1);
}

static pcre2_code *compile(const char *text, uint32_t options, int *why, size_t *place) {
  PCRE2_SIZE at = 0;
  pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, strlen(text), options, why, &at, NULL);
  *place = at;
  return code;
}

/* An expression that is no UTF-8 itself can only mean bytes. */
static enum ls_status compile_code(struct ls_pattern *pattern, struct ls_pattern_traits traits,
                                   struct ls_error *err) {
  const uint32_t characters = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF;
  uint32_t options = (traits.ignores_case ? PCRE2_CASELESS : 0) |
                     (traits.is_reluctant ? PCRE2_UNGREEDY : 0) | PCRE2_NEVER_BACKSLASH_C;
  int why = 0;
  size_t place = 0;
  pattern->is_wide = !traits.is_binary;
  pattern->code =
      compile(pattern->text, options | (pattern->is_wide ? characters : 0), &why, &place);
  bool is_no_text = why <= PCRE2_ERROR_UTF8_ERR1 && why >= PCRE2_ERROR_UTF8_ERR21;
  if (pattern->code == NULL && is_no_text) {
    pattern->is_wide = false;
    pattern->code = compile(pattern->text, options, &why, &place);
  }
  if (pattern->code == NULL) return refuse(pattern->field, pattern->text, why, place, err);
  /* Data by the gigabyte is worth machine code; where there is none, the same is found. */
  if (traits.is_binary) (void)pcre2_jit_compile(pattern->code, PCRE2_JIT_COMPLETE);
  pattern->found = pcre2_match_data_create_from_pattern(pattern->code, NULL);
  return pattern->found == NULL
             ? ls_fail(err, LS_ENOMEM, "%s: out of memory for the expression", pattern->field)
             : LS_OK;
}

enum ls_status ls_pattern_compile(const char *field, const char *text,
                                  struct ls_pattern_traits traits, struct ls_pattern **out,
                                  struct ls_error *err) {
  struct ls_pattern *pattern = calloc(1, sizeof *pattern);
  if (pattern != NULL) *pattern = (struct ls_pattern){.text = strdup(text), .field = strdup(field)};
  enum ls_status status = LS_OK;
  if (pattern == NULL || pattern->text == NULL || pattern->field == NULL)
    status = ls_fail(err, LS_ENOMEM, "%s: out of memory for the expression", field);
  if (status == LS_OK) status = compile_code(pattern, traits, err);
  if (status == LS_OK)
    *out = pattern;
  else
    ls_pattern_close(pattern);
  return status;
}

/* Where a search begins, and options of PCRE2 for it. */
struct start {
  size_t from;
  uint32_t options;
};

static enum ls_status search(struct ls_pattern *pattern, struct ls_subject subject,
                             struct start start, struct ls_match *match, struct ls_error *err) {
  *match = (struct ls_match){0};
  if (start.from > subject.length) return LS_OK;
  PCRE2_SPTR data = (PCRE2_SPTR)(subject.data == NULL ? "" : subject.data);
  int count = pcre2_match(pattern->code, data, subject.length, start.from, start.options,
                          pattern->found, NULL);
  if (count == PCRE2_ERROR_NOMATCH) return LS_OK;
  if (count < 0) {
    PCRE2_UCHAR why[FAILURE_BYTES] = "";
    (void)pcre2_get_error_message(count, why, sizeof why);
    char shown[SHOWN_BYTES];
    ls_console_show(pattern->text, shown, sizeof shown);
    return ls_fail(err, count == PCRE2_ERROR_NOMEMORY ? LS_ENOMEM : LS_EINVAL,
                   "%s is '%s', which takes too long to find in %zu bytes: %s", pattern->field,
                   shown, subject.length, (const char *)why);
  }
  const PCRE2_SIZE *places = pcre2_get_ovector_pointer(pattern->found);
  *match = (struct ls_match){true, places[0], places[1]};
  /* \K in a look-ahead can put the beginning behind the end. */
  if (match->begin > match->end) match->begin = match->end;
  return LS_OK;
}

enum ls_status ls_pattern_find(struct ls_pattern *pattern, struct ls_subject subject, size_t from,
                               struct ls_match *match, struct ls_error *err) {
  return search(pattern, subject, (struct start){from, 0}, match, err);
}

/* Behind the character at `at`: never within one. */
static size_t step(const struct ls_pattern *pattern, struct ls_subject subject, size_t at) {
  at++;
  while (pattern->is_wide && at < subject.length && (subject.data[at] & 0xC0) == 0x80) at++;
  return at;
}

enum ls_status ls_pattern_find_next(struct ls_pattern *pattern, struct ls_subject subject,
                                    struct ls_match *match, struct ls_error *err) {
  struct start start = {match->end, 0};
  if (match->begin != match->end) return search(pattern, subject, start, match, err);
  start.options = PCRE2_NOTEMPTY_ATSTART | PCRE2_ANCHORED;
  enum ls_status status = search(pattern, subject, start, match, err);
  if (status != LS_OK || match->is_found || start.from >= subject.length) return status;
  start = (struct start){step(pattern, subject, start.from), 0};
  return search(pattern, subject, start, match, err);
}

size_t ls_pattern_groups(const struct ls_pattern *pattern) {
  uint32_t count = 0;
  (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_CAPTURECOUNT, &count);
  return count;
}

struct ls_match ls_pattern_group(const struct ls_pattern *pattern, size_t group) {
  const PCRE2_SIZE *places = pcre2_get_ovector_pointer(pattern->found);
  bool is_known = group < pcre2_get_ovector_count(pattern->found);
  if (!is_known || places[2 * group] == PCRE2_UNSET) return (struct ls_match){0};
  struct ls_match match = {true, places[2 * group], places[2 * group + 1]};
  if (match.begin > match.end) match.begin = match.end;
  return match;
}

void ls_pattern_close(struct ls_pattern *pattern) {
  if (pattern == NULL) return;
  pcre2_match_data_free(pattern->found);
  pcre2_code_free(pattern->code);
  free(pattern->text);
  free(pattern->field);
  free(pattern);
}
