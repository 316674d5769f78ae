#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/distribution.h"

static void shares_of_the_gamma_law(void **state) {
  (void)state;
  for (double x = 0.1; x < 20; x += 0.7) {
    assert_true(fabs(ls_gamma_share(1, x) - (1 - exp(-x))) <= 1e-12);
    assert_true(fabs(ls_gamma_share(2, x) - (1 - exp(-x) * (1 + x))) <= 1e-12);
    assert_true(fabs(ls_gamma_share(0.5, x) - erf(sqrt(x))) <= 1e-12);
  }
  assert_true(!(ls_gamma_share(3, 0) > 0) && ls_gamma_share(3, (double)INFINITY) >= 1);
}

static void shares_of_the_normal_law(void **state) {
  (void)state;
  assert_true(fabs(ls_normal_share(0) - 0.5) <= 1e-15);
  assert_true(fabs(ls_normal_share(1.6448536269514722) - 0.95) <= 1e-12);
  assert_true(fabs(ls_normal_share(-1) + ls_normal_share(1) - 1) <= 1e-15);
}

/* psi(1) = -0.5772..., psi(x + 1) = psi(x) + 1 / x, psi'(1) = pi^2 / 6. */
static void digamma_and_trigamma(void **state) {
  (void)state;
  assert_true(fabs(ls_digamma(1) + 0.57721566490153286) <= 1e-9);
  assert_true(fabs(ls_trigamma(1) - 1.6449340668482264) <= 1e-9);
  for (double x = 0.05; x < 40; x *= 1.7) {
    assert_true(fabs(ls_digamma(x + 1) - ls_digamma(x) - 1 / x) <= 1e-8);
    assert_true(fabs(ls_trigamma(x) - ls_trigamma(x + 1) - 1 / (x * x)) <= 1e-8);
    double slope = (ls_log_gamma(x * 1.0001) - ls_log_gamma(x * 0.9999)) / (0.0002 * x);
    assert_true(fabs(slope - ls_digamma(x)) <= 1e-4 * (1 + fabs(slope)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_of_the_gamma_law),
      cmocka_unit_test(shares_of_the_normal_law),
      cmocka_unit_test(digamma_and_trigamma),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
