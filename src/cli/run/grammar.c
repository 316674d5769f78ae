#include "cli/run/grammar.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/console.h"

enum { SHOWN_BYTES = 60 };

/* The strings that are no value, or all of them. */
static const struct {
  const char *name;
  bool needs_plus;
  enum ls_replacement kind;
} numbers[] = {{"#", false, LS_REPLACE_SEQUENCE},    {"%", false, LS_REPLACE_SLOT},
               {"##", true, LS_REPLACE_TASKS},       {"0#", true, LS_REPLACE_SEQUENCE_PADDED},
               {"0%", true, LS_REPLACE_SLOT_PADDED}, {"choose_k", true, LS_REPLACE_CHOICE},
               {"uniq", true, LS_REPLACE_UNLIKE}};

/* What the strings with spellings of their own are between their braces. */
static const char *const spelled[LS_SPELLINGS] = {"", ".", "/", "//", "/.", "#", "%"};
/* Strings of GNU parallel's --plus that we have not. */
static const char *const unknown[] = {"slot", "host", "sshlogin", "agrp", "hgrp"};

static bool is_same(struct ls_change_text text, const char *name) {
  return strlen(name) == text.length && memcmp(name, text.data, text.length) == 0;
}

/* What stands for values takes the number of a source. */
static bool takes_source(enum ls_replacement kind) {
  return kind == LS_REPLACE_VALUE || kind == LS_REPLACE_CHOICE || kind == LS_REPLACE_UNLIKE;
}

static bool find_number(struct ls_change_text text, enum ls_replacement *kind, bool *needs_plus) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    if (!is_same(text, numbers[i].name)) continue;
    *kind = numbers[i].kind;
    *needs_plus = numbers[i].needs_plus;
    return true;
  }
  return false;
}

/* The content of usual braces, without a source: a kind, a change, or nothing. */
static enum ls_status find_usual(const struct ls_grammar *grammar, struct ls_change_text text,
                                 struct ls_found_replacement *found, bool *is_found,
                                 struct ls_error *err) {
  bool needs_plus = false;
  *is_found = find_number(text, &found->kind, &needs_plus) && (grammar->has_plus || !needs_plus);
  if (*is_found) return LS_OK;
  found->kind = LS_REPLACE_VALUE;
  *is_found = ls_change_path_find(text, grammar->has_plus, &found->change);
  if (*is_found || !grammar->has_plus) return LS_OK;
  return ls_change_text_find(text, &found->change, is_found, err);
}

/* The source that stands at `text`, such as 2, -1 or a name; its length. 0: none. {0} and {007}
 * name none. */
static size_t read_number(const char *text, struct ls_value_place *place) {
  size_t sign = text[0] == '-', length = sign;
  if (text[sign] < '1' || text[sign] > '9') return 0;
  size_t number = 0;
  for (; text[length] >= '0' && text[length] <= '9'; length++)
    if (number < 100000) number = number * 10 + (size_t)(text[length] - '0');
  *place = (struct ls_value_place){.column = number, .is_from_end = sign == 1};
  return length;
}

/* The name number `index` of those that stand at `text`; longer ones, which follow no order, may
 * be meant, too, so the caller tries all. */
static size_t match_name(const struct ls_grammar *grammar, size_t index, const char *text) {
  size_t length = strlen(grammar->names[index].text);
  return strncmp(text, grammar->names[index].text, length) == 0 ? length : 0;
}

/* Tries content behind a source of `skipped` bytes; `text` begins with the brace. */
static enum ls_status find_behind(const struct ls_grammar *grammar, const char *text,
                                  size_t skipped, struct ls_found_replacement *found,
                                  struct ls_error *err) {
  const char *content = text + 1 + skipped;
  size_t length = strcspn(content, "}");
  if (content[length] == '\0') return LS_OK;
  bool is_found = false;
  enum ls_status status =
      find_usual(grammar, (struct ls_change_text){content, length}, found, &is_found, err);
  if (status != LS_OK || !is_found) return status;
  if (skipped > 0 && !takes_source(found->kind)) return LS_OK;
  /* {} is text where -I names another string; {2} is not. */
  for (size_t i = 0; i < LS_SPELLINGS && skipped == 0; i++)
    if (grammar->spellings[i] != NULL &&
        is_same((struct ls_change_text){content, length}, spelled[i]))
      return LS_OK;
  found->length = 1 + skipped + length + 1;
  return LS_OK;
}

