/* The cursor must refuse whatever is not exactly there, and never read behind the end: each buffer
 * is copied to the heap with its exact size, so that the address sanitizer sees one byte too far.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "protocol/wire.h"

struct sample {
  unsigned char *data;
  struct ls_reader reader;
};

static struct sample open_sample(const char *bytes, size_t length) {
  struct sample sample = {.data = malloc(length > 0 ? length : 1)};
  assert_non_null(sample.data);
  if (length > 0) memcpy(sample.data, bytes, length);
  ls_reader_init(&sample.reader, length > 0 ? sample.data : NULL, length);
  return sample;
}

/* A literal with its zero bytes. */
#define OPEN(literal) open_sample(literal, sizeof(literal) - 1)

static void close_refused(struct sample *sample, const char *words) {
  assert_false(ls_reader_is_well(&sample->reader));
  assert_non_null(strstr(sample->reader.problem, words));
  assert_int_equal(ls_reader_left(&sample->reader), 0);
  free(sample->data);
}

static void close_well(struct sample *sample) {
  assert_true(ls_reader_is_well(&sample->reader));
  assert_int_equal(ls_reader_left(&sample->reader), 0);
  free(sample->data);
}

static void whole_numbers_of_every_width_are_read(void **state) {
  (void)state;
  struct sample sample =
      OPEN("\x00\x7f\xcc\x80\xcd\x01\x00\xce\x00\x01\x00\x00\xcf\xff\xff\xff\xff\xff\xff\xff\xff");
  const uint64_t expected[] = {0, 127, 128, 256, 65536, UINT64_MAX};
  for (size_t i = 0; i < 6; i++) {
    assert_true(ls_reader_whole(&sample.reader, "n", 0, UINT64_MAX) == expected[i]);
  }
  close_well(&sample);
}

static void whole_numbers_outside_their_limits_are_refused(void **state) {
  (void)state;
  struct sample sample = OPEN("\x05");
  assert_int_equal(ls_reader_whole(&sample.reader, "n", 6, 9), 0);
  close_refused(&sample, "n before byte 1: expected a whole number from 6 to 9, not 5");
  sample = OPEN("\xcd\x01\x00");
  assert_int_equal(ls_reader_whole(&sample.reader, "n", 0, 255), 0);
  close_refused(&sample, "not 256");
}

static void a_value_of_another_type_is_refused_by_every_read(void **state) {
  (void)state;
  struct sample sample = OPEN("\xff");
  (void)ls_reader_whole(&sample.reader, "n", 0, UINT64_MAX);
  close_refused(&sample, "a whole number");
  sample = OPEN("\xc4\x00");
  (void)ls_reader_text(&sample.reader, "t");
  close_refused(&sample, "a whole text");
  sample = OPEN("\xa0");
  (void)ls_reader_blob(&sample.reader, "b");
  close_refused(&sample, "a whole binary");
  sample = OPEN("\x01");
  (void)ls_reader_array(&sample.reader, "a", 9);
  close_refused(&sample, "an array");
  sample = OPEN("\xca\x00\x00\x00\x00");
  (void)ls_reader_real(&sample.reader, "r");
  close_refused(&sample, "a finite double");
  sample = OPEN("\xc0");
  (void)ls_reader_integer(&sample.reader, "i");
  close_refused(&sample, "32 bits");
}

static void integers_keep_their_sign_in_every_width(void **state) {
  (void)state;
  struct sample sample = OPEN(
      "\xff\x7f\xd0\x80\xd1\x80\x00\xd2\x80\x00\x00\x00\xce\x7f\xff\xff\xff"
      "\xcc\xff\xe0");
  const int32_t expected[] = {-1, 127, -128, -32768, INT32_MIN, INT32_MAX, 255, -32};
  for (size_t i = 0; i < 8; i++) {
    assert_int_equal(ls_reader_integer(&sample.reader, "i"), expected[i]);
  }
  close_well(&sample);
}

static void integers_beyond_32_bits_are_refused(void **state) {
  (void)state;
  struct sample sample = OPEN("\xce\x80\x00\x00\x00");
  assert_int_equal(ls_reader_integer(&sample.reader, "i"), 0);
  close_refused(&sample, "32 bits");
  sample = OPEN("\xd3\x00\x00\x00\x00\x00\x00\x00\x01");
  assert_int_equal(ls_reader_integer(&sample.reader, "i"), 0);
  close_refused(&sample, "32 bits");
}

static void only_finite_reals_from_zero_up_are_read(void **state) {
  (void)state;
  const double numbers[] = {0.0, 1.5, 1e300, -1.0, HUGE_VAL, nan("")};
  for (size_t i = 0; i < 6; i++) {
    struct ls_bytes bytes = {0};
    ls_wire_put_real(&bytes, numbers[i]);
    struct sample sample = open_sample(bytes.data, bytes.length);
    double got = ls_reader_real(&sample.reader, "r");
    if (i < 3) {
      assert_memory_equal(&got, &numbers[i], sizeof got);
      close_well(&sample);
    } else {
      close_refused(&sample, "a finite double >= 0");
    }
    ls_bytes_close(&bytes);
  }
}

