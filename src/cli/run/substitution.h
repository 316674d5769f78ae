/* substitution.h: s/RE/TEXT/gi of Perl, several joined by ; or ||.
 *
 * RE is an expression of pattern.h.  TEXT may hold $1, ${1}, \1 (groups), $& (all that matched), \n
 * \t and the like, and \U \L \u \l \E (upper and lower case, from there or of the next character).
 * Behind || stands what is done only where the one before found nothing.  What else Perl can is
 * refused.
 */
#ifndef LS_CLI_RUN_SUBSTITUTION_H
#define LS_CLI_RUN_SUBSTITUTION_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/pattern.h"

struct ls_substitution;

/* `field` ("--rpl", or a replacement string) stands in front of the text when it is refused. */
LS_CHECKED enum ls_status ls_substitution_compile(const char *field, const char *code,
                                                  struct ls_substitution **out,
                                                  struct ls_error *err);

/* One of them, in parts. */
struct ls_substitution_parts {
  const char *expression, *text;
  struct ls_pattern_traits traits;
  bool is_every; /* /g */
};
LS_CHECKED enum ls_status ls_substitution_make(const char *field,
                                               const struct ls_substitution_parts *parts,
                                               struct ls_substitution **out, struct ls_error *err);

/* Appends what becomes of the text. LS_EINVAL: an expression takes too many steps. */
LS_CHECKED enum ls_status ls_substitution_apply(const struct ls_substitution *substitution,
                                                struct ls_subject subject, struct ls_bytes *out,
                                                struct ls_error *err);
void ls_substitution_close(struct ls_substitution *substitution); /* NULL is fine */

#endif
