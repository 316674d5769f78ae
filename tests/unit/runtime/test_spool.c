/* test_spool.c: the pieces of an output are one file. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/spool.h"

static void pieces_stand_one_after_another(void **state) {
  struct ls_spool spool = ls_spool_make();
  char text[16] = "";
  (void)state;
  assert_int_equal(ls_spool_add(&spool, "one ", 4, NULL), LS_OK);
  assert_int_equal(ls_spool_add(&spool, "", 0, NULL), LS_OK);
  assert_int_equal(ls_spool_add(&spool, "two", 3, NULL), LS_OK);
  assert_int_equal(spool.bytes, 7);
  struct ls_output output = ls_spool_take(&spool);
  assert_int_equal(output.length, 7);
  assert_null(output.data);
  assert_int_equal(pread(output.file, text, sizeof text, 0), 7);
  assert_string_equal(text, "one two");
  assert_int_equal(spool.file, -1);
  assert_int_equal(spool.bytes, 0);
  (void)close(output.file);
}

static void a_closed_spool_is_empty_and_its_file_gone(void **state) {
  struct ls_spool spool = ls_spool_make();
  (void)state;
  assert_int_equal(ls_spool_add(&spool, "x", 1, NULL), LS_OK);
  int file = spool.file;
  ls_spool_close(&spool);
  assert_int_equal(fcntl(file, F_GETFD), -1);
  assert_int_equal(ls_spool_take(&spool).file, -1);
  ls_spool_close(&spool);
}

static void a_folder_that_is_not_there_is_named(void **state) {
  struct ls_spool spool = ls_spool_make();
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(setenv("TMPDIR", "/nowhere/at/all", 1), 0);
  assert_int_equal(ls_spool_add(&spool, "x", 1, &err), LS_EIO);
  assert_non_null(strstr(err.text, "/nowhere/at/all"));
  assert_int_equal(unsetenv("TMPDIR"), 0);
  ls_spool_close(&spool);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_stand_one_after_another),
      cmocka_unit_test(a_closed_spool_is_empty_and_its_file_gone),
      cmocka_unit_test(a_folder_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
