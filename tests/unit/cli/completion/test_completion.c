#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"

static void an_unknown_shell_is_refused(void **state) {
  (void)state;
  static struct capture capture;
  CAPTURE(&capture, "", (char *)"completion", (char *)"tcsh");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "SHELL is 'tcsh', expected bash, zsh or fish"));
  CAPTURE(&capture, "", (char *)"completion");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "there is no SHELL"));
}

static void the_script_has_the_options_of_all_subcommands(void **state) {
  (void)state;
  static struct capture capture;
  CAPTURE(&capture, "", (char *)"completion", (char *)"bash");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "_loadstar() {"));
  assert_non_null(strstr(capture.output, "--keep-order"));
  assert_non_null(strstr(capture.output, "--job-seconds"));
  assert_non_null(strstr(capture.output, "operands='bash zsh fish'"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_unknown_shell_is_refused),
      cmocka_unit_test(the_script_has_the_options_of_all_subcommands)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
