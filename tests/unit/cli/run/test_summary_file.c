#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cli/run/summary_file.h"

struct fixture {
  char folder[32], path[64], text[256];
};

static int set_up(void **state) {
  struct fixture *fixture = calloc(1, sizeof *fixture);
  assert_non_null(fixture);
  strcpy(fixture->folder, "/tmp/summary-XXXXXX");
  assert_non_null(mkdtemp(fixture->folder));
  snprintf(fixture->path, sizeof fixture->path, "%s/s.json", fixture->folder);
  *state = fixture;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  unlink(fixture->path);
  int failed = rmdir(fixture->folder);
  free(fixture);
  return failed;
}

static void put_text(struct fixture *fixture, const char *text) {
  FILE *file = fopen(fixture->path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

/* "(none)": there is no file. */
static const char *get_text(struct fixture *fixture) {
  FILE *file = fopen(fixture->path, "r");
  if (file == NULL) return "(none)";
  fixture->text[fread(fixture->text, 1, sizeof fixture->text - 1, file)] = '\0';
  fclose(file);
  return fixture->text;
}

static struct ls_summary_file *must_open(const char *path) {
  struct ls_summary_file *file = NULL;
  assert_int_equal(ls_summary_file_open(path, &file, NULL), LS_OK);
  assert_non_null(file);
  return file;
}

static void a_file_is_there_from_the_beginning_and_goes_when_nothing_comes(void **state) {
  struct fixture *fixture = *state;
  struct ls_summary_file *file = must_open(fixture->path);
  assert_string_equal(get_text(fixture), "");
  ls_summary_file_close(file);
  assert_string_equal(get_text(fixture), "(none)");
}

static void an_earlier_summary_stays_until_the_new_one_comes(void **state) {
  struct fixture *fixture = *state;
  put_text(fixture, "an earlier and longer one");
  ls_summary_file_close(must_open(fixture->path));
  assert_string_equal(get_text(fixture), "an earlier and longer one");
  struct ls_summary_file *file = must_open(fixture->path);
  struct ls_bytes text = {0};
  ls_bytes_append_text(&text, "the new one");
  assert_int_equal(ls_summary_file_write(file, &text, NULL), LS_OK);
  ls_summary_file_close(file);
  assert_string_equal(get_text(fixture), "the new one");
  ls_bytes_close(&text);
}

static void what_cannot_be_opened_is_bad_input_and_named(void **state) {
  struct fixture *fixture = *state;
  struct ls_summary_file *file = NULL;
  struct ls_error err = {0};
  assert_int_equal(ls_summary_file_open("/nowhere/s.json", &file, &err), LS_EINVAL);
  assert_string_equal(err.text, "--json: /nowhere/s.json: No such file or directory");
  assert_int_equal(ls_summary_file_open(fixture->folder, &file, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "Is a directory"));
  assert_null(file);
  ls_summary_file_close(NULL);
}

/* A limit on the size of files makes a write fail in its middle, as a full disk does. */
static void half_a_summary_is_taken_away(void **state) {
  struct fixture *fixture = *state;
  struct ls_bytes text = {0};
  struct ls_error err = {0};
  for (int i = 0; i < 100; i++) ls_bytes_append_text(&text, "more than the limit; ");
  for (int is_earlier = 0; is_earlier < 2; is_earlier++) {
    if (is_earlier == 1) put_text(fixture, "an earlier one");
    struct ls_summary_file *file = must_open(fixture->path);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 1000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    enum ls_status status = ls_summary_file_write(file, &text, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    ls_summary_file_close(file);
    assert_int_equal(status, LS_EIO);
    assert_non_null(strstr(err.text, fixture->path));
    assert_string_equal(get_text(fixture), is_earlier == 1 ? "" : "(none)");
  }
  ls_bytes_close(&text);
}

static void a_text_that_found_no_memory_is_not_written(void **state) {
  struct fixture *fixture = *state;
  put_text(fixture, "an earlier one");
  struct ls_summary_file *file = must_open(fixture->path);
  const struct ls_bytes text = {.failed = true};
  assert_int_equal(ls_summary_file_write(file, &text, NULL), LS_ENOMEM);
  ls_summary_file_close(file);
  assert_string_equal(get_text(fixture), "an earlier one");
}

int main(void) {
  /* The limit on the size of files would end the program. */
  signal(SIGXFSZ, SIG_IGN);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(
          a_file_is_there_from_the_beginning_and_goes_when_nothing_comes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_earlier_summary_stays_until_the_new_one_comes, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(what_cannot_be_opened_is_bad_input_and_named, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(half_a_summary_is_taken_away, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_text_that_found_no_memory_is_not_written, set_up,
                                      tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
