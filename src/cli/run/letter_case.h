/* letter_case.h: letters in upper and lower case, as Unicode has them, whatever the locale is. */
#ifndef LS_CLI_RUN_LETTER_CASE_H
#define LS_CLI_RUN_LETTER_CASE_H

#include <stddef.h>

#include "base/bytes.h"

enum ls_letter_case { LS_CASE_KEPT, LS_CASE_UPPER, LS_CASE_LOWER };

/* Appends `length` bytes of text, its letters in that case; bytes that are no UTF-8 stay. */
void ls_letter_case_append(const char *text, size_t length, enum ls_letter_case wanted,
                           struct ls_bytes *out);
/* Bytes of the first character of the text; 0: there is none. */
size_t ls_letter_case_first(const char *text, size_t length);

#endif
