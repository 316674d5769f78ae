#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/temporary.h"

static void file_is_private_nameless_and_not_inherited(void **state) {
  (void)state;
  struct stat facts;
  char text[4] = "";
  int file = ls_temporary_file(NULL);
  assert_true(file >= 0);
  assert_int_equal(fstat(file, &facts), 0);
  assert_int_equal(facts.st_nlink, 0);
  assert_int_equal(facts.st_mode & 0777, 0600);
  assert_true((fcntl(file, F_GETFD) & FD_CLOEXEC) != 0);
  assert_int_equal(pwrite(file, "abc", 3, 0), 3);
  assert_int_equal(pread(file, text, 3, 0), 3);
  assert_string_equal(text, "abc");
  assert_int_equal(close(file), 0);
}

static void folder_is_that_of_the_environment_and_named_when_it_fails(void **state) {
  (void)state;
  struct ls_error err = {0};
  const char *before = getenv("TMPDIR");
  char *kept = before != NULL ? strdup(before) : NULL;
  assert_int_equal(setenv("TMPDIR", "/no/such/folder", 1), 0);
  assert_int_equal(ls_temporary_file(&err), -1);
  assert_int_equal(err.status, LS_EIO);
  assert_non_null(strstr(err.text, "'/no/such/folder'"));
  /* No nameless file, and none with a name: /proc takes neither. */
  assert_int_equal(setenv("TMPDIR", "/proc", 1), 0);
  assert_int_equal(ls_temporary_file(&err), -1);
  assert_non_null(strstr(err.text, "'/proc'"));
  assert_int_equal(setenv("TMPDIR", "", 1), 0);
  int file = ls_temporary_file(&err);
  assert_true(file >= 0);
  assert_int_equal(close(file), 0);
  assert_int_equal(kept != NULL ? setenv("TMPDIR", kept, 1) : unsetenv("TMPDIR"), 0);
  free(kept);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(file_is_private_nameless_and_not_inherited),
      cmocka_unit_test(folder_is_that_of_the_environment_and_named_when_it_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
