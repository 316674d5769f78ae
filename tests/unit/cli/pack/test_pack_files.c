#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pack_cli_fixture.h"

static char folder[] = "/tmp/pack-files-XXXXXX";

static enum ls_status write_by(const char *output, const char *shards, struct ls_error *err) {
  struct tables tables;
  struct ls_pack_options options;
  struct ls_pack_division division;
  OPTIONS(&options, "f", "-k", shards, "-o", output);
  take_tables(&tables, "a,4\nb,3\nc,3\nd,2\n", NULL, NULL);
  assert_int_equal(ls_pack_divide(&options, &tables.tasks, &division, NULL), LS_OK);
  enum ls_status status = ls_pack_files_write(&options, &tables.tasks, &division, err);
  ls_pack_division_close(&division);
  ls_pack_options_close(&options);
  close_tables(&tables);
  return status;
}

static size_t count_lines(const char *path) {
  FILE *file = fopen(path, "r");
  size_t lines = 0;
  if (file == NULL) fail_msg("%s is not there", path);
  for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
  (void)fclose(file);
  return lines;
}

static void each_name_is_in_one_file(void **state) {
  (void)state;
  char path[256], part[300];
  struct ls_error err = {0};
  (void)snprintf(path, sizeof path, "%s/new", folder);
  /* A new folder, and the same again. */
  for (int turn = 0; turn < 2; turn++) {
    size_t lines = 0;
    if (write_by(path, "3", &err) != LS_OK) fail_msg("%s", err.text);
    for (int k = 0; k < 3; k++) {
      (void)snprintf(part, sizeof part, "%s/shard-%d", path, k);
      lines += count_lines(part);
    }
    assert_int_equal(lines, 4);
  }
  assert_int_equal(write_by(path, "2", &err), LS_EINVAL);
  expect_text(err.text, "shard-2 is there of an earlier division, expected none beyond shard-1");
  (void)snprintf(path, sizeof path, "%s/part{}.txt", folder);
  assert_int_equal(write_by(path, "2", &err), LS_OK);
  (void)snprintf(part, sizeof part, "%s/part1.txt", folder);
  assert_int_equal(count_lines(part), 2);
  assert_int_equal(write_by("/no/such/place", "2", &err), LS_EINVAL);
  expect_text(err.text, "--output /no/such/place");
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
  (void)state;
  char command[64];
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  return system(command);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_name_is_in_one_file)};
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
