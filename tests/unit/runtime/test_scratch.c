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

#include "runtime/os/scratch.h"
#include "runtime/os/tree.h"

static const struct ls_scratch_setup run_1 = {.run = {1, 0xab}}, run_2 = {.run = {2}};
static char parent[] = "/tmp/loadstar-test-XXXXXX";

static bool is_there(const char *path) {
  struct stat facts;
  return lstat(path, &facts) == 0;
}

static struct ls_scratch open_one(struct ls_scratch_setup run) {
  struct ls_scratch scratch = {.folder = -1};
  struct ls_error err = {0};
  if (ls_scratch_open(&scratch, &run, &err) != LS_OK) fail_msg("%s", err.text);
  return scratch;
}

static void workers_of_a_run_share_one_and_the_last_removes_it(void **state) {
  (void)state;
  char path[128];
  struct stat facts;
  struct ls_scratch first = open_one(run_1), second = open_one(run_1), other = open_one(run_2);
  (void)snprintf(path, sizeof path, "%s/loadstar-01ab0000000000000000000000000000-%u", parent,
                 (unsigned)geteuid());
  assert_string_equal(first.path, path);
  assert_string_equal(second.path, path);
  assert_string_not_equal(other.path, path);
  assert_int_equal(stat(path, &facts), 0);
  assert_int_equal(facts.st_mode & 07777, 0700);
  ls_scratch_close(&first);
  assert_true(is_there(path));
  assert_int_equal(mkdirat(second.folder, "task-1", 0700), 0);
  ls_scratch_close(&second);
  assert_false(is_there(path));
  assert_true(is_there(other.path));
  ls_scratch_close(&other);
  ls_scratch_close(&other);
}

static void what_is_kept_outlives_the_run(void **state) {
  (void)state;
  char path[160];
  struct ls_scratch scratch = open_one(run_1);
  (void)snprintf(path, sizeof path, "%s/" LS_SCRATCH_KEPT, scratch.path);
  assert_int_equal(mkdirat(scratch.folder, LS_SCRATCH_KEPT "", 0700), 0);
  assert_int_equal(mkdirat(scratch.folder, LS_SCRATCH_KEPT "/7", 0700), 0);
  assert_int_equal(mkdirat(scratch.folder, "task-2", 0700), 0);
  ls_scratch_close(&scratch);
  assert_true(is_there(path));
  /* The next worker there leaves it, too, and those who come back find it. */
  struct ls_scratch other = open_one(run_2);
  assert_true(is_there(path));
  scratch = open_one(run_1);
  assert_int_equal(faccessat(scratch.folder, "task-2", F_OK, 0), -1);
  ls_tree_empty(scratch.folder, NULL);
  ls_scratch_close(&scratch);
  ls_scratch_close(&other);
}

/* What a killed worker has left has its name, and no lock. */
static void what_the_dead_have_left_is_removed(void **state) {
  (void)state;
  char dead[128], others[3][128];
  unsigned user = (unsigned)geteuid();
  (void)snprintf(dead, sizeof dead, "%s/loadstar-%032d-%u", parent, 5, user);
  (void)snprintf(others[0], sizeof others[0], "%s/loadstar-%032d-%u", parent, 5, user + 1);
  (void)snprintf(others[1], sizeof others[1], "%s/loadstar-%031d-%u", parent, 5, user);
  (void)snprintf(others[2], sizeof others[2], "%s/loadstar-%032d-%ux", parent, 5, user);
  assert_int_equal(mkdir(dead, 0700), 0);
  for (int i = 0; i < 3; ++i) assert_int_equal(mkdir(others[i], 0700), 0);
  struct ls_scratch scratch = open_one(run_1);
  assert_false(is_there(dead));
  for (int i = 0; i < 3; ++i) assert_int_equal(rmdir(others[i]), 0);
  ls_scratch_close(&scratch);
}

/* Of the same run, too, but not beside a worker that lives. */
static void what_the_dead_of_a_run_have_left_goes_with_its_next_worker(void **state) {
  (void)state;
  struct ls_scratch first = open_one(run_1);
  assert_int_equal(mkdirat(first.folder, "task-3", 0700), 0);
  struct ls_scratch second = open_one(run_1);
  assert_int_equal(faccessat(first.folder, "task-3", F_OK, 0), 0);
  /* As if both were killed: their locks go, and nothing else. */
  assert_int_equal(close(first.folder), 0);
  assert_int_equal(close(second.folder), 0);
  struct ls_scratch third = open_one(run_1);
  assert_string_equal(third.path, first.path);
  assert_int_equal(faccessat(third.folder, "task-3", F_OK, 0), -1);
  ls_scratch_close(&third);
  free(first.path);
  free(second.path);
}

static void what_somebody_else_has_made_is_refused(void **state) {
  (void)state;
  struct ls_scratch scratch = open_one(run_1), again = {.folder = -1};
  struct ls_error err = {0};
  char *path = strdup(scratch.path);
  ls_scratch_close(&scratch);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_equal(chmod(path, 0770), 0);
  assert_int_equal(ls_scratch_open(&again, &run_1, &err), LS_EIO);
  assert_non_null(strstr(err.text, path));
  assert_int_equal(again.folder, -1);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(symlink("/tmp", path), 0);
  assert_int_equal(ls_scratch_open(&again, &run_1, &err), LS_EIO);
  assert_int_equal(unlink(path), 0);
  free(path);
}

/* In a folder of the user's choice, for the runs to come. */
static void a_cache_that_is_to_be_kept_outlives_its_runs(void **state) {
  (void)state;
  char path[64];
  (void)snprintf(path, sizeof path, "%s/cache", parent);
  struct ls_scratch_setup setup = {.run = {7}, .path = path, .keeps_files = true};
  struct ls_scratch scratch = open_one(setup);
  assert_string_equal(scratch.path, path);
  assert_int_equal(mkdirat(scratch.folder, LS_SCRATCH_FILES, 0700), 0);
  assert_int_equal(mkdirat(scratch.folder, LS_SCRATCH_FILES "/x", 0700), 0);
  assert_int_equal(mkdirat(scratch.folder, "task-1", 0700), 0);
  ls_scratch_close(&scratch);
  setup = (struct ls_scratch_setup){.run = {8}, .path = path};
  scratch = open_one(setup);
  assert_int_equal(faccessat(scratch.folder, LS_SCRATCH_FILES "/x", F_OK, 0), 0);
  assert_int_equal(faccessat(scratch.folder, "task-1", F_OK, 0), -1);
  ls_tree_empty(scratch.folder, NULL);
  ls_scratch_close(&scratch);
  assert_false(is_there(path));
}

static int set_up(void **state) {
  (void)state;
  return mkdtemp(parent) == NULL || setenv("TMPDIR", parent, 1) != 0;
}

static int tear_down(void **state) {
  (void)state;
  return rmdir(parent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_of_a_run_share_one_and_the_last_removes_it),
      cmocka_unit_test(what_is_kept_outlives_the_run),
      cmocka_unit_test(what_the_dead_have_left_is_removed),
      cmocka_unit_test(what_the_dead_of_a_run_have_left_goes_with_its_next_worker),
      cmocka_unit_test(a_cache_that_is_to_be_kept_outlives_its_runs),
      cmocka_unit_test(what_somebody_else_has_made_is_refused),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
