#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/results.h"

struct fixture {
  char root[64], folder[96];
};

static int set_up(void **state) {
  static struct fixture fixture;
  strcpy(fixture.root, "/tmp/test-results-XXXXXX");
  if (mkdtemp(fixture.root) == NULL) return 1;
  snprintf(fixture.folder, sizeof fixture.folder, "%s/out dir", fixture.root);
  *state = &fixture;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", fixture->root);
  return system(command);
}

static const char *read_file(const struct fixture *fixture, const char *name) {
  static char text[256];
  char path[256];
  snprintf(path, sizeof path, "%s/%s", fixture->folder, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = '\0';
  fclose(file);
  return text;
}

static enum ls_status write_task(struct ls_results *results, uint64_t sequence, const char *out) {
  struct ls_output output = {out, strlen(out), -1}, error = {"oops", 4, -1};
  struct ls_results_entry entry = {.sequence = sequence,
                                   .command = "echo 'a b'",
                                   .inputs = "a\n",
                                   .fate = "failed",
                                   .exit_code = 3,
                                   .seconds = 0.5,
                                   .output = &output,
                                   .error_output = &error};
  return ls_results_write(results, &entry, NULL);
}

static size_t count_entries(const char *path) {
  DIR *folder = opendir(path);
  assert_non_null(folder);
  size_t count = 0;
  for (struct dirent *item; (item = readdir(folder)) != NULL;)
    count += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
  closedir(folder);
  return count;
}

static void a_task_has_its_folder(void **state) {
  struct fixture *fixture = *state;
  for (int is_synced = 0; is_synced < 2; is_synced++) {
    struct ls_results *results = NULL;
    assert_int_equal(ls_results_open(fixture->folder, is_synced != 0, &results, NULL), LS_OK);
    assert_int_equal(write_task(results, 12, "hello\n"), LS_OK);
    assert_string_equal(read_file(fixture, "12/stdout"), "hello\n");
    assert_string_equal(read_file(fixture, "12/stderr"), "oops");
    assert_string_equal(read_file(fixture, "12/inputs"), "a\n");
    assert_string_equal(read_file(fixture, "12/seq"), "12\n");
    assert_string_equal(read_file(fixture, "12/exitval"), "3\n");
    assert_string_equal(read_file(fixture, "12/signal"), "0\n");
    assert_string_equal(read_file(fixture, "12/fate"), "failed\n");
    assert_string_equal(read_file(fixture, "12/command"), "echo 'a b'");
    assert_true(ls_results_has(results, 12));
    assert_false(ls_results_has(results, 1));
    ls_results_close(results);
  }
}

static void writing_again_replaces_the_folder(void **state) {
  struct fixture *fixture = *state;
  struct ls_results *results = NULL;
  assert_int_equal(ls_results_open(fixture->folder, false, &results, NULL), LS_OK);
  assert_int_equal(write_task(results, 1, "old"), LS_OK);
  assert_int_equal(write_task(results, 1, "new"), LS_OK);
  assert_string_equal(read_file(fixture, "1/stdout"), "new");
  assert_int_equal(count_entries(fixture->folder), 1);
  ls_results_close(results);
}

static void the_half_of_a_killed_master_is_replaced(void **state) {
  struct fixture *fixture = *state;
  struct ls_results *results = NULL;
  assert_int_equal(ls_results_open(fixture->folder, false, &results, NULL), LS_OK);
  char path[256];
  snprintf(path, sizeof path, "%s/.1.partial", fixture->folder);
  assert_int_equal(mkdir(path, 0777), 0);
  strcat(path, "/stdout");
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  assert_int_equal(write_task(results, 1, "x"), LS_OK);
  assert_int_equal(count_entries(fixture->folder), 1);
  ls_results_close(results);
}

static void a_place_that_cannot_be_written_is_named(void **state) {
  struct fixture *fixture = *state;
  struct ls_results *results = NULL;
  struct ls_error err = {0};
  char path[128];
  snprintf(path, sizeof path, "%s/a/b", fixture->root);
  assert_int_equal(ls_results_open(path, false, &results, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, path));
  assert_int_equal(ls_results_open("/dev/null", false, &results, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/dev/null: Not a directory"));
  ls_results_close(NULL);
}

/* A foreign file where a task's folder belongs is not overwritten. */
static void a_foreign_file_in_the_way_is_an_error(void **state) {
  struct fixture *fixture = *state;
  struct ls_results *results = NULL;
  assert_int_equal(ls_results_open(fixture->folder, false, &results, NULL), LS_OK);
  char path[256];
  snprintf(path, sizeof path, "%s/1", fixture->folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  assert_int_equal(write_task(results, 1, "x"), LS_EIO);
  ls_results_close(results);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_task_has_its_folder, set_up, tear_down),
      cmocka_unit_test_setup_teardown(writing_again_replaces_the_folder, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_half_of_a_killed_master_is_replaced, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_place_that_cannot_be_written_is_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_foreign_file_in_the_way_is_an_error, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
