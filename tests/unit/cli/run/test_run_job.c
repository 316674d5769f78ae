/* What is to be run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"

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

int main(int argc, char **argv) {
  if (IS_WORKER(argc, argv)) return ls_cli_main(argc, argv, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_of_standard_input_are_tasks),
      cmocka_unit_test(a_dry_run_prints_and_runs_nothing),
      cmocka_unit_test(bad_input_is_named_before_anything_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
