/* quote.h: words as a shell would have to read them. */
#ifndef LS_CLI_QUOTE_H
#define LS_CLI_QUOTE_H

#include <stddef.h>

#include "base/bytes.h"

/* Appends the word so that /bin/sh reads exactly these bytes: as it is when harmless, else in
 * single quotes. */
void ls_quote_word(const char *word, struct ls_bytes *out);
/* The words, quoted, with spaces between; on one line: words with control characters are written
 * as $'...' with escapes (bash, ksh, zsh).  For people and logs. */
void ls_quote_line(const char *const *words, size_t count, struct ls_bytes *out);

#endif
