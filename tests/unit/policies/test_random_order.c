#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "policies/ordering.h"

enum { UNITS = 50 };

static void arrange(uint64_t *order, uint32_t iteration, uint64_t seed) {
  struct ls_ordering_view view = {.units = UNITS, .iteration = iteration, .seed = seed};
  assert_int_equal(ls_ordering_find("random")->arrange(order, &view, NULL), LS_OK);
}

static void the_same_seed_gives_the_same_order(void **state) {
  (void)state;
  uint64_t one[UNITS], other[UNITS];
  arrange(one, 1, 7);
  arrange(other, 1, 7);
  assert_memory_equal(one, other, sizeof one);
}

static void seeds_and_iterations_give_other_orders(void **state) {
  (void)state;
  uint64_t one[UNITS], other[UNITS];
  arrange(one, 1, 7);
  arrange(other, 1, 8);
  assert_memory_not_equal(one, other, sizeof one);
  arrange(other, 2, 7);
  assert_memory_not_equal(one, other, sizeof one);
}

/* Over many seeds each unit comes first about equally often: 20,000 draws of 50, mean 400,
 * deviation 20; six deviations. */
static void no_unit_is_preferred(void **state) {
  (void)state;
  uint64_t order[UNITS];
  uint32_t first[UNITS] = {0};
  for (uint64_t seed = 0; seed < 20000; seed++) {
    arrange(order, 0, seed);
    first[order[0]]++;
  }
  for (size_t i = 0; i < UNITS; i++) assert_in_range(first[i], 280, 520);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_seed_gives_the_same_order),
      cmocka_unit_test(seeds_and_iterations_give_other_orders),
      cmocka_unit_test(no_unit_is_preferred),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
