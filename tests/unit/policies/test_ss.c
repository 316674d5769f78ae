#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../support/chunking_driver.h"

static void each_request_gets_one_unit(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("ss"), 7, 2);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  for (uint32_t i = 0; i < 7; i++) assert_int_equal(driver_ask(&driver, i % 2), 1);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void it_takes_no_arguments(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("ss"), 7, 2);
  assert_int_equal(driver_set(&driver, "rounding", "floor"), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_request_gets_one_unit),
      cmocka_unit_test(it_takes_no_arguments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
