#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"

static struct capture capture;

#define STAR "3x(compute=0.5+1x, transfer=0.1+0.2x)"
#define PLAN(...)                                                                                \
  CAPTURE(&capture, "", (char *)"plan", (char *)"-p", (char *)STAR, (char *)"-l", (char *)"500", \
          __VA_ARGS__)

static void json_is_the_parameters_alone(void **state) {
  (void)state;
  PLAN((char *)"-a", (char *)"scow", (char *)"--whole-units", (char *)"--spmd");
  assert_int_equal(capture.exit_status, 0);
  json_t *spmd = json_loads(capture.output, 0, NULL);
  assert_int_equal(json_integer_value(json_object_get(spmd, "nWorkers")), 3);
  assert_int_equal(json_array_size(json_object_get(spmd, "nCoreTasks")), 3);
  json_decref(spmd);
}

static void a_header_has_the_same_numbers(void **state) {
  (void)state;
  PLAN((char *)"-a", (char *)"steady-state:50", (char *)"--whole-units", (char *)"--spmd=header");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "#ifndef LOADSTAR_SPMD_H\n"));
  assert_non_null(strstr(capture.output, "enum { nWorkers = 3 };\n"));
  assert_non_null(strstr(capture.output, "nCoreTasks[] = {"));
  assert_non_null(strstr(capture.output, "sendOrder[] = {0, 1, 2};\n"));
}

static void other_plans_are_refused(void **state) {
  (void)state;
  PLAN((char *)"-a", (char *)"scow", (char *)"--spmd");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--whole-units"));
  PLAN((char *)"-a", (char *)"umr", (char *)"--whole-units", (char *)"--spmd");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "scow-mp"));
  PLAN((char *)"-a", (char *)"scow", (char *)"--whole-units", (char *)"--spmd=xml");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "expected json or header"));
  PLAN((char *)"-a", (char *)"scow", (char *)"--whole-units", (char *)"--spmd", (char *)"--json");
  assert_int_equal(capture.exit_status, 2);
  PLAN((char *)"--analysis", (char *)"bounds", (char *)"--spmd");
  assert_int_equal(capture.exit_status, 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(json_is_the_parameters_alone),
      cmocka_unit_test(a_header_has_the_same_numbers),
      cmocka_unit_test(other_plans_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
