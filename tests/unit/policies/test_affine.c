#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../../support/chunking_driver.h"

static struct driver start(uint64_t units, size_t workers) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("affine"), units, workers);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void end(struct driver *driver, uint32_t worker, uint64_t units, double now_s,
                double seconds) {
  struct ls_chunking_report report = {
      .worker = worker, .units = units, .seconds = seconds, .elapsed_s = seconds};
  driver->view.now_s = now_s;
  driver->policy->on_report(driver->state, driver_view(driver), &report);
}

/* 800 units, two workers: a unit, then an eighth of half of 799 and of 749. */
static void first_one_unit_then_an_eighth_of_the_fair_share(void **state) {
  struct driver driver = start(800, 2);
  (void)state;
  assert_int_equal(driver_ask(&driver, 0), 1);
  assert_int_equal(driver_ask(&driver, 1), 50); /* ceil(799 / 16) */
  end(&driver, 0, 1, 0.003, 0.003);
  assert_int_equal(driver_ask(&driver, 0), 47); /* ceil(749 / 16): one size tells nothing */
  driver_close(&driver);
}

/* A worker that has shown a chunk while nobody has shown two sizes: half of its share. */
static void who_has_shown_a_chunk_gets_half_its_share_before_the_start_is_known(void **state) {
  struct driver driver = start(800, 2);
  (void)state;
  (void)driver_ask(&driver, 0);
  (void)driver_ask(&driver, 1);
  end(&driver, 1, 50, 0.05, 0.05);
  assert_int_equal(driver_ask(&driver, 1), 188); /* ceil(749 / 4) */
  driver_close(&driver);
}

/* By weight where weights are told. */
static void the_first_share_follows_the_weights(void **state) {
  struct driver driver;
  const double weights[2] = {3, 1};
  (void)state;
  driver_prepare(&driver, ls_chunking_find("affine"), 801, 2);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  assert_int_equal(driver_ask(&driver, 1), 1);
  assert_int_equal(driver_ask(&driver, 0), 75); /* 800 * 3 / 4 / 8 */
  assert_int_equal(driver_ask(&driver, 1), 23); /* 725 / 4 / 8 = 22.7 */
  driver_close(&driver);
}

/* One worker alone, whose start is worth 2 units: its share is all that is left. */
static void learn_alone(struct driver *driver) {
  assert_int_equal(driver_ask(driver, 0), 1);
  end(driver, 0, 1, 0.003, 0.003);
  uint64_t second = driver_ask(driver, 0);
  double seconds = 0.002 + 0.001 * (double)second;
  end(driver, 0, second, 0.003 + seconds, seconds);
}

/* Of much a quarter: 10001 units, the second chunk an eighth. */
static void of_a_large_share_a_quarter_goes_out(void **state) {
  struct driver driver = start(10001, 1);
  (void)state;
  learn_alone(&driver);
  assert_int_equal(driver.view.units_unassigned, 8750);
  assert_int_equal(driver_ask(&driver, 0), 2188); /* ceil(8750 / 4) */
  driver_close(&driver);
}

/* The least chunk: a start of about 2 units and a variation of 1 make 30 * 2 = 60 or (4 * 2)^2 =
 * 64. The fit goes on to 2 with each report. */
static void of_a_small_share_the_least_chunk_goes_out(void **state) {
  struct driver driver = start(201, 1);
  (void)state;
  learn_alone(&driver);
  assert_int_equal(driver.view.units_unassigned, 175);
  uint64_t units = driver_ask(&driver, 0);
  assert_in_range(units, 45, 60);
  end(&driver, 0, units, 1, 0.002 + 0.001 * (double)units);
  assert_in_range(driver_ask(&driver, 0), 55, 64);
  driver_close(&driver);
}

/* A start that is worth more than all that is left is paid once. */
static void what_is_not_worth_a_start_is_not_split(void **state) {
  struct driver driver = start(4000, 1);
  (void)state;
  assert_int_equal(driver_ask(&driver, 0), 1);
  end(&driver, 0, 1, 1.001, 1.001);
  assert_int_equal(driver_ask(&driver, 0), 500);
  end(&driver, 0, 500, 2.6, 1.5);
  assert_int_equal(driver_ask(&driver, 0), 3499);
  driver_close(&driver);
}

