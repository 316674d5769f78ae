#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/platform_simgrid_private.h"

static void expect_reading(enum ls_simgrid_quantity quantity, const char *text, double expected) {
  double value = -1;
  if (!ls_simgrid_quantity_read(quantity, text, &value)) fail_msg("'%s' is refused", text);
  if (!(fabs(value - expected) <= 1e-15 * expected)) fail_msg("'%s' is %.17g", text, value);
}

static void units_scale_the_number(void **state) {
  (void)state;
  expect_reading(LS_SIMGRID_SPEED, "5", 5);
  expect_reading(LS_SIMGRID_SPEED, "98.095Mf", 98095000);
  expect_reading(LS_SIMGRID_SPEED, "1.5Gflops", 1.5e9);
  expect_reading(LS_SIMGRID_SPEED, "1Tf,2Tf", 1e12);
  expect_reading(LS_SIMGRID_BANDWIDTH, "125MBps", 125e6);
  expect_reading(LS_SIMGRID_BANDWIDTH, "10Mbps", 1.25e6);
  expect_reading(LS_SIMGRID_BANDWIDTH, "1MiBps", 1048576);
  expect_reading(LS_SIMGRID_BANDWIDTH, "1e6", 1e6);
  expect_reading(LS_SIMGRID_TIME, "50us", 50e-6);
  expect_reading(LS_SIMGRID_TIME, "1.5ms", 1.5e-3);
  expect_reading(LS_SIMGRID_TIME, "0", 0);
  expect_reading(LS_SIMGRID_TIME, "2m", 120);
}

static void what_is_no_quantity_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"",    "fast", "-1Gf",  "inf",   "nan", "0x10", "1 Gf",
                                      "1Qf", "1Gs",  "1MBpx", "1e999", "Gf",  "1f f"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    for (int quantity = LS_SIMGRID_SPEED; quantity <= LS_SIMGRID_TIME; quantity++) {
      double value = 7;
      if (ls_simgrid_quantity_read((enum ls_simgrid_quantity)quantity, texts[i], &value))
        fail_msg("'%s' is taken as %g", texts[i], value);
      assert_true(value == 7);
    }
}

static void a_unit_of_another_quantity_is_refused(void **state) {
  (void)state;
  double value;
  assert_false(ls_simgrid_quantity_read(LS_SIMGRID_SPEED, "1GBps", &value));
  assert_false(ls_simgrid_quantity_read(LS_SIMGRID_BANDWIDTH, "1Gf", &value));
  assert_false(ls_simgrid_quantity_read(LS_SIMGRID_TIME, "1Gf", &value));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(units_scale_the_number),
                                     cmocka_unit_test(what_is_no_quantity_is_refused),
                                     cmocka_unit_test(a_unit_of_another_quantity_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
