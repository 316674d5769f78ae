#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "capture.h"

static struct capture capture;

static void check(const char *a, const char *b, const char *expected) {
  CAPTURE(&capture, "", (char *)"worker", (char *)"--connect", (char *)"ipc:///tmp/none", (char *)a,
          (char *)b);
  assert_int_equal(capture.exit_status, 2);
  if (strstr(capture.error, expected) == NULL) fail_msg("'%s' lacks '%s'", capture.error, expected);
}

static void an_address_is_required(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"worker");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--connect"));
}

static void bad_values_are_bad_usage(void **state) {
  (void)state;
  check("--speed", "0", "--speed is '0'");
  check("--speed", "1.5", "--speed is '1.5'");
  check("--speed", "nan", "--speed is 'nan'");
  check("--name", "", "--name has 0 characters");
  check("--place", "", "--place has 0 characters");
  check("--place", "slurm:17 3", "the byte 0x20 at its position 9");
  check("--place", "a\nb", "the byte 0x0a at its position 2");
  check("--place",
        "stra\xc3\x9f"
        "e",
        "the byte 0xc3 at its position 5");
  char longest[102];
  memset(longest, 'x', 101);
  longest[101] = '\0';
  check("--place", longest, "--place has 101 characters, expected 1 to 100");
  check("--lifeline", "-1", "--lifeline is '-1'");
  check("--lifeline", "777", "--lifeline is 777");
  check("--connect", "", "--connect has 0 characters");
}

static void a_word_that_is_no_option_is_refused(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"worker", (char *)"word");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "'word'"));
}

static void an_address_that_is_none_is_refused(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"worker", (char *)"--connect", (char *)"nonsense");
  assert_true(capture.exit_status == 2 || capture.exit_status == 3);
  assert_non_null(strstr(capture.error, "nonsense"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_address_is_required),
                                     cmocka_unit_test(bad_values_are_bad_usage),
                                     cmocka_unit_test(a_word_that_is_no_option_is_refused),
                                     cmocka_unit_test(an_address_that_is_none_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
