/* `loadstar top` of a run that is over: what it prints. */
#include "capture.h"
#include "top_fixture.h"

static struct capture capture;

#define TOP(...) CAPTURE(&capture, "", (char *)"top", __VA_ARGS__)

static void a_run_that_is_over_is_told_once(void **state) {
  (void)state;
  TOP(path);
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output,
                      "20.0 s: stopped, 9 of 12 done, 1 failed, 2 left, 0 of 0 workers busy\n");
  TOP(path, "--once");
  assert_non_null(strstr(capture.output, "work  (stopped, 20.0 s)\n"));
  /* What a journal says reaches no terminal raw. */
  assert_null(strchr(capture.output, '\033'));
}

static void mistakes_are_named(void **state) {
  (void)state;
  TOP("/nonexistent/j");
  assert_int_not_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.error, "/nonexistent/j"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_that_is_over_is_told_once),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
