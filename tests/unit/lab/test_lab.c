#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lab_capture.h"

static struct capture capture;

static void it_has_the_subcommands_that_loadstar_has_not(void **state) {
  (void)state;
  static const char *const names[] = {"check", "study"};
  CAPTURE_LAB(&capture, "", (char *)"--help");
  assert_int_equal(capture.exit_status, 0);
  for (int i = 0; i < 2; i++) assert_non_null(strstr(capture.output, names[i]));
  for (int i = 0; i < 2; i++) {
    char usage[64];
    CAPTURE_LAB(&capture, "", (char *)names[i], (char *)"--help");
    assert_int_equal(capture.exit_status, 0);
    snprintf(usage, sizeof usage, "Usage: loadstar-lab %s [OPTION...]", names[i]);
    assert_non_null(strstr(capture.output, usage));
    assert_non_null(strstr(capture.output, "Examples:"));
    CAPTURE_LAB(&capture, "", (char *)names[i], (char *)"-h");
    assert_int_equal(capture.exit_status, 0);
    assert_non_null(strstr(capture.output, " JSON, for machines\n"));
    CAPTURE(&capture, "", (char *)names[i]);
    assert_int_equal(capture.exit_status, 2);
    char answer[96];
    snprintf(answer, sizeof answer,
             "loadstar: there is no subcommand '%s'; it is `loadstar-lab %s'\n", names[i],
             names[i]);
    assert_string_equal(capture.error, answer);
  }
}

static void the_version_is_loadstars(void **state) {
  (void)state;
  CAPTURE_LAB(&capture, "", (char *)"--version");
  assert_string_equal(capture.output, "loadstar-lab " LS_VERSION "\n");
}

static void an_unknown_subcommand_is_bad_usage(void **state) {
  (void)state;
  CAPTURE_LAB(&capture, "", (char *)"run");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "the subcommands are check, study"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(it_has_the_subcommands_that_loadstar_has_not),
                                     cmocka_unit_test(the_version_is_loadstars),
                                     cmocka_unit_test(an_unknown_subcommand_is_bad_usage)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
