#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/duration_law.h"

static void every_law_is_found_by_its_name(void **state) {
  (void)state;
  for (unsigned i = 0; i < LS_DURATION_LAWS; i++) {
    enum ls_duration_law law = LS_DURATION_LAWS;
    assert_true(ls_duration_law_find(ls_duration_law_name((enum ls_duration_law)i), &law));
    assert_int_equal(law, i);
  }
}

static void another_name_is_no_law(void **state) {
  (void)state;
  enum ls_duration_law law = LS_DURATION_GAMMA;
  assert_false(ls_duration_law_find("zipf", &law));
  assert_false(ls_duration_law_find("", &law));
  assert_false(ls_duration_law_find("Gamma", &law));
  assert_int_equal(law, LS_DURATION_GAMMA);
}

static void two_laws_need_no_deviation(void **state) {
  (void)state;
  assert_true(ls_duration_law_is_fixed(LS_DURATION_CONSTANT));
  assert_true(ls_duration_law_is_fixed(LS_DURATION_EXPONENTIAL));
  assert_false(ls_duration_law_is_fixed(LS_DURATION_NORMAL));
  assert_false(ls_duration_law_is_fixed(LS_DURATION_GAMMA));
  assert_false(ls_duration_law_is_fixed(LS_DURATION_LOGNORMAL));
}

/* Exponential times cannot vary more than their mean; one straggler in nine varies most. */
static void some_laws_vary_only_so_much(void **state) {
  (void)state;
  assert_true(fabs(ls_duration_law_variation_most(LS_DURATION_SHIFTED_EXPONENTIAL) - 1) < 1e-15);
  double mean = 1 + 7.0 / 9, square = 1 + 63.0 / 9;
  assert_true(fabs(ls_duration_law_variation_most(LS_DURATION_STRAGGLERS) -
                   sqrt(square - mean * mean) / mean) < 1e-12);
  assert_true(ls_duration_law_variation_most(LS_DURATION_PARETO) > 1e5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_is_found_by_its_name),
      cmocka_unit_test(another_name_is_no_law),
      cmocka_unit_test(two_laws_need_no_deviation),
      cmocka_unit_test(some_laws_vary_only_so_much),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