/* Both have shown rates, 1000 and 500: the fair shares of what is left, both idle, are as 2 to 1,
 * and the second to ask finds the first one's chunk in its way. */
static void a_slower_worker_gets_less(void **state) {
  struct driver driver = start(100001, 2);
  (void)state;
  (void)driver_ask(&driver, 0);
  uint64_t second = driver_ask(&driver, 1);
  end(&driver, 0, 1, 0.003, 0.003);
  uint64_t third = driver_ask(&driver, 0);
  double third_s = 0.002 + 0.001 * (double)third, second_s = 0.004 + 0.002 * (double)second;
  end(&driver, 0, third, 0.003 + third_s, third_s);
  end(&driver, 1, second, second_s, second_s);
  double rest = (double)driver.view.units_unassigned;
  uint64_t fast = driver_ask(&driver, 0), slow = driver_ask(&driver, 1);
  double fair = rest * 2 / 3 / 4;
  assert_in_range(fast, (uint64_t)(0.98 * fair), (uint64_t)(1.02 * fair));
  /* What is left and the first one's chunk at 1500 units a second: a third of it, and a quarter. */
  assert_in_range(slow, (uint64_t)(0.49 * fair), (uint64_t)(0.51 * fair));
  driver_close(&driver);
}

/* A newcomer in the slot of another one is not what that one was. */
static void a_newcomer_is_measured_anew(void **state) {
  struct driver driver = start(100001, 2);
  (void)state;
  (void)driver_ask(&driver, 0);
  uint64_t second = driver_ask(&driver, 1);
  end(&driver, 0, 1, 0.003, 0.003);
  uint64_t third = driver_ask(&driver, 0);
  end(&driver, 0, third, 0.005 + 0.001 * (double)third, 0.002 + 0.001 * (double)third);
  end(&driver, 1, second, 100, 90);
  driver_change(&driver, 1, LS_CHUNKING_LOST, 0);
  driver_change(&driver, 1, LS_CHUNKING_JOINED, 0);
  double share = (double)driver.view.units_unassigned / 2 / 4;
  assert_in_range(driver_ask(&driver, 1), (uint64_t)(0.98 * share), (uint64_t)(1.02 * share));
  driver_close(&driver);
}

/* A worker asks ahead while it has more than its share: what it gets is worth its start. */
static void who_asks_ahead_gets_a_start_at_least(void **state) {
  struct driver driver = start(400, 2);
  (void)state;
  (void)driver_ask(&driver, 0);
  (void)driver_ask(&driver, 1);
  end(&driver, 0, 1, 1.01, 1.01);
  (void)driver_ask(&driver, 0);
  end(&driver, 0, 24, 2.26, 1.24);
  assert_int_equal(driver_ask(&driver, 0), 175); /* half of the rest: a start is most of it */
  assert_in_range(driver_ask(&driver, 0), 60, 110);
  driver_close(&driver);
}

static void weights_must_be_numbers(void **state) {
  struct driver driver;
  struct ls_error err = {0};
  const double weights[2] = {1, -1};
  (void)state;
  driver_prepare(&driver, ls_chunking_find("affine"), 10, 2);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
  assert_string_equal(err.text, "worker 1: weight is -1, expected a finite number >= 0");
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_one_unit_then_an_eighth_of_the_fair_share),
      cmocka_unit_test(who_has_shown_a_chunk_gets_half_its_share_before_the_start_is_known),
      cmocka_unit_test(the_first_share_follows_the_weights),
      cmocka_unit_test(of_a_large_share_a_quarter_goes_out),
      cmocka_unit_test(of_a_small_share_the_least_chunk_goes_out),
      cmocka_unit_test(what_is_not_worth_a_start_is_not_split),
      cmocka_unit_test(a_slower_worker_gets_less),
      cmocka_unit_test(a_newcomer_is_measured_anew),
      cmocka_unit_test(who_asks_ahead_gets_a_start_at_least),
      cmocka_unit_test(weights_must_be_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
