#include "cli/run/substitution.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/console.h"
#include "cli/run/substituted_text.h"

struct step {
  struct ls_pattern *pattern;
  struct ls_substituted_text text;
  bool is_every;
  bool is_alternative; /* || stands before it */
};

struct ls_substitution {
  struct step *steps;
  size_t count, capacity;
};

/* What is read, and where reading is. */
struct reader {
  const char *field, *code, *at;
  struct ls_substitution *out;
};

static enum ls_status refuse_code(const struct reader *reader, struct ls_error *err) {
  char shown[96];
  ls_console_show(reader->code, shown, sizeof shown);
  return ls_fail(err, LS_EINVAL,
                 "%s: '%s' is other code than substitutions, expected s/RE/TEXT/ with flags g and "
                 "i, joined by ; (with --plus {##} counts the tasks and {uniq} leaves equal inputs "
                 "out; with --shell $(( {} + 1 )) computes)",
                 reader->field, shown);
}

static enum ls_status add_step(struct ls_substitution *out, const char *field,
                               const struct ls_substitution_parts *parts, struct step **added,
                               struct ls_error *err) {
  void *steps = out->steps;
  if (ls_array_reserve(&steps, &out->capacity, out->count + 1, sizeof *out->steps) != LS_OK)
    return ls_fail(err, LS_ENOMEM, "out of memory for a substitution");
  out->steps = steps;
  struct step step = {.is_every = parts->is_every};
  enum ls_status status =
      ls_pattern_compile(field, parts->expression, parts->traits, &step.pattern, err);
  if (status != LS_OK) return status;
  status = ls_substituted_text_compile(field, parts->text, ls_pattern_groups(step.pattern),
                                       &step.text, err);
  /* The list owns it from here on, whatever became of it. */
  *added = &out->steps[out->count];
  out->steps[out->count++] = step;
  return status;
}

static void skip_blanks(struct reader *reader) {
  reader->at += strspn(reader->at, " \t\n;");
}

/* The text up to the delimiter that is no part of it, which is passed over; false: there is none.
 */
static bool read_part(struct reader *reader, char open, char close, struct ls_bytes *out) {
  int depth = 0;
  for (; *reader->at != '\0'; reader->at++) {
    char c = *reader->at;
    bool is_escaped = c == '\\' && reader->at[1] != '\0';
    if (is_escaped) ls_bytes_append_char(out, *reader->at++);
    if (!is_escaped && c == close && depth == 0) {
      reader->at++;
      return true;
    }
    if (!is_escaped && open != close && c == open) depth++;
    if (!is_escaped && open != close && c == close) depth--;
    ls_bytes_append_char(out, *reader->at);
  }
  return false;
}

static char find_closing(char open) {
  static const char opening[] = "{([<", closing[] = "})]>";
  const char *place = strchr(opening, open);
  return place == NULL ? open : closing[place - opening];
}

static bool is_delimiter(char c) {
  return c != '\0' &&
         strchr(" \t\nabcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", c) == NULL;
}

/* $x in an expression is a variable of Perl, and an end that nothing follows for PCRE2. */
static bool has_variable(const char *expression) {
  for (const char *at = expression; *at != '\0'; at++) {
    if (*at == '\\' && at[1] != '\0')
      at++;
    else if (*at == '$' && (is_delimiter(at[1]) ? at[1] == '{' || at[1] == '$' : at[1] != '\0'))
      return true;
  }
  return false;
}

/* Behind the s: reads one substitution. */
static enum ls_status read_step(struct reader *reader, struct ls_bytes *expression,
                                struct ls_bytes *text, struct step **added, struct ls_error *err) {
  char open = *reader->at;
  if (!is_delimiter(open)) return refuse_code(reader, err);
  char close = find_closing(open);
  reader->at++;
  bool is_read = read_part(reader, open, close, expression);
  if (is_read && open != close) {
    reader->at += strspn(reader->at, " \t\n");
    open = *reader->at;
    is_read = is_delimiter(open);
    reader->at += is_read;
    close = find_closing(open);
  }
  is_read = is_read && read_part(reader, open, close, text);
  if (!is_read || has_variable(ls_bytes_text(expression))) return refuse_code(reader, err);
  if (expression->failed || text->failed)
    return ls_fail(err, LS_ENOMEM, "out of memory for a substitution");
  struct ls_substitution_parts parts = {.expression = ls_bytes_text(expression),
                                        .text = ls_bytes_text(text)};
  for (; *reader->at == 'g' || *reader->at == 'i'; reader->at++) {
    parts.is_every = parts.is_every || *reader->at == 'g';
    parts.traits.ignores_case = parts.traits.ignores_case || *reader->at == 'i';
  }
  return add_step(reader->out, reader->field, &parts, added, err);
}

