#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../support/chunking_driver.h"

static void assert_chunks(struct driver *driver, const uint64_t *expected, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(driver_ask(driver, (uint32_t)(i % driver->setup.slots)), expected[i]);
  }
}

static struct driver start(uint64_t units, size_t workers, const char *rounding) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("fac2"), units, workers);
  if (rounding != NULL) assert_int_equal(driver_set(&driver, "rounding", rounding), LS_OK);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void a_batch_is_half_of_the_rest(void **state) {
  (void)state;
  const uint64_t sizes[] = {125, 63, 31, 16, 8, 4, 2, 1};
  struct driver driver = start(1000, 4, NULL);
  for (size_t i = 0; i < 32; i++) {
    assert_int_equal(driver_ask(&driver, (uint32_t)(i % 4)), sizes[i / 4]);
  }
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void rounding_down_gives_at_least_one(void **state) {
  (void)state;
  const uint64_t expected[] = {3, 3, 2, 2, 1, 1, 1, 1, 1};
  struct driver driver = start(15, 2, "floor");
  assert_chunks(&driver, expected, sizeof expected / sizeof *expected);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* p consecutive requests, whoever asks: a fast worker may take a whole batch. */
static void one_worker_may_take_a_whole_batch(void **state) {
  (void)state;
  struct driver driver = start(80, 4, NULL);
  for (size_t i = 0; i < 4; i++) assert_int_equal(driver_ask(&driver, 2), 10);
  assert_int_equal(driver_ask(&driver, 2), 5);
  driver_close(&driver);
}

static void an_open_batch_keeps_its_p_and_size(void **state) {
  (void)state;
  struct driver driver = start(80, 4, NULL);
  assert_int_equal(driver_ask(&driver, 0), 10);
  driver_join(&driver, 4);
  for (size_t i = 0; i < 3; i++) assert_int_equal(driver_ask(&driver, 4), 10);
  /* The next one opens with R = 40 for p = 5, and lasts for 5 requests. */
  for (size_t i = 0; i < 5; i++) assert_int_equal(driver_ask(&driver, 4), 4);
  assert_int_equal(driver_ask(&driver, 4), 2);
  driver_close(&driver);
}

static void a_loss_changes_the_next_batch_only(void **state) {
  (void)state;
  struct driver driver = start(80, 4, NULL);
  assert_int_equal(driver_ask(&driver, 0), 10);
  driver_lose(&driver, 0, 10);
  for (size_t i = 0; i < 3; i++) assert_int_equal(driver_ask(&driver, 1), 10);
  assert_int_equal(driver_ask(&driver, 1), 7);
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_batch_is_half_of_the_rest),
      cmocka_unit_test(rounding_down_gives_at_least_one),
      cmocka_unit_test(one_worker_may_take_a_whole_batch),
      cmocka_unit_test(an_open_batch_keeps_its_p_and_size),
      cmocka_unit_test(a_loss_changes_the_next_batch_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
