#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "cli/subcommands.h"

static struct capture capture;

/* What means a failure of the program must not be taken for a number of tasks. */
static void errors_are_255(void **state) {
  (void)state;
  static const struct {
    const char *words[4], *error;
  } rows[] = {{{"--nonsense", "x", NULL}, "unrecognized option '--nonsense'"},
              {{"--joblg", "f", "x", NULL}, "did you mean '--joblog'?"},
              {{"--tmux", "x", NULL}, "--tmux is not taken"},
              {{"--timeout", "no", "x", NULL}, "--timeout is 'no'"},
              {{"--retry-failed", NULL}, "--retry-failed needs --joblog FILE"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char *words[6] = {(char *)"loadstar parallel"};
    for (size_t k = 0; k < 4 && rows[i].words[k] != NULL; k++)
      words[k + 1] = (char *)rows[i].words[k];
    capture_main(&capture, ls_parallel_main, NULL, words, "");
    assert_int_equal(capture.exit_status, 255);
    assert_non_null(strstr(capture.error, rows[i].error));
    assert_non_null(strstr(capture.error, "loadstar parallel: "));
  }
}

static void the_short_help_has_letters_of_gnu_parallel(void **state) {
  (void)state;
  char *words[] = {(char *)"loadstar parallel", (char *)"-h", NULL};
  capture_main(&capture, ls_parallel_main, NULL, words, "");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "-j, --jobs=N"));
  assert_non_null(strstr(capture.output, "-q, --quote"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(errors_are_255),
                                     cmocka_unit_test(the_short_help_has_letters_of_gnu_parallel)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
