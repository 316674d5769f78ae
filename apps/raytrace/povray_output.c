#include "povray_output.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "../common/netpbm_header.h"

enum { REASON_MAX = 300, SAMPLE_MAX = 255 };

enum ls_status povray_find_pixels(const struct ls_text *text, struct picture_size size, size_t *at,
                                  struct ls_error *err) {
  struct netpbm_reader reader = {.application = "raytrace", .text = text};
  struct netpbm_header header;
  if (netpbm_form(text) != '6') {
    return ls_fail(err, LS_EINVAL, "raytrace: %s: not a binary picture in colour (PPM, P6)",
                   text->source);
  }
  enum ls_status status = netpbm_read_header(&reader, &header, err);
  if (status != LS_OK) return status;
  if (header.width != size.width || header.height != size.height || header.maxval != SAMPLE_MAX) {
    return ls_fail(err, LS_EINVAL,
                   "raytrace: %s: %u x %u pixels up to %u, expected %zu x %zu up to %d",
                   text->source, (unsigned)header.width, (unsigned)header.height,
                   (unsigned)header.maxval, size.width, size.height, (int)SAMPLE_MAX);
  }
  *at = header.header_bytes;
  return LS_OK;
}

/* ---- words ---- */

/* The next line; false: there is none. */
static bool next_line(struct ls_text *left, struct ls_text *line) {
  if (left->length == 0) return false;
  const char *end = memchr(left->data, '\n', left->length);
  size_t length = end != NULL ? (size_t)(end - left->data) : left->length;
  size_t used = end != NULL ? length + 1 : length;
  *line = (struct ls_text){.data = left->data, .length = length};
  left->data += used;
  left->length -= used;
  return true;
}

static bool holds(struct ls_text line, const char *word) {
  return line.length > 0 && memmem(line.data, line.length, word, strlen(word)) != NULL;
}

static bool is_blank(struct ls_text line) {
  for (size_t i = 0; i < line.length; i++) {
    if (isspace((unsigned char)line.data[i]) == 0) return false;
  }
  return true;
}

/* Letters as they are, all else that is not visible as one space. */
static void add_line(struct ls_text line, struct ls_bytes *text) {
  for (size_t i = 0; i < line.length && text->length < REASON_MAX; i++) {
    bool is_visible = isgraph((unsigned char)line.data[i]) != 0;
    if (is_visible) ls_bytes_append_char(text, line.data[i]);
    if (!is_visible && text->length > 0 && text->data[text->length - 1] != ' ') {
      ls_bytes_append_char(text, ' ');
    }
  }
}

/* A line that is too long goes on behind a space in the next one. */
void povray_write_reason(struct ls_text messages, struct ls_bytes *reason) {
  struct ls_bytes last = {0}, error = {0};
  struct ls_text line;
  bool goes_on = false;
  while (next_line(&messages, &line)) {
    bool is_more = goes_on && line.length > 0 && line.data[0] == ' ';
    bool is_error = holds(line, "Error:");
    if (is_error) ls_bytes_clear(&error);
    if (is_error || is_more) add_line(line, &error);
    goes_on = is_error || is_more;
    if (is_blank(line)) continue;
    ls_bytes_clear(&last);
    add_line(line, &last);
  }
  const char *words = ls_bytes_text(error.length > 0 ? &error : &last);
  ls_bytes_append_text(reason, words[0] != '\0' ? words : "it said nothing");
  ls_bytes_close(&last);
  ls_bytes_close(&error);
}
