#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/output_left.h"

static void an_output_stays_in_a_file_of_its_own(void **state) {
  (void)state;
  char folder[] = "/tmp/test-left-XXXXXX", got[16];
  assert_non_null(mkdtemp(folder));
  setenv("TMPDIR", folder, 1);
  struct ls_bytes first = {0}, second = {0};
  const struct ls_output output = {"hello", 5, -1}, nothing = {.file = -1};
  assert_int_equal(ls_output_leave(&output, &first, NULL), LS_OK);
  assert_int_equal(ls_output_leave(&nothing, &second, NULL), LS_OK);
  assert_memory_equal(first.data, folder, strlen(folder));
  assert_true(first.data[first.length - 1] == '\n');
  assert_string_not_equal(first.data, second.data);
  first.data[first.length - 1] = second.data[second.length - 1] = '\0';
  FILE *file = fopen(first.data, "r");
  assert_non_null(file);
  assert_int_equal(fread(got, 1, sizeof got, file), 5);
  assert_memory_equal(got, "hello", 5);
  fclose(file);
  assert_int_equal(access(second.data, F_OK), 0);
  unlink(first.data);
  unlink(second.data);
  rmdir(folder);
  struct ls_error err = {0};
  assert_int_equal(ls_output_leave(&output, &first, &err), LS_EIO);
  assert_non_null(strstr(err.text, "--files: "));
  assert_non_null(strstr(err.text, "--tmpdir"));
  ls_bytes_close(&first);
  ls_bytes_close(&second);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_output_stays_in_a_file_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
