#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/failures.h"
#include "runtime/os/temporary.h"

static struct ls_unit_result make(uint64_t unit, const char *error_text) {
  return (struct ls_unit_result){
      .units = {unit, 1},
      .outcome = LS_OUTCOME_FAILED,
      .exit_code = 3,
      .seconds = 0.5,
      .output = {.file = -1},
      .error_output = {.data = error_text, .length = strlen(error_text), .file = -1}};
}

static struct ls_failures failures;
static struct ls_bytes out;

static int start(void **state) {
  (void)state;
  failures = (struct ls_failures){0};
  out = (struct ls_bytes){0};
  return 0;
}

static int end(void **state) {
  (void)state;
  ls_failures_close(&failures);
  ls_bytes_close(&out);
  return 0;
}

static void expect_line(const struct ls_unit_result *result, const char *line) {
  assert_non_null(ls_failures_note(&failures, result));
  ls_failures_write(&failures, NULL, &out);
  assert_string_equal(ls_bytes_text(&out), line);
  ls_failures_close(&failures);
  ls_bytes_clear(&out);
}

static void each_way_to_fail_has_its_words(void **state) {
  (void)state;
  struct ls_unit_result result = make(6, "\n  oh dear\nand more\n");
  expect_line(&result, "failed     task 7: exit code 3: oh dear\n");
  result = make(0, "");
  result.signal = SIGKILL;
  expect_line(&result, "failed     task 1: killed by signal 9 (SIGKILL)\n");
  result.signal = 60;
  expect_line(&result, "failed     task 1: killed by signal 60\n");
  result.has_timed_out = true;
  expect_line(&result, "failed     task 1: timed out after 0.5 s\n");
  result.stage_s = 2;
  result.seconds = 1e-6;
  expect_line(&result, "failed     task 1: timed out after 2 s of staging\n");
  result = make(0, "loadstar: 3 of its workers died while it ran\n");
  result.outcome = LS_OUTCOME_GIVEN_UP;
  expect_line(&result,
              "failed     task 1: abandoned: loadstar: 3 of its workers died while it ran\n");
  /* A computing application has no exit code. */
  result = make(4, "app: no luck with row 5\n");
  result.exit_code = 0;
  result.iteration = 2;
  result.units.count = 3;
  expect_line(&result, "failed     task 5 to 7 of iteration 2: failed: app: no luck with row 5\n");
}

static void a_good_result_is_no_failure(void **state) {
  (void)state;
  struct ls_unit_result result = make(0, "a warning\n");
  result.outcome = LS_OUTCOME_DONE;
  assert_null(ls_failures_note(&failures, &result));
  ls_failures_write(&failures, "again", &out);
  assert_int_equal(out.length, 0);
}

static void a_few_are_shown_and_all_are_counted(void **state) {
  (void)state;
  for (uint64_t i = 0; i < 42; i++) {
    struct ls_unit_result result = make(i, "x");
    struct ls_failure *failure = ls_failures_note(&failures, &result);
    assert_int_equal(failure != NULL, i < LS_FAILURES_SHOWN);
    if (failure != NULL) failure->input = strdup("a b");
  }
  ls_failures_write(&failures, "run --again", &out);
  const char *text = ls_bytes_text(&out);
  assert_int_equal(strncmp(text, "failed     task 1 (a b): exit code 3: x\n           task 2 ", 50),
                   0);
  assert_non_null(strstr(text, "\n           and 37 more\nrepeat     run --again\n"));
  assert_null(strstr(text, "task 6"));
}

/* Workers end them in any order; people look for them by number. */
static void the_first_by_number_are_shown(void **state) {
  (void)state;
  for (uint64_t i = 9; i > 0; i--) {
    struct ls_unit_result result = make(i, "x");
    struct ls_failure *failure = ls_failures_note(&failures, &result);
    assert_non_null(failure);
    failure->input = strdup("a");
  }
  struct ls_unit_result result = make(0, "x");
  result.iteration = 1;
  assert_null(ls_failures_note(&failures, &result));
  ls_failures_write(&failures, NULL, &out);
  const char *at = ls_bytes_text(&out);
  for (int i = 2; i <= 6; i++) {
    char words[32];
    (void)snprintf(words, sizeof words, "task %d (a): ", i);
    assert_non_null(at = strstr(at, words));
  }
  assert_non_null(strstr(at, "\n           and 5 more\n"));
}

/* A terminal must not obey what a task wrote. */
static void words_of_tasks_are_harmless(void **state) {
  (void)state;
  char large[5000];
  memset(large, 'y', sizeof large - 1);
  large[sizeof large - 1] = '\0';
  struct ls_unit_result result = make(0, "\033[31mred\n");
  expect_line(&result, "failed     task 1: exit code 3: \\x1b[31mred\n");
  result = make(0, large);
  assert_non_null(ls_failures_note(&failures, &result));
  failures.first[0].input = strdup(large);
  ls_failures_write(&failures, NULL, &out);
  assert_true(out.length < 400);
}

static void a_large_output_is_read_from_its_file(void **state) {
  (void)state;
  struct ls_unit_result result = make(0, "");
  int file = ls_temporary_file(NULL);
  assert_int_equal(write(file, "in a file\nsecond\n", 17), 17);
  result.error_output = (struct ls_output){.length = 17, .file = file};
  expect_line(&result, "failed     task 1: exit code 3: in a file\n");
  close(file);
}

static void json_has_every_field(void **state) {
  (void)state;
  struct ls_unit_result result = make(6, "say \"what\"?\n");
  ls_failures_note(&failures, &result)->input = strdup("a b");
  ls_bytes_append_text(&out, "{\"x\": 0");
  ls_failures_write_json(&failures, &out);
  ls_bytes_append_char(&out, '}');
  json_t *document = json_loads(ls_bytes_text(&out), 0, NULL);
  json_t *first = json_array_get(json_object_get(document, "failures"), 0);
  assert_int_equal(json_integer_value(json_object_get(first, "task")), 7);
  assert_int_equal(json_integer_value(json_object_get(first, "exit_code")), 3);
  assert_string_equal(json_string_value(json_object_get(first, "outcome")), "failed");
  assert_string_equal(json_string_value(json_object_get(first, "input")), "a b");
  assert_string_equal(json_string_value(json_object_get(first, "reason")), "say \"what\"?");
  assert_true(json_is_false(json_object_get(first, "timed_out")));
  json_decref(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_way_to_fail_has_its_words, start, end),
      cmocka_unit_test_setup_teardown(a_good_result_is_no_failure, start, end),
      cmocka_unit_test_setup_teardown(a_few_are_shown_and_all_are_counted, start, end),
      cmocka_unit_test_setup_teardown(the_first_by_number_are_shown, start, end),
      cmocka_unit_test_setup_teardown(words_of_tasks_are_harmless, start, end),
      cmocka_unit_test_setup_teardown(a_large_output_is_read_from_its_file, start, end),
      cmocka_unit_test_setup_teardown(json_has_every_field, start, end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
