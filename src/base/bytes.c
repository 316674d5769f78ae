#include "base/bytes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Makes room for `more` bytes and the zero byte after them; false (and sticky) without memory. */
static bool make_room(struct ls_bytes *bytes, size_t more) {
  if (bytes->failed) return false;
  if (more > SIZE_MAX - bytes->length - 1) {
    bytes->failed = true;
    return false;
  }
  void *data = bytes->data;
  if (ls_array_reserve(&data, &bytes->capacity, bytes->length + more + 1, 1) != LS_OK) {
    bytes->failed = true;
    return false;
  }
  bytes->data = data;
  return true;
}

void ls_bytes_append(struct ls_bytes *bytes, const void *data, size_t length) {
  if (!make_room(bytes, length)) return;
  if (length > 0) memcpy(bytes->data + bytes->length, data, length);
  bytes->length += length;
  bytes->data[bytes->length] = '\0';
}

void ls_bytes_append_text(struct ls_bytes *bytes, const char *text) {
  ls_bytes_append(bytes, text, strlen(text));
}

void ls_bytes_append_char(struct ls_bytes *bytes, char c) {
  ls_bytes_append(bytes, &c, 1);
}

void ls_bytes_printf(struct ls_bytes *bytes, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  char text[256];
  int wanted = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (wanted < 0) {
    bytes->failed = true;
  } else if ((size_t)wanted < sizeof text) {
    ls_bytes_append(bytes, text, (size_t)wanted);
  } else if (make_room(bytes, (size_t)wanted)) {
    (void)vsnprintf(bytes->data + bytes->length, (size_t)wanted + 1, format, again);
    bytes->length += (size_t)wanted;
  }
  va_end(again);
}

const char *ls_bytes_text(const struct ls_bytes *bytes) {
  return bytes->data == NULL ? "" : bytes->data;
}

void ls_bytes_clear(struct ls_bytes *bytes) {
  bytes->length = 0;
  bytes->failed = false;
  if (bytes->data != NULL) bytes->data[0] = '\0';
}

void ls_bytes_close(struct ls_bytes *bytes) {
  free(bytes->data);
  *bytes = (struct ls_bytes){0};
}
