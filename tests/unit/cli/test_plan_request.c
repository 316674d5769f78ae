#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"

static struct capture capture;

#define STAR "3x(compute=0.5+1x, transfer=0.1+0.2x)"
#define ANALYSE(...)                                                                      \
  CAPTURE(&capture, "", (char *)"plan", (char *)"-p", (char *)STAR, (char *)"--analysis", \
          __VA_ARGS__)

static void an_analysis_takes_parameters(void **state) {
  (void)state;
  ANALYSE((char *)"mp", (char *)"--period", (char *)"4.5", (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = json_loads(capture.output, 0, NULL);
  const json_t *findings = json_object_get(document, "findings");
  assert_true(json_number_value(json_object_get(findings, "chunk")) == 4);
  json_decref(document);
  ANALYSE((char *)"optimum", (char *)"-l", (char *)"500", (char *)"--set",
          (char *)"constraint=pwu");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "model_makespan "));
}

static void parameters_may_stand_in_a_file(void **state) {
  (void)state;
  CAPTURE(&capture, "{\"period\": 4.5, \"units\": [4, 4, 2.5]}", (char *)"plan", (char *)"-p",
          (char *)STAR, (char *)"-l", (char *)"15", (char *)"--analysis", (char *)"last-round",
          (char *)"--arguments", (char *)"-");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "auxiliary_workers "));
}

static void wrong_parameters_are_named(void **state) {
  (void)state;
  ANALYSE((char *)"mp", (char *)"--period", (char *)"soon");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--period"));
  assert_non_null(strstr(capture.error, "soon"));
  ANALYSE((char *)"mp", (char *)"--set", (char *)"speed=1");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "expected one of: period"));
  ANALYSE((char *)"mp", (char *)"--set", (char *)"speed");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "NAME=VALUE"));
  ANALYSE((char *)"mp");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "period is missing"));
}

static void a_planner_takes_a_period_too(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"plan", (char *)"-p", (char *)STAR, (char *)"-l", (char *)"30",
          (char *)"-a", (char *)"steady-state", (char *)"--period", (char *)"5", (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *document = json_loads(capture.output, 0, NULL);
  assert_true(json_integer_value(json_object_get(document, "rounds")) == 2);
  json_decref(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_analysis_takes_parameters),
      cmocka_unit_test(parameters_may_stand_in_a_file),
      cmocka_unit_test(wrong_parameters_are_named),
      cmocka_unit_test(a_planner_takes_a_period_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
