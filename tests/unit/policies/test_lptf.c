/* Largest first by true or declared times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policies/ordering.h"

static void actual_times_go_before_declared_ones(void **state) {
  const double actual[] = {1, 5, 3, 5}, expected[] = {9, 8, 7, 6};
  const uint64_t by_actual[] = {1, 3, 2, 0}, by_expected[] = {0, 1, 2, 3};
  uint64_t order[4];
  struct ls_ordering_view view = {.units = 4, .actual = actual, .expected = expected};
  const struct ls_ordering *lptf = ls_ordering_find("lptf");
  (void)state;
  assert_int_equal(lptf->arrange(order, &view, NULL), LS_OK);
  assert_memory_equal(order, by_actual, sizeof order);
  view.actual = NULL;
  assert_int_equal(lptf->arrange(order, &view, NULL), LS_OK);
  assert_memory_equal(order, by_expected, sizeof order);
}

static void unknown_times_are_refused(void **state) {
  uint64_t order[4];
  struct ls_error err = {0};
  struct ls_ordering_view view = {.units = 4};
  (void)state;
  assert_int_equal(ls_ordering_find("lptf")->arrange(order, &view, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "lptf"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(actual_times_go_before_declared_ones),
      cmocka_unit_test(unknown_times_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
