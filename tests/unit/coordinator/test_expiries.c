/* Ends of lifetimes by unit: how many, and the longest that the unit had run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coordinator/books/expiries.h"

static struct ls_expiry *add(struct ls_expiries *expiries, uint64_t unit, double ran_s) {
  struct ls_expiry *expiry = NULL;
  assert_int_equal(ls_expiries_add(expiries, unit, ran_s, &expiry), LS_OK);
  assert_true(expiry->unit == unit && expiry->ran_s >= ran_s);
  return expiry;
}

static void ends_are_counted_by_unit(void **state) {
  struct ls_expiries expiries = {0};
  (void)state;
  assert_null(ls_expiries_find(&expiries, 0));
  add(&expiries, 7, 3);
  add(&expiries, 9, 1);
  add(&expiries, 7, 2);
  const struct ls_expiry *expiry = ls_expiries_find(&expiries, 7);
  assert_non_null(expiry);
  assert_true(expiry->ends == 2 && expiry->ran_s == 3);
  assert_int_equal(ls_expiries_find(&expiries, 9)->ends, 1);
  assert_null(ls_expiries_find(&expiries, 8));
  ls_expiries_close(&expiries);
}

static void the_next_iteration_begins_with_none(void **state) {
  struct ls_expiries expiries = {0};
  (void)state;
  for (uint64_t i = 0; i < 100; i++) add(&expiries, i, (double)i);
  ls_expiries_clear(&expiries);
  assert_null(ls_expiries_find(&expiries, 5));
  /* Those of the run are counted on. */
  assert_true(expiries.ends == 100 && expiries.longest_s == 99);
  ls_expiries_close(&expiries);
}

/* Of what nobody had the time for, what has a result lacks nothing any more. */
static void a_final_unit_is_forgotten(void **state) {
  struct ls_expiries expiries = {0};
  (void)state;
  for (uint64_t i = 0; i < 10; i++) add(&expiries, i, (double)i)->is_lacking = i != 9;
  assert_true(ls_expiries_lacking(&expiries) == 16);
  ls_expiries_settle(&expiries, (struct ls_range){6, 3}, true);
  assert_int_equal(expiries.count, 7);
  assert_null(ls_expiries_find(&expiries, 7));
  assert_int_equal(ls_expiries_find(&expiries, 9)->ends, 1);
  assert_true(ls_expiries_lacking(&expiries) == 10);
  ls_expiries_settle(&expiries, (struct ls_range){5, 1}, false);
  ls_expiries_settle(&expiries, (struct ls_range){9, 1}, false);
  ls_expiries_settle(&expiries, (struct ls_range){0, 5}, true);
  assert_int_equal(expiries.count, 0);
  assert_true(ls_expiries_lacking(&expiries) == 10 && expiries.longest_s == 9);
  ls_expiries_close(&expiries);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ends_are_counted_by_unit),
      cmocka_unit_test(a_final_unit_is_forgotten),
      cmocka_unit_test(the_next_iteration_begins_with_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
