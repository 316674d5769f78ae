/* netpbm.c: the forms of PBM and PGM files.  docs/decisions/0016-own-pgm-reader.md tells why there
 * is no library.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../common/netpbm_header.h"
#include "picture.h"

struct reader {
  struct netpbm_reader in;
  bool is_grey, is_plain;
  uint32_t maxval; /* grey */
  double threshold;
};

static enum ls_status refuse(const struct reader *reader, const char *why, struct ls_error *err) {
  return ls_fail(err, LS_EINVAL, "thinning: %s: %s", reader->in.text->source, why);
}

static enum ls_status read_form(struct reader *reader, struct ls_error *err) {
  char form = netpbm_form(reader->in.text);
  if (strchr("1245", form) == NULL || form == '\0') {
    return refuse(reader, "not a picture in black and white or grey (PBM or PGM: P1, P4, P2, P5)",
                  err);
  }
  reader->is_plain = form == '1' || form == '2';
  reader->is_grey = form == '2' || form == '5';
  if (!reader->is_grey && reader->threshold >= 0) {
    return refuse(reader, "is in black and white: --threshold is for grey pictures (PGM)", err);
  }
  return LS_OK;
}

static enum ls_status read_header(struct reader *reader, struct picture *picture,
                                  struct ls_error *err) {
  struct netpbm_header header;
  enum ls_status status = read_form(reader, err);
  if (status == LS_OK) status = netpbm_read_header(&reader->in, &header, err);
  if (status != LS_OK) return status;
  reader->maxval = header.maxval;
  *picture = (struct picture){
      .width = header.width, .height = header.height, .row_bytes = ((size_t)header.width + 7) / 8};
  return LS_OK;
}

/* ---- pixels ---- */

/* The least that there can be of so many pixels: no memory is taken for what is not there. */
static enum ls_status check_length(const struct reader *reader, const struct picture *picture,
                                   struct ls_error *err) {
  uint64_t least = (uint64_t)picture->row_bytes * picture->height;
  if (reader->is_grey || reader->is_plain) least = (uint64_t)picture->width * picture->height;
  if (reader->is_grey && !reader->is_plain && reader->maxval > UINT8_MAX) least *= 2;
  uint64_t left = reader->in.text->length - reader->in.at;
  if (left >= least) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "thinning: %s: %" PRIu64 " bytes follow the header, expected at least %" PRIu64
                 " for %zu x %zu pixels",
                 reader->in.text->source, left, least, picture->width, picture->height);
}

static enum ls_status read_sample(struct reader *reader, uint32_t *sample, struct ls_error *err) {
  if (reader->is_plain)
    return netpbm_read_number(&reader->in, (struct netpbm_field){"sample", 0, reader->maxval},
                              sample, err);
  *sample = (uint32_t)netpbm_peek(&reader->in);
  ++reader->in.at;
  if (reader->maxval > UINT8_MAX) {
    *sample = *sample << 8 | (uint32_t)netpbm_peek(&reader->in);
    ++reader->in.at;
  }
  if (*sample <= reader->maxval) return LS_OK;
  return ls_fail(err, LS_EINVAL,
                 "thinning: %s: the sample before byte %zu is %" PRIu32
                 ", expected at most the maxval %" PRIu32,
                 reader->in.text->source, reader->in.at, *sample, reader->maxval);
}

/* The digits of a plain picture may stand together. */
static enum ls_status read_bit(struct reader *reader, bool *is_black, struct ls_error *err) {
  netpbm_skip_space(&reader->in);
  int digit = netpbm_peek(&reader->in);
  if (digit != '0' && digit != '1') {
    return ls_fail(err, LS_EINVAL, "thinning: %s: neither 0 nor 1 at byte %zu",
                   reader->in.text->source, reader->in.at);
  }
  *is_black = digit == '1';
  ++reader->in.at;
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
  memcpy(picture->rows, reader->in.text->data + reader->in.at,
         picture->row_bytes * picture->height);
  for (size_t y = 0; y < picture->height && left > 0; y++) {
    picture->rows[(y + 1) * picture->row_bytes - 1] &= (unsigned char)~(0xff >> left);
  }
}

enum ls_status picture_parse(const struct ls_text *text, double threshold, struct picture *picture,
                             struct ls_error *err) {
  struct reader reader = {.in = {.application = "thinning", .text = text}, .threshold = threshold};
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
