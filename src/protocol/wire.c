#include "protocol/wire.h"

#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* First bytes of the MessagePack types in use (github.com/msgpack/msgpack, spec.md). */
enum {
  FIXINT_LAST = 0x7f,
  FIXARRAY = 0x90,
  FIXARRAY_MOST = 0x0f,
  FIXSTR = 0xa0,
  FIXSTR_MOST = 0x1f,
  BIN_8 = 0xc4,
  FLOAT_64 = 0xcb,
  UINT_8 = 0xcc,
  UINT_64 = 0xcf,
  INT_8 = 0xd0,
  INT_16 = 0xd1,
  INT_32 = 0xd2,
  STR_8 = 0xd9,
  ARRAY_16 = 0xdc,
  ARRAY_32 = 0xdd,
  FIXINT_NEGATIVE = 0xe0,
  FIXINT_LEAST = -0x20
};

/* The type and so many of the lowest bytes of the number, most significant first. */
static void put_number(struct ls_bytes *out, unsigned type, unsigned bytes, uint64_t number) {
  unsigned char encoded[1 + sizeof number] = {(unsigned char)type};
  for (unsigned i = 0; i < bytes; i++)
    encoded[1 + i] = (unsigned char)(number >> 8 * (bytes - 1 - i));
  ls_bytes_append(out, encoded, 1 + bytes);
}

/* Types `first`, first + 1, first + 2, first + 3 have 1, 2, 4, 8 bytes. */
static void put_fewest(struct ls_bytes *out, unsigned first, uint64_t number) {
  unsigned step = 0;
  while (step < 3 && number >> (8U << step) != 0) step++;
  put_number(out, first + step, 1U << step, number);
}

void ls_wire_put_array(struct ls_bytes *out, size_t count) {
  assert(count <= UINT32_MAX);
  if (count <= FIXARRAY_MOST)
    put_number(out, FIXARRAY | (unsigned)count, 0, 0);
  else if (count <= UINT16_MAX)
    put_number(out, ARRAY_16, 2, count);
  else
    put_number(out, ARRAY_32, 4, count);
}

void ls_wire_put_whole(struct ls_bytes *out, uint64_t number) {
  if (number <= FIXINT_LAST)
    put_number(out, (unsigned)number, 0, 0);
  else
    put_fewest(out, UINT_8, number);
}

void ls_wire_put_integer(struct ls_bytes *out, int32_t number) {
  if (number >= 0)
    ls_wire_put_whole(out, (uint64_t)number);
  else if (number >= FIXINT_LEAST)
    put_number(out, (unsigned char)number, 0, 0);
  else if (number >= INT8_MIN)
    put_number(out, INT_8, 1, (uint64_t)number);
  else if (number >= INT16_MIN)
    put_number(out, INT_16, 2, (uint64_t)number);
  else
    put_number(out, INT_32, 4, (uint64_t)number);
}

void ls_wire_put_real(struct ls_bytes *out, double number) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  put_number(out, FLOAT_64, sizeof bits, bits);
}

void ls_wire_put_text(struct ls_bytes *out, const void *data, size_t length) {
  assert(length <= UINT32_MAX);
  if (length <= FIXSTR_MOST)
    put_number(out, FIXSTR | (unsigned)length, 0, 0);
  else
    put_fewest(out, STR_8, length);
  ls_bytes_append(out, data, length);
}

void ls_wire_put_blob(struct ls_bytes *out, const void *data, size_t length) {
  assert(length <= UINT32_MAX);
  put_fewest(out, BIN_8, length);
  ls_bytes_append(out, data, length);
}

void ls_reader_init(struct ls_reader *reader, const void *data, size_t length) {
  /* NULL + 0 is not defined in C, so an empty frame gets an address. */
  reader->start = length > 0 ? data : (const unsigned char *)"";
  reader->at = reader->start;
  reader->end = reader->start + length;
  reader->problem[0] = '\0';
}

bool ls_reader_is_well(const struct ls_reader *reader) {
  return reader->problem[0] == '\0';
}

size_t ls_reader_left(const struct ls_reader *reader) {
  return (size_t)(reader->end - reader->at);
}

void ls_reader_refuse(struct ls_reader *reader, const char *field, const char *expected) {
  if (!ls_reader_is_well(reader)) return;
  snprintf(reader->problem, sizeof reader->problem, "%s before byte %zu: expected %s", field,
           (size_t)(reader->at - reader->start), expected);
  /* Nothing is read any more: every later read finds the end at once. */
  reader->at = reader->end;
}

/* The first byte of the next value; 0xc1, which MessagePack never uses, at the end. */
static unsigned take_type(struct ls_reader *reader) {
  return reader->at < reader->end ? *reader->at++ : 0xc1;
}

