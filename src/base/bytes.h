/* bytes.h: a growing buffer of bytes, also used to build text.
 *
 * Sticky: after the first failure (memory) all further appends are ignored and `failed` stays set;
 * so builders contain no error handling and the last step asks once.  The data is always followed
 * by a zero byte that `length` does not count.  Initialise with {0}.
 */
#ifndef LS_BASE_BYTES_H
#define LS_BASE_BYTES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/linkage.h"

LS_C_BEGIN

struct ls_bytes {
  char *data; /* NULL while empty and never written */
  size_t length;
  size_t capacity;
  bool failed;
};

void ls_bytes_append(struct ls_bytes *bytes, const void *data, size_t length);
void ls_bytes_append_text(struct ls_bytes *bytes, const char *text);
void ls_bytes_append_char(struct ls_bytes *bytes, char c);
void ls_bytes_printf(struct ls_bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The text of the buffer; "" when nothing was ever written. Borrowed. */
const char *ls_bytes_text(const struct ls_bytes *bytes);
/* Forgets the content (and `failed`), keeps the storage. */
void ls_bytes_clear(struct ls_bytes *bytes);
/* Releases the storage and leaves an empty buffer. */
void ls_bytes_close(struct ls_bytes *bytes);

LS_C_END

#endif
