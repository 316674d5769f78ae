#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

#include "policies/chunking/mfsc.h"

static struct driver start(uint64_t units, size_t workers) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("mfsc"), units, workers);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

/* 250 units per worker: trunc(0.55 + 250 ln 2 / ln 250) = 31. */
static void the_size_is_the_published_one(void **state) {
  (void)state;
  struct driver driver = start(1000, 4);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(driver_ask(&driver, i % 4), 31);
  assert_int_equal(driver_ask(&driver, 0), 8);
  driver_close(&driver);
}

/* ln 1 and ln 2 would make the formula useless. */
static void few_units_per_worker_go_one_by_one(void **state) {
  (void)state;
  for (uint64_t units = 0; units <= 16; units++) assert_int_equal(ls_mfsc_size(units, 8), 1);
  assert_true(ls_mfsc_size(17, 8) >= 1);
}

static void the_size_is_never_0(void **state) {
  (void)state;
  for (uint64_t units = 0; units < 3000; units++) {
    for (size_t workers = 1; workers <= 8; workers++) {
      uint64_t size = ls_mfsc_size(units, workers);
      assert_true(size >= 1 && size <= (units > 0 ? units : 1));
    }
  }
}

static void a_newcomer_beyond_p_makes_chunks_smaller(void **state) {
  (void)state;
  struct driver driver = start(1000, 4);
  assert_int_equal(driver_ask(&driver, 0), 31);
  driver_join(&driver, 4);
  assert_int_equal(driver_ask(&driver, 4), ls_mfsc_size(1000, 5));
  assert_true(ls_mfsc_size(1000, 5) < 31);
  driver_close(&driver);
}

static void who_comes_into_a_free_slot_changes_nothing(void **state) {
  (void)state;
  struct driver driver = start(1000, 4);
  assert_int_equal(driver_ask(&driver, 0), 31);
  driver_lose(&driver, 0, 31);
  driver_join(&driver, 0);
  assert_int_equal(driver_ask(&driver, 0), 31);
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_size_is_the_published_one),
      cmocka_unit_test(few_units_per_worker_go_one_by_one),
      cmocka_unit_test(the_size_is_never_0),
      cmocka_unit_test(a_newcomer_beyond_p_makes_chunks_smaller),
      cmocka_unit_test(who_comes_into_a_free_slot_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
