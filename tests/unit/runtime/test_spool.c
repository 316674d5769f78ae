/* test_spool.c: the pieces of an output are one file. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/output/spool.h"

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

/* What has no room there says where it has none. */
static void a_folder_without_room_is_named(void **state) {
  struct ls_spool spool = ls_spool_make();
  struct ls_error err = {0};
  struct rlimit before;
  (void)state;
  assert_int_equal(unsetenv("TMPDIR"), 0);
  assert_int_equal(ls_spool_add(&spool, "x", 1, NULL), LS_OK);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  const struct rlimit less = {1, before.rlim_max};
  (void)signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
  assert_int_equal(ls_spool_add(&spool, "x", 1, &err), LS_EIO);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  static const char expected[] =
      "a large output cannot be kept in '/tmp' (TMPDIR): File too large; ";
  assert_memory_equal(err.text, expected, sizeof expected - 1);
  ls_spool_close(&spool);
  /* The same of a file that somebody has made elsewhere. */
  char folder[] = "/tmp/loadstar-spool-XXXXXX", words[96];
  assert_non_null(mkdtemp(folder));
  spool.file = open(folder, O_TMPFILE | O_RDWR, 0600);
  assert_true(spool.file >= 0);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
  assert_int_equal(ls_spool_add(&spool, "xy", 2, &err), LS_EIO);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  (void)snprintf(words, sizeof words, "an output file cannot be written in '%s': File too large",
                 folder);
  assert_string_equal(err.text, words);
  ls_spool_close(&spool);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_stand_one_after_another),
      cmocka_unit_test(a_closed_spool_is_empty_and_its_file_gone),
      cmocka_unit_test(a_folder_that_is_not_there_is_named),
      cmocka_unit_test(a_folder_without_room_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
