/* Data in the place of inputs: run from outside by tests/cli/test-pipe; here, what is refused and
 * what a run without data does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cli/run/run_private.h"

static struct ls_run run;

static void assert_refused(const char *words) {
  struct ls_error err = {0};
  assert_int_equal(ls_run_blocks_open(&run, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' lacks '%s'", err.text, words);
  ls_blocks_close(&run.blocks);
}

static void what_cannot_go_together_is_refused(void **state) {
  (void)state;
  static char *words[] = {(char *)"wc", (char *)":::", (char *)"a"};
  run = (struct ls_run){.options = {.blocks = {.is_piped = true}, .words = words}};
  assert_refused("--pipe has no command");
  run.command.words_count = 1;
  run.options.words_count = 3;
  assert_refused("':::' names inputs");
  run.options.words_count = 1;
  run.options.blocks.is_shared = true;
  assert_refused("--tee has no inputs");
  run.options.words_count = 3;
  run.options.journal = "j";
  assert_refused("--tee and --journal");
  run.options = (struct ls_run_options){.blocks = {.is_piped = true, .is_dealt = true},
                                        .words = words,
                                        .words_count = 1,
                                        .elsewhere = {.ranks = 2}};
  assert_refused("--round-robin and workers on other machines");
}

static void run_without_data_has_nothing_to_settle(void **state) {
  (void)state;
  run = (struct ls_run){.name = "run"};
  assert_int_equal(ls_run_blocks_resume(&run, NULL, NULL), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_cannot_go_together_is_refused),
      cmocka_unit_test(run_without_data_has_nothing_to_settle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
