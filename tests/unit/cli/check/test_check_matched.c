#include "check_fixture.h"

static void application_is_named(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {0, "matched-filter", "{'image': 'noise-1', 'response': 'sum'}",
       "application matched-filter"},
  };
  expect_refusals(&ls_check_kind_matched, 1, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(application_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
