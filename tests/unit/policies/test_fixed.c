#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/sizing.h"

static size_t want(uint64_t units, size_t given) {
  struct ls_sizing_view view = {.iteration = 2, .units = units, .wanted = 3, .current = 1};
  return ls_sizing_find("fixed")->wanted(&view, given);
}

static void the_number_given_is_wanted(void **state) {
  (void)state;
  assert_int_equal(want(100, 7), 7);
  assert_int_equal(want(7, 7), 7);
}

static void more_workers_than_units_are_of_no_use(void **state) {
  (void)state;
  assert_int_equal(want(3, 7), 3);
}

static void one_worker_is_the_least(void **state) {
  (void)state;
  assert_int_equal(want(0, 7), 1);
  assert_int_equal(want(5, 0), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_number_given_is_wanted),
      cmocka_unit_test(more_workers_than_units_are_of_no_use),
      cmocka_unit_test(one_worker_is_the_least),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
