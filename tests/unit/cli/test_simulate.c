#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"

static struct capture capture;

#define STAR       "2x(name=w, compute=1x, transfer=0.5x)"
#define TWO_CHUNKS "{\"chunks\": [{\"worker\": 0, \"units\": 2.5}, {\"worker\": 1, \"units\": 1}]}"
#define SIMULATE(input, ...)                                                                   \
  CAPTURE(&capture, input, (char *)"simulate", (char *)"--plan=-", (char *)"-p", (char *)STAR, \
          __VA_ARGS__)

/* Transfers 0 to 1.25 and to 1.75; computing to 3.75 and 2.75. */
static void a_plan_is_played_exactly(void **state) {
  (void)state;
  SIMULATE(TWO_CHUNKS, (char *)"--json", (char *)"--spans");
  assert_int_equal(capture.exit_status, 0);
  json_t *timeline = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(timeline);
  assert_true(json_number_value(json_object_get(timeline, "makespan")) == 3.75);
  const json_t *spans = json_object_get(timeline, "spans");
  assert_int_equal(json_array_size(spans), 4);
  const json_t *last = json_array_get(spans, 3);
  assert_string_equal(json_string_value(json_object_get(last, "operation")), "compute");
  assert_true(json_number_value(json_object_get(last, "start")) == 1.75);
  assert_true(json_number_value(json_object_get(last, "end")) == 2.75);
  json_decref(timeline);
}

static void people_get_a_summary_and_a_chart(void **state) {
  (void)state;
  setenv("LC_ALL", "C", 1);
  SIMULATE(TWO_CHUNKS, (char *)"--width=60");
  unsetenv("LC_ALL");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "makespan     3.75 s\n"));
  assert_non_null(strstr(capture.output, "w-0 "));
  assert_non_null(strstr(capture.output, "#"));
  SIMULATE(TWO_CHUNKS, (char *)"--csv");
  assert_int_equal(strncmp(capture.output, "resource,", 9), 0);
}

static void expect_refused(const char *words) {
  assert_int_equal(capture.exit_status, 2);
  assert_string_equal(capture.output, "");
  if (strstr(capture.error, words) == NULL)
    fail_msg("'%s' does not say '%s'", capture.error, words);
}

static void a_plan_that_is_not_of_this_platform_is_refused(void **state) {
  (void)state;
  SIMULATE("{\"chunks\": [{\"worker\": 2, \"units\": 1}]}", (char *)"--json");
  expect_refused("standard input: chunks[0].worker is 2, expected a whole number from 0 to 1");
  SIMULATE("{\"makespan\": 3, \"chunks\": [{\"worker\": 0, \"units\": 1}]}", (char *)"--json");
  expect_refused("standard input: makespan is 3, expected 1.5, as the replay says");
  SIMULATE("{\"outcome\": \"not_applicable\", \"why\": \"too small\", \"chunks\": []}",
           (char *)"--json");
  expect_refused("outcome is not_applicable (too small)");
  SIMULATE("{\"chunks\": [{\"worker\": 0, \"units\": -1}]}", (char *)"--json");
  expect_refused("chunks[0].units is -1");
  SIMULATE("{", (char *)"--json");
  expect_refused("standard input: line 1");
}

static void bad_usage_exits_with_2(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"simulate", (char *)"--plan=x");
  expect_refused("--platform is missing");
  CAPTURE(&capture, "", (char *)"simulate", (char *)"--plan=-", (char *)"-p", (char *)"-");
  expect_refused("cannot both be standard input");
  SIMULATE(TWO_CHUNKS, (char *)"--spans");
  expect_refused("--spans is given without --json");
  CAPTURE(&capture, "", (char *)"simulate", (char *)"-p", (char *)STAR);
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--plan"));
}

static void a_plan_outside_a_window_or_a_room_is_refused(void **state) {
  (void)state;
  CAPTURE(&capture, TWO_CHUNKS, (char *)"simulate", (char *)"--plan=-", (char *)"-p",
          (char *)"2x(compute=1x, window=2:5)");
  expect_refused("standard input: chunk 1: units is 1, the window of worker 1 is 2 to 5");
  CAPTURE(&capture, TWO_CHUNKS, (char *)"simulate", (char *)"--plan=-", (char *)"-p",
          (char *)"2x(compute=1x, room=2)");
  expect_refused("chunk 0: with it worker 0 holds 2.5 units");
}

/* Two chunks of 2.5 and 1 units, the second one four times: transfers to 3.25, computing to 5.75.
 */
static void a_plan_that_repeats_is_played(void **state) {
  (void)state;
  SIMULATE(
      "{\"repeat\": {\"from\": 1, \"to\": 2, \"times\": 4},"
      " \"chunks\": [{\"worker\": 0, \"units\": 2.5}, {\"worker\": 1, \"units\": 1}]}",
      (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *timeline = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(timeline);
  assert_int_equal(json_array_size(json_object_get(timeline, "chunks")), 5);
  assert_true(json_number_value(json_object_get(timeline, "makespan")) == 5.75);
  json_decref(timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_is_played_exactly),
      cmocka_unit_test(people_get_a_summary_and_a_chart),
      cmocka_unit_test(a_plan_that_is_not_of_this_platform_is_refused),
      cmocka_unit_test(bad_usage_exits_with_2),
      cmocka_unit_test(a_plan_outside_a_window_or_a_room_is_refused),
      cmocka_unit_test(a_plan_that_repeats_is_played),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
