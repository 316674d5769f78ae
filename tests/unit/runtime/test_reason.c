#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <unistd.h>

#include "runtime/master/reason.h"
#include "runtime/os/temporary.h"

static void expect(const char *text, const char *wanted) {
  char reason[LS_REASON_BYTES];
  struct ls_output output = {text, strlen(text), -1};
  ls_reason_read(&output, reason);
  assert_string_equal(reason, wanted);
}

static void the_first_line_that_says_anything_counts(void **state) {
  (void)state;
  expect("", "");
  expect("\n \t\r\n", "");
  expect("why\nand how\n", "why");
  expect("\n\n  why not\r\nso", "why not");
}

static void what_is_long_is_cut(void **state) {
  (void)state;
  char text[1000], wanted[LS_REASON_BYTES];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  memset(wanted, 'x', sizeof wanted - 1);
  wanted[sizeof wanted - 1] = '\0';
  expect(text, wanted);
}

static void a_file_is_read_from_its_beginning(void **state) {
  (void)state;
  char reason[LS_REASON_BYTES];
  struct ls_output output = {.length = 9, .file = ls_temporary_file(NULL)};
  assert_int_equal(write(output.file, "in a file", 9), 9);
  ls_reason_read(&output, reason);
  assert_string_equal(reason, "in a file");
  close(output.file);
  output.file = -1;
  ls_reason_read(&output, reason);
  assert_string_equal(reason, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_line_that_says_anything_counts),
      cmocka_unit_test(what_is_long_is_cut),
      cmocka_unit_test(a_file_is_read_from_its_beginning),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