static enum ls_status find_braces(const struct ls_grammar *grammar, const char *text,
                                  struct ls_found_replacement *found, struct ls_error *err) {
  /* A name may be what another string is: it comes first, and the longest one that fits does. */
  enum ls_status status = LS_OK;
  size_t longest = 0;
  for (size_t i = 0; i < grammar->names_count && status == LS_OK; i++) {
    size_t length = match_name(grammar, i, text + 1);
    if (length <= longest) continue;
    struct ls_found_replacement named = {0};
    status = find_behind(grammar, text, length, &named, err);
    if (named.length == 0) continue;
    named.place = grammar->names[i].place;
    ls_change_close(&found->change);
    *found = named;
    longest = length;
  }
  if (status != LS_OK || longest > 0) return status;
  struct ls_value_place place = {0};
  size_t skipped = read_number(text + 1, &place);
  if (skipped > 0) status = find_behind(grammar, text, skipped, found, err);
  if (found->length > 0) found->place = place;
  return status != LS_OK || found->length > 0 || skipped > 0
             ? status
             : find_behind(grammar, text, 0, found, err);
}

static void find_spelling(const struct ls_grammar *grammar, const char *text,
                          struct ls_found_replacement *found) {
  size_t longest = 0;
  for (size_t i = 0; i < LS_SPELLINGS; i++) {
    const char *spelling = grammar->spellings[i];
    size_t length = spelling == NULL ? 0 : strlen(spelling);
    if (length <= longest || strncmp(text, spelling, length) != 0) continue;
    const struct ls_change_text name = {spelled[i], strlen(spelled[i])};
    bool needs_plus = false;
    *found = (struct ls_found_replacement){.length = length, .kind = LS_REPLACE_VALUE};
    if (!find_number(name, &found->kind, &needs_plus))
      (void)ls_change_path_find(name, false, &found->change);
    longest = length;
  }
}

/* The source at `text`, by name or number, and its length. */
static size_t read_place(const struct ls_grammar *grammar, const char *text,
                         struct ls_value_place *place) {
  size_t longest = 0;
  for (size_t i = 0; i < grammar->names_count; i++) {
    size_t length = match_name(grammar, i, text);
    if (length <= longest) continue;
    longest = length;
    *place = grammar->names[i].place;
  }
  return longest > 0 ? longest : read_number(text, place);
}

/* The rule, when its tag stands at `text`, behind a source where it takes one. */
static enum ls_status match_rule(const struct ls_grammar *grammar, const struct ls_rule *rule,
                                 const char *text, struct ls_found_replacement *found,
                                 struct ls_error *err) {
  struct ls_value_place place = {0};
  size_t skipped = rule->takes_source, length = 0;
  enum ls_status status = LS_OK;
  if (rule->takes_source && text[0] != '{') return LS_OK;
  for (int is_behind = 0; is_behind <= rule->takes_source && length == 0 && status == LS_OK;
       is_behind++) {
    size_t source = is_behind ? read_place(grammar, text + 1, &place) : 0;
    if (is_behind && source == 0) break;
    skipped += source;
    status = ls_rule_find(rule, (struct ls_subject){text + skipped, strlen(text + skipped)},
                          &length, &found->change, err);
  }
  if (status != LS_OK || length == 0) return status;
  found->kind = LS_REPLACE_VALUE;
  found->place = place;
  found->length = skipped + length;
  return LS_OK;
}

static enum ls_status find_rule(const struct ls_grammar *grammar, const char *text,
                                struct ls_found_replacement *found, struct ls_error *err) {
  enum ls_status status = LS_OK;
  for (size_t i = 0; i < grammar->rules_count && found->length == 0 && status == LS_OK; i++)
    status = match_rule(grammar, &grammar->rules[i], text, found, err);
  return status;
}

static const char *get_parens(const struct ls_grammar *grammar) {
  return grammar->parens == NULL ? "{==}" : grammar->parens;
}

