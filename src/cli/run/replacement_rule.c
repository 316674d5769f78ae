#include "cli/run/replacement_rule.h"

#include <stdlib.h>
#include <string.h>

#include "cli/console.h"

enum { SHOWN_BYTES = 96 };

/* The length of the group that begins at `text`, with its parentheses; 0: it does not end. */
static size_t measure_group(const char *text, size_t length) {
  size_t depth = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\\')
      i++;
    else if (text[i] == '(')
      depth++;
    else if (text[i] == ')' && --depth == 0)
      return i + 1;
  }
  return 0;
}

/* The tag as an expression: literal but for its groups. */
static void write_expression(const char *tag, size_t length, struct ls_bytes *out) {
  ls_bytes_append_text(out, "\\G");
  for (size_t i = 0; i < length;) {
    size_t group = tag[i] == '(' ? measure_group(tag + i, length - i) : 0;
    if (group > 0) {
      ls_bytes_append(out, tag + i, group);
      i += group;
      continue;
    }
    unsigned char c = (unsigned char)tag[i++];
    bool is_plain = c >= 0x80 || strchr("\\^$.[]|()?*+{}#-", c) == NULL;
    if (!is_plain) ls_bytes_append_char(out, '\\');
    ls_bytes_append_char(out, (char)c);
  }
}

enum ls_status ls_rule_compile(const char *text, struct ls_rule *rule, struct ls_error *err) {
  size_t length = strcspn(text, " \t\n");
  if (length == 0 || (length == 1 && text[0] == '{')) {
    char shown[SHOWN_BYTES];
    ls_console_show(text, shown, sizeof shown);
    return ls_fail(err, LS_EINVAL,
                   "--rpl is '%s', expected a replacement string and what it does, such as '{_} "
                   "s/ /_/g'",
                   shown);
  }
  *rule = (struct ls_rule){.takes_source = text[0] == '{', .code = text + length};
  struct ls_bytes expression = {0};
  write_expression(text + rule->takes_source, length - rule->takes_source, &expression);
  enum ls_status status =
      expression.failed ? ls_fail(err, LS_ENOMEM, "out of memory for --rpl")
                        : ls_pattern_compile("--rpl", ls_bytes_text(&expression),
                                             (struct ls_pattern_traits){0}, &rule->pattern, err);
  ls_bytes_close(&expression);
  if (status != LS_OK || ls_pattern_groups(rule->pattern) > 0) return status;
  /* One without groups says now what is wrong with it, others where they are used. */
  struct ls_substitution *substitution = NULL;
  status = ls_substitution_compile("--rpl", rule->code, &substitution, err);
  ls_substitution_close(substitution);
  if (status != LS_OK) ls_rule_close(rule);
  return status;
}

/* The substitutions, with the texts of the groups. */
static void write_code(const struct ls_rule *rule, struct ls_subject text, struct ls_bytes *out) {
  for (const char *at = rule->code; *at != '\0'; at++) {
    bool is_group = at[0] == '$' && at[1] == '$' && at[2] >= '1' && at[2] <= '9';
    if (!is_group) {
      ls_bytes_append_char(out, *at);
      continue;
    }
    at += 2;
    struct ls_match group = ls_pattern_group(rule->pattern, (size_t)(*at - '0'));
    ls_bytes_append(out, text.data + group.begin, group.end - group.begin);
  }
}

enum ls_status ls_rule_find(const struct ls_rule *rule, struct ls_subject text, size_t *length,
                            struct ls_change *change, struct ls_error *err) {
  struct ls_match match;
  *length = 0;
  enum ls_status status = ls_pattern_find(rule->pattern, text, 0, &match, err);
  if (status != LS_OK || !match.is_found) return status;
  struct ls_bytes code = {0};
  write_code(rule, text, &code);
  status = code.failed
               ? ls_fail(err, LS_ENOMEM, "out of memory for --rpl")
               : ls_substitution_compile("--rpl", ls_bytes_text(&code), &change->substitution, err);
  ls_bytes_close(&code);
  if (status == LS_OK) *length = match.end;
  return status;
}

void ls_rule_close(struct ls_rule *rule) {
  ls_pattern_close(rule->pattern);
  *rule = (struct ls_rule){0};
}
