#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/load.h"

static void check(const double *shares, size_t count, uint64_t total, const uint64_t *expected) {
  uint64_t units[8];
  assert_true(count <= 8);
  assert_int_equal(ls_load_round(shares, count, total, units, NULL), LS_OK);
  for (size_t i = 0; i < count; i++) assert_true(units[i] == expected[i]);
}

/* Equal shares: the lower index gets the rest (vector largest-remainder-1_1_1-10). */
static void ties_go_to_the_lower_index(void **state) {
  (void)state;
  check((const double[]){1, 1, 1}, 3, 10, (const uint64_t[]){4, 3, 3});
  check((const double[]){1, 1, 1, 1}, 4, 2, (const uint64_t[]){1, 1, 0, 0});
}

static void larger_fractions_come_first(void **state) {
  (void)state;
  check((const double[]){1.2, 2.7, 3.1}, 3, 7, (const uint64_t[]){1, 3, 3});
  check((const double[]){0.5, 1.5}, 2, 2, (const uint64_t[]){0, 2}); /* the larger share */
}

/* The quota 512 / 2 of the weighted factoring in the thesis' figure 3.2. */
static void published_quota_is_met(void **state) {
  (void)state;
  check((const double[]){1 / 0.1, 1 / 0.56, 1 / 0.89, 1 / 0.75}, 4, 256,
        (const uint64_t[]){180, 32, 20, 24});
}

static void zero_shares_get_nothing(void **state) {
  (void)state;
  check((const double[]){0, 1, 0, 1, 1}, 5, 2, (const uint64_t[]){0, 1, 0, 1, 0});
  check((const double[]){0, 1}, 2, 100, (const uint64_t[]){0, 100});
}

static void all_zero_counts_as_all_equal(void **state) {
  (void)state;
  check((const double[]){0, 0, 0}, 3, 4, (const uint64_t[]){2, 1, 1});
}

/* 0.1 + 0.2 of 0.3 is a little more than a third, and still a third. */
static void rounding_noise_decides_nothing(void **state) {
  (void)state;
  check((const double[]){0.1 + 0.2, 0.3, 0.3}, 3, 9, (const uint64_t[]){3, 3, 3});
  check((const double[]){0.3, 0.1 + 0.2, 0.3}, 3, 10, (const uint64_t[]){3, 4, 3});
  check((const double[]){0.7, 0.1, 0.2}, 3, 10, (const uint64_t[]){7, 1, 2});
}

static void extreme_shares_and_totals_keep_the_sum(void **state) {
  (void)state;
  const double shares[] = {1.7e308, 1.7e308, 1e-300, 0.3e308};
  const uint64_t totals[] = {0, 1, 7, 9007199254740991u, 9007199254740992u};
  for (size_t i = 0; i < 5; i++) {
    uint64_t units[4], sum = 0;
    assert_int_equal(ls_load_round(shares, 4, totals[i], units, NULL), LS_OK);
    for (size_t j = 0; j < 4; j++) sum += units[j];
    assert_true(sum == totals[i]);
  }
}

static void bad_shares_are_named(void **state) {
  (void)state;
  uint64_t units[2] = {5, 6};
  struct ls_error err;
  const double bad[] = {-1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < 3; i++) {
    const double shares[] = {1, bad[i]};
    assert_int_equal(ls_load_round(shares, 2, 3, units, &err), LS_EINVAL);
    assert_true(units[0] == 5 && units[1] == 6);
  }
  assert_string_equal(err.text, "share 1 is inf, must be finite and >= 0");
  assert_int_equal(ls_load_round(NULL, 0, 3, units, &err), LS_EINVAL);
  assert_string_equal(err.text, "3 units cannot be shared among no workers");
  assert_int_equal(ls_load_round(NULL, 0, 0, units, &err), LS_OK);
}

static void a_load_of_whole_units_is_a_whole_number(void **state) {
  const double bad[] = {-1, 0.5, 1000.5, 9007199254740994.0, (double)INFINITY, (double)NAN};
  (void)state;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_load_check_whole(bad[i], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "must be a whole number <= 2^53"));
  }
  assert_int_equal(ls_load_check_whole(0, NULL), LS_OK);
  assert_int_equal(ls_load_check_whole(9007199254740992.0, NULL), LS_OK);
}

/* The form without allocation gives the same; its scratch may hold anything. */
static void rounding_within_scratch_memory_is_the_same(void **state) {
  (void)state;
  const double shares[][4] = {{1, 1, 1, 1}, {0, 0, 0, 0}, {10, 1.8, 1.12, 1.33}, {0, 3, 0, 0.1}};
  for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
    for (uint64_t total = 0; total < 50; total++) {
      struct ls_load_candidate scratch[4] = {{-7, 3, 9}, {5, 5, 5}};
      uint64_t units[4], within[4];
      assert_int_equal(ls_load_round(shares[k], 4, total, units, NULL), LS_OK);
      ls_load_round_within(shares[k], 4, total, scratch, within);
      assert_memory_equal(units, within, sizeof units);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ties_go_to_the_lower_index),
      cmocka_unit_test(larger_fractions_come_first),
      cmocka_unit_test(published_quota_is_met),
      cmocka_unit_test(zero_shares_get_nothing),
      cmocka_unit_test(a_load_of_whole_units_is_a_whole_number),
      cmocka_unit_test(rounding_within_scratch_memory_is_the_same),
      cmocka_unit_test(all_zero_counts_as_all_equal),
      cmocka_unit_test(rounding_noise_decides_nothing),
      cmocka_unit_test(extreme_shares_and_totals_keep_the_sum),
      cmocka_unit_test(bad_shares_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
