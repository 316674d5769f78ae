/* change.h: what a replacement string makes of a value.
 *
 * The families of replacement strings are tables (change_path.c, change_text.c): a name, whether it
 * needs --plus, what it does.  Adding one is a line there.
 */
#ifndef LS_CLI_RUN_CHANGE_H
#define LS_CLI_RUN_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/substitution.h"

/* {0}: the value stays as it is. */
struct ls_change {
  void (*cut)(const char *value, struct ls_bytes *out); /* a fixed way; NULL: none */
  struct ls_substitution *substitution;                 /* owned; NULL: none */
  char *if_empty;                                       /* {:-TEXT}: owned; NULL: none */
  bool is_part;                                         /* {:FROM} {:FROM:COUNT}, in characters */
  size_t from, count;
};

/* A text between the source and the closing brace. Borrowed, no zero ends it. */
struct ls_change_text {
  const char *data;
  size_t length;
};

/* Is it one of the family of paths? */
bool ls_change_path_find(struct ls_change_text text, bool has_plus, struct ls_change *change);
/* Is it one of the family of texts, which all need --plus? LS_EINVAL: it begins like one, and its
 * expression is wrong. */
LS_CHECKED enum ls_status ls_change_text_find(struct ls_change_text text, struct ls_change *change,
                                              bool *is_found, struct ls_error *err);
/* Appends what becomes of the value. LS_EINVAL: its expression takes too many steps. */
LS_CHECKED enum ls_status ls_change_apply(const struct ls_change *change, const char *value,
                                          struct ls_bytes *out, struct ls_error *err);
void ls_change_close(struct ls_change *change);

#endif
