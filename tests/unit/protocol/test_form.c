/* Every type of field survives the way there and back, and refuses what it cannot mean. The
 * messages themselves are tested in test_message.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "protocol/form.h"

#define AT(member) offsetof(struct ls_message, member)

/* The text of what is wrong; "" for nothing. */
static const char *read_back(const struct ls_form *form, const struct ls_bytes *bytes,
                             struct ls_decoder *decoder, struct ls_message *message) {
  static struct ls_reader reader;
  ls_reader_init(&reader, bytes->data, bytes->length);
  assert_int_equal(ls_form_read(form, &reader, decoder, message, NULL), LS_OK);
  if (ls_reader_is_well(&reader)) assert_int_equal(ls_reader_left(&reader), 0);
  return reader.problem;
}

static void pack(const struct ls_form *form, const struct ls_message *message,
                 struct ls_bytes *bytes) {
  ls_bytes_clear(bytes);
  ls_form_pack(form, message, bytes);
  assert_false(bytes->failed);
}

static void what_a_worker_holds_survives(void **state) {
  (void)state;
  static const struct ls_form form = {"TEST", 1, {{"held", LS_FIELD_HELD, AT(held), 0, 0}}};
  static const struct ls_message_held held[] = {
      {7, {0, 1}}, {7, {5, UINT64_MAX - 5}}, {UINT64_MAX - 1, {3, 2}}};
  struct ls_bytes bytes = {0};
  struct ls_decoder decoder = {0};
  for (size_t count = 0; count <= 3; count++) {
    struct ls_message got = {0};
    pack(&form, &(struct ls_message){.held = held, .held_count = count}, &bytes);
    assert_string_equal(read_back(&form, &bytes, &decoder, &got), "");
    assert_int_equal(got.held_count, count);
    for (size_t i = 0; i < count; i++) {
      assert_true(got.held[i].chunk == held[i].chunk);
      assert_memory_equal(&got.held[i].units, &held[i].units, sizeof held[i].units);
    }
  }
  /* This number says that there is no chunk. */
  const struct ls_message_held none = {UINT64_MAX, {0, 1}};
  struct ls_message got = {0};
  pack(&form, &(struct ls_message){.held = &none, .held_count = 1}, &bytes);
  assert_non_null(strstr(read_back(&form, &bytes, &decoder, &got), "chunk"));
  ls_bytes_close(&bytes);
  ls_decoder_close(&decoder);
}

/* Pairs would be read as ranges of the wrong chunks. */
static void held_ranges_that_cannot_be_are_refused(void **state) {
  (void)state;
  static const struct ls_form form = {"TEST", 1, {{"held", LS_FIELD_HELD, AT(held), 0, 0}}};
  static const struct {
    const char *bytes;
    size_t length;
    const char *words;
  } cases[] = {{"\x92\x01\x02", 3, "chunk, first and count"},
               {"\x93\x01\x02\x00", 4, "count"},
               {"\x93\x01\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, "ends within 2^64"},
               {"\xdd\xff\xff\xff\xff\x01\x01", 7, "at most"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_bytes bytes = {0};
    struct ls_decoder decoder = {0};
    struct ls_message got = {0};
    ls_bytes_append(&bytes, cases[i].bytes, cases[i].length);
    const char *problem = read_back(&form, &bytes, &decoder, &got);
    if (strstr(problem, cases[i].words) == NULL) fail_msg("\"%s\"", problem);
    ls_bytes_close(&bytes);
    ls_decoder_close(&decoder);
  }
}

static void a_cookie_has_sixteen_bytes_or_none(void **state) {
  (void)state;
  static const struct ls_form form = {"TEST", 1, {{"cookie", LS_FIELD_COOKIE, AT(cookie), 0, 0}}};
  static const char sweet[20] = "0123456789abcdefghi";
  struct ls_bytes bytes = {0};
  struct ls_decoder decoder = {0};
  for (size_t length = 0; length < sizeof sweet; length++) {
    struct ls_message got = {0};
    pack(&form, &(struct ls_message){.cookie = {sweet, length}}, &bytes);
    const char *problem = read_back(&form, &bytes, &decoder, &got);
    if (length == 0 || length == LS_COOKIE_BYTES) {
      assert_string_equal(problem, "");
      assert_int_equal(got.cookie.length, length);
    } else {
      assert_non_null(strstr(problem, "16 bytes, or none"));
    }
  }
  ls_bytes_close(&bytes);
  ls_decoder_close(&decoder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_worker_holds_survives),
      cmocka_unit_test(held_ranges_that_cannot_be_are_refused),
      cmocka_unit_test(a_cookie_has_sixteen_bytes_or_none),
  };
  return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
