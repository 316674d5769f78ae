/* netpbm.c: the forms of PBM and PGM files.  docs/decisions/0016-own-pgm-reader.md tells why there
 * is no library.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"

static const uint64_t pixels_max = INT32_MAX;

struct reader {
  const struct ls_text *text;
  size_t at;
  bool is_grey, is_plain;
  uint32_t maxval; /* grey */
  double threshold;
};

static int peek(const struct reader *reader) {
  return reader->at < reader->text->length ? (unsigned char)reader->text->data[reader->at] : -1;
}

static bool is_white(int byte) {
  return byte >= 0 && isspace(byte) != 0;
}

/* A comment goes from its sign to the end of the line. */
static void skip_space(struct reader *reader) {
  while (peek(reader) == '#' || is_white(peek(reader))) {
    bool is_comment = peek(reader) == '#';
    while (is_comment && peek(reader) >= 0 && peek(reader) != '\n' && peek(reader) != '\r') {
      ++reader->at;
    }
    if (!is_comment) ++reader->at;
  }
}

static bool is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

static enum ls_status refuse(const struct reader *reader, const char *why, struct ls_error *err) {
  return ls_fail(err, LS_EINVAL, "thinning: %s: %s", reader->text->source, why);
}

struct field {
  const char *name;
  uint32_t least, most;
};

/* Behind something white. */
static enum ls_status read_number(struct reader *reader, struct field field, uint32_t *number,
                                  struct ls_error *err) {
  uint64_t value = 0;
  size_t before = reader->at;
  skip_space(reader);
  size_t first = reader->at;
  for (; is_digit(peek(reader)); ++reader->at) {
    if (value <= field.most) value = 10 * value + (uint64_t)(peek(reader) - '0');
  }
  if (first == before || reader->at == first) {
    return ls_fail(err, LS_EINVAL, "thinning: %s: no %s at byte %zu", reader->text->source,
                   field.name, first);
  }
  if (value < field.least || value > field.most) {
    return ls_fail(err, LS_EINVAL,
                   "thinning: %s: %s is %s%" PRIu64 ", expected %" PRIu32 " to %" PRIu32,
                   reader->text->source, field.name, value > field.most ? "at least " : "", value,
                   field.least, field.most);
  }
  *number = (uint32_t)value;
  return LS_OK;
}

static enum ls_status read_magic(struct reader *reader, struct ls_error *err) {
  const struct ls_text *text = reader->text;
  char kind = text->length >= 2 && text->data[0] == 'P' ? text->data[1] : '\0';
  if (strchr("1245", kind) == NULL || kind == '\0') {
    return refuse(reader, "not a picture in black and white or grey (PBM or PGM: P1, P4, P2, P5)",
                  err);
  }
  reader->is_plain = kind == '1' || kind == '2';
  reader->is_grey = kind == '2' || kind == '5';
  reader->at = 2;
  if (!reader->is_grey && reader->threshold >= 0) {
    return refuse(reader, "is in black and white: --threshold is for grey pictures (PGM)", err);
  }
  return LS_OK;
}

static enum ls_status read_header(struct reader *reader, struct picture *picture,
                                  struct ls_error *err) {
  uint32_t width = 0, height = 0;
  enum ls_status status = read_magic(reader, err);
  if (status == LS_OK)
    status = read_number(reader, (struct field){"width", 1, INT32_MAX}, &width, err);
  if (status == LS_OK)
    status = read_number(reader, (struct field){"height", 1, INT32_MAX}, &height, err);
  if (status == LS_OK && reader->is_grey) {
    status = read_number(reader, (struct field){"maxval", 1, UINT16_MAX}, &reader->maxval, err);
  }
  if (status != LS_OK) return status;
  if ((uint64_t)width * height > pixels_max) {
    return ls_fail(err, LS_EINVAL,
                   "thinning: %s: %" PRIu32 " x %" PRIu32
                   " pixels, expected less than 2^31 of them",
                   reader->text->source, width, height);
  }
  *picture = (struct picture){.width = width, .height = height, .row_bytes = (width + 7) / 8};
  if (reader->is_plain) return LS_OK;
  if (!is_white(peek(reader))) return refuse(reader, "nothing white follows the header", err);
  ++reader->at;
  return LS_OK;
}

