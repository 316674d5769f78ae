#include "check_fixture.h"

static void a_fit_is_never_negative(void **state) {
  (void)state;
  struct evaluation fit = evaluate(&ls_check_kind_calibrate, "calibrate:fit", 0, 0,
                                   "{'units': [1, 2, 3, 4], 'seconds': [1, 2, 3, 4]}");
  expect_field(&fit, "per_unit", "1.0");
  expect_field(&fit, "latency", "0.0");
  json_decref(fit.got);
}

static void windows_have_the_laws_of_their_operations(void **state) {
  (void)state;
  struct evaluation windows =
      evaluate(&ls_check_kind_calibrate, "calibrate:windows", 0, 0,
               "{'measurements': {'compute': {'units': [1, 2, 3, 4, 5, 6, 7, 8], "
               "'seconds': [0, 0, 0, 0, 0, 0, 0, 0]}}}");
  expect_field(&windows, "windows",
               "[{'from': 1.0, 'to': 8.0, 'compute_per_unit': 0.0, 'compute_latency': 0.0}]");
  json_decref(windows.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {0, "calibrate:lines", "{}", "calibrate:fit or calibrate:windows"},
      {0, "calibrate:fit", "{'units': [1], 'seconds': [1, 2]}", "as many numbers as units"},
      {0, "calibrate:fit", "{'units': [0], 'seconds': [1]}", "units[0]"},
      {0, "calibrate:fit", "{'units': [1], 'seconds': [-1]}", "seconds[0]"},
      {0, "calibrate:windows", "{}", "measurements"},
      {0, "calibrate:windows", "{'measurements': {'send': {'units': []}}}", "seconds"},
  };
  expect_refusals(&ls_check_kind_calibrate, 0, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_fit_is_never_negative),
      cmocka_unit_test(windows_have_the_laws_of_their_operations),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
