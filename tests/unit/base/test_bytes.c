#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/bytes.h"

static void text_is_built_piece_by_piece(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  assert_string_equal(ls_bytes_text(&bytes), "");
  ls_bytes_append_text(&bytes, "a");
  ls_bytes_append_char(&bytes, '-');
  ls_bytes_printf(&bytes, "%d,%s", 7, "x");
  assert_string_equal(ls_bytes_text(&bytes), "a-7,x");
  assert_int_equal(bytes.length, 5);
  assert_false(bytes.failed);
  ls_bytes_close(&bytes);
  assert_null(bytes.data);
}

static void zero_bytes_are_data(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  ls_bytes_append(&bytes, "a\0b", 3);
  assert_int_equal(bytes.length, 3);
  assert_memory_equal(bytes.data, "a\0b\0", 4);
  ls_bytes_close(&bytes);
}

/* The text outgrows the buffer on the stack that printf tries first. */
static void long_prints_are_whole(void **state) {
  (void)state;
  char filler[1000];
  memset(filler, 'y', sizeof filler);
  filler[sizeof filler - 1] = '\0';
  struct ls_bytes bytes = {0};
  ls_bytes_printf(&bytes, "%d:%s", 12, filler);
  assert_int_equal(bytes.length, 3 + 999);
  assert_string_equal(bytes.data + 3, filler);
  ls_bytes_close(&bytes);
}

static void appending_nothing_gives_an_empty_text(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  ls_bytes_append(&bytes, NULL, 0);
  assert_false(bytes.failed);
  assert_string_equal(ls_bytes_text(&bytes), "");
  ls_bytes_close(&bytes);
}

static void failure_is_sticky_until_cleared(void **state) {
  (void)state;
  struct ls_bytes bytes = {0};
  ls_bytes_append_text(&bytes, "kept");
  ls_bytes_append(&bytes, "x", SIZE_MAX - 2);
  assert_true(bytes.failed);
  ls_bytes_append_text(&bytes, "ignored");
  assert_string_equal(ls_bytes_text(&bytes), "kept");
  ls_bytes_clear(&bytes);
  assert_false(bytes.failed);
  ls_bytes_append_text(&bytes, "new");
  assert_string_equal(ls_bytes_text(&bytes), "new");
  ls_bytes_close(&bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_built_piece_by_piece),
      cmocka_unit_test(zero_bytes_are_data),
      cmocka_unit_test(long_prints_are_whole),
      cmocka_unit_test(appending_nothing_gives_an_empty_text),
      cmocka_unit_test(failure_is_sticky_until_cleared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
