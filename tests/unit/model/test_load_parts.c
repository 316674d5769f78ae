#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "model/load.h"
#include "model/load_parts.h"

enum { PARTS_MAX = 600, OWNERS_MAX = 40, SEEDS = 2000 };

/* Random parts of random owners, whose sum is `total`. */
static size_t draw_parts(struct ls_random *random, struct ls_load_part *parts, uint64_t *total) {
  size_t count = 1 + ls_random_below(random, PARTS_MAX);
  uint64_t owners = 1 + ls_random_below(random, OWNERS_MAX);
  double sum = 0, scale = pow(10, 3 * ls_random_real(random) - 1);
  bool are_equal = ls_random_below(random, 2) == 0;
  for (size_t i = 0; i < count; i++) {
    parts[i].owner = (uint32_t)ls_random_below(random, owners);
    parts[i].unit_s = 1 + parts[i].owner % 3;
    parts[i].share = are_equal ? scale : scale * ls_random_real(random);
    sum += parts[i].share;
  }
  *total = (uint64_t)floor(sum + 1);
  for (size_t i = 0; i < count; i++) parts[i].share *= (double)*total / sum;
  return count;
}

/* After every part its owner has got less than a unit more or less than planned, and each part is
 * its real size rounded up or down. */
static void no_owner_is_ever_a_unit_off(void **state) {
  static struct ls_load_part parts[PARTS_MAX];
  static uint64_t units[PARTS_MAX];
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    double real[OWNERS_MAX] = {0}, whole[OWNERS_MAX] = {0}, given = 0;
    uint64_t total;
    ls_random_init(&random, seed, "parts");
    size_t count = draw_parts(&random, parts, &total);
    assert_int_equal(ls_load_round_parts(parts, count, total, units, NULL), LS_OK);
    for (size_t i = 0; i < count; i++) {
      uint32_t owner = parts[i].owner;
      real[owner] += parts[i].share;
      whole[owner] += (double)units[i];
      given += (double)units[i];
      assert_true(fabs(whole[owner] - real[owner]) < 1 + 1e-6);
      assert_true(fabs((double)units[i] - parts[i].share) < 1 + 1e-6);
    }
    assert_true(given == (double)total);
  }
}

/* Ten equal workers, 200 units, in rounds of 4, which once went to the first four each time: all
 * get 20, and on the way none has more than a unit more than another. */
static void equal_owners_get_equal_shares(void **state) {
  struct ls_load_part parts[500];
  uint64_t units[500], whole[10] = {0};
  (void)state;
  for (size_t i = 0; i < 500; i++) parts[i] = (struct ls_load_part){0.4, (uint32_t)(i % 10), 2};
  assert_int_equal(ls_load_round_parts(parts, 500, 200, units, NULL), LS_OK);
  for (size_t round = 0; round < 50; round++) {
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < 10; i++) {
      whole[i] += units[10 * round + i];
      if (whole[i] < least) least = whole[i];
      if (whole[i] > most) most = whole[i];
    }
    assert_true(most - least <= 1);
  }
  for (size_t i = 0; i < 10; i++) assert_int_equal(whole[i], 20);
}

/* One part each is the rounding of load.h. */
static void single_parts_are_rounded_as_shares(void **state) {
  const double shares[] = {1.2, 2.7, 3.1, 0.5, 1.5};
  struct ls_load_part parts[5];
  uint64_t units[5], expected[5];
  (void)state;
  for (uint32_t i = 0; i < 5; i++) parts[i] = (struct ls_load_part){shares[i], 7 - i, 1.5};
  for (uint64_t total = 0; total < 30; total++) {
    assert_int_equal(ls_load_round_parts(parts, 5, total, units, NULL), LS_OK);
    assert_int_equal(ls_load_round(shares, 5, total, expected, NULL), LS_OK);
    assert_memory_equal(units, expected, sizeof units);
  }
}

/* Half a unit too much is 5 s of the slow one and .5 s of the fast one. */
static void those_are_rounded_up_to_whom_it_costs_least(void **state) {
  const struct ls_load_part parts[] = {{2.6, 0, 10}, {7.5, 1, 1}, {1.9, 2, 10}};
  const uint64_t expected[] = {2, 8, 2};
  uint64_t units[3];
  (void)state;
  assert_int_equal(ls_load_round_parts(parts, 3, 12, units, NULL), LS_OK);
  assert_memory_equal(units, expected, sizeof units);
}

static void parts_that_are_whole_stay(void **state) {
  struct ls_load_part parts[60];
  uint64_t units[60];
  (void)state;
  for (size_t i = 0; i < 60; i++)
    parts[i] = (struct ls_load_part){(double)(i * i % 7), (uint32_t)(i % 4), 1};
  uint64_t total = 0;
  for (size_t i = 0; i < 60; i++) total += (uint64_t)parts[i].share;
  assert_int_equal(ls_load_round_parts(parts, 60, total, units, NULL), LS_OK);
  for (size_t i = 0; i < 60; i++) assert_true((double)units[i] == parts[i].share);
}

static void bad_shares_are_refused(void **state) {
  struct ls_load_part parts[] = {{1, 0, 1}, {-2, 1, 1}};
  uint64_t units[2];
  struct ls_error err;
  (void)state;
  assert_int_equal(ls_load_round_parts(parts, 2, 3, units, &err), LS_EINVAL);
  parts[1].share = (double)INFINITY;
  assert_int_equal(ls_load_round_parts(parts, 2, 3, units, &err), LS_EINVAL);
  parts[0].share = parts[1].share = 1.7e308;
  assert_int_equal(ls_load_round_parts(parts, 2, 3, units, &err), LS_EINVAL);
  parts[0].share = parts[1].share = 0;
  assert_int_equal(ls_load_round_parts(parts, 2, 3, units, &err), LS_EINVAL);
  assert_int_equal(ls_load_round_parts(parts, 0, 3, units, &err), LS_EINVAL);
  assert_int_equal(ls_load_round_parts(parts, 0, 0, units, &err), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_owner_is_ever_a_unit_off),
      cmocka_unit_test(equal_owners_get_equal_shares),
      cmocka_unit_test(single_parts_are_rounded_as_shares),
      cmocka_unit_test(those_are_rounded_up_to_whom_it_costs_least),
      cmocka_unit_test(parts_that_are_whole_stay),
      cmocka_unit_test(bad_shares_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
