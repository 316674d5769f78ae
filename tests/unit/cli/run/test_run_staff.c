/* A file that says how many workers there are, again and again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/run_staff.h"

static void write_line(const char *path, const char *line) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fprintf(file, "%s\n", line) > 0);
  assert_int_equal(fclose(file), 0);
}

static void what_the_file_says_counts(void **state) {
  (void)state;
  char folder[] = "/tmp/test-run-staff-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/workers", folder);
  struct ls_run_staff staff = {.file = path, .most = 50, .wanted = 2};
  struct ls_error err = {0};
  write_line(path, "7");
  assert_int_equal(ls_run_staff_look(&staff, 100, &err), LS_OK);
  assert_int_equal(staff.wanted, 7);
  write_line(path, "3000");
  assert_int_equal(ls_run_staff_look(&staff, 100, &err), LS_OK);
  assert_int_equal(staff.wanted, 50);
  /* More than tasks would find nothing to do. */
  assert_int_equal(ls_run_staff_look(&staff, 3, &err), LS_OK);
  assert_int_equal(staff.wanted, 3);
  write_line(path, "0");
  assert_int_equal(ls_run_staff_look(&staff, 9, &err), LS_OK);
  assert_int_equal(staff.wanted, 9);
  assert_int_equal(ls_run_staff_look(&staff, UINT64_MAX, &err), LS_OK);
  assert_int_equal(staff.wanted, 50);
  /* What is wrong is said once, and changes nothing. */
  write_line(path, "many");
  assert_int_equal(ls_run_staff_look(&staff, 9, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, path));
  assert_int_equal(ls_run_staff_look(&staff, 9, &err), LS_OK);
  assert_int_equal(staff.wanted, 50);
  write_line(path, "4");
  assert_int_equal(ls_run_staff_look(&staff, 9, &err), LS_OK);
  assert_int_equal(staff.wanted, 4);
  unlink(path);
  assert_int_equal(ls_run_staff_look(&staff, 9, &err), LS_EINVAL);
  assert_int_equal(staff.wanted, 4);
  rmdir(folder);
}

static void only_workers_that_are_all_alike_come_and_go(void **state) {
  (void)state;
  double speeds[] = {1, 2};
  struct ls_run_policy policy = {0};
  struct ls_run_options options = {.workers = 2, .workers_most = 30, .workers_file = "file"};
  struct ls_run_staff staff = ls_run_staff_of(&options, &policy);
  assert_string_equal(staff.file, "file");
  assert_int_equal(ls_run_staff_places(&staff, 2), 30);
  assert_int_equal(ls_run_staff_places(&staff, 40), 40);
  policy.speeds = speeds;
  staff = ls_run_staff_of(&options, &policy);
  assert_null(staff.file);
  assert_int_equal(ls_run_staff_places(&staff, 2), 2);
  policy.speeds = NULL;
  options.elsewhere.workers = 1;
  assert_null(ls_run_staff_of(&options, &policy).file);
  options.elsewhere.workers = 0;
  options.sizing = "malleable";
  assert_null(ls_run_staff_of(&options, &policy).file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_the_file_says_counts),
      cmocka_unit_test(only_workers_that_are_all_alike_come_and_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
