/* Outcomes: their names stand in journals, traces and reports. */
#include "model/outcome.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void outcomes_are_named(void **state) {
  (void)state;
  assert_string_equal(ls_outcome_name(LS_OUTCOME_DONE), "done");
  assert_string_equal(ls_outcome_name(LS_OUTCOME_FAILED), "failed");
  assert_string_equal(ls_outcome_name(LS_OUTCOME_GIVEN_UP), "given up");
  assert_string_equal(ls_outcome_name(LS_OUTCOME_LOST), "lost");
  assert_string_equal(ls_outcome_name(LS_OUTCOME_TIMED_OUT), "timed out");
  assert_string_equal(ls_outcome_name(LS_OUTCOME_CANCELLED), "cancelled");
  for (int i = 0; i < LS_OUTCOME_COUNT; i++) {
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(ls_outcome_name((enum ls_outcome)i),
                              ls_outcome_name((enum ls_outcome)j));
    }
  }
}

static void each_outcome_is_of_its_kinds(void **state) {
  (void)state;
  static const struct {
    bool is_final, is_result, is_failure;
  } kinds[LS_OUTCOME_COUNT] = {
      [LS_OUTCOME_DONE] = {true, true, false},      [LS_OUTCOME_FAILED] = {true, true, true},
      [LS_OUTCOME_GIVEN_UP] = {true, false, false}, [LS_OUTCOME_LOST] = {false, false, false},
      [LS_OUTCOME_TIMED_OUT] = {false, true, true}, [LS_OUTCOME_CANCELLED] = {false, true, false},
  };
  for (int i = 0; i < LS_OUTCOME_COUNT; i++) {
    enum ls_outcome outcome = (enum ls_outcome)i;
    assert_true(ls_outcome_is_final(outcome) == kinds[i].is_final);
    assert_true(ls_outcome_is_result(outcome) == kinds[i].is_result);
    assert_true(ls_outcome_is_failure(outcome) == kinds[i].is_failure);
  }
}

static void what_is_no_outcome_is_of_no_kind(void **state) {
  (void)state;
  enum ls_outcome beyond = LS_OUTCOME_COUNT;
  assert_false(ls_outcome_is_final(beyond));
  assert_false(ls_outcome_is_result(beyond));
  assert_false(ls_outcome_is_failure(beyond));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(outcomes_are_named),
      cmocka_unit_test(each_outcome_is_of_its_kinds),
      cmocka_unit_test(what_is_no_outcome_is_of_no_kind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
