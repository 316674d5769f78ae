/* Whatever a name says, nothing outside the folder is reached. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/files/inside.h"
#include "runtime/os/tree.h"

static char path[] = "/tmp/loadstar-test-XXXXXX";
static int folder = -1;

static int set_up(void **state) {
  (void)state;
  if (mkdtemp(path) == NULL) return -1;
  folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return folder >= 0 ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  ls_tree_empty(folder, NULL);
  return close(folder) + rmdir(path);
}

static void folders_of_a_name_are_made_where_that_is_wanted(void **state) {
  (void)state;
  struct ls_inside place = {-1, NULL};
  struct stat facts;
  assert_int_equal(ls_inside_open(folder, "a/b c/d", false, &place, NULL), LS_EIO);
  assert_int_equal(ls_inside_open(folder, "a/b c/d", true, &place, NULL), LS_OK);
  assert_string_equal(place.last, "d");
  assert_int_equal(mkdirat(place.parent, "d", 0700), 0);
  assert_int_equal(close(place.parent), 0);
  assert_int_equal(fstatat(folder, "a/b c/d", &facts, 0), 0);
  assert_int_equal(ls_inside_open(folder, "...", false, &place, NULL), LS_OK);
  assert_string_equal(place.last, "...");
  assert_int_equal(close(place.parent), 0);
}

static void names_that_lead_out_are_refused(void **state) {
  (void)state;
  static const char *const names[] = {"",   ".",    "..",    "/etc/passwd", "../x", "a/../../x",
                                      "a/", "a//b", "a/./b", "./a",         "x/.."};
  char endless[400];
  memset(endless, 'n', sizeof endless - 1);
  endless[sizeof endless - 1] = '\0';
  struct ls_inside place = {-1, NULL};
  for (size_t i = 0; i <= sizeof names / sizeof *names; ++i) {
    struct ls_error err = {0};
    const char *name = i < sizeof names / sizeof *names ? names[i] : endless;
    assert_int_equal(ls_inside_open(folder, name, true, &place, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "leads out of the sandbox"));
  }
}

static void links_lead_nowhere(void **state) {
  (void)state;
  struct ls_inside place = {-1, NULL};
  struct ls_error err = {0};
  assert_int_equal(symlinkat("/tmp", folder, "link"), 0);
  int file = openat(folder, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  assert_int_equal(close(file), 0);
  assert_int_equal(ls_inside_open(folder, "link/x", true, &place, &err), LS_EIO);
  assert_non_null(strstr(err.text, "is a link, or a file"));
  assert_int_equal(ls_inside_open(folder, "file/x", true, &place, &err), LS_EIO);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(folders_of_a_name_are_made_where_that_is_wanted),
      cmocka_unit_test(names_that_lead_out_are_refused),
      cmocka_unit_test(links_lead_nowhere),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
