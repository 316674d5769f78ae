/* A file that changes in any of its traits is another one, and the words say so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/execute/block_source.h"

static char path[] = "/tmp/ls-block-source-XXXXXX";

static int make_file(void) {
  strcpy(path + strlen(path) - 6, "XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  assert_int_equal(write(file, "12345", 5), 5);
  return file;
}

static void file_that_stays_is_the_same(void **state) {
  (void)state;
  int file = make_file();
  struct ls_block_source source;
  assert_int_equal(ls_block_source_look(file, path, &source, NULL), LS_OK);
  assert_int_equal(source.bytes, 5);
  assert_int_equal(ls_block_source_check(file, path, &source, NULL), LS_OK);
  unlink(path);
  close(file);
}

static void assert_changed(int file, const struct ls_block_source *source, const char *was,
                           const char *is) {
  struct ls_error err = {0};
  assert_int_equal(ls_block_source_check(file, path, source, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, path));
  if (strstr(err.text, was) == NULL || strstr(err.text, is) == NULL)
    fail_msg("'%s' lacks '%s' or '%s'", err.text, was, is);
}

static void change_is_named_with_both_values(void **state) {
  (void)state;
  int file = make_file();
  struct ls_block_source source, other;
  assert_int_equal(ls_block_source_look(file, path, &source, NULL), LS_OK);
  struct timespec times[2] = {{.tv_sec = 1000, .tv_nsec = 1}, {.tv_sec = 1000, .tv_nsec = 7}};
  assert_int_equal(futimens(file, times), 0);
  assert_changed(file, &source, "it was 5 bytes", "it is 5 bytes, changed at 1000.000000007");
  assert_int_equal(ls_block_source_look(file, path, &source, NULL), LS_OK);
  other = source;
  other.inode++;
  assert_changed(file, &other, "inode", "inode");
  assert_int_equal(ftruncate(file, 3), 0);
  assert_changed(file, &source, "it was 5 bytes", "it is 3 bytes");
  unlink(path);
  close(file);
}

static void what_is_no_regular_file_is_refused(void **state) {
  (void)state;
  struct ls_block_source source;
  struct ls_error err = {0};
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(ls_block_source_look(ends[0], "p", &source, &err), LS_EINVAL);
  assert_string_equal(err.text, "p: is a pipe, expected a regular file");
  int folder = open("/", O_RDONLY | O_DIRECTORY);
  assert_int_equal(ls_block_source_look(folder, "/", &source, &err), LS_EINVAL);
  assert_string_equal(err.text, "/: is a folder, expected a regular file");
  int device = open("/dev/null", O_RDONLY);
  assert_int_equal(ls_block_source_look(device, "n", &source, &err), LS_EINVAL);
  close(ends[0]);
  close(ends[1]);
  close(folder);
  close(device);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(file_that_stays_is_the_same),
      cmocka_unit_test(change_is_named_with_both_values),
      cmocka_unit_test(what_is_no_regular_file_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