static void texts_and_blobs_borrow_from_the_frame(void **state) {
  (void)state;
  struct sample sample = OPEN("\xa2hi\xd9\x01x\xda\x00\x01y\xdb\x00\x00\x00\x01z");
  const char *expected[] = {"hi", "x", "y", "z"};
  for (size_t i = 0; i < 4; i++) {
    struct ls_blob blob = ls_reader_text(&sample.reader, "t");
    assert_int_equal(blob.length, strlen(expected[i]));
    assert_true(memcmp(blob.data, expected[i], blob.length) == 0);
    assert_true((const unsigned char *)blob.data > sample.data);
  }
  close_well(&sample);
  sample = OPEN("\xc4\x01x\xc5\x00\x01y\xc6\x00\x00\x00\x01z");
  for (size_t i = 1; i < 4; i++) {
    struct ls_blob blob = ls_reader_blob(&sample.reader, "b");
    assert_int_equal(blob.length, 1);
    assert_memory_equal(blob.data, expected[i], 1);
  }
  close_well(&sample);
}

static void lengths_beyond_the_end_are_refused(void **state) {
  (void)state;
  struct sample sample = OPEN(
      "\xc6\xff\xff\xff\xff"
      "abc");
  struct ls_blob blob = ls_reader_blob(&sample.reader, "b");
  assert_int_equal(blob.length, 0);
  close_refused(&sample, "a whole binary");
  sample = OPEN(
      "\xbf"
      "abc");
  (void)ls_reader_text(&sample.reader, "t");
  close_refused(&sample, "a whole text");
}

static void counts_beyond_the_bytes_are_refused_at_once(void **state) {
  (void)state;
  struct sample sample = OPEN(
      "\xdd\xff\xff\xff\xff"
      "123456789012345");
  assert_int_equal(ls_reader_array(&sample.reader, "a", SIZE_MAX), 0);
  close_refused(&sample, "an array of at most 15 items, not 4294967295");
  sample = OPEN("\x93\x01\x02\x03");
  assert_int_equal(ls_reader_array(&sample.reader, "a", 2), 0);
  close_refused(&sample, "an array of at most 2 items, not 3");
}

static void arrays_of_every_width_are_read(void **state) {
  (void)state;
  struct sample sample = OPEN("\x92\xdc\x00\x01\xdd\x00\x00\x00\x00");
  assert_int_equal(ls_reader_array(&sample.reader, "a", 9), 2);
  assert_int_equal(ls_reader_array(&sample.reader, "a", 9), 1);
  assert_int_equal(ls_reader_array(&sample.reader, "a", 9), 0);
  close_well(&sample);
}

static void truncated_values_are_refused_by_every_read(void **state) {
  (void)state;
  static const char value[] = "\xcf\x01\x02\x03\x04\x05\x06\x07\x08";
  for (size_t length = 0; length < 9; length++) {
    struct sample sample = open_sample(value, length);
    (void)ls_reader_whole(&sample.reader, "n", 0, UINT64_MAX);
    close_refused(&sample, "a whole number");
    sample = open_sample("\xcb\x01\x02\x03\x04\x05\x06\x07\x08", length);
    (void)ls_reader_real(&sample.reader, "r");
    close_refused(&sample, "a finite double");
  }
}

/* By the specification of MessagePack, at both ends of each width. */
static void whole_numbers_take_the_fewest_bytes(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  const uint64_t numbers[] = {0,
                              127,
                              128,
                              255,
                              256,
                              UINT16_MAX,
                              UINT16_MAX + 1,
                              UINT32_MAX,
                              UINT32_MAX + UINT64_C(1),
                              UINT64_MAX};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    ls_wire_put_whole(&bytes, numbers[i]);
  static const char expected[] =
      "\x00\x7f\xcc\x80\xcc\xff\xcd\x01\x00\xcd\xff\xff\xce\x00\x01\x00\x00"
      "\xce\xff\xff\xff\xff\xcf\x00\x00\x00\x01\x00\x00\x00\x00"
      "\xcf\xff\xff\xff\xff\xff\xff\xff\xff";
  assert_int_equal(bytes.length, sizeof expected - 1);
  assert_memory_equal(bytes.data, expected, bytes.length);
  ls_bytes_close(&bytes);
}

