#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/failure_options.h"
#include "option_key.h"

static enum ls_status give(struct ls_run_options *options, const char *name, const char *text,
                           struct ls_error *err) {
  int key = find_key(name);
  assert_true(ls_failure_options_has(key));
  return ls_failure_options_read(options, key, text, err);
}

static void times_are_durations(void **state) {
  (void)state;
  struct ls_run_options options = {.timeout_s = 0};
  assert_int_equal(give(&options, "timeout", "1h30m", NULL), LS_OK);
  assert_true(options.timeout_s == 5400 && options.timeout_percent == 0);
  assert_int_equal(give(&options, "timeout", "200%", NULL), LS_OK);
  assert_true(options.timeout_s == 0 && options.timeout_percent == 200);
  assert_int_equal(give(&options, "heartbeat", "2m", NULL), LS_OK);
  assert_true(options.heartbeat_s == 120);
  assert_int_equal(give(&options, "silence", "3", NULL), LS_OK);
  assert_int_equal(give(&options, "patience", "1d", NULL), LS_OK);
  assert_true(options.silence_s == 3 && options.patience_s == 86400);
}

static void wrong_values_are_named(void **state) {
  static const char *const wrong[][2] = {
      {"timeout", "0"},     {"timeout", "100%"}, {"timeout", "x%"},      {"timeout", "%"},
      {"retries", "-1"},    {"losses", "x"},     {"heartbeat", "0.001"}, {"replace", "soon"},
      {"termseq", "TERM,"}, {"halt", "3"},       {"halt", "-3"}};
  (void)state;
  /* A comma at the end is borne. */
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_run_options options = {.timeout_s = 0};
    struct ls_error err = {0};
    if (strcmp(wrong[i][1], "TERM,") == 0) continue;
    assert_int_equal(give(&options, wrong[i][0], wrong[i][1], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, wrong[i][0]));
    assert_non_null(strstr(err.text, "expected"));
  }
}

/* Who wants the run to end early wants no task to wait at a worker. */
static void under_halt_nothing_is_sent_ahead(void **state) {
  (void)state;
  struct ls_run_options options = {.prefetch = 1};
  assert_int_equal(ls_failure_options_check(&options, NULL, NULL), LS_OK);
  assert_int_equal(options.prefetch, 1);
  assert_int_equal(give(&options, "halt", "soon,fail=1", NULL), LS_OK);
  assert_int_equal(ls_failure_options_check(&options, NULL, NULL), LS_OK);
  assert_true(options.prefetch == 0 && options.has_prefetch);
  options.prefetch = 3;
  assert_int_equal(ls_failure_options_check(&options, NULL, NULL), LS_OK);
  assert_int_equal(options.prefetch, 3);
  options = (struct ls_run_options){.prefetch = 1, .limits.delay_s = 2};
  assert_int_equal(ls_failure_options_check(&options, NULL, NULL), LS_OK);
  assert_true(options.prefetch == 0 && options.has_prefetch);
}

static void a_delay_of_retries_needs_retries(void **state) {
  (void)state;
  struct ls_run_options options = {0};
  struct ls_error err = {0};
  assert_int_equal(give(&options, "retry-delay", "1m", NULL), LS_OK);
  assert_true(options.retry_delay_s > 59.9 && options.retry_delay_s < 60.1);
  assert_int_equal(ls_failure_options_check(&options, NULL, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "--retries"));
  options.retries = 1;
  assert_int_equal(ls_failure_options_check(&options, NULL, NULL), LS_OK);
  assert_int_equal(give(&options, "retry-delay", "-1", &err), LS_EINVAL);
}

static void applications_have_no_commands_to_end(void **state) {
  (void)state;
  const struct ls_app app = {.name = "fibonacci"};
  struct ls_run_options options = {.timeout_percent = 200};
  struct ls_error err = {0};
  assert_int_equal(ls_failure_options_check(&options, &app, &err), LS_EINVAL);
  options = (struct ls_run_options){.ending = "KILL"};
  assert_int_equal(ls_failure_options_check(&options, &app, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "fibonacci"));
  options = (struct ls_run_options){.computes_in_thread = true, .timeout_s = 3};
  assert_int_equal(ls_failure_options_check(&options, &app, &err), LS_EINVAL);
  options.timeout_s = 0;
  assert_int_equal(ls_failure_options_check(&options, &app, NULL), LS_OK);
  assert_int_equal(ls_failure_options_check(&options, NULL, &err), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_durations),
      cmocka_unit_test(wrong_values_are_named),
      cmocka_unit_test(under_halt_nothing_is_sent_ahead),
      cmocka_unit_test(a_delay_of_retries_needs_retries),
      cmocka_unit_test(applications_have_no_commands_to_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
