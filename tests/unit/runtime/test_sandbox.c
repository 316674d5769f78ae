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

#include "runtime/files/sandbox.h"
#include "runtime/os/tree.h"

static const struct ls_scratch_setup run = {.run = {3}};
static char parent[] = "/tmp/loadstar-test-XXXXXX";
static struct ls_scratch scratch = {.folder = -1};

static struct ls_sandbox open_one(void) {
  struct ls_sandbox sandbox = {.folder = -1};
  assert_int_equal(ls_sandbox_open(&sandbox, &scratch, NULL), LS_OK);
  return sandbox;
}

static void it_is_fresh_private_and_removed(void **state) {
  (void)state;
  struct stat facts;
  struct ls_sandbox first = open_one(), second = open_one();
  char *path = strdup(first.path);
  assert_string_not_equal(first.path, second.path);
  assert_int_equal(stat(path, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0700);
  assert_int_equal(mkdirat(first.folder, "left", 0700), 0);
  ls_sandbox_close(&first);
  assert_int_equal(stat(path, &facts), -1);
  ls_sandbox_close(&first);
  ls_sandbox_close(&second);
  free(path);
}

static void kept_ones_have_the_number_of_their_task(void **state) {
  (void)state;
  struct ls_bytes words = {0};
  for (int attempt = 0; attempt < 2; ++attempt) {
    struct ls_sandbox sandbox = open_one();
    assert_int_equal(mkdirat(sandbox.folder, "left", 0700), 0);
    ls_sandbox_keep(&sandbox, 12, &words);
    ls_sandbox_close(&sandbox);
  }
  assert_int_equal(faccessat(scratch.folder, "kept/12/left", F_OK, 0), 0);
  assert_int_equal(faccessat(scratch.folder, "kept/12.2/left", F_OK, 0), 0);
  assert_non_null(strstr(ls_bytes_text(&words), scratch.path));
  assert_non_null(strstr(ls_bytes_text(&words), "/kept/12.2\n"));
  ls_bytes_close(&words);
}

static void where_none_can_be_made_the_folder_is_named(void **state) {
  (void)state;
  struct ls_scratch gone = {.path = (char *)"/no/such/folder", .folder = -1};
  struct ls_sandbox sandbox = {.folder = -1};
  struct ls_error err = {0};
  assert_int_equal(ls_sandbox_open(&sandbox, &gone, &err), LS_EBUSY);
  assert_non_null(strstr(err.text, "'/no/such/folder'"));
  assert_int_equal(sandbox.folder, -1);
}

static void names_are_told_apart(void **state) {
  (void)state;
  assert_string_equal(ls_sandboxing_name(LS_SANDBOX_NONE), "none");
  assert_string_equal(ls_sandboxing_name(LS_SANDBOX_KEPT), "kept");
  assert_string_equal(ls_sandboxing_name(LS_SANDBOXING_COUNT), "unknown");
}

static int set_up(void **state) {
  (void)state;
  if (mkdtemp(parent) == NULL || setenv("TMPDIR", parent, 1) != 0) return -1;
  return ls_scratch_open(&scratch, &run, NULL) == LS_OK ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  ls_tree_empty(scratch.folder, NULL);
  ls_scratch_close(&scratch);
  return rmdir(parent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_fresh_private_and_removed),
      cmocka_unit_test(kept_ones_have_the_number_of_their_task),
      cmocka_unit_test(where_none_can_be_made_the_folder_is_named),
      cmocka_unit_test(names_are_told_apart),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
