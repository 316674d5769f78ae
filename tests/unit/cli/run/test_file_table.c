#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/run/file_table.h"

static char folder[] = "/tmp/loadstar-test-XXXXXX";

static int set_up(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

static int tear_down(void **state) {
  (void)state;
  return chdir("/") + rmdir(folder);
}

static void write_file(const char *name, const char *data) {
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_true(fputs(data, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static enum ls_status read_first(struct ls_file_table *table, const char *path,
                                 struct ls_file_bytes *data, struct ls_error *err) {
  const struct ls_file_part part = {ls_file_table_find(table, path)->content, 0};
  return ls_file_table_read(table, &part, data, err);
}

static void many_files_are_found_by_path_and_content(void **state) {
  (void)state;
  enum { COUNT = 300 };
  struct ls_file_table table = {0};
  static struct ls_file_bytes data;
  char name[16], text[16];
  assert_null(ls_file_table_find(&table, "f0"));
  for (int i = 0; i < COUNT; i++) {
    (void)snprintf(name, sizeof name, "f%d", i);
    (void)snprintf(text, sizeof text, "%d", i / 2); /* pairs of one content */
    write_file(name, text);
    assert_int_equal(ls_file_table_add(&table, name, "--stage-in", NULL), LS_OK);
    assert_int_equal(ls_file_table_add(&table, name, "--stage-in", NULL), LS_OK);
  }
  assert_int_equal(table.count, COUNT);
  assert_int_equal(ls_file_table_read_all(&table, NULL), LS_OK);
  for (int i = 0; i < COUNT; i++) {
    (void)snprintf(name, sizeof name, "f%d", i);
    (void)snprintf(text, sizeof text, "%d", i / 2);
    const struct ls_file_entry *entry = ls_file_table_find(&table, name);
    assert_string_equal(entry->path, name);
    const struct ls_file_part part = {entry->content, 0};
    assert_int_equal(ls_file_table_read(&table, &part, &data, NULL), LS_OK);
    assert_int_equal(data.length, strlen(text));
    assert_true(data.total == data.length);
    assert_memory_equal(data.data, text, data.length);
  }
  for (int i = 0; i < COUNT; i++) {
    (void)snprintf(name, sizeof name, "f%d", i);
    assert_int_equal(unlink(name), 0);
  }
  ls_file_table_close(&table);
}

static void a_file_that_changed_is_not_sent(void **state) {
  (void)state;
  struct ls_file_table table = {0};
  static struct ls_file_bytes data;
  struct ls_error err = {0};
  const struct timespec times[2] = {{.tv_sec = 5}, {.tv_sec = 5}};
  for (int i = 0; i < 3; i++) {
    const char *name = i == 0 ? "gone" : i == 1 ? "shorter" : "touched";
    write_file(name, name);
    assert_int_equal(ls_file_table_add(&table, name, "--stage-in", NULL), LS_OK);
  }
  assert_int_equal(ls_file_table_read_all(&table, NULL), LS_OK);
  assert_int_equal(read_first(&table, "touched", &data, NULL), LS_OK);
  assert_int_equal(unlink("gone"), 0);
  assert_int_equal(truncate("shorter", 2), 0);
  assert_int_equal(utimensat(AT_FDCWD, "touched", times, 0), 0);
  assert_int_equal(read_first(&table, "gone", &data, &err), LS_EINVAL);
  assert_string_equal(err.text, "input 'gone': No such file or directory");
  assert_int_equal(read_first(&table, "shorter", &data, &err), LS_EINVAL);
  assert_string_equal(err.text, "input 'shorter': has changed since the run began");
  assert_int_equal(read_first(&table, "touched", &data, &err), LS_EINVAL);
  ls_file_table_close(&table);
  /* Between the two looks before the run. */
  assert_int_equal(ls_file_table_add(&table, "shorter", "--stage-in", NULL), LS_OK);
  write_file("shorter", "longer than it was");
  assert_int_equal(ls_file_table_read_all(&table, &err), LS_EINVAL);
  ls_file_table_close(&table);
  assert_int_equal(unlink("shorter") + unlink("touched"), 0);
}

static void only_regular_files_are_taken(void **state) {
  (void)state;
  struct ls_file_table table = {0};
  struct ls_error err = {0};
  const unsigned char nothing[LS_CONTENT_BYTES] = {0};
  assert_int_equal(ls_file_table_add(&table, "none", "--stage-in", &err), LS_EINVAL);
  assert_string_equal(err.text, "--stage-in 'none': No such file or directory");
  assert_int_equal(ls_file_table_add(&table, "/dev/null", "--stage-in", &err), LS_EINVAL);
  assert_int_equal(ls_file_table_add(&table, ".", "--stage-in", &err), LS_EINVAL);
  assert_int_equal(table.count, 0);
  const struct ls_file_part part = {nothing, 0};
  assert_int_equal(ls_file_table_read(&table, &part, NULL, &err), LS_EINVAL);
  ls_file_table_close(&table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_files_are_found_by_path_and_content),
      cmocka_unit_test(a_file_that_changed_is_not_sent),
      cmocka_unit_test(only_regular_files_are_taken),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
