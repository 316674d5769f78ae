#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"

static struct capture capture;

#define SIMULATE(...)                                                                             \
  CAPTURE(&capture, "", (char *)"simulate", (char *)"-p", (char *)"2x(compute=1x)", (char *)"-l", \
          (char *)"10", __VA_ARGS__)

static void one_case_is_shown_as_a_run(void **state) {
  (void)state;
  SIMULATE((char *)"--policy=sc", (char *)"--json", (char *)"--spans");
  assert_int_equal(capture.exit_status, 0);
  json_t *timeline = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_int_equal(json_array_size(json_object_get(timeline, "chunks")), 2);
  assert_true(json_number_value(json_object_get(timeline, "makespan")) == 5);
  assert_true(json_array_size(json_object_get(timeline, "spans")) >= 2);
  assert_true(json_array_size(json_object_get(timeline, "notes")) > 2);
  json_decref(timeline);
  SIMULATE((char *)"--policy=sc", (char *)"--width=60");
  assert_non_null(strstr(capture.output, "makespan     5 s\n"));
}

static void several_cases_are_a_table(void **state) {
  (void)state;
  SIMULATE((char *)"--policy=sc,ss", (char *)"--seeds=2");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "makespan s"));
  assert_non_null(strstr(capture.output, "\nss "));
  SIMULATE((char *)"--policy=sc", (char *)"--seeds=2", (char *)"--json");
  json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_int_equal(json_array_size(json_object_get(document, "cases")), 1);
  json_decref(document);
}

static void a_chart_of_a_table_is_refused(void **state) {
  (void)state;
  SIMULATE((char *)"--policy=sc,ss", (char *)"--gantt");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "show one run, but 2 cases"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_case_is_shown_as_a_run),
      cmocka_unit_test(several_cases_are_a_table),
      cmocka_unit_test(a_chart_of_a_table_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
