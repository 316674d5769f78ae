/* A count of additions is as many, wherever it ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "additions.h"

static void they_come_to_fibonacci_numbers(void **state) {
  (void)state;
  assert_int_equal(additions_make(0), 0);
  assert_int_equal(additions_make(1), 1);
  assert_int_equal(additions_make(10), 55);
  assert_int_equal(additions_make(89), 1779979416004714189);
  for (uint64_t turns = 1; turns < 4; turns++)
    assert_int_equal(additions_make(90 * turns + 10), 55);
}

/* Not how many: that is the machine's. */
static void some_are_made_in_a_second(void **state) {
  (void)state;
  double rate = additions_measure();
  assert_true(rate > 1e5 && rate < 1e12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(they_come_to_fibonacci_numbers),
                                     cmocka_unit_test(some_are_made_in_a_second)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
