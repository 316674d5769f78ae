#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "planners/pack/pack_spread.h"

/* One shard: its own mean, and 1.2816 deviations to both sides. */
static void one_shard_is_a_normal_law(void **state) {
  (void)state;
  const double seconds[] = {100}, variances[] = {4}, speeds[] = {2};
  const struct ls_pack_shards shards = {seconds, variances, speeds, 1};
  struct ls_pack_spread spread, again;
  assert_int_equal(ls_pack_spread_draw(&shards, 1, &spread), LS_OK);
  assert_true(fabs(spread.expected_s - 50) < 0.1);
  assert_true(fabs(spread.low_s - (50 - 1.2816)) < 0.15);
  assert_true(fabs(spread.high_s - (50 + 1.2816)) < 0.15);
  assert_int_equal(ls_pack_spread_draw(&shards, 1, &again), LS_OK);
  assert_true(fabs(spread.expected_s - again.expected_s) <= 0);
}

/* The longest of many is longer than each is expected to be. */
static void the_longest_of_many_is_longer(void **state) {
  (void)state;
  const double seconds[] = {10, 10, 10, 10}, ones[] = {1, 1, 1, 1}, none[] = {0, 0, 0, 0};
  const struct ls_pack_shards varied = {seconds, ones, ones, 4}, still = {seconds, none, ones, 4};
  struct ls_pack_spread spread;
  assert_int_equal(ls_pack_spread_draw(&varied, 1, &spread), LS_OK);
  assert_true(fabs(spread.expected_s - 11.03) < 0.1); /* of four normal numbers 1.029 */
  assert_int_equal(ls_pack_spread_draw(&still, 1, &spread), LS_OK);
  assert_true(fabs(spread.low_s - 10) < 1e-12 && fabs(spread.high_s - 10) < 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_shard_is_a_normal_law),
      cmocka_unit_test(the_longest_of_many_is_longer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
