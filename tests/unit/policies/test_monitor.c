#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

#include "base/random.h"
#include "policies/chunking/monitor.h"
#include "policies/forecast.h"

enum { SOLVED_MAX = 12 };

/* The conditions of an optimum, on random times and queues: the shares add up; those that get
 * something end together, at the level; all others end later by what they have already. */
static void shares_fulfil_the_conditions_of_the_optimum(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 3, "monitor");
  for (int round = 0; round < 20000; round++) {
    size_t count = 1 + (size_t)ls_random_below(&random, SOLVED_MAX);
    double seconds[SOLVED_MAX], waiting[SOLVED_MAX], shares[SOLVED_MAX], sum = 0;
    double units = (double)ls_random_below(&random, 400);
    for (size_t i = 0; i < count; i++) {
      seconds[i] = 0.01 + 5 * ls_random_real(&random) * ls_random_real(&random);
      waiting[i] = (double)ls_random_below(&random, 60);
      if (ls_random_below(&random, 6) == 0) seconds[i] = (double)NAN;
    }
    seconds[0] = 1;
    double level = ls_monitor_solve(seconds, waiting, count, units, shares);
    for (size_t i = 0; i < count; i++) {
      assert_true(shares[i] >= 0);
      sum += shares[i];
      if (isnan(seconds[i])) {
        assert_false(shares[i] > 0);
        continue;
      }
      double end = (waiting[i] + shares[i]) * seconds[i];
      if (shares[i] > 1e-9) assert_true(fabs(end - level) <= 1e-9 * fmax(1, level));
      if (!(shares[i] > 0)) assert_true(end >= level * (1 - 1e-12));
    }
    assert_true(fabs(sum - units) <= 1e-9 * fmax(1, units));
  }
}

/* Dropping the first negative share makes a second one negative; the thesis stops before. */
static void negative_shares_are_dropped_again_and_again(void **state) {
  (void)state;
  const double seconds[] = {1, 1, 1}, waiting[] = {30, 12, 0};
  double shares[3];
  double level = ls_monitor_solve(seconds, waiting, 3, 6, shares);
  assert_true(!(shares[0] > 0) && !(shares[1] > 0));
  assert_float_equal((float)shares[2], 6, 1e-6f);
  assert_float_equal((float)level, 6, 1e-6f);
}

static void nobody_known_gets_nothing(void **state) {
  (void)state;
  const double seconds[] = {(double)NAN, (double)NAN}, waiting[] = {0, 3};
  double shares[2] = {7, 7};
  assert_false(ls_monitor_solve(seconds, waiting, 2, 6, shares) > 0);
  assert_false(shares[0] > 0 || shares[1] > 0);
}

static void a_phase_is_half_the_rest_or_the_last(void **state) {
  (void)state;
  assert_int_equal(ls_monitor_quota(63, 4), 31);
  assert_int_equal(ls_monitor_quota(8, 4), 4);
  assert_int_equal(ls_monitor_quota(7, 4), 7);
}

static struct driver start(uint64_t units, size_t workers, const char *benchmark_tasks) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("monitor"), units, workers);
  if (benchmark_tasks != NULL) {
    assert_int_equal(driver_set(&driver, "benchmark_tasks", benchmark_tasks), LS_OK);
  }
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

/* Every worker gets a unit and reports it, with 1, 2, 3, ... seconds. */
static void measure_all(struct driver *driver) {
  for (uint32_t i = 0; i < driver->setup.slots; i++) {
    assert_int_equal(driver_ask(driver, i), 1);
    driver_report(driver, i, 1, i + 1);
  }
}

static void single_units_go_out_until_all_have_reported(void **state) {
  (void)state;
  struct driver driver = start(100, 2, "2");
  for (uint64_t i = 0; i < 5; i++) assert_int_equal(driver_ask(&driver, 0), 1);
  driver_report(&driver, 0, 5, 1);
  assert_int_equal(driver_ask(&driver, 0), 1);
  assert_int_equal(driver_ask(&driver, 1), 1);
  driver_report(&driver, 1, 1, 1);
  assert_int_equal(driver_ask(&driver, 0), 1);
  assert_int_equal(driver_ask(&driver, 1), 1);
  driver_report(&driver, 1, 1, 1);
  assert_true(driver_ask(&driver, 1) > 1);
  driver_close(&driver);
}

