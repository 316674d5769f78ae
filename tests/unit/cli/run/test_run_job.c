/* What is to be run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../support/test_folder.h"
#include "capture.h"
#include "cli/run/run_private.h"

/* Each run starts this very program as its workers. */
static struct capture capture;

#define RUN(input, ...) CAPTURE(&capture, input, (char *)"run", (char *)"-q", __VA_ARGS__)
#define W(text)         (char *)(text)

static void lines_of_standard_input_are_tasks(void **state) {
  (void)state;
  RUN("x\ny z\n", W("-k"), W("-j2"), W("--"), W("echo"), W("{#}{}"));
  assert_string_equal(capture.output, "1x\n2y z\n");
  RUN("echo $((1+2))\nexit 4\n", W("-k"), W("-j1"));
  assert_string_equal(capture.output, "3\n");
  assert_int_equal(capture.exit_status, 1);
}

static void a_dry_run_prints_and_runs_nothing(void **state) {
  (void)state;
  RUN("", W("--dry-run"), W("--"), W("touch"), W("/tmp/test-run-never/{}"), W(":::"), W("a b"));
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output, "touch '/tmp/test-run-never/a b'\n");
}

static void bad_input_is_named_before_anything_runs(void **state) {
  (void)state;
  RUN("", W("--"), W("echo"), W("{2}"), W(":::"), W("a"));
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "{2}"));
  assert_string_equal(capture.output, "");
}

/* What a journal says of a run: its command and inputs, without the run's own words. */
static void a_run_is_recalled_from_its_journal(void **state) {
  (void)state;
  char folder[TEST_FOLDER_BYTES], path[TEST_FOLDER_BYTES + 8];
  static struct ls_run run;
  test_folder_make(folder);
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  RUN("", W("-j1"), W("--journal"), path, W("--"), W("echo"), W("x y"), W(":::"), W("a"), W("b c"));
  assert_int_equal(capture.exit_status, 0);
  assert_int_equal(ls_run_job_recall(&run, path, NULL), LS_OK);
  assert_int_equal(run.source.tasks, 2);
  assert_int_equal(ls_commands_describe(&run.commands, (struct ls_range){1, 1}, 0, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&run.commands.line), "echo 'x y' 'b c'");
  ls_run_job_close(&run);
  test_folder_remove(folder);
}

static void a_journal_that_is_not_there_recalls_nothing(void **state) {
  (void)state;
  static struct ls_run run;
  struct ls_error err = {0};
  assert_int_not_equal(ls_run_job_recall(&run, "/no/such/journal", &err), LS_OK);
  assert_non_null(strstr(err.text, "/no/such/journal"));
  assert_int_equal(run.source.tasks, 0);
  ls_run_job_close(&run);
}

int main(int argc, char **argv) {
  if (IS_WORKER(argc, argv)) return ls_cli_main(argc, argv, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_of_standard_input_are_tasks),
      cmocka_unit_test(a_dry_run_prints_and_runs_nothing),
      cmocka_unit_test(bad_input_is_named_before_anything_runs),
      cmocka_unit_test(a_run_is_recalled_from_its_journal),
      cmocka_unit_test(a_journal_that_is_not_there_recalls_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
