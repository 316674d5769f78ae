/* What a worker's time goes into beside its units. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "theory/overhead.h"

static void check(double got, double expected) {
  if (!(fabs(got - expected) < 1e-12)) fail_msg("%.17g, expected %.17g", got, expected);
}

/* Two chunks one behind the other, of two units of a second each; each chunk takes 0.3 s more. */
static void what_is_not_computed_is_overhead(void **state) {
  struct ls_overhead overhead = {0};
  (void)state;
  check(ls_overhead_per_chunk(&overhead, 0), 0);
  ls_overhead_sent(&overhead, 2, 10);
  ls_overhead_sent(&overhead, 2, 10.5);
  ls_overhead_ended(&overhead, 1, 1, 11.5); /* 0.2 s of ways, 0.3 of overhead */
  ls_overhead_ended(&overhead, 1, 1, 12.5);
  ls_overhead_ended(&overhead, 2, 2, 14.8);
  check(ls_overhead_per_chunk(&overhead, 0.1), 0.3);
  check(ls_overhead_per_chunk(&overhead, 0), 0.4);
  check(ls_overhead_per_chunk(&overhead, 1), 0);
}

/* Nobody has it to answer for that there was no work. */
static void a_worker_without_units_has_no_overhead(void **state) {
  struct ls_overhead overhead = {0};
  (void)state;
  for (int i = 0; i < 3; i++) {
    ls_overhead_sent(&overhead, 1, 100 * i);
    ls_overhead_ended(&overhead, 1, 5, 100 * i + 5.25);
  }
  check(ls_overhead_per_chunk(&overhead, 0), 0.25);
  assert_int_equal(overhead.begins, 3);
}

/* Results that come twice, or of units that were never sent. */
static void results_of_nothing_do_not_count(void **state) {
  struct ls_overhead overhead = {0};
  (void)state;
  ls_overhead_ended(&overhead, 1, 1, 50);
  ls_overhead_sent(&overhead, 1, 60);
  ls_overhead_ended(&overhead, 5, 3, 62); /* clocks differ a little: never below 0 */
  ls_overhead_ended(&overhead, 1, 1, 90);
  assert_int_equal(overhead.here, 0);
  check(ls_overhead_per_chunk(&overhead, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_not_computed_is_overhead),
      cmocka_unit_test(a_worker_without_units_has_no_overhead),
      cmocka_unit_test(results_of_nothing_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