/* The thesis waits for all, for ever. */
static void the_benchmark_does_not_wait_for_the_dead(void **state) {
  (void)state;
  struct driver driver = start(100, 3, NULL);
  assert_int_equal(driver_ask(&driver, 0), 1);
  assert_int_equal(driver_ask(&driver, 1), 1);
  driver_report(&driver, 0, 1, 1);
  driver_report(&driver, 1, 1, 1);
  assert_int_equal(driver_ask(&driver, 0), 1);
  driver_lose(&driver, 2, 0);
  assert_true(driver_ask(&driver, 1) > 1);
  driver_close(&driver);
}

/* R = 61 - 3: 29 units by 6 : 3 : 2. */
static void each_worker_takes_its_share_once(void **state) {
  (void)state;
  struct driver driver = start(61, 3, NULL);
  measure_all(&driver);
  assert_int_equal(driver_ask(&driver, 1), 8);
  assert_int_equal(driver_ask(&driver, 0), 16);
  assert_int_equal(driver_ask(&driver, 2), 5);
  assert_int_equal(driver.view.units_unassigned, 29);
  driver_close(&driver);
}

/* Who asks again opens the next phase; what nobody fetched is shared anew. */
static void asking_again_opens_the_next_phase(void **state) {
  (void)state;
  struct driver driver = start(61, 3, NULL);
  measure_all(&driver);
  assert_int_equal(driver_ask(&driver, 0), 16);
  driver_report(&driver, 0, 16, 1);
  /* R = 42, 21 units: 6 : 3 : 2. */
  assert_int_equal(driver_ask(&driver, 0), 11);
  assert_int_equal(driver_ask(&driver, 1), 6);
  assert_int_equal(driver_ask(&driver, 2), 4);
  driver_close(&driver);
}

/* It would idle; its queue makes its share 0. */
static void a_fresh_share_of_0_is_1_unit(void **state) {
  (void)state;
  struct driver driver = start(200, 2, NULL);
  measure_all(&driver);
  uint64_t given = driver_ask(&driver, 1);
  assert_true(given > 20);
  uint64_t fast = driver_ask(&driver, 0);
  driver_report(&driver, 0, fast, 0.001);
  assert_int_equal(driver_ask(&driver, 1), 1);
  driver_close(&driver);
}

static void failed_units_do_not_count_as_waiting(void **state) {
  (void)state;
  struct driver one = start(200, 2, NULL), other = start(200, 2, NULL);
  measure_all(&one);
  measure_all(&other);
  uint64_t given = driver_ask(&one, 1);
  assert_int_equal(driver_ask(&other, 1), given);
  struct ls_chunking_report report = {.worker = 1, .units_gone = given};
  one.policy->on_report(one.state, &one.view, &report);
  assert_true(driver_ask(&one, 1) > driver_ask(&other, 1));
  driver_close(&one);
  driver_close(&other);
}

static void a_newcomer_is_measured_beside_the_phases(void **state) {
  (void)state;
  struct driver driver = start(200, 2, NULL);
  measure_all(&driver);
  (void)driver_ask(&driver, 0);
  (void)driver_ask(&driver, 1);
  driver_join(&driver, 2);
  assert_true(driver_ask(&driver, 0) > 1);
  assert_int_equal(driver_ask(&driver, 2), 1);
  driver_report(&driver, 2, 1, 1);
  assert_true(driver_ask(&driver, 2) > 1);
  driver_close(&driver);
}

/* Its share returns to the pool.  When it comes back its times are still known, and those of a
 * fresh worker in its slot are not. */
static void a_lost_worker_has_neither_share_nor_queue(void **state) {
  (void)state;
  struct driver driver = start(202, 2, NULL);
  measure_all(&driver);
  uint64_t given = driver_ask(&driver, 0);
  driver_lose(&driver, 0, given);
  driver_report(&driver, 1, 0, 1);
  assert_int_equal(driver_ask(&driver, 1), 33); /* of the open phase: 100 by 2 : 1 */
  assert_int_equal(driver_ask(&driver, 1), 83); /* half of 167, alone */
  driver_change(&driver, 0, LS_CHUNKING_RESUMED, 0);
  assert_true(driver_ask(&driver, 0) > 1);
  driver_lose(&driver, 0, 0);
  driver_join(&driver, 0);
  assert_int_equal(driver_ask(&driver, 0), 1);
  assert_int_equal(driver_ask(&driver, 0), 1);
  driver_report(&driver, 0, 2, 2);
  assert_true(driver_ask(&driver, 0) > 1);
  driver_close(&driver);
}