/* {= s/a/b/ =} {=2 s/a/b/ =} */
static enum ls_status find_parens(const struct ls_grammar *grammar, const char *text,
                                  struct ls_found_replacement *found, struct ls_error *err) {
  const char *parens = get_parens(grammar);
  size_t half = strlen(parens) / 2;
  if (strncmp(text, parens, half) != 0) return LS_OK;
  const char *content = text + half, *end = strstr(content, parens + half);
  if (end == NULL) return LS_OK;
  struct ls_value_place place = {0};
  size_t skipped = read_place(grammar, content, &place);
  bool is_place = skipped > 0 && content + skipped < end && content[skipped] == ' ';
  if (!is_place) {
    place = (struct ls_value_place){0};
    skipped = 0;
  }
  char *code = strndup(content + skipped, (size_t)(end - content) - skipped);
  char *name = strndup(text, (size_t)(end - text) + strlen(parens + half));
  enum ls_status status =
      code == NULL || name == NULL
          ? ls_fail(err, LS_ENOMEM, "out of memory for a replacement string")
          : ls_substitution_compile(name, code, &found->change.substitution, err);
  free(code);
  free(name);
  if (status != LS_OK) return status;
  found->kind = LS_REPLACE_VALUE;
  found->place = place;
  found->length = (size_t)(end - text) + strlen(parens + half);
  return LS_OK;
}

/* The length of a string that stands for something with --plus, or in GNU parallel, but not here:
 * {..}, {1..}, {+/}, {##}, {2%_demo}. 0: it is none. As it stands it would hardly do what is
 * meant. */
static size_t match_foreign(const struct ls_grammar *grammar, const char *text) {
  size_t sign = text[1] == '-', digits = strspn(text + 1 + sign, "0123456789");
  const char *rest = text + 1 + sign + digits;
  size_t content = strcspn(text + 1, "}"), suffix = strspn(rest, "./+:");
  if (text[1 + content] == '\0') return 0;
  const struct ls_change_text all = {text + 1, content};
  /* What has another spelling is text. */
  for (size_t i = 0; i < LS_SPELLINGS; i++)
    if (grammar->spellings[i] != NULL && is_same(all, spelled[i])) return 0;
  enum ls_replacement kind;
  bool needs_plus = false;
  bool has_source = digits > 0 && rest[-(ptrdiff_t)digits] != '0';
  const struct ls_change_text behind = {rest, content - sign - digits};
  bool is_known = find_number(all, &kind, &needs_plus) ||
                  (has_source && find_number(behind, &kind, &needs_plus) && takes_source(kind));
  is_known = is_known && needs_plus && !grammar->has_plus;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown && grammar->has_plus; i++)
    is_known = is_known || is_same(all, unknown[i]);
  /* A shell's {1..9} goes on behind the points, an expression's {2,3} has a comma, {1:2} may be
   * anything. */
  bool is_form = has_source && rest[0] != '\0' && rest[1] != '\0' && rest[1] != '}' &&
                 (rest[0] == '#' || rest[0] == '%' || rest[0] == '^' || rest[0] == '/');
  bool is_suffix = rest[suffix] == '}' && (suffix > 0 || (sign > 0 && digits > 0));
  return is_known || is_suffix || is_form ? content + 2 : 0;
}

static enum ls_status refuse_foreign(const struct ls_grammar *grammar, const char *text,
                                     size_t length, struct ls_error *err) {
  struct ls_grammar with_plus = *grammar;
  with_plus.has_plus = true;
  struct ls_found_replacement found = {0};
  bool is_plus = !grammar->has_plus && find_braces(&with_plus, text, &found, NULL) == LS_OK &&
                 found.length == length;
  ls_change_close(&found.change);
  int shown = length < SHOWN_BYTES ? (int)length : SHOWN_BYTES;
  if (is_plus)
    return ls_fail(
        err, LS_EINVAL,
        "'%.*s' is a replacement string with --plus of `loadstar parallel', which is not given",
        shown, text);
  return ls_fail(err, LS_EINVAL,
                 "'%.*s' is no replacement string, expected one of {} {.} {/} {//} {/.} {#} {%%}, "
                 "or with the number of a source, such as {2} or {2/.}",
                 shown, text);
}

static enum ls_status check_source(const struct ls_grammar *grammar, const char *text,
                                   const struct ls_found_replacement *found, struct ls_error *err) {
  size_t count = grammar->sources_count;
  if (found->place.source > 0 || found->place.column <= count || grammar->has_columns) return LS_OK;
  return ls_fail(err, LS_EINVAL, "{%s%zu} in '%.*s': there %s %zu input source%s",
                 found->place.is_from_end ? "-" : "", found->place.column,
                 found->length < SHOWN_BYTES ? (int)found->length : SHOWN_BYTES, text,
                 count == 1 ? "is" : "are", count, count == 1 ? "" : "s");
}

