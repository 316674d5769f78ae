/* Where the pixels of povray's pictures begin, and what is told of its messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "povray_output.h"

static enum ls_status find(const char *text, size_t *at, struct ls_error *err) {
  return povray_find_pixels(&(struct ls_text){text, strlen(text), "f.ppm"},
                            (struct picture_size){4, 3}, at, err);
}

static void pixels_follow_the_header(void **state) {
  (void)state;
  size_t at = 0;
  assert_int_equal(find("P6\n4 3\n255\n", &at, NULL), LS_OK);
  assert_int_equal(at, 11);
  assert_int_equal(find("P6\n# Render Date: now\n4 3\n255\n\n", &at, NULL), LS_OK);
  assert_int_equal(at, 30);
}

static void other_pictures_are_refused(void **state) {
  (void)state;
  static const char *const bad[][2] = {
      {"", "f.ppm: not a binary picture in colour"},
      {"P5\n4 3\n255\n", "not a binary picture in colour"},
      {"P6\n4", "no height"},
      {"P6\n3 4\n255\n", "3 x 4 pixels up to 255, expected 4 x 3 up to 255"},
      {"P6\n4 3\n65535\n", "4 x 3 pixels up to 65535"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    size_t at = 77;
    struct ls_error err = {0};
    assert_int_equal(find(bad[i][0], &at, &err), LS_EINVAL);
    if (strstr(err.text, bad[i][1]) == NULL) fail_msg("'%s': %s", bad[i][0], err.text);
    assert_int_equal(at, 77);
  }
}

static void assert_reason(const char *messages, const char *expected) {
  struct ls_bytes reason = {0};
  povray_write_reason((struct ls_text){messages, strlen(messages), ""}, &reason);
  assert_string_equal(ls_bytes_text(&reason), expected);
  ls_bytes_close(&reason);
}

/* povray folds long lines, and says more behind the error. */
static void the_last_error_is_told_in_one_line(void **state) {
  (void)state;
  assert_reason(
      "==== [Parsing...] ====\nFile 'b.pov' line 1: Parse Error: No matching }, undeclared\n"
      " identifier 'foo'\r\n found instead\nFatal error in parser: Cannot parse input.\n"
      "Render failed\n\n",
      "File 'b.pov' line 1: Parse Error: No matching }, undeclared identifier 'foo' found "
      "instead");
  assert_reason("Parse Error: one\n more\nParse Error: two\nx\n y\n", "Parse Error: two");
  assert_reason("one\ntwo\t\x1b three  \n \n", "two three ");
  assert_reason("no end of line", "no end of line");
  assert_reason("", "it said nothing");
  assert_reason("\n \n", "it said nothing");
}

static void a_reason_has_an_end(void **state) {
  (void)state;
  char text[5000];
  struct ls_bytes reason = {0};
  memset(text, 'x', sizeof text);
  povray_write_reason((struct ls_text){text, sizeof text, ""}, &reason);
  assert_int_equal(reason.length, 300);
  ls_bytes_close(&reason);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pixels_follow_the_header),
      cmocka_unit_test(other_pictures_are_refused),
      cmocka_unit_test(the_last_error_is_told_in_one_line),
      cmocka_unit_test(a_reason_has_an_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
