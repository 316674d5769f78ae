#include "netpbm_header.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>

static const uint64_t pixels_max = INT32_MAX;

char netpbm_form(const struct ls_text *text) {
  char form = text->length >= 2 && text->data[0] == 'P' ? text->data[1] : '\0';
  return form >= '1' && form <= '6' ? form : '\0';
}

int netpbm_peek(const struct netpbm_reader *reader) {
  return reader->at < reader->text->length ? (unsigned char)reader->text->data[reader->at] : -1;
}

static bool is_white(int byte) {
  return byte >= 0 && isspace(byte) != 0;
}

static bool is_digit(int byte) {
  return byte >= '0' && byte <= '9';
}

static bool ends_comment(int byte) {
  return byte < 0 || byte == '\n' || byte == '\r';
}

void netpbm_skip_space(struct netpbm_reader *reader) {
  while (netpbm_peek(reader) == '#' || is_white(netpbm_peek(reader))) {
    bool is_comment = netpbm_peek(reader) == '#';
    while (is_comment && !ends_comment(netpbm_peek(reader))) ++reader->at;
    if (!is_comment) ++reader->at;
  }
}

enum ls_status netpbm_read_number(struct netpbm_reader *reader, struct netpbm_field field,
                                  uint32_t *number, struct ls_error *err) {
  uint64_t value = 0;
  size_t before = reader->at;
  netpbm_skip_space(reader);
  size_t first = reader->at;
  for (; is_digit(netpbm_peek(reader)); ++reader->at) {
    if (value <= field.most) value = 10 * value + (uint64_t)(netpbm_peek(reader) - '0');
  }
  if (first == before || reader->at == first) {
    return ls_fail(err, LS_EINVAL, "%s: %s: no %s at byte %zu", reader->application,
                   reader->text->source, field.name, first);
  }
  if (value < field.least || value > field.most) {
    return ls_fail(err, LS_EINVAL, "%s: %s: %s is %s%" PRIu64 ", expected %" PRIu32 " to %" PRIu32,
                   reader->application, reader->text->source, field.name,
                   value > field.most ? "at least " : "", value, field.least, field.most);
  }
  *number = (uint32_t)value;
  return LS_OK;
}

/* One white character, and no more: the next one may be a sample. */
static enum ls_status end_header(struct netpbm_reader *reader, struct ls_error *err) {
  if (is_white(netpbm_peek(reader))) {
    ++reader->at;
    return LS_OK;
  }
  return ls_fail(err, LS_EINVAL, "%s: %s: nothing white follows the header", reader->application,
                 reader->text->source);
}

enum ls_status netpbm_read_header(struct netpbm_reader *reader, struct netpbm_header *header,
                                  struct ls_error *err) {
  const struct netpbm_field width = {"width", 1, INT32_MAX}, height = {"height", 1, INT32_MAX};
  const struct netpbm_field maxval = {"maxval", 1, UINT16_MAX};
  char form = netpbm_form(reader->text);
  struct netpbm_header read = {.maxval = 1};
  reader->at = 2;
  enum ls_status status = netpbm_read_number(reader, width, &read.width, err);
  if (status == LS_OK) status = netpbm_read_number(reader, height, &read.height, err);
  if (status == LS_OK && form != '1' && form != '4') {
    status = netpbm_read_number(reader, maxval, &read.maxval, err);
  }
  if (status != LS_OK) return status;
  if ((uint64_t)read.width * read.height > pixels_max) {
    return ls_fail(err, LS_EINVAL,
                   "%s: %s: %" PRIu32 " x %" PRIu32 " pixels, expected less than 2^31 of them",
                   reader->application, reader->text->source, read.width, read.height);
  }
  if (form >= '4') status = end_header(reader, err);
  read.header_bytes = reader->at;
  read.sample_bytes = read.maxval > UINT8_MAX ? 2 : 1;
  if (status == LS_OK) *header = read;
  return status;
}
