#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/backoff.h"

static void each_wait_is_twice_the_one_before_up_to_the_limit(void **state) {
  (void)state;
  static const double waits_s[] = {0.5, 1, 2, 4, 8, 10, 10};
  struct ls_backoff backoff = {.first_s = 0.5, .most_s = 10};
  for (size_t i = 0; i < sizeof waits_s / sizeof *waits_s; i++)
    assert_true(fabs(ls_backoff_fail(&backoff, 100) - (100 + waits_s[i])) < 1e-12);
}

static void a_success_begins_anew(void **state) {
  (void)state;
  struct ls_backoff backoff = {.first_s = 3, .most_s = 60};
  for (int i = 0; i < 4; i++) (void)ls_backoff_fail(&backoff, 0);
  ls_backoff_succeed(&backoff);
  assert_true(fabs(ls_backoff_fail(&backoff, 7) - 10) < 1e-12);
}

/* However often it fails, the wait is a number. */
static void no_number_of_failures_is_too_many(void **state) {
  (void)state;
  struct ls_backoff backoff = {.first_s = 1e-3, .most_s = HUGE_VAL};
  double until_s = 0;
  for (int i = 0; i < 5000; i++) {
    double next_s = ls_backoff_fail(&backoff, 1);
    assert_true(isfinite(next_s) && next_s >= until_s);
    until_s = next_s;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_wait_is_twice_the_one_before_up_to_the_limit),
      cmocka_unit_test(a_success_begins_anew),
      cmocka_unit_test(no_number_of_failures_is_too_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
