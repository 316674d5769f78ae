#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, const char *stages) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("fiss"), units, 4);
  assert_int_equal(driver_set(&driver, "stages", stages), LS_OK);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void expect_chunks(struct driver driver, const uint64_t *expected, size_t count) {
  /* p consecutive requests, whoever asks. */
  for (size_t i = 0; i < count; i++)
    assert_int_equal(driver_ask(&driver, (uint32_t)(i % 3)), expected[i]);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void batches_grow_by_equal_steps(void **state) {
  (void)state;
  const uint64_t expected[] = {50, 50, 50, 50, 83, 83, 83, 83, 116, 116, 116, 116, 4};
  expect_chunks(start(1000, "3"), expected, sizeof expected / sizeof *expected);
}

/* Too few units for the formula: one each; and what floors leave goes on in the last size. */
static void few_units_and_leftovers_are_given_too(void **state) {
  (void)state;
  const uint64_t ones[] = {1, 1, 1, 1, 1}, left[] = {8, 8, 8, 8, 25, 25, 25, 25, 7};
  expect_chunks(start(5, "3"), ones, 5);
  expect_chunks(start(139, "2"), left, sizeof left / sizeof *left);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(batches_grow_by_equal_steps),
      cmocka_unit_test(few_units_and_leftovers_are_given_too),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
