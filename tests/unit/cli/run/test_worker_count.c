/* How many workers -j wants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/worker_count.h"

static size_t count(const char *text, size_t cores) {
  struct ls_worker_count wanted;
  struct ls_error err = {0};
  if (ls_worker_count_read("--workers", text, &wanted, &err) != LS_OK) fail_msg("%s", err.text);
  return ls_worker_count_of(&wanted, cores, 4096);
}

/* As GNU parallel has them: rounded down, and never none. */
static void numbers_shares_and_differences_are_of_the_cores(void **state) {
  (void)state;
  assert_int_equal(count("3", 8), 3);
  assert_int_equal(count("50%", 8), 4);
  assert_int_equal(count("50%", 7), 3);
  assert_int_equal(count("12.5%", 8), 1);
  assert_int_equal(count("200%", 8), 16);
  assert_int_equal(count("1%", 8), 1);
  assert_int_equal(count("+2", 8), 10);
  assert_int_equal(count("-1", 8), 7);
  assert_int_equal(count("-100", 8), 1);
  assert_int_equal(count("+0", 8), 8);
  assert_int_equal(count("+100000", 8), 4096);
  assert_int_equal(count("0", 8), 4096);
}

static void what_is_no_number_of_workers_is_refused(void **state) {
  (void)state;
  static const char *const wrong[] = {"",  "x y",  "3x",   "1.5", "-",   "+-1",
                                      "%", "-50%", "+50%", "0%",  "1e9", "-0x"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_worker_count wanted = {.number = 99};
    struct ls_error err = {0};
    if (ls_worker_count_read("--workers", wrong[i], &wanted, &err) != LS_EINVAL)
      fail_msg("'%s' is taken", wrong[i]);
    assert_non_null(strstr(err.text, wrong[i]));
    assert_non_null(strstr(err.text, "--workers"));
    assert_non_null(strstr(err.text, "expected"));
    assert_true(wanted.number > 98);
  }
}

static void the_first_line_of_a_file_counts(void **state) {
  (void)state;
  char folder[] = "/tmp/test-worker-count-XXXXXX", path[64];
  struct ls_worker_count wanted;
  struct ls_error err = {0};
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/count", folder);
  int file = open(path, O_RDWR | O_CREAT, 0600);
  assert_true(file >= 0);
  assert_int_equal(write(file, "75% \nmore\n", 10), 10);
  assert_int_equal(count(path, 8), 6);
  /* Behind blanks and empty lines, and by names that begin as numbers do. */
  assert_int_equal(pwrite(file, " \n 50", 5, 0), 5);
  assert_int_equal(ftruncate(file, 5), 0);
  assert_int_equal(count(path, 8), 50);
  assert_int_equal(chdir(folder), 0);
  assert_int_equal(count("./count", 8), 50);
  assert_int_equal(rename("count", "2-count"), 0);
  assert_int_equal(count("2-count", 8), 50);
  assert_int_equal(rename("2-count", "count"), 0);
  assert_int_equal(ftruncate(file, 0), 0);
  assert_int_equal(ls_worker_count_read("--workers", path, &wanted, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, path));
  close(file);
  unlink(path);
  assert_int_equal(chdir("/"), 0);
  assert_int_equal(rmdir(folder), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_shares_and_differences_are_of_the_cores),
      cmocka_unit_test(what_is_no_number_of_workers_is_refused),
      cmocka_unit_test(the_first_line_of_a_file_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
