#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "lab/studies/measured_law.h"

static void noise_and_outliers_are_as_asked(void **state) {
  (void)state;
  const struct ls_cost law = {1, 0.5};
  struct ls_random random;
  double sum = 0, squares = 0;
  size_t outliers = 0;
  ls_random_init(&random, 3, "measured");
  for (int i = 0; i < 20000; i++) {
    double seconds = ls_study_measure(&law, 2, &(struct ls_study_noise){0.05, 0, 0.1}, &random);
    if (seconds > 2.5) {
      outliers++;
      continue;
    }
    sum += seconds;
    squares += (seconds - 2) * (seconds - 2);
  }
  double good = 20000 - (double)outliers;
  assert_true(fabs(sum / good - 2) <= 0.005);
  assert_true(fabs(sqrt(squares / good) - 0.1) <= 0.005);
  assert_true(fabs((double)outliers / 20000 - 0.1) <= 0.01);
}

static void a_time_is_never_negative(void **state) {
  (void)state;
  const struct ls_cost law = {0, 1e-3};
  struct ls_random random;
  ls_random_init(&random, 5, "measured");
  for (int i = 0; i < 1000; i++)
    assert_true(ls_study_measure(&law, 1, &(struct ls_study_noise){0, 1, 0}, &random) >= 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(noise_and_outliers_are_as_asked),
      cmocka_unit_test(a_time_is_never_negative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
