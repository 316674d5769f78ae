#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, const char *divisor) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("viss"), units, 4);
  assert_int_equal(driver_set(&driver, "divisor", divisor), LS_OK);
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

static void the_increase_halves(void **state) {
  (void)state;
  const uint64_t expected[] = {62, 62, 62, 62, 93, 93, 93, 93, 109, 109, 109, 53};
  expect_chunks(start(1000, "4"), expected, sizeof expected / sizeof *expected);
}

/* In the end a chunk is twice the first one. */
static void growth_halves_and_chunks_never_double(void **state) {
  (void)state;
  struct driver driver = start(1000000, "1000");
  uint64_t latest = 0, growth = UINT64_MAX;
  for (int batch = 0; batch < 100; batch++) {
    uint64_t units = driver_ask(&driver, 0);
    for (int i = 1; i < 4; i++) assert_int_equal(driver_ask(&driver, 1), units);
    assert_true(units >= latest && units <= 2 * 250);
    if (batch > 0) {
      assert_true(units - latest <= growth / 2 + 1);
      growth = units - latest;
    }
    latest = units;
  }
  assert_int_equal(latest, 500);
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_increase_halves),
      cmocka_unit_test(growth_halves_and_chunks_never_double),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
