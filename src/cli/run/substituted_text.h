/* substituted_text.h: the right side of a substitution, s/RE/TEXT/: what stands for a match. */
#ifndef LS_CLI_RUN_SUBSTITUTED_TEXT_H
#define LS_CLI_RUN_SUBSTITUTED_TEXT_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/status.h"
#include "cli/run/pattern.h"

/* What a piece of the text does. */
enum ls_text_action {
  LS_TEXT_LITERAL,
  LS_TEXT_GROUP,
  LS_TEXT_UPPER,      /* \U */
  LS_TEXT_LOWER,      /* \L */
  LS_TEXT_UPPER_NEXT, /* \u */
  LS_TEXT_LOWER_NEXT, /* \l */
  LS_TEXT_END         /* \E */
};

struct ls_text_piece {
  enum ls_text_action action;
  size_t begin, length; /* LS_TEXT_LITERAL: in the literals */
  size_t group;
};

/* Starts as {0}. */
struct ls_substituted_text {
  struct ls_text_piece *pieces;
  size_t count, capacity;
  struct ls_bytes literals;
};

/* LS_EINVAL: it names a group above `groups`, or a variable of Perl. */
LS_CHECKED enum ls_status ls_substituted_text_compile(const char *field, const char *text,
                                                      size_t groups,
                                                      struct ls_substituted_text *out,
                                                      struct ls_error *err);
/* What stands for the last match of the pattern, which was in that subject. */
void ls_substituted_text_append(const struct ls_substituted_text *text,
                                const struct ls_pattern *pattern, struct ls_subject subject,
                                struct ls_bytes *out);
void ls_substituted_text_close(struct ls_substituted_text *text);

#endif