/* ---- pixels ---- */

/* The least that there can be of so many pixels: no memory is taken for what is not there. */
static enum ls_status check_length(const struct reader *reader, const struct picture *picture,
                                   struct ls_error *err) {
  uint64_t least = (uint64_t)picture->row_bytes * picture->height;
  if (reader->is_grey || reader->is_plain) least = (uint64_t)picture->width * picture->height;
  if (reader->is_grey && !reader->is_plain && reader->maxval > UINT8_MAX) least *= 2;
  uint64_t left = reader->text->length - reader->at;
  if (left >= least) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "thinning: %s: %" PRIu64 " bytes follow the header, expected at least %" PRIu64
                 " for %zu x %zu pixels",
                 reader->text->source, left, least, picture->width, picture->height);
}

static enum ls_status read_sample(struct reader *reader, uint32_t *sample, struct ls_error *err) {
  if (reader->is_plain)
    return read_number(reader, (struct field){"sample", 0, reader->maxval}, sample, err);
  *sample = (uint32_t)peek(reader);
  ++reader->at;
  if (reader->maxval > UINT8_MAX) {
    *sample = *sample << 8 | (uint32_t)peek(reader);
    ++reader->at;
  }
  if (*sample <= reader->maxval) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "thinning: %s: the sample before byte %zu is %" PRIu32
                 ", expected at most the maxval %" PRIu32,
                 reader->text->source, reader->at, *sample, reader->maxval);
}

/* The digits of a plain picture may stand together. */
static enum ls_status read_bit(struct reader *reader, bool *is_black, struct ls_error *err) {
  skip_space(reader);
  int digit = peek(reader);
  if (digit != '0' && digit != '1') {
    return ls_fail(err, LS_EINVAL, "thinning: %s: neither 0 nor 1 at byte %zu",
                   reader->text->source, reader->at);
  }
  *is_black = digit == '1';
  ++reader->at;
  return LS_OK;
}

static enum ls_status read_pixel(struct reader *reader, bool *is_black, struct ls_error *err) {
  if (!reader->is_grey) return read_bit(reader, is_black, err);
  uint32_t sample = 0;
  double threshold = reader->threshold >= 0 ? reader->threshold : 0.5;
  enum ls_status status = read_sample(reader, &sample, err);
  *is_black = sample < threshold * reader->maxval;
  return status;
}

static enum ls_status read_pixels(struct reader *reader, struct picture *picture,
                                  struct ls_error *err) {
  for (size_t y = 0; y < picture->height; y++) {
    unsigned char *row = picture->rows + y * picture->row_bytes;
    for (size_t x = 0; x < picture->width; x++) {
      bool is_black = false;
      enum ls_status status = read_pixel(reader, &is_black, err);
      if (status != LS_OK) return status;
      if (is_black) row[x / 8] |= (unsigned char)(0x80 >> x % 8);
    }
  }
  return LS_OK;
}

/* What fills up the last byte of a row means nothing. */
static void copy_rows(const struct reader *reader, struct picture *picture) {
  size_t left = picture->width % 8;
  memcpy(picture->rows, reader->text->data + reader->at, picture->row_bytes * picture->height);
  for (size_t y = 0; y < picture->height && left > 0; y++) {
    picture->rows[(y + 1) * picture->row_bytes - 1] &= (unsigned char)~(0xff >> left);
  }
}

enum ls_status picture_parse(const struct ls_text *text, double threshold, struct picture *picture,
                             struct ls_error *err) {
  struct reader reader = {.text = text, .threshold = threshold};
  struct picture read = {0};
  enum ls_status status = read_header(&reader, &read, err);
  if (status == LS_OK) status = check_length(&reader, &read, err);
  if (status != LS_OK) return status;
  read.rows = calloc(read.height, read.row_bytes);
  if (read.rows == NULL) {
    return ls_fail(err, LS_ENOMEM, "thinning: %s: out of memory for %zu x %zu pixels", text->source,
                   read.width, read.height);
  }
  if (reader.is_plain || reader.is_grey) {
    status = read_pixels(&reader, &read, err);
  } else {
    copy_rows(&reader, &read);
  }
  if (status != LS_OK) {
    picture_close(&read);
    return status;
  }
  *picture = read;
  return LS_OK;
}
