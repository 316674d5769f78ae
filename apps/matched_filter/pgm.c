/* pgm.c: docs/decisions/0016-own-pgm-reader.md tells why there is no library. */
#include "pgm.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

static const uint64_t pixels_max = INT32_MAX;

struct reader {
  const struct ls_text *text;
  size_t at;
};

static int peek(const struct reader *reader) {
  return reader->at < reader->text->length ? (unsigned char)reader->text->data[reader->at] : -1;
}

/* A comment goes from its sign to the end of the line. */
static void skip_space(struct reader *reader) {
  while (peek(reader) == '#' || (peek(reader) >= 0 && isspace(peek(reader)) != 0)) {
    bool is_comment = peek(reader) == '#';
    while (is_comment && peek(reader) >= 0 && peek(reader) != '\n' && peek(reader) != '\r') {
      ++reader->at;
    }
    if (!is_comment) ++reader->at;
  }
}

static enum ls_status read_number(struct reader *reader, const char *name, uint32_t most,
                                  uint32_t *number, struct ls_error *err) {
  uint64_t value = 0;
  size_t before = reader->at;
  skip_space(reader);
  bool is_apart = reader->at > before, has_digit = false;
  while (peek(reader) >= '0' && peek(reader) <= '9') {
    has_digit = true;
    if (value <= most) value = 10 * value + (uint64_t)(peek(reader) - '0');
    ++reader->at;
  }
  if (!is_apart || !has_digit) {
    return ls_fail(err, LS_EINVAL, "matched-filter: %s: no %s in the header of a PGM file",
                   reader->text->source, name);
  }
  if (value < 1 || value > most) {
    return ls_fail(err, LS_EINVAL,
                   "matched-filter: %s: %s is %s%" PRIu64 ", expected 1 to %" PRIu32,
                   reader->text->source, name, value > most ? "at least " : "", value, most);
  }
  *number = (uint32_t)value;
  return LS_OK;
}

static enum ls_status check_magic(struct reader *reader, struct ls_error *err) {
  const struct ls_text *text = reader->text;
  if (text->length < 2 || memcmp(text->data, "P5", 2) != 0) {
    return ls_fail(err, LS_EINVAL, "matched-filter: %s: not a binary grey picture (PGM, P5)",
                   text->source);
  }
  reader->at = 2;
  return LS_OK;
}

enum ls_status pgm_read_header(const struct ls_text *text, struct pgm *pgm, struct ls_error *err) {
  struct reader reader = {.text = text};
  struct pgm read = {0};
  enum ls_status status = check_magic(&reader, err);
  if (status == LS_OK) status = read_number(&reader, "width", INT32_MAX, &read.width, err);
  if (status == LS_OK) status = read_number(&reader, "height", INT32_MAX, &read.height, err);
  if (status == LS_OK) status = read_number(&reader, "maxval", UINT16_MAX, &read.maxval, err);
  if (status != LS_OK) return status;
  if ((uint64_t)read.width * read.height > pixels_max) {
    return ls_fail(err, LS_EINVAL,
                   "matched-filter: %s: %" PRIu32 " x %" PRIu32
                   " pixels, expected less than 2^31 of them",
                   text->source, read.width, read.height);
  }
  /* One white character, and no more: the next one may be a sample. */
  if (peek(&reader) < 0 || isspace(peek(&reader)) == 0) {
    return ls_fail(err, LS_EINVAL, "matched-filter: %s: nothing white follows the maxval %" PRIu32,
                   text->source, read.maxval);
  }
  read.header_bytes = reader.at + 1;
  read.sample_bytes = read.maxval > UINT8_MAX ? 2 : 1;
  *pgm = read;
  return LS_OK;
}