/* Only the latest `history` times count. */
static void old_times_are_forgotten(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("monitor"), 103, 2);
  assert_int_equal(driver_set(&driver, "history", "4"), LS_OK);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  for (uint32_t i = 0; i < 2; i++) {
    assert_int_equal(driver_ask(&driver, i), 1);
    driver_report(&driver, i, 1, 50);
  }
  driver_report(&driver, 0, 3, 1);
  driver_report(&driver, 0, 1, 1);
  driver_report(&driver, 1, 9, 4);
  /* 50 units by 4 : 1. */
  assert_int_equal(driver_ask(&driver, 0), 40);
  assert_int_equal(driver_ask(&driver, 1), 10);
  driver_close(&driver);
}

/* Reports of more units than the history, of fewer, and of some that push out a part of an older
 * one: the mean is that of exactly the last times, whatever came before. */
static void the_mean_is_that_of_the_last_times_across_reports(void **state) {
  (void)state;
  enum { HISTORY = 4, REPORTS = 200, TIMES_MAX = 3000 };
  struct ls_random random;
  struct driver driver;
  double times[TIMES_MAX], sum = 0;
  size_t count = 0;
  ls_random_init(&random, 3, "history");
  driver_prepare(&driver, ls_chunking_find("monitor"), 1000000, 2);
  assert_int_equal(driver_set(&driver, "history", "4"), LS_OK);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  driver_report(&driver, 1, HISTORY, 1);
  for (int i = 0; i < REPORTS; i++) {
    size_t units = 1 + ls_random_below(&random, 9);
    assert_true(count + units <= TIMES_MAX);
    for (size_t k = 0; k < units; k++) times[count + k] = 0.1 + 5 * ls_random_real(&random);
    driver_report_times(&driver, 0, times + count, units);
    count += units;
    if (count < HISTORY) continue;
    sum = 0;
    for (size_t k = count - HISTORY; k < count; k++) sum += times[k];
    /* All is fetched, so a phase has no queues: 1 s of the other stands against the mean. */
    driver.view.units_unassigned = 1000000;
    uint64_t first = driver_ask(&driver, 0), second = driver_ask(&driver, 1);
    driver_gone(&driver, 0, first);
    driver_gone(&driver, 1, second);
    double expected = 500000 * (HISTORY / sum) / (HISTORY / sum + 1);
    assert_true(fabs((double)first - expected) <= 1);
  }
  driver_close(&driver);
}

static struct driver start_auto(void) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("monitor"), 100000, 2);
  assert_int_equal(driver_set(&driver, "history", "auto"), LS_OK);
  assert_int_equal(ls_chunking_history(driver.policy, &driver.setup.arguments), 50);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

/* What the first of two workers gets of 50,000 units, with nothing at either. */
static double ask_afresh(struct driver *driver) {
  driver->view.units_unassigned = 100000;
  uint64_t first = driver_ask(driver, 0), second = driver_ask(driver, 1);
  driver_gone(driver, 0, first);
  driver_gone(driver, 1, second);
  return (double)first;
}

/* The speed of the one changes in steps, the times of the other vary: each has its own history. */
static void every_worker_has_the_history_that_forecasts_it_best(void **state) {
  (void)state;
  struct driver driver = start_auto();
  struct ls_forecast steps = {0}, noise = {0};
  struct ls_random random;
  ls_random_init(&random, 9, "noise");
  for (int i = 0; i < 300; i++) {
    double step_s = i / 15 % 2 == 0 ? 1 : 2, noise_s = 0.5 + ls_random_real(&random);
    ls_forecast_observe(&steps, step_s);
    ls_forecast_observe(&noise, noise_s);
    driver_report_times(&driver, 0, &step_s, 1);
    driver_report_times(&driver, 1, &noise_s, 1);
  }
  assert_int_equal(ls_forecast_length(&steps), 1);
  assert_true(ls_forecast_length(&noise) >= 10);
  double speeds[] = {1 / ls_forecast_seconds(&steps), 1 / ls_forecast_seconds(&noise)};
  assert_true(fabs(ask_afresh(&driver) - 50000 * speeds[0] / (speeds[0] + speeds[1])) <= 1);
  driver_close(&driver);
}

