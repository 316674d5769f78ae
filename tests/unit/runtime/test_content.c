#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/os/content.h"

/* The digest of nothing, and of "abc", as b2sum -l 256 has them. */
static void names_are_those_of_other_programs(void **state) {
  (void)state;
  static const struct {
    const char *data, *digits;
  } known[] = {{"", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
               {"abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"}};
  for (size_t i = 0; i < 2; ++i) {
    struct ls_content content;
    unsigned char name[LS_CONTENT_BYTES];
    char digits[LS_CONTENT_DIGITS + 1];
    ls_content_begin(&content);
    for (const char *c = known[i].data; *c != '\0'; ++c) ls_content_add(&content, c, 1);
    ls_content_end(&content, name);
    ls_content_write(name, digits);
    assert_string_equal(digits, known[i].digits);
  }
}

static void a_file_has_the_name_of_its_bytes(void **state) {
  (void)state;
  static char data[300000];
  char path[] = "/tmp/loadstar-test-XXXXXX";
  unsigned char expected[LS_CONTENT_BYTES], got[LS_CONTENT_BYTES];
  struct ls_content content;
  int file = mkstemp(path);
  for (size_t i = 0; i < sizeof data; ++i) data[i] = (char)(i * i);
  assert_int_equal(write(file, data, sizeof data), sizeof data);
  ls_content_begin(&content);
  ls_content_add(&content, data, sizeof data);
  ls_content_end(&content, expected);
  assert_true(ls_content_of_file(file, got));
  assert_memory_equal(got, expected, LS_CONTENT_BYTES);
  assert_int_equal(close(file), 0);
  assert_false(ls_content_of_file(file, got));
  assert_int_equal(unlink(path), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_those_of_other_programs),
      cmocka_unit_test(a_file_has_the_name_of_its_bytes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
