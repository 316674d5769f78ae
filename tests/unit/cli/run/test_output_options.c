#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/output_options.h"
#include "cli/run/run_options.h"
#include "option_key.h"

static void give(struct ls_run_options *options, const char *name, const char *text) {
  int key = find_key(name);
  assert_true(ls_output_options_has(key));
  assert_int_equal(ls_output_options_read(&options->outputs, key, text, NULL), LS_OK);
}

static void expect_refused(const struct ls_run_options *options, const char *words) {
  struct ls_error err = {0};
  assert_int_equal(ls_output_options_check(options, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' lacks '%s'", err.text, words);
}

static void what_is_seen_before_the_end_follows(void **state) {
  (void)state;
  struct ls_run_options options = {.order = "fifo"};
  assert_int_equal(ls_output_options_showing(&options.outputs), LS_SHOW_NOTHING);
  give(&options, "show-commands", NULL);
  assert_int_equal(ls_output_options_showing(&options.outputs), LS_SHOW_BEGINNINGS);
  give(&options, "line-buffer", NULL);
  assert_int_equal(ls_output_options_showing(&options.outputs), LS_SHOW_LINES);
  options.outputs = (struct ls_output_options){.tag = NULL};
  give(&options, "ungroup", NULL);
  assert_int_equal(ls_output_options_showing(&options.outputs), LS_SHOW_DIRECTLY);
  give(&options, "show-commands", NULL);
  assert_int_equal(ls_output_options_showing(&options.outputs), LS_SHOW_DIRECTLY_TOLD);
}

static void what_cannot_stand_together_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *name, *text, *words;
  } beside[] = {{"tag", NULL, "--tag"},
                {"files", NULL, "--files"},
                {"results", "d", "--results"},
                {"line-buffer", NULL, "--line-buffer"}};
  for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
    struct ls_run_options options = {.order = "fifo"};
    give(&options, "ungroup", NULL);
    assert_int_equal(ls_output_options_check(&options, NULL), LS_OK);
    give(&options, beside[i].name, beside[i].text);
    expect_refused(&options, beside[i].words);
  }
  struct ls_run_options options = {.keeps_order = true};
  give(&options, "ungroup", NULL);
  expect_refused(&options, "--keep-order");
  options = (struct ls_run_options){.listen = "tcp://*:1"};
  give(&options, "ungroup", NULL);
  expect_refused(&options, "this machine");
  options = (struct ls_run_options){.replication = "single"};
  give(&options, "line-buffer", NULL);
  expect_refused(&options, "--replication");
}

static void a_job_log_may_be_the_source(void **state) {
  (void)state;
  char *words[] = {(char[]){"echo"}, NULL};
  struct ls_run_options options = {.is_resumed = true};
  assert_false(ls_output_options_follow_joblog(&options));
  give(&options, "joblog", "+log");
  assert_string_equal(options.outputs.joblog, "log");
  assert_true(options.outputs.appends_joblog && ls_output_options_follow_joblog(&options));
  options.journal = "j";
  assert_false(ls_output_options_follow_joblog(&options));
  options = (struct ls_run_options){.order = "fifo"};
  give(&options, "retry-failed", NULL);
  expect_refused(&options, "--joblog");
  give(&options, "joblog", "log");
  assert_int_equal(ls_output_options_check(&options, NULL), LS_OK);
  options.words = words;
  options.words_count = 1;
  expect_refused(&options, "'echo'");
}

static void the_folder_for_temporary_files_must_be_one(void **state) {
  (void)state;
  struct ls_error err = {0};
  struct ls_output_options options = {.tmpdir = "/nowhere/at/all"};
  assert_int_equal(ls_output_options_enter(&options, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--tmpdir /nowhere/at/all"));
  options.tmpdir = "/proc/self/status";
  assert_int_equal(ls_output_options_enter(&options, &err), LS_EINVAL);
  options.tmpdir = "/tmp/../tmp";
  assert_int_equal(ls_output_options_enter(&options, &err), LS_OK);
  assert_string_equal(getenv("TMPDIR"), "/tmp");
  /* Without the option it is that of the environment, with the same conditions. */
  options.tmpdir = NULL;
  assert_int_equal(setenv("TMPDIR", "nowhere", 1), 0);
  assert_int_equal(ls_output_options_enter(&options, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "TMPDIR nowhere: "));
  assert_int_equal(unsetenv("TMPDIR"), 0);
  assert_int_equal(ls_output_options_enter(&options, &err), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_seen_before_the_end_follows),
      cmocka_unit_test(what_cannot_stand_together_is_refused),
      cmocka_unit_test(a_job_log_may_be_the_source),
      cmocka_unit_test(the_folder_for_temporary_files_must_be_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
