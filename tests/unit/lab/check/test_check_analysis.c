#include "check_fixture.h"

static void an_analysis_is_named_behind_the_colon(void **state) {
  (void)state;
  struct evaluation one = evaluate(&ls_check_kind_analysis, "analysis:bounds", 6, 2, "{}");
  expect_field(&one, "lower_bound", "4");
  json_decref(one.got);
}

/* Transfers that cost nothing are not covered: an answer to compare. */
static void what_is_not_covered_is_an_outcome(void **state) {
  (void)state;
  struct evaluation one = evaluate(&ls_check_kind_analysis, "analysis:mp", 0, 2, "{'period': 3}");
  expect_field(&one, "outcome", "'not_applicable'");
  json_decref(one.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct refusal cases[] = {
      {1, "analysis:oracle", "{}", "expected analysis:NAME"},
      {1, "analysis", "{}", "expected analysis:NAME"},
      {0, "analysis:bounds", "{}", "platform"},
      {1, "analysis:mp", "{'periods': 3}", "periods"},
      {1, "analysis:mp", "{'period': -3}", "period"},
  };
  expect_refusals(&ls_check_kind_analysis, 1, cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_analysis_is_named_behind_the_colon),
      cmocka_unit_test(what_is_not_covered_is_an_outcome),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
