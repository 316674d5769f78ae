/* platform_line_private.h: a place in the text of a platform in one line, and what is read there.
 *
 * platform_line_scan.c reads signs, numbers and words, platform_line.c what they mean.
 */
#ifndef LS_FORMATS_PLATFORM_LINE_PRIVATE_H
#define LS_FORMATS_PLATFORM_LINE_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/text.h"
#include "model/platform.h"

enum { LS_LINE_WORD_BYTES = 64 };

/* A place in a text, and what was read before it. */
struct ls_line {
  struct ls_text text;
  size_t at;
  struct ls_platform *platform; /* what is read becomes */
  size_t capacity;              /* of its workers */
};

void ls_line_skip_blanks(struct ls_line *line);
/* The next character; zero at the end. */
char ls_line_peek(const struct ls_line *line);
bool ls_line_is_digit(char c);
/* Takes the character, after blanks, if it is the next one. */
bool ls_line_take(struct ls_line *line, char c);
/* "SOURCE: column 12: found 'abc', expected ..."; LS_EINVAL. */
LS_CHECKED enum ls_status ls_line_refuse(const struct ls_line *line, size_t at,
                                         const char *expected, struct ls_error *err);
/* The length of "12", "0.5", ".5", "1e-3" at the place; 0: there is no number. */
size_t ls_line_measure_number(const struct ls_line *line);
/* A finite number >= 0, after blanks; what stands there instead is refused. */
LS_CHECKED enum ls_status ls_line_read_number(struct ls_line *line, const char *expected,
                                              double *number, struct ls_error *err);
/* 1 to 63 letters, digits and signs that names of hosts hold, after blanks. */
LS_CHECKED enum ls_status ls_line_read_word(struct ls_line *line, const char *expected,
                                            char word[LS_LINE_WORD_BYTES], struct ls_error *err);

#endif
