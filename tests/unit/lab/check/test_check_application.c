#include "check_fixture.h"

static void applications_are_named(void **state) {
  (void)state;
  const struct refusal matched[] = {
      {0, "matched-filter", "{'image': 'noise-1', 'response': 'sum'}",
       "application matched-filter"},
  };
  const struct refusal thinning[] = {
      {0, "afp3", "{'parts': 8}", "application thinning"},
  };
  expect_refusals(&ls_check_kind_matched, 1, matched, sizeof matched / sizeof *matched);
  expect_refusals(&ls_check_kind_thinning, 8, thinning, sizeof thinning / sizeof *thinning);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(applications_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