/* A long report lists the last 50 of its times. */
static void a_chosen_history_survives_reports_of_any_length(void **state) {
  (void)state;
  enum { TIMES = 1000 };
  static double times[TIMES];
  struct driver one = start_auto(), other = start_auto();
  struct ls_random random;
  ls_random_init(&random, 10, "noise");
  for (size_t i = 0; i < TIMES; i++) times[i] = 0.5 + ls_random_real(&random);
  driver_report_times(&one, 0, times, TIMES - 60);
  driver_report_times(&one, 0, times + (TIMES - 60), 60);
  for (size_t i = TIMES - 110; i < TIMES; i += 10) driver_report_times(&other, 0, times + i, 10);
  driver_report(&one, 1, 1, 1);
  driver_report(&other, 1, 1, 1);
  assert_true(fabs(ask_afresh(&one) - ask_afresh(&other)) <= 0.05 * 50000);
  driver_close(&one);
  driver_close(&other);
}

/* It knows its own worker when it comes back, and nothing of another in its slot. */
static void a_chosen_history_is_that_of_the_worker(void **state) {
  (void)state;
  struct driver driver = start_auto();
  driver_report(&driver, 0, 100, 1);
  driver_report(&driver, 1, 1, 1);
  assert_true(fabs(ask_afresh(&driver) - 25000) <= 1);
  driver_lose(&driver, 0, 0);
  driver_change(&driver, 0, LS_CHUNKING_RESUMED, 0);
  assert_true(fabs(ask_afresh(&driver) - 25000) <= 1);
  driver_lose(&driver, 0, 0);
  driver_join(&driver, 0);
  driver_report(&driver, 0, 1, 3);
  assert_true(fabs(ask_afresh(&driver) - 12500) <= 1);
  driver_close(&driver);
}

static void senseless_times_are_raised_in_a_chosen_history(void **state) {
  (void)state;
  static const double times[] = {0, (double)NAN, (double)INFINITY, -1};
  struct driver driver = start_auto();
  for (uint32_t i = 0; i < 2; i++) driver_report_times(&driver, i, times, 4);
  assert_true(fabs(ask_afresh(&driver) - 25000) <= 1);
  driver_close(&driver);
}

static void zero_times_are_raised(void **state) {
  (void)state;
  struct driver driver = start(100, 2, NULL);
  driver_report(&driver, 0, 1, 0);
  driver_report(&driver, 1, 1, 0);
  assert_int_equal(driver_ask(&driver, 0), 25);
  assert_int_equal(driver_ask(&driver, 1), 25);
  driver_close(&driver);
}

static void report_every_is_told_to_the_driver(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("monitor"), 100, 2);
  const struct ls_arguments *arguments = &driver.setup.arguments;
  assert_int_equal(ls_chunking_report_every(driver.policy, arguments), 0);
  assert_int_equal(driver_set(&driver, "report_every", "4"), LS_OK);
  assert_int_equal(ls_chunking_report_every(driver.policy, arguments), 4);
  assert_int_equal(ls_chunking_report_every(ls_chunking_find("ss"), arguments), 0);
  assert_int_equal(driver_set(&driver, "report_every", "auto"), LS_OK);
  assert_int_equal(ls_chunking_report_every(driver.policy, arguments), 1);
  assert_int_equal(driver_set(&driver, "benchmark_tasks", "0"), LS_EINVAL);
  assert_int_equal(driver_set(&driver, "history", "0"), LS_EINVAL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_fulfil_the_conditions_of_the_optimum),
      cmocka_unit_test(negative_shares_are_dropped_again_and_again),
      cmocka_unit_test(nobody_known_gets_nothing),
      cmocka_unit_test(a_phase_is_half_the_rest_or_the_last),
      cmocka_unit_test(single_units_go_out_until_all_have_reported),
      cmocka_unit_test(the_benchmark_does_not_wait_for_the_dead),
      cmocka_unit_test(each_worker_takes_its_share_once),
      cmocka_unit_test(asking_again_opens_the_next_phase),
      cmocka_unit_test(a_fresh_share_of_0_is_1_unit),
      cmocka_unit_test(failed_units_do_not_count_as_waiting),
      cmocka_unit_test(a_newcomer_is_measured_beside_the_phases),
      cmocka_unit_test(a_lost_worker_has_neither_share_nor_queue),
      cmocka_unit_test(old_times_are_forgotten),
      cmocka_unit_test(the_mean_is_that_of_the_last_times_across_reports),
      cmocka_unit_test(every_worker_has_the_history_that_forecasts_it_best),
      cmocka_unit_test(a_chosen_history_survives_reports_of_any_length),
      cmocka_unit_test(a_chosen_history_is_that_of_the_worker),
      cmocka_unit_test(senseless_times_are_raised_in_a_chosen_history),
      cmocka_unit_test(zero_times_are_raised),
      cmocka_unit_test(report_every_is_told_to_the_driver),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
