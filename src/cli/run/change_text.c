/* change_text.c: {:-T} {:2} {#RE} {%RE} {/RE/T} {^RE} {,RE} of --plus, as shells have them: a value
 * as a text. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/change.h"

/* A substitution that stands for a replacement string: RE is put between `before` and `behind`. */
struct form {
  const char *name, *before, *behind, *text;
  bool is_reluctant, is_every;
};

/* The longer names come first. Where what repeats takes little, a mark turns that round. */
static const struct form forms[] = {
    {"##", "^(?:", ")", "", false, false},    {"#", "^(?:", ")", "", true, false},
    {"%%", "(?:", ")$", "", false, false},    {"%", "^(?s:.*?)\\K(?:", ")$", "", true, false},
    {"^^", "(?:", ")", "\\U$&", false, true}, {"^", "^(?:", ")", "\\U$&", false, false},
    {",,", "(?:", ")", "\\L$&", false, true}, {",", "^(?:", ")", "\\L$&", false, false},
};

/* The replacement string, for messages. */
static void name_string(struct ls_change_text text, struct ls_bytes *out) {
  ls_bytes_printf(out, "{%.*s}", text.length < 60 ? (int)text.length : 60, text.data);
}

static enum ls_status make_substitution(struct ls_change_text string,
                                        struct ls_substitution_parts parts,
                                        struct ls_change *change, struct ls_error *err) {
  struct ls_bytes name = {0};
  name_string(string, &name);
  enum ls_status status =
      name.failed ? ls_fail(err, LS_ENOMEM, "out of memory for a replacement string")
                  : ls_substitution_make(ls_bytes_text(&name), &parts, &change->substitution, err);
  ls_bytes_close(&name);
  return status;
}

static enum ls_status find_form(struct ls_change_text text, struct ls_change *change,
                                bool *is_found, struct ls_error *err) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const struct form *form = &forms[i];
    size_t name = strlen(form->name);
    if (text.length <= name || memcmp(text.data, form->name, name) != 0) continue;
    struct ls_bytes expression = {0};
    ls_bytes_append_text(&expression, form->before);
    ls_bytes_append(&expression, text.data + name, text.length - name);
    ls_bytes_append_text(&expression, form->behind);
    struct ls_substitution_parts parts = {.expression = ls_bytes_text(&expression),
                                          .text = form->text,
                                          .traits = {.is_reluctant = form->is_reluctant},
                                          .is_every = form->is_every};
    enum ls_status status = expression.failed
                                ? ls_fail(err, LS_ENOMEM, "out of memory for an expression")
                                : make_substitution(text, parts, change, err);
    ls_bytes_close(&expression);
    *is_found = status == LS_OK;
    return status;
  }
  return LS_OK;
}

/* {/RE/T} {//RE/T}: a slash within RE is written \/. */
static enum ls_status find_replacing(struct ls_change_text text, struct ls_change *change,
                                     bool *is_found, struct ls_error *err) {
  if (text.length < 2 || text.data[0] != '/') return LS_OK;
  size_t begin = text.data[1] == '/' ? 2 : 1, at = begin;
  while (at < text.length && text.data[at] != '/') at += text.data[at] == '\\' ? 2 : 1;
  if (at >= text.length || at == begin) return LS_OK;
  char *expression = strndup(text.data + begin, at - begin);
  char *replacement = strndup(text.data + at + 1, text.length - at - 1);
  struct ls_substitution_parts parts = {
      .expression = expression, .text = replacement, .is_every = begin == 2};
  enum ls_status status = expression == NULL || replacement == NULL
                              ? ls_fail(err, LS_ENOMEM, "out of memory for an expression")
                              : make_substitution(text, parts, change, err);
  free(expression);
  free(replacement);
  *is_found = status == LS_OK;
  return status;
}

/* A number at `*at`; false: there is none. */
static bool read_number(struct ls_change_text text, size_t *at, size_t *number) {
  size_t begin = *at;
  *number = 0;
  for (; *at < text.length && text.data[*at] >= '0' && text.data[*at] <= '9'; *at += 1)
    if (*number < SIZE_MAX / 100) *number = 10 * *number + (size_t)(text.data[*at] - '0');
  return *at > begin;
}

/* {:2} {:2:3} */
static bool find_part(struct ls_change_text text, struct ls_change *change) {
  size_t at = 1;
  if (text.length < 2 || text.data[0] != ':' || !read_number(text, &at, &change->from))
    return false;
  change->count = SIZE_MAX;
  if (at < text.length && text.data[at] == ':') {
    at++;
    if (!read_number(text, &at, &change->count)) return false;
  }
  change->is_part = at == text.length;
  return change->is_part;
}

enum ls_status ls_change_text_find(struct ls_change_text text, struct ls_change *change,
                                   bool *is_found, struct ls_error *err) {
  *is_found = find_part(text, change);
  if (*is_found) return LS_OK;
  *change = (struct ls_change){0};
  if (text.length > 2 && memcmp(text.data, ":-", 2) == 0) {
    change->if_empty = strndup(text.data + 2, text.length - 2);
    *is_found = change->if_empty != NULL;
    return *is_found ? LS_OK : ls_fail(err, LS_ENOMEM, "out of memory for a replacement string");
  }
  enum ls_status status = find_replacing(text, change, is_found, err);
  return status == LS_OK && !*is_found ? find_form(text, change, is_found, err) : status;
}
