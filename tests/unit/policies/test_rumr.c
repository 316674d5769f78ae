#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct driver prepare(uint64_t units, size_t workers) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("rumr"), units, workers);
  return driver;
}

static void set(struct driver *driver, const char *name, const char *text) {
  assert_int_equal(driver_set(driver, name, text), LS_OK);
}

static void expect(struct driver *driver, const uint64_t *sizes, size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_int_equal(driver_ask(driver, (uint32_t)(i % driver->setup.workers)), sizes[i]);
  }
}

/* Growing rounds, then factoring down to a floor of 3. */
static void rounds_grow_and_then_batches_shrink(void **state) {
  (void)state;
  const uint64_t sizes[] = {1, 13, 161, 38, 19, 9, 5, 3};
  struct driver driver = prepare(1000, 4);
  set(&driver, "error", "0.3");
  set(&driver, "units_per_second", "1");
  set(&driver, "transfer_seconds_per_unit", "0.02");
  set(&driver, "transfer_latency_seconds", "0.1");
  set(&driver, "compute_latency_seconds", "0.5");
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  for (uint32_t i = 0; i < 32; i++) assert_int_equal(driver_ask(&driver, i % 4), sizes[i / 4]);
  assert_int_equal(driver_ask(&driver, 0), 3);
  assert_int_equal(driver_ask(&driver, 1), 1);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

static void free_transfers_need_one_round_only(void **state) {
  (void)state;
  const uint64_t sizes[] = {16, 16, 16, 16, 16, 2, 2};
  struct driver driver = prepare(100, 5);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  expect(&driver, sizes, 7);
  driver_close(&driver);
}

static void no_error_needs_no_second_phase(void **state) {
  (void)state;
  const uint64_t sizes[] = {25, 25, 25, 25};
  struct driver driver = prepare(100, 4);
  set(&driver, "error", "0");
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  expect(&driver, sizes, 4);
  assert_int_equal(driver.view.units_unassigned, 0);
  driver_close(&driver);
}

/* The second phase must be worth its latencies: 20 units of 4 workers take 5 s, one chunk 6 s. */
static void a_second_phase_below_its_latencies_is_left_out(void **state) {
  (void)state;
  for (int is_fast = 0; is_fast <= 1; is_fast++) {
    struct driver driver = prepare(100, 4);
    set(&driver, "compute_latency_seconds", is_fast ? "4" : "6");
    assert_int_equal(driver_start(&driver, NULL), LS_OK);
    assert_int_equal(driver_ask(&driver, 0), is_fast ? 20 : 25);
    driver_close(&driver);
  }
}

/* Only a known mean tells the speed that latencies are compared with. */
static void the_mean_time_stands_for_the_speed(void **state) {
  (void)state;
  struct driver told = prepare(500, 4), known = prepare(500, 4);
  const char *const costs[][2] = {{"transfer_seconds_per_unit", "0.01"},
                                  {"transfer_latency_seconds", "0.05"},
                                  {"compute_latency_seconds", "0.1"}};
  for (size_t i = 0; i < 3; i++) {
    set(&told, costs[i][0], costs[i][1]);
    set(&known, costs[i][0], costs[i][1]);
  }
  set(&told, "units_per_second", "4");
  known.setup.mean_seconds = 0.25;
  assert_int_equal(driver_start(&told, NULL), LS_OK);
  assert_int_equal(driver_start(&known, NULL), LS_OK);
  for (uint32_t i = 0; told.view.units_unassigned > 0; i++) {
    assert_int_equal(driver_ask(&told, i % 4), driver_ask(&known, i % 4));
  }
  driver_close(&told);
  driver_close(&known);
}

/* The first phase never takes from what the second one keeps back. */
static void the_first_phase_leaves_the_rest_alone(void **state) {
  (void)state;
  for (uint64_t units = 1; units <= 200; units++) {
    struct driver driver = prepare(units, 3);
    set(&driver, "error", "0.5");
    assert_int_equal(driver_start(&driver, NULL), LS_OK);
    for (uint32_t i = 0; i < 3 && 2 * (driver.view.units_unassigned - 1) >= units; i++) {
      assert_true(driver_ask(&driver, i) >= 1);
      assert_true(2 * driver.view.units_unassigned >= units);
    }
    driver_close(&driver);
  }
}

static void an_error_beyond_1_is_refused(void **state) {
  (void)state;
  struct driver driver = prepare(10, 2);
  assert_int_equal(driver_set(&driver, "error", "1.5"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "error", "-0.1"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "units_per_second", "nan"), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_grow_and_then_batches_shrink),
      cmocka_unit_test(free_transfers_need_one_round_only),
      cmocka_unit_test(no_error_needs_no_second_phase),
      cmocka_unit_test(a_second_phase_below_its_latencies_is_left_out),
      cmocka_unit_test(the_mean_time_stands_for_the_speed),
      cmocka_unit_test(the_first_phase_leaves_the_rest_alone),
      cmocka_unit_test(an_error_beyond_1_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
