#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"

static void same_seed_and_name_give_the_same_numbers(void **state) {
  (void)state;
  struct ls_random a, b;
  ls_random_init(&a, 42, "faults");
  ls_random_init(&b, 42, "faults");
  for (int i = 0; i < 100; i++) assert_true(ls_random_u64(&a) == ls_random_u64(&b));
}

static int count_equal(uint64_t seed_a, const char *name_a, uint64_t seed_b, const char *name_b) {
  struct ls_random a, b;
  ls_random_init(&a, seed_a, name_a);
  ls_random_init(&b, seed_b, name_b);
  int equal = 0;
  for (int i = 0; i < 1000; i++) equal += ls_random_u64(&a) == ls_random_u64(&b);
  return equal;
}

static void other_names_and_seeds_give_other_numbers(void **state) {
  (void)state;
  assert_int_equal(count_equal(1, "faults", 1, "jitter"), 0);
  assert_int_equal(count_equal(1, "faults", 2, "faults"), 0);
  assert_int_equal(count_equal(0, "", 1, ""), 0);
}

/* xoshiro256** from the state 1, 2, 3, 4: the first outputs of the authors' reference code. */
static void generator_is_the_published_one(void **state) {
  (void)state;
  struct ls_random random = {.state = {1, 2, 3, 4}};
  assert_true(ls_random_u64(&random) == 11520u);
  assert_true(ls_random_u64(&random) == 0u);
  assert_true(ls_random_u64(&random) == 1509978240u);
  assert_true(ls_random_u64(&random) == 1215971899390074240u);
}

static void reals_fill_the_unit_interval(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 7, "reals");
  double sum = 0;
  int tenths[10] = {0};
  for (int i = 0; i < 100000; i++) {
    double x = ls_random_real(&random);
    assert_true(x >= 0 && x < 1);
    sum += x;
    tenths[(int)(x * 10)]++;
  }
  assert_true(sum > 49500 && sum < 50500);
  for (int i = 0; i < 10; i++) assert_in_range(tenths[i], 9500, 10500);
}

static void below_reaches_every_value_equally(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 7, "below");
  int seen[7] = {0};
  for (int i = 0; i < 70000; i++) seen[ls_random_below(&random, 7)]++;
  for (int i = 0; i < 7; i++) assert_in_range(seen[i], 9500, 10500);
  for (int i = 0; i < 10; i++) assert_true(ls_random_below(&random, 1) == 0);
  uint64_t large = (UINT64_MAX / 4) * 3;
  for (int i = 0; i < 100; i++) assert_true(ls_random_below(&random, large) < large);
}

static void shuffle_keeps_every_item(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 3, "shuffle");
  int first_moved = 0;
  for (int round = 0; round < 100; round++) {
    uint64_t items[20];
    for (uint64_t i = 0; i < 20; i++) items[i] = i;
    ls_random_shuffle(&random, items, 20);
    uint32_t mask = 0;
    for (int i = 0; i < 20; i++) mask |= 1u << items[i];
    assert_int_equal(mask, (1u << 20) - 1);
    first_moved += items[0] != 0;
  }
  assert_in_range(first_moved, 80, 100);
  ls_random_shuffle(&random, NULL, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_seed_and_name_give_the_same_numbers),
      cmocka_unit_test(other_names_and_seeds_give_other_numbers),
      cmocka_unit_test(generator_is_the_published_one),
      cmocka_unit_test(reals_fill_the_unit_interval),
      cmocka_unit_test(below_reaches_every_value_equally),
      cmocka_unit_test(shuffle_keeps_every_item),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
