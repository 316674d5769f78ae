#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "runtime/clock.h"

static void the_monotonic_clock_never_goes_back(void **state) {
  (void)state;
  double before = ls_clock_s();
  for (int i = 0; i < 1000; i++) {
    double now = ls_clock_s();
    assert_true(now >= before);
    before = now;
  }
}

static void the_monotonic_clock_moves(void **state) {
  (void)state;
  double start = ls_clock_s(), now = start;
  /* The condition ends the loop: a clock that stood still would hang it. */
  while (!(now > start)) now = ls_clock_s();
  assert_true(now > start);
}

static void the_calendar_clock_counts_from_1970(void **state) {
  (void)state;
  /* Within an hour: the clock may be set between the two looks at it. */
  double before = (double)time(NULL);
  double now = ls_clock_calendar_s();
  assert_true(now > before - 3600 && now < before + 3600);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_monotonic_clock_never_goes_back),
      cmocka_unit_test(the_monotonic_clock_moves),
      cmocka_unit_test(the_calendar_clock_counts_from_1970),
  };
  return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
