/* What a run came to. */
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

static void nothing_to_do_is_no_failure(void **state) {
  (void)state;
  RUN("", W("--"), W("false"));
  assert_int_equal(capture.exit_status, 0);
}

static void the_summary_comes_behind_the_outputs(void **state) {
  (void)state;
  CAPTURE(&capture, "", W("run"), W("--json"), W("-j1"), W("--"), W("echo"), W(":::"), W("a"));
  assert_int_equal(capture.exit_status, 0);
  assert_int_equal(strncmp(capture.output, "a\n{\"application\": \"run\", \"tasks\": 1,", 30), 0);
  assert_non_null(strstr(capture.error, "1 task done in "));
  assert_non_null(strstr(capture.error, " busy\n"));
}

static void a_halted_run_says_so_by_its_exit(void **state) {
  (void)state;
  RUN("", W("-j1"), W("--prefetch"), W("0"), W("--halt"), W("soon,fail=1"), W("--"), W("sh"),
      W("-c"), W("echo $1; exit $1"), W("sh"), W(":::"), W("0"), W("3"), W("0"), W("0"), W("0"),
      W("0"));
  assert_int_equal(capture.exit_status, 1);
  assert_int_equal(strncmp(capture.output, "0\n3\n", 4), 0);
  RUN("", W("-j1"), W("--prefetch"), W("0"), W("--halt"), W("now,success=1"), W("--"), W("sh"),
      W("-c"), W("exit $1"), W("sh"), W(":::"), W("3"), W("0"), W("3"), W("3"), W("3"));
  assert_int_equal(capture.exit_status, 0);
}

/* The seconds and the share of the first line; -1: there are none. */
static void read_headline(double *seconds, double *busy) {
  const char *done = strstr(capture.error, " done in "), *by = strstr(capture.error, " by ");
  *seconds = *busy = -1;
  if (done != NULL) *seconds = strtod(done + strlen(" done in "), NULL);
  if (by != NULL && (by = strstr(by, ", ")) != NULL) *busy = strtod(by + 2, NULL);
}

/* Work without a result was work, too. */
static void workers_of_failing_tasks_are_busy(void **state) {
  double seconds, busy;
  (void)state;
  CAPTURE(&capture, "", W("run"), W("-j1"), W("--"), W("sh"), W("-c"), W("sleep 0.3; exit 1"),
          W("sh"), W(":::"), W("a"), W("b"));
  assert_int_equal(capture.exit_status, 1);
  read_headline(&seconds, &busy);
  assert_true(seconds >= 0.6);
  assert_true(busy > 0);
}

static void abandoned_tasks_take_time(void **state) {
  double seconds, busy;
  (void)state;
  CAPTURE(&capture, "", W("run"), W("-j1"), W("--losses"), W("1"), W("--"), W("sh"), W("-c"),
          W("sleep 0.3; kill -9 $PPID"), W("sh"), W(":::"), W("a"));
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.error, "1 abandoned after 1 try\n"));
  read_headline(&seconds, &busy);
  assert_true(seconds >= 0.3);
  assert_true(busy > 0);
}

int main(int argc, char **argv) {
  if (IS_WORKER(argc, argv)) return ls_cli_main(argc, argv, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_to_do_is_no_failure),
      cmocka_unit_test(the_summary_comes_behind_the_outputs),
      cmocka_unit_test(a_halted_run_says_so_by_its_exit),
      cmocka_unit_test(workers_of_failing_tasks_are_busy),
      cmocka_unit_test(abandoned_tasks_take_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
