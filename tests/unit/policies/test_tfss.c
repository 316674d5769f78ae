#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

#include "policies/chunking/trapezoid.h"

static struct driver start(uint64_t units, size_t workers) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("tfss"), units, workers);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void a_batch_is_the_mean_of_the_next_p_trapezoid_chunks(void **state) {
  (void)state;
  const uint64_t expected[] = {113, 113, 113, 113, 81, 81, 81, 81, 49, 49, 49, 49, 17, 11};
  struct driver driver = start(1000, 4);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    assert_int_equal(driver_ask(&driver, (uint32_t)(i % 4)), expected[i]);
  }
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* The definition itself, against the chunks that tss gives. */
static void batches_agree_with_tss(void **state) {
  (void)state;
  for (size_t workers = 1; workers <= 8; workers++) {
    struct driver driver = start(5000, workers);
    struct ls_trapezoid trapezoid = {.last_units = 1};
    ls_trapezoid_choose(&trapezoid, 5000, workers, 0, false);
    for (uint64_t batch = 0;; batch++) {
      uint64_t sum = 0;
      for (size_t i = 0; i < workers; i++) {
        sum += ls_trapezoid_size(&trapezoid, batch * workers + i);
      }
      if (sum > driver.view.units_unassigned) break;
      for (uint32_t i = 0; i < workers; i++) {
        assert_int_equal(driver_ask(&driver, i), sum / workers);
      }
    }
    driver_close(&driver);
  }
}

/* p consecutive requests, whoever asks. */
static void one_worker_may_take_a_whole_batch(void **state) {
  (void)state;
  struct driver driver = start(1000, 4);
  for (size_t i = 0; i < 4; i++) assert_int_equal(driver_ask(&driver, 2), 113);
  assert_int_equal(driver_ask(&driver, 2), 81);
  driver_close(&driver);
}

static void growth_waits_for_the_next_batch_and_never_makes_chunks_larger(void **state) {
  (void)state;
  struct driver driver = start(1000, 4);
  assert_int_equal(driver_ask(&driver, 0), 113);
  driver_join(&driver, 4);
  uint64_t latest = 113;
  for (size_t i = 0; i < 3; i++) assert_int_equal(driver_ask(&driver, 4), 113);
  while (driver.view.units_unassigned > 0) {
    uint64_t units = driver_ask(&driver, 4);
    assert_true(units >= 1 && units <= latest);
    latest = units;
  }
  driver_close(&driver);
}

static void a_trapezoid_of_one_unit_has_no_slope(void **state) {
  (void)state;
  struct ls_trapezoid trapezoid = {.last_units = 1};
  ls_trapezoid_choose(&trapezoid, 1, 3, 0, true);
  assert_int_equal(trapezoid.first_units, 1);
  for (uint64_t i = 0; i < 5; i++) assert_int_equal(ls_trapezoid_size(&trapezoid, i), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_batch_is_the_mean_of_the_next_p_trapezoid_chunks),
      cmocka_unit_test(batches_agree_with_tss),
      cmocka_unit_test(one_worker_may_take_a_whole_batch),
      cmocka_unit_test(growth_waits_for_the_next_batch_and_never_makes_chunks_larger),
      cmocka_unit_test(a_trapezoid_of_one_unit_has_no_slope),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
