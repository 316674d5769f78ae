/* quote.h: words as a shell would have to read them. */
#ifndef LS_CLI_QUOTE_H
#define LS_CLI_QUOTE_H

#include <stddef.h>

#include "base/bytes.h"

/* How a shell reads quotes. */
enum ls_quoting {
  LS_QUOTING_UNKNOWN,
  LS_QUOTING_SH,   /* nothing is special within '...' */
  LS_QUOTING_FISH, /* \\ and \' are, there */
  LS_QUOTING_CSH,  /* ! and line ends are */
  LS_QUOTING_RC    /* '' is, there, and a backslash nowhere */
};

/* Appends the word so that such a shell reads exactly these bytes: as it is when harmless, else in
 * single quotes. Not for LS_QUOTING_UNKNOWN. */
void ls_quote_word_for(enum ls_quoting quoting, const char *word, struct ls_bytes *out);
/* The same for /bin/sh; fish reads it alike. */
void ls_quote_word(const char *word, struct ls_bytes *out);
/* The words, quoted, with spaces between; on one line: words with control characters are written
 * as $'...' with escapes (bash, ksh, zsh).  For people and logs. */
void ls_quote_line(const char *const *words, size_t count, struct ls_bytes *out);

#endif
