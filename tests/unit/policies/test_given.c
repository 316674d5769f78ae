#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, size_t workers, const char *sizes) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("given"), units, workers);
  if (sizes != NULL) assert_int_equal(driver_set(&driver, "sizes", sizes), LS_OK);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void end(struct driver *driver) {
  driver_close(driver);
  ls_arguments_close(&driver->setup.arguments);
}

static void sizes_come_in_their_order_whoever_asks(void **state) {
  (void)state;
  const uint64_t expected[] = {5, 1, 4, 3, 3, 3, 1};
  struct driver driver = start(20, 3, "[5, 1, 4, 3]");
  for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++)
    assert_int_equal(driver_ask(&driver, (i * 2) % 3), expected[i]);
  assert_int_equal(driver.view.units_unassigned, 0);
  end(&driver);
}

static void without_sizes_each_is_one(void **state) {
  (void)state;
  const char *const none[] = {NULL, "[]"};
  for (size_t i = 0; i < 2; i++) {
    struct driver driver = start(3, 2, none[i]);
    for (uint32_t k = 0; k < 3; k++) assert_int_equal(driver_ask(&driver, k % 2), 1);
    end(&driver);
  }
}

/* Whoever cuts an answer: the next one goes on there, so the sizes behind it stay what they are. */
static void what_was_cut_off_a_size_is_given_next(void **state) {
  (void)state;
  struct driver driver = start(18, 2, "[8, 5]");
  assert_int_equal(driver_ask(&driver, 0), 8);
  driver.view.units_unassigned += 5;
  assert_int_equal(driver_ask(&driver, 1), 5);
  assert_int_equal(driver_ask(&driver, 1), 5);
  driver.view.units_unassigned += 4;
  assert_int_equal(driver_ask(&driver, 0), 4);
  assert_int_equal(driver_ask(&driver, 0), 5);
  assert_int_equal(driver.view.units_unassigned, 0);
  end(&driver);
}

static void what_came_back_is_first_and_of_the_largest_size_at_most(void **state) {
  (void)state;
  struct driver driver = start(30, 3, "[4, 6, 2]");
  assert_int_equal(driver_ask(&driver, 0), 4);
  assert_int_equal(driver_ask(&driver, 1), 6);
  driver_lose(&driver, 0, 4);
  driver_lose(&driver, 1, 6);
  assert_int_equal(driver_ask(&driver, 2), 6);
  assert_int_equal(driver_ask(&driver, 2), 4);
  assert_int_equal(driver_ask(&driver, 2), 2);
  driver.view.units_unassigned += 3;
  assert_int_equal(driver_ask(&driver, 2), 3);
  assert_int_equal(driver_ask(&driver, 2), 2);
  end(&driver);
}

static void sizes_are_whole_and_at_least_one(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("given"), 5, 2);
  assert_int_equal(driver_set(&driver, "sizes", "[3, 0]"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "sizes", "[1.5]"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "sizes", "3"), LS_EINVAL);
  end(&driver);
}

/* What is set is a copy. */
static void a_list_can_be_set_by_whoever_has_it(void **state) {
  (void)state;
  double items[] = {2, 7};
  const struct ls_argument_list list = {items, 2};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("given"), 9, 1);
  assert_int_equal(driver_set(&driver, "sizes", "[1]"), LS_OK);
  assert_int_equal(ls_arguments_set_list(&driver.setup.arguments, driver.policy->parameters,
                                         "sizes", &list, NULL),
                   LS_OK);
  items[0] = items[1] = 1;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  assert_int_equal(driver_ask(&driver, 0), 2);
  assert_int_equal(driver_ask(&driver, 0), 7);
  end(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_come_in_their_order_whoever_asks),
      cmocka_unit_test(without_sizes_each_is_one),
      cmocka_unit_test(what_was_cut_off_a_size_is_given_next),
      cmocka_unit_test(what_came_back_is_first_and_of_the_largest_size_at_most),
      cmocka_unit_test(sizes_are_whole_and_at_least_one),
      cmocka_unit_test(a_list_can_be_set_by_whoever_has_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
