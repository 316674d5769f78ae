/* Whatever a task leaves, its folder can be removed, and nothing else goes with it. */
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

#include "runtime/os/tree.h"

struct place {
  char path[32];
  int folder;
};

static struct place make_place(void) {
  struct place place = {.path = "/tmp/loadstar-test-XXXXXX"};
  if (mkdtemp(place.path) == NULL) fail_msg("no folder");
  place.folder = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  assert_true(place.folder >= 0);
  return place;
}

static void close_place(struct place *place) {
  assert_int_equal(close(place->folder), 0);
  assert_int_equal(rmdir(place->path), 0);
}

static void make_file(int folder, const char *name) {
  int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0400);
  assert_true(file >= 0);
  assert_int_equal(close(file), 0);
}

static void everything_goes_but_what_is_kept(void **state) {
  (void)state;
  struct place place = make_place();
  make_file(place.folder, "-rf");
  make_file(place.folder, "a\nb");
  assert_int_equal(mkdirat(place.folder, "kept", 0700), 0);
  make_file(place.folder, "kept/x");
  assert_int_equal(mkdirat(place.folder, "d", 0700), 0);
  make_file(place.folder, "d/kept");
  assert_int_equal(mkfifoat(place.folder, "pipe", 0600), 0);
  static const char *const kept[] = {"other", "kept", NULL};
  ls_tree_empty(place.folder, kept);
  assert_int_equal(faccessat(place.folder, "kept/x", F_OK, 0), 0);
  assert_int_equal(faccessat(place.folder, "d", F_OK, 0), -1);
  ls_tree_remove(place.folder, "kept");
  ls_tree_remove(place.folder, "nothing");
  close_place(&place);
}

/* Where root runs the tests, modes forbid nothing; the test holds for others. */
static void closed_folders_go_too(void **state) {
  (void)state;
  struct place place = make_place();
  assert_int_equal(mkdirat(place.folder, "closed", 0700), 0);
  assert_int_equal(mkdirat(place.folder, "closed/inner", 0700), 0);
  make_file(place.folder, "closed/inner/x");
  assert_int_equal(fchmodat(place.folder, "closed/inner", 0, 0), 0);
  assert_int_equal(fchmodat(place.folder, "closed", 0, 0), 0);
  ls_tree_empty(place.folder, NULL);
  close_place(&place);
}

static void links_are_not_followed(void **state) {
  (void)state;
  struct place place = make_place(), other = make_place();
  make_file(other.folder, "precious");
  assert_int_equal(symlinkat(other.path, place.folder, "link"), 0);
  assert_int_equal(mkdirat(place.folder, "d", 0700), 0);
  assert_int_equal(symlinkat("../..", place.folder, "d/up"), 0);
  ls_tree_empty(place.folder, NULL);
  assert_int_equal(symlinkat(other.path, place.folder, "link"), 0);
  ls_tree_remove(place.folder, "link");
  assert_int_equal(faccessat(other.folder, "precious", F_OK, 0), 0);
  ls_tree_remove(other.folder, "precious");
  close_place(&place);
  close_place(&other);
}

/* Deeper than descriptors go, than a path is long. */
static void depth_is_no_limit(void **state) {
  (void)state;
  struct place place = make_place();
  int folder = dup(place.folder);
  for (int depth = 0; depth < 3000; ++depth) {
    assert_int_equal(mkdirat(folder, "deeper", 0700), 0);
    make_file(folder, "file");
    int next = openat(folder, "deeper", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(next >= 0);
    assert_int_equal(close(folder), 0);
    folder = next;
  }
  assert_int_equal(close(folder), 0);
  ls_tree_empty(place.folder, NULL);
  close_place(&place);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_goes_but_what_is_kept),
      cmocka_unit_test(closed_folders_go_too),
      cmocka_unit_test(links_are_not_followed),
      cmocka_unit_test(depth_is_no_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
