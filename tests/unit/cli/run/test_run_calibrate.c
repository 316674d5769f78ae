/* A platform that a run renews. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/console.h"
#include "cli/run/run_calibrate.h"
#include "run_course_fixture.h"

static char folder[] = "/tmp/test-calibrate-XXXXXX";
static char path[64];

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  (void)snprintf(path, sizeof path, "%s/c.json", folder);
  return 0;
}

/* Nothing else is left there. */
static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static void put(const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs(text, file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void read_file(struct ls_bytes *text) {
  ls_bytes_clear(text);
  assert_int_equal(ls_console_read(path, text, NULL), LS_OK);
}

static void renew(uint32_t workers, uint64_t chunks, struct ls_bytes *words) {
  struct ls_run_calibrate calibrate;
  struct ls_course_rows course;
  struct ls_run_learnt learnt;
  struct ls_error err = {0};
  if (ls_run_calibrate_open(&calibrate, path, &err) != LS_OK) fail_msg("%s", err.text);
  make_course(&course, workers, chunks, false);
  assert_int_equal(ls_run_learnt_make(&course, &learnt, NULL), LS_OK);
  ls_bytes_clear(words);
  if (ls_run_calibrate_finish(&calibrate, &learnt, words, &err) != LS_OK) fail_msg("%s", err.text);
  ls_run_learnt_close(&learnt);
  ls_course_rows_close(&course);
  ls_run_calibrate_close(&calibrate);
}

static void a_file_is_made_then_renewed_by_name(void **state) {
  (void)state;
  struct ls_bytes words = {0}, text = {0};
  renew(2, 24, &words);
  assert_non_null(strstr(ls_bytes_text(&words), "c.json: made, of 2 workers"));
  renew(3, 24, &words);
  assert_non_null(strstr(ls_bytes_text(&words), "2 workers renewed, 1 added, 0 kept"));
  renew(1, 24, &words);
  assert_non_null(strstr(ls_bytes_text(&words), "1 worker renewed, 0 added, 2 kept"));
  read_file(&text);
  assert_non_null(strstr(ls_bytes_text(&text), "\"local-3\""));
  ls_bytes_close(&words);
  ls_bytes_close(&text);
  unlink(path);
}

static void where_no_name_fits_the_order_counts(void **state) {
  (void)state;
  struct ls_bytes words = {0}, text = {0};
  put("{\"workers\": [{\"name\": \"a\", \"compute\": {\"per_unit\": 9}}, "
      "{\"name\": \"b\", \"compute\": {\"per_unit\": 9}}]}");
  renew(1, 24, &words);
  assert_non_null(strstr(ls_bytes_text(&words), "1 worker renewed, 0 added, 1 kept"));
  read_file(&text);
  assert_null(strstr(ls_bytes_text(&text), "local"));
  assert_non_null(strstr(ls_bytes_text(&text), "\"per_unit\": 9}"));
  ls_bytes_close(&words);
  ls_bytes_close(&text);
  unlink(path);
}

/* A link stays one: what it leads to is renewed. */
static void a_link_is_followed(void **state) {
  (void)state;
  struct ls_bytes words = {0};
  char real[80];
  (void)snprintf(real, sizeof real, "%s/real.json", folder);
  renew(1, 24, &words);
  assert_int_equal(rename(path, real), 0);
  assert_int_equal(symlink(real, path), 0);
  renew(2, 24, &words);
  assert_non_null(strstr(ls_bytes_text(&words), "c.json: 1 worker renewed, 1 added"));
  assert_true(readlink(path, real, sizeof real) > 0);
  (void)snprintf(real, sizeof real, "%s/real.json", folder);
  assert_int_equal(unlink(real), 0);
  ls_bytes_close(&words);
  unlink(path);
}

static void a_run_that_measured_nothing_leaves_the_file(void **state) {
  (void)state;
  const char *before = "{\"workers\": [{\"compute\": {\"per_unit\": 9}}]}";
  struct ls_bytes words = {0}, text = {0};
  put(before);
  renew(1, 0, &words);
  assert_non_null(strstr(ls_bytes_text(&words), "measured nothing; it is as it was"));
  read_file(&text);
  assert_string_equal(ls_bytes_text(&text), before);
  ls_bytes_close(&words);
  ls_bytes_close(&text);
  unlink(path);
}

static void refuse(const char *name, const char *part) {
  struct ls_run_calibrate calibrate;
  struct ls_error err = {0};
  assert_int_equal(ls_run_calibrate_open(&calibrate, name, &err), LS_EINVAL);
  if (strstr(err.text, part) == NULL) fail_msg("'%s' lacks '%s'", err.text, part);
  ls_run_calibrate_close(&calibrate);
}

static void what_is_no_platform_is_refused_before_the_run(void **state) {
  (void)state;
  put("{\"workers\": [{\"compute\": {\"per_unit\": -1}}]}");
  refuse(path, "workers[0].compute.per_unit is -1");
  put("not JSON");
  refuse(path, "c.json");
  refuse(folder, "is a folder");
  refuse("-", "expected the name of a file");
  refuse("/nowhere/c.json", "nothing can be written there");
  unlink(path);
}

/* A file that cannot be written any more when the run ends: both are named. */
static void what_cannot_be_written_is_said_with_the_option(void **state) {
  (void)state;
  struct ls_run_calibrate calibrate;
  struct ls_course_rows course;
  struct ls_run_learnt learnt;
  struct ls_bytes words = {0};
  struct ls_error err = {0};
  assert_int_equal(ls_run_calibrate_open(&calibrate, path, NULL), LS_OK);
  make_course(&course, 2, 24, false);
  assert_int_equal(ls_run_learnt_make(&course, &learnt, NULL), LS_OK);
  assert_int_equal(mkdir(path, 0700), 0);
  assert_int_not_equal(ls_run_calibrate_finish(&calibrate, &learnt, &words, &err), LS_OK);
  assert_int_equal(rmdir(path), 0);
  assert_int_equal(strncmp(err.text, "--calibrate: ", 13), 0);
  assert_non_null(strstr(err.text, path));
  assert_string_equal(ls_bytes_text(&words), "");
  ls_run_learnt_close(&learnt);
  ls_course_rows_close(&course);
  ls_run_calibrate_close(&calibrate);
  ls_bytes_close(&words);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_is_made_then_renewed_by_name),
      cmocka_unit_test(where_no_name_fits_the_order_counts),
      cmocka_unit_test(a_link_is_followed),
      cmocka_unit_test(a_run_that_measured_nothing_leaves_the_file),
      cmocka_unit_test(what_cannot_be_written_is_said_with_the_option),
      cmocka_unit_test(what_is_no_platform_is_refused_before_the_run),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