static enum ls_status read_steps(struct reader *reader, struct ls_error *err) {
  bool is_alternative = false;
  for (skip_blanks(reader); *reader->at != '\0';) {
    if (*reader->at++ != 's') return refuse_code(reader, err);
    struct ls_bytes expression = {0}, text = {0};
    struct step *added = NULL;
    enum ls_status status = read_step(reader, &expression, &text, &added, err);
    ls_bytes_close(&expression);
    ls_bytes_close(&text);
    if (status != LS_OK) return status;
    added->is_alternative = is_alternative;
    reader->at += strspn(reader->at, " \t\n");
    is_alternative = strncmp(reader->at, "||", 2) == 0;
    bool is_joined = is_alternative || *reader->at == ';' || *reader->at == '\0';
    if (is_alternative) reader->at += 2;
    if (!is_joined) return refuse_code(reader, err);
    skip_blanks(reader);
    if (is_alternative && *reader->at == '\0') return refuse_code(reader, err);
  }
  return LS_OK;
}

enum ls_status ls_substitution_compile(const char *field, const char *code,
                                       struct ls_substitution **out, struct ls_error *err) {
  struct ls_substitution *made = calloc(1, sizeof *made);
  if (made == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a substitution");
  struct reader reader = {.field = field, .code = code, .at = code, .out = made};
  enum ls_status status = read_steps(&reader, err);
  if (status == LS_OK)
    *out = made;
  else
    ls_substitution_close(made);
  return status;
}

enum ls_status ls_substitution_make(const char *field, const struct ls_substitution_parts *parts,
                                    struct ls_substitution **out, struct ls_error *err) {
  struct ls_substitution *made = calloc(1, sizeof *made);
  if (made == NULL) return ls_fail(err, LS_ENOMEM, "out of memory for a substitution");
  struct step *added = NULL;
  enum ls_status status = add_step(made, field, parts, &added, err);
  if (status == LS_OK)
    *out = made;
  else
    ls_substitution_close(made);
  return status;
}

static enum ls_status apply_step(const struct step *step, struct ls_subject subject,
                                 struct ls_bytes *out, bool *has_found, struct ls_error *err) {
  struct ls_match match;
  size_t behind = 0;
  enum ls_status status = ls_pattern_find(step->pattern, subject, 0, &match, err);
  *has_found = match.is_found;
  while (status == LS_OK && match.is_found) {
    ls_bytes_append(out, subject.data + behind, match.begin - behind);
    ls_substituted_text_append(&step->text, step->pattern, subject, out);
    behind = match.end;
    if (!step->is_every) break;
    status = ls_pattern_find_next(step->pattern, subject, &match, err);
  }
  if (status == LS_OK && subject.length > behind)
    ls_bytes_append(out, subject.data + behind, subject.length - behind);
  return status;
}

enum ls_status ls_substitution_apply(const struct ls_substitution *substitution,
                                     struct ls_subject subject, struct ls_bytes *out,
                                     struct ls_error *err) {
  struct ls_bytes now = {0}, next = {0};
  enum ls_status status = LS_OK;
  bool has_found = false;
  ls_bytes_append(&now, subject.data, subject.length);
  for (size_t i = 0; i < substitution->count && status == LS_OK; i++) {
    const struct step *step = &substitution->steps[i];
    if (step->is_alternative && has_found) continue;
    ls_bytes_clear(&next);
    status = apply_step(step, (struct ls_subject){ls_bytes_text(&now), now.length}, &next,
                        &has_found, err);
    struct ls_bytes before = now;
    now = next;
    next = before;
  }
  if (status == LS_OK) ls_bytes_append(out, now.data, now.length);
  if (status == LS_OK && (out->failed || now.failed || next.failed))
    status = ls_fail(err, LS_ENOMEM, "out of memory for a substitution");
  ls_bytes_close(&now);
  ls_bytes_close(&next);
  return status;
}

void ls_substitution_close(struct ls_substitution *substitution) {
  if (substitution == NULL) return;
  for (size_t i = 0; i < substitution->count; i++) {
    ls_pattern_close(substitution->steps[i].pattern);
    ls_substituted_text_close(&substitution->steps[i].text);
  }
  free(substitution->steps);
  free(substitution);
}