enum ls_status ls_grammar_find(const struct ls_grammar *grammar, const char *text,
                               struct ls_found_replacement *found, struct ls_error *err) {
  *found = (struct ls_found_replacement){0};
  enum ls_status status = LS_OK;
  find_spelling(grammar, text, found);
  if (found->length == 0) status = find_rule(grammar, text, found, err);
  if (status == LS_OK && found->length == 0) status = find_parens(grammar, text, found, err);
  if (status == LS_OK && found->length == 0 && text[0] == '{')
    status = find_braces(grammar, text, found, err);
  size_t foreign =
      status == LS_OK && found->length == 0 && text[0] == '{' ? match_foreign(grammar, text) : 0;
  if (foreign > 0) status = refuse_foreign(grammar, text, foreign, err);
  if (status == LS_OK && found->length > 0) status = check_source(grammar, text, found, err);
  if (status != LS_OK || found->length == 0) {
    ls_change_close(&found->change);
    found->length = 0;
  }
  return status;
}

/* The length of what stands between braces, if it may be a name. */
static size_t measure_name(const char *text) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                    more[] = "0123456789-./";
  if (text[0] != '{') return 0;
  size_t length = 0;
  for (const char *at = text + 1; *at != '\0'; at++, length++) {
    bool is_letter = strchr(letters, *at) != NULL || (unsigned char)*at >= 0x80;
    if (!is_letter && (length == 0 || strchr(more, *at) == NULL)) break;
  }
  return text[1 + length] == '}' ? length : 0;
}

enum ls_status ls_grammar_check_name(const struct ls_grammar *grammar, const char *text,
                                     struct ls_error *err) {
  size_t length = measure_name(text);
  if (length == 0 || grammar->names_count == 0) return LS_OK;
  char word[SHOWN_BYTES], shown[2 * SHOWN_BYTES];
  (void)snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, text + 1);
  const char **names = calloc(grammar->names_count, sizeof *names);
  for (size_t i = 0; names != NULL && i < grammar->names_count; i++)
    names[i] = grammar->names[i].text;
  const char *nearest = names == NULL ? NULL : ls_nearest_name(word, names, grammar->names_count);
  ls_console_show(nearest != NULL ? nearest : grammar->names[0].text, shown, sizeof shown);
  free(names);
  return ls_fail(err, LS_EINVAL,
                 "'%.*s': no column of --header has that name; %s {%s}%s (as text it would be "
                 "'{ %s }')",
                 length + 2 < SHOWN_BYTES ? (int)length + 2 : SHOWN_BYTES, text,
                 nearest != NULL ? "did you mean" : "expected a name such as", shown,
                 nearest != NULL ? "?" : "", word);
}

/* Where a word opens brackets that it does not close, with a space, a source or nothing behind. */
static const char *find_open(const char *word, const char *parens, size_t half) {
  char begin[16];
  if (half >= sizeof begin) return NULL;
  memcpy(begin, parens, half);
  begin[half] = '\0';
  for (const char *at = strstr(word, begin); at != NULL; at = strstr(at, begin)) {
    const char *content = at + half, *end = strstr(content, parens + half);
    if (end == NULL) {
      const char *behind = content + strspn(content, "-0123456789");
      return *behind == '\0' || *behind == ' ' || *behind == '\t' ? at : NULL;
    }
    at = end + half;
  }
  return NULL;
}

enum ls_status ls_grammar_check_words(const struct ls_grammar *grammar, const char *const *words,
                                      size_t count, struct ls_error *err) {
  const char *parens = get_parens(grammar), *opened = NULL;
  size_t half = strlen(parens) / 2;
  for (size_t i = 0; i < count; i++) {
    if (opened != NULL && strstr(words[i], parens + half) != NULL)
      return ls_fail(err, LS_EINVAL,
                     "'%.40s' begins a replacement string that ends in the word '%.40s', expected "
                     "it in one word: '%.*s s/a/b/ %s'",
                     opened, words[i], (int)half, parens, parens + half);
    if (find_open(words[i], parens, half) != NULL) opened = words[i];
  }
  return LS_OK;
}
