/* text.h: a text to be read, and where it is from. */
#ifndef LS_BASE_TEXT_H
#define LS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Borrowed; no zero needs to end it. */
struct ls_text {
  const char *data;
  size_t length;
  const char *source; /* the name of the file, for messages */
};

/* Bytes of a byte order mark at the beginning, which Excel and others write: it is no data. */
enum { LS_TEXT_MARK_BYTES = 3 };
#define LS_TEXT_MARK "\xef\xbb\xbf"

static inline size_t ls_text_mark(const char *data, size_t length) {
  bool has_mark =
      length >= LS_TEXT_MARK_BYTES && memcmp(data, LS_TEXT_MARK, LS_TEXT_MARK_BYTES) == 0;
  return has_mark ? LS_TEXT_MARK_BYTES : 0;
}

#endif
