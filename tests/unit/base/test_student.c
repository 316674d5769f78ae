#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/student.h"

/* Of tables: degrees of freedom, quantiles of 0.95 and of 0.975. */
static const double table[][3] = {{1, 6.313752, 12.706205},  {2, 2.919986, 4.302653},
                                  {3, 2.353363, 3.182446},   {5, 2.015048, 2.570582},
                                  {10, 1.812461, 2.228139},  {30, 1.697261, 2.042272},
                                  {200, 1.652508, 1.971896}, {1000, 1.646379, 1.962339}};

static void quantiles_are_those_of_the_tables(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    uint64_t freedom = (uint64_t)table[i][0];
    assert_true(fabs(ls_student_quantile(0.95, freedom) - table[i][1]) <= 2e-6);
    assert_true(fabs(ls_student_quantile(0.975, freedom) - table[i][2]) <= 2e-6);
    assert_true(fabs(ls_student_quantile(0.05, freedom) + table[i][1]) <= 2e-6);
  }
}

/* Also where the sum gives way to the normal law. */
static void the_share_of_a_quantile_is_that_share(void **state) {
  (void)state;
  for (uint64_t freedom = 1; freedom <= 300; freedom += 1 + freedom / 20) {
    double before = 0;
    for (double share = 0.02; share < 1; share += 0.07) {
      double quantile = ls_student_quantile(share, freedom);
      assert_true(fabs(ls_student_share(quantile, freedom) - share) <= 1e-10);
      assert_true(share < 0.03 || quantile > before);
      before = quantile;
    }
  }
}

static void the_share_is_even(void **state) {
  (void)state;
  for (uint64_t freedom = 1; freedom <= 512; freedom *= 2)
    for (double t = 0; t < 5; t += 0.5)
      assert_true(fabs(ls_student_share(t, freedom) + ls_student_share(-t, freedom) - 1) <= 1e-14);
}

/* Cauchy's law, and the closed form of two degrees. */
static void few_degrees_are_known_exactly(void **state) {
  (void)state;
  for (double t = -6; t <= 6; t += 0.75) {
    assert_true(fabs(ls_student_share(t, 1) - (0.5 + atan(t) / 3.14159265358979323846)) <= 1e-14);
    assert_true(fabs(ls_student_share(t, 2) - 0.5 * (1 + t / sqrt(2 + t * t))) <= 1e-14);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantiles_are_those_of_the_tables),
      cmocka_unit_test(the_share_of_a_quantile_is_that_share),
      cmocka_unit_test(the_share_is_even),
      cmocka_unit_test(few_degrees_are_known_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