static void integers_take_the_fewest_bytes(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  const int32_t numbers[] = {0,         200,           -1,        -32, -33,       -128,     -129,
                             INT16_MIN, INT16_MIN - 1, INT32_MIN, 127, INT16_MAX, INT32_MAX};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    ls_wire_put_integer(&bytes, numbers[i]);
  static const char expected[] =
      "\x00\xcc\xc8\xff\xe0\xd0\xdf\xd0\x80\xd1\xff\x7f\xd1\x80\x00\xd2\xff\xff\x7f\xff"
      "\xd2\x80\x00\x00\x00\x7f\xcd\x7f\xff\xce\x7f\xff\xff\xff";
  assert_int_equal(bytes.length, sizeof expected - 1);
  assert_memory_equal(bytes.data, expected, bytes.length);
  ls_bytes_close(&bytes);
}

static void a_real_is_its_eight_bytes_from_the_highest(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  ls_wire_put_real(&bytes, -2.5);
  assert_int_equal(bytes.length, 9);
  assert_memory_equal(bytes.data, "\xcb\xc0\x04\x00\x00\x00\x00\x00\x00", 9);
  ls_bytes_close(&bytes);
}

/* The heads of arrays, texts and blobs of `count`. */
static void lengths_take_the_fewest_bytes(void **state) {
  (void)state;
  static const char content[UINT16_MAX + 1];
  static const struct {
    size_t count, array_bytes, text_bytes, blob_bytes;
    const char *array, *text, *blob;
  } cases[] = {
      {0, 1, 1, 2, "\x90", "\xa0", "\xc4\x00"},
      {15, 1, 1, 2, "\x9f", "\xaf", "\xc4\x0f"},
      {16, 3, 1, 2, "\xdc\x00\x10", "\xb0", "\xc4\x10"},
      {31, 3, 1, 2, "\xdc\x00\x1f", "\xbf", "\xc4\x1f"},
      {32, 3, 2, 2, "\xdc\x00\x20", "\xd9\x20", "\xc4\x20"},
      {255, 3, 2, 2, "\xdc\x00\xff", "\xd9\xff", "\xc4\xff"},
      {256, 3, 3, 3, "\xdc\x01\x00", "\xda\x01\x00", "\xc5\x01\x00"},
      {65535, 3, 3, 3, "\xdc\xff\xff", "\xda\xff\xff", "\xc5\xff\xff"},
      {65536, 5, 5, 5, "\xdd\x00\x01\x00\x00", "\xdb\x00\x01\x00\x00", "\xc6\x00\x01\x00\x00"}};
  struct ls_bytes bytes = {0};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t count = cases[i].count;
    ls_bytes_clear(&bytes);
    ls_wire_put_array(&bytes, count);
    assert_int_equal(bytes.length, cases[i].array_bytes);
    assert_memory_equal(bytes.data, cases[i].array, bytes.length);
    ls_bytes_clear(&bytes);
    ls_wire_put_text(&bytes, count > 0 ? content : NULL, count);
    assert_int_equal(bytes.length, cases[i].text_bytes + count);
    assert_memory_equal(bytes.data, cases[i].text, cases[i].text_bytes);
    ls_bytes_clear(&bytes);
    ls_wire_put_blob(&bytes, count > 0 ? content : NULL, count);
    assert_int_equal(bytes.length, cases[i].blob_bytes + count);
    assert_memory_equal(bytes.data, cases[i].blob, cases[i].blob_bytes);
  }
  ls_bytes_close(&bytes);
}

static void the_first_problem_stays(void **state) {
  (void)state;
  struct sample sample = OPEN("\xc0\x01\x02");
  (void)ls_reader_whole(&sample.reader, "first", 0, 9);
  assert_int_equal(ls_reader_whole(&sample.reader, "second", 0, 9), 0);
  ls_reader_refuse(&sample.reader, "third", "nothing");
  close_refused(&sample, "first before byte 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_numbers_take_the_fewest_bytes),
      cmocka_unit_test(integers_take_the_fewest_bytes),
      cmocka_unit_test(a_real_is_its_eight_bytes_from_the_highest),
      cmocka_unit_test(lengths_take_the_fewest_bytes),
      cmocka_unit_test(whole_numbers_of_every_width_are_read),
      cmocka_unit_test(whole_numbers_outside_their_limits_are_refused),
      cmocka_unit_test(a_value_of_another_type_is_refused_by_every_read),
      cmocka_unit_test(integers_keep_their_sign_in_every_width),
      cmocka_unit_test(integers_beyond_32_bits_are_refused),
      cmocka_unit_test(only_finite_reals_from_zero_up_are_read),
      cmocka_unit_test(texts_and_blobs_borrow_from_the_frame),
      cmocka_unit_test(lengths_beyond_the_end_are_refused),
      cmocka_unit_test(counts_beyond_the_bytes_are_refused_at_once),
      cmocka_unit_test(arrays_of_every_width_are_read),
      cmocka_unit_test(truncated_values_are_refused_by_every_read),
      cmocka_unit_test(the_first_problem_stays),
  };
  return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
