/* Largest first by declared times, whatever the true ones are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policies/ordering.h"

static void only_declared_times_count(void **state) {
  const double actual[] = {1, 5, 3}, expected[] = {7, 8, 9};
  const uint64_t sorted[] = {2, 1, 0};
  uint64_t order[3];
  struct ls_ordering_view view = {.units = 3, .actual = actual, .expected = expected};
  (void)state;
  for (view.iteration = 0; view.iteration < 3; view.iteration++) {
    assert_int_equal(ls_ordering_find("lptf-expectation")->arrange(order, &view, NULL), LS_OK);
    assert_memory_equal(order, sorted, sizeof order);
  }
}

static void undeclared_times_are_refused(void **state) {
  const double actual[] = {1, 5, 3};
  uint64_t order[3];
  struct ls_error err = {0};
  struct ls_ordering_view view = {.units = 3, .actual = actual};
  (void)state;
  assert_int_equal(ls_ordering_find("lptf-expectation")->arrange(order, &view, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "declared"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_declared_times_count),
      cmocka_unit_test(undeclared_times_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
