/* test_benchmark.c: the arithmetic by which machines are compared. No bound is a time: nobody knows
 * how busy this machine is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "runtime/os/benchmark.h"
#include "runtime/os/clock.h"

static void rounds_take_time(void **state) {
  (void)state;
  double begun_s = ls_clock_s(), seconds = ls_benchmark_run_s(5000);
  assert_true(seconds > 0 && seconds <= ls_clock_s() - begun_s);
  assert_true(ls_benchmark_run_s(1) > 0);
}

static void as_many_rounds_as_are_wanted(void **state) {
  (void)state;
  assert_true(ls_benchmark_rounds(ls_benchmark_master_s) > 1000);
  assert_int_equal(ls_benchmark_rounds(1e-15), 1);
  assert_true(ls_benchmark_rounds(1e300) == UINT64_C(1) << 53);
}

/* More than any machine does in the time that a worker may spend: what it would take. */
static void a_part_speaks_for_the_whole(void **state) {
  (void)state;
  double seconds = ls_benchmark_run_s(UINT64_C(1) << 53);
  assert_true(isfinite(seconds) && seconds > 1000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_take_time),
      cmocka_unit_test(as_many_rounds_as_are_wanted),
      cmocka_unit_test(a_part_speaks_for_the_whole),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
