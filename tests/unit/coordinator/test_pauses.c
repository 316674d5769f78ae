/* Pauses end in the order in which they began. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coordinator/books/pauses.h"

static void the_first_one_is_over_first(void **state) {
  struct ls_pauses pauses = {0};
  uint64_t unit = 99;
  (void)state;
  assert_true(isinf(ls_pauses_over_s(&pauses)));
  assert_false(ls_pauses_take(&pauses, 1e9, &unit));
  assert_int_equal(ls_pauses_add(&pauses, 7, 2), LS_OK);
  assert_int_equal(ls_pauses_add(&pauses, 3, 2), LS_OK);
  assert_int_equal(ls_pauses_add(&pauses, 5, 4), LS_OK);
  assert_true(ls_pauses_over_s(&pauses) == 2);
  assert_false(ls_pauses_take(&pauses, 1.9, &unit));
  assert_true(ls_pauses_take(&pauses, 2, &unit) && unit == 7);
  assert_true(ls_pauses_take(&pauses, 2, &unit) && unit == 3);
  assert_false(ls_pauses_take(&pauses, 2, &unit));
  assert_true(ls_pauses_over_s(&pauses) == 4);
  ls_pauses_clear(&pauses);
  assert_true(isinf(ls_pauses_over_s(&pauses)));
  ls_pauses_close(&pauses);
}

/* What is taken leaves room: a list of few stays short, however many go through it. */
static void many_go_through_little_room(void **state) {
  struct ls_pauses pauses = {0};
  (void)state;
  for (uint64_t i = 0; i < 100000; i++) {
    uint64_t unit = 0;
    assert_int_equal(ls_pauses_add(&pauses, i, (double)i), LS_OK);
    if (i < 10) continue;
    assert_true(ls_pauses_take(&pauses, (double)i, &unit));
    assert_int_equal(unit, i - 10);
  }
  assert_true(pauses.count == 10 && pauses.capacity < 100);
  ls_pauses_close(&pauses);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_one_is_over_first),
                                     cmocka_unit_test(many_go_through_little_room)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