/* The next `bytes` <= 8 bytes as a number, most significant first; false: there are fewer. */
static bool take_number(struct ls_reader *reader, unsigned bytes, uint64_t *number) {
  if (ls_reader_left(reader) < bytes) return false;
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; i++) value = value << 8 | reader->at[i];
  reader->at += bytes;
  *number = value;
  return true;
}

size_t ls_reader_array(struct ls_reader *reader, const char *field, size_t most) {
  unsigned type = take_type(reader);
  uint64_t count = type & FIXARRAY_MOST;
  bool is_array = (type & 0xf0) == FIXARRAY;
  if (type == ARRAY_16 || type == ARRAY_32) {
    is_array = take_number(reader, type == ARRAY_16 ? 2 : 4, &count);
  }
  if (!is_array) {
    ls_reader_refuse(reader, field, "an array");
    return 0;
  }
  if (count > most || count > ls_reader_left(reader)) {
    char expected[96];
    snprintf(expected, sizeof expected, "an array of at most %zu items, not %" PRIu64,
             most < ls_reader_left(reader) ? most : ls_reader_left(reader), count);
    ls_reader_refuse(reader, field, expected);
    return 0;
  }
  return (size_t)count;
}

bool ls_reader_is_at_array(const struct ls_reader *reader) {
  if (reader->at == reader->end) return false;
  unsigned type = *reader->at;
  return (type & 0xf0) == FIXARRAY || type == ARRAY_16 || type == ARRAY_32;
}

bool ls_reader_is_at_whole(const struct ls_reader *reader) {
  if (reader->at == reader->end) return false;
  unsigned type = *reader->at;
  return type <= FIXINT_LAST || (type >= UINT_8 && type <= UINT_64);
}

uint64_t ls_reader_whole(struct ls_reader *reader, const char *field, uint64_t least,
                         uint64_t most) {
  unsigned type = take_type(reader);
  uint64_t number = type;
  bool is_whole = type <= FIXINT_LAST;
  if (type >= UINT_8 && type <= UINT_64) {
    is_whole = take_number(reader, 1U << (type - UINT_8), &number);
  }
  if (!is_whole) {
    ls_reader_refuse(reader, field, "a whole number");
    return 0;
  }
  if (number < least || number > most) {
    char expected[96];
    snprintf(expected, sizeof expected,
             "a whole number from %" PRIu64 " to %" PRIu64 ", not %" PRIu64, least, most, number);
    ls_reader_refuse(reader, field, expected);
    return 0;
  }
  return number;
}

int32_t ls_reader_integer(struct ls_reader *reader, const char *field) {
  unsigned type = take_type(reader);
  uint64_t number = 0;
  if (type <= FIXINT_LAST) return (int32_t)type;
  if (type >= FIXINT_NEGATIVE) return (int32_t)type - 256;
  if (type >= INT_8 && type <= INT_32 && take_number(reader, 1U << (type - INT_8), &number)) {
    if (type == INT_8) return (int8_t)number;
    return type == INT_32 ? (int32_t)number : (int16_t)number;
  }
  if (type >= UINT_8 && type < UINT_64 && take_number(reader, 1U << (type - UINT_8), &number) &&
      number <= INT32_MAX) {
    return (int32_t)number;
  }
  ls_reader_refuse(reader, field, "a whole number of 32 bits with sign");
  return 0;
}

double ls_reader_real(struct ls_reader *reader, const char *field) {
  unsigned type = take_type(reader);
  uint64_t bits;
  double number;
  if (type == FLOAT_64 && take_number(reader, 8, &bits)) {
    memcpy(&number, &bits, sizeof number);
    /* The condition is false for NaN. */
    if (number >= 0 && number <= DBL_MAX) return number;
  }
  ls_reader_refuse(reader, field, "a finite double >= 0");
  return 0;
}

/* A length of 1, 2 or 4 bytes (types `first`, first + 1, first + 2) and so many bytes. */
static struct ls_blob take_blob(struct ls_reader *reader, unsigned type, unsigned first,
                                const char *field) {
  uint64_t length = 0;
  bool is_blob;
  if (first == STR_8 && (type & 0xe0) == FIXSTR) {
    length = type & FIXSTR_MOST;
    is_blob = true;
  } else {
    is_blob =
        type >= first && type <= first + 2 && take_number(reader, 1U << (type - first), &length);
  }
  if (!is_blob || length > ls_reader_left(reader)) {
    ls_reader_refuse(reader, field, first == STR_8 ? "a whole text" : "a whole binary");
    return (struct ls_blob){0};
  }
  struct ls_blob blob = {reader->at, (size_t)length};
  reader->at += length;
  return blob;
}

struct ls_blob ls_reader_text(struct ls_reader *reader, const char *field) {
  return take_blob(reader, take_type(reader), STR_8, field);
}

struct ls_blob ls_reader_blob(struct ls_reader *reader, const char *field) {
  return take_blob(reader, take_type(reader), BIN_8, field);
}
