#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/task_law.h"
#include "measured_fixture.h"

enum { TIMES = 800, SEEDS = 60 };

/* The sum of `shape` exponential times is of a gamma law. */
static double draw(enum ls_duration_law law, struct ls_random *random) {
  double sum = 0;
  switch (law) {
    case LS_DURATION_CONSTANT:
      return 2 + 0.001 * ls_random_real(random);
    case LS_DURATION_NORMAL:
      return 10 + draw_normal(random);
    case LS_DURATION_GAMMA:
      for (int i = 0; i < 3; i++) sum -= log(1 - ls_random_real(random));
      return sum;
    case LS_DURATION_LOGNORMAL:
      return exp(0.6 * draw_normal(random));
    default:
      return -0.5 * log(1 - ls_random_real(random));
  }
}

/* A law is found nearly always, and its test refuses it as seldom as it should; those behind the
 * exponential one are for simulations, and not fitted. */
static void each_law_is_recognised(void **state) {
  (void)state;
  for (unsigned law = 0; law <= LS_DURATION_EXPONENTIAL; law++) {
    size_t found = 0, refused = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
      double seconds[TIMES];
      struct ls_random random;
      struct ls_task_law best;
      ls_random_init(&random, seed, ls_duration_law_name((enum ls_duration_law)law));
      for (size_t i = 0; i < TIMES; i++) seconds[i] = draw((enum ls_duration_law)law, &random);
      assert_int_equal(ls_task_law_find(seconds, TIMES, &best, NULL), LS_OK);
      found += best.law == (enum ls_duration_law)law;
      if (law == LS_DURATION_CONSTANT)
        assert_true(isnan(best.plausibility));
      else
        refused += best.plausibility < 0.05;
    }
    if (100 * found < 90 * SEEDS || refused > SEEDS / 5)
      fail_msg("%s: %zu of %d found, %zu refused", ls_duration_law_name((enum ls_duration_law)law),
               found, SEEDS, refused);
  }
}

static void mean_and_deviation_are_those_of_the_times(void **state) {
  (void)state;
  const double seconds[] = {1, 2, 3, 4};
  struct ls_task_law law;
  assert_int_equal(ls_task_law_find(seconds, 4, &law, NULL), LS_OK);
  assert_true(fabs(law.mean_s - 2.5) <= 1e-12);
  assert_true(fabs(law.deviation_s - sqrt(5.0 / 3)) <= 1e-12);
  assert_true(isnan(law.plausibility));
}

/* Two heaps of times are of none of the laws: the test says so. */
static void what_no_law_fits_is_implausible(void **state) {
  (void)state;
  double seconds[TIMES];
  struct ls_random random;
  struct ls_task_law law;
  ls_random_init(&random, 1, "two heaps");
  for (size_t i = 0; i < TIMES; i++)
    seconds[i] = (i % 2 == 0 ? 1 : 5) + 0.1 * ls_random_real(&random);
  assert_int_equal(ls_task_law_find(seconds, TIMES, &law, NULL), LS_OK);
  assert_true(law.plausibility < 1e-6);
}

static void times_of_zero_are_taken(void **state) {
  (void)state;
  const double seconds[] = {0, 0, 1};
  struct ls_task_law law;
  assert_int_equal(ls_task_law_find(seconds, 3, &law, NULL), LS_OK);
  assert_int_equal(law.law, LS_DURATION_NORMAL);
  assert_int_equal(ls_task_law_find(seconds, 2, &law, NULL), LS_OK);
  assert_int_equal(law.law, LS_DURATION_CONSTANT);
  assert_int_equal(ls_task_law_find(seconds, 0, &law, NULL), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_law_is_recognised),
      cmocka_unit_test(mean_and_deviation_are_those_of_the_times),
      cmocka_unit_test(what_no_law_fits_is_implausible),
      cmocka_unit_test(times_of_zero_are_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
