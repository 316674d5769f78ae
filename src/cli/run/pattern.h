/* pattern.h: Perl's regular expressions, by PCRE2: compiled once, sought in bytes.
 *
 * Texts are UTF-8; where a text is not, it matches byte by byte. Binary data is bytes throughout.
 * A pattern is used by one thread at a time: its groups are those of the last match.
 */
#ifndef LS_CLI_RUN_PATTERN_H
#define LS_CLI_RUN_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct ls_pattern;

struct ls_pattern_traits {
  bool ignores_case;
  bool is_binary;    /* a character is a byte */
  bool is_reluctant; /* what repeats takes as little as it can, unless it says ?; and the reverse */
};

/* What is searched; bytes, zeros among them. Borrowed. */
struct ls_subject {
  const char *data;
  size_t length;
};

/* Where a match, or a group of it, is; begin == end: it is empty. */
struct ls_match {
  bool is_found;
  size_t begin, end;
};

/* `field` ("--recend") stands in front of the text when it is none: LS_EINVAL names the place. */
LS_CHECKED enum ls_status ls_pattern_compile(const char *field, const char *text,
                                             struct ls_pattern_traits traits,
                                             struct ls_pattern **out, struct ls_error *err);
/* The first match that begins at `from` or behind it; what stands before `from` is seen by (?<=)
 * and \b. LS_EINVAL: it takes too many steps to tell. */
LS_CHECKED enum ls_status ls_pattern_find(struct ls_pattern *pattern, struct ls_subject subject,
                                          size_t from, struct ls_match *match,
                                          struct ls_error *err);
/* The one behind `match`, as Perl's /g goes on: an empty match does not follow itself. */
LS_CHECKED enum ls_status ls_pattern_find_next(struct ls_pattern *pattern,
                                               struct ls_subject subject, struct ls_match *match,
                                               struct ls_error *err);
/* Groups of the expression, and where one is in the last match (0: all of it). */
size_t ls_pattern_groups(const struct ls_pattern *pattern);
struct ls_match ls_pattern_group(const struct ls_pattern *pattern, size_t group);
void ls_pattern_close(struct ls_pattern *pattern); /* NULL is fine */

#endif
