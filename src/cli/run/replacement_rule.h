/* replacement_rule.h: replacement strings that the user defines: --rpl 'TAG SUBSTITUTIONS'.
 *
 * Parentheses in TAG hold an expression; the text that it matches stands for $$1, $$2 ... in the
 * substitutions.  A TAG that begins with a brace takes a source: {TAG} {2TAG}.
 */
#ifndef LS_CLI_RUN_REPLACEMENT_RULE_H
#define LS_CLI_RUN_REPLACEMENT_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "cli/run/change.h"
#include "cli/run/pattern.h"

struct ls_rule {
  bool takes_source;          /* the tag begins with a brace, which the pattern lacks */
  struct ls_pattern *pattern; /* of the tag */
  const char *code;           /* borrowed from the option */
};

/* LS_EINVAL: it is no definition. */
LS_CHECKED enum ls_status ls_rule_compile(const char *text, struct ls_rule *rule,
                                          struct ls_error *err);
/* Does the text begin with the tag (behind brace and source)? Its length and what it does; length
 * 0: no. The caller owns the change. */
LS_CHECKED enum ls_status ls_rule_find(const struct ls_rule *rule, struct ls_subject text,
                                       size_t *length, struct ls_change *change,
                                       struct ls_error *err);
void ls_rule_close(struct ls_rule *rule);

#endif
