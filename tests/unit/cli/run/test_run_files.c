/* What the tasks of a run take with them: run from outside by tests/cli/test-files; here, what a
 * run without files does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/run/run_private.h"

static void a_run_without_files_has_none(void **state) {
  (void)state;
  static struct ls_run run;
  assert_int_equal(ls_run_files_open(&run, NULL), LS_OK);
  assert_null(run.commands.files);
  /* A content that no task has stands nowhere, and needs no journal. */
  ls_run_files_note(&run, NULL, 0, &(struct ls_file_sent){.bytes = 1});
}

static void what_tasks_need_is_looked_at_first(void **state) {
  (void)state;
  static struct ls_run run;
  struct ls_error err = {0};
  char *words[] = {(char *)"no-such-file"};
  run.options.files_of_tasks.inputs = (struct ls_file_patterns){{"{}"}, 1};
  assert_int_equal(ls_task_source_add_words(&run.source, words, 1, false, NULL), LS_OK);
  run.words_of_tasks.grammar.sources_count = 1;
  assert_int_equal(ls_task_source_finish(&run.source, NULL), LS_OK);
  assert_int_equal(ls_run_files_open(&run, &err), LS_EINVAL);
  assert_string_equal(err.text, "--stage-in 'no-such-file': No such file or directory");
  assert_ptr_equal(run.commands.files, &run.files);
  ls_task_files_close(&run.files);
  ls_task_source_close(&run.source);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_without_files_has_none),
      cmocka_unit_test(what_tasks_need_is_looked_at_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
