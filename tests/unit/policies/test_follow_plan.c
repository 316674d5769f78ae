#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static const struct ls_planned_chunk plan[] = {{0, 10}, {1, 20}, {0, 5}, {1, 10}, {2, 5}};
enum { PLAN_COUNT = sizeof plan / sizeof *plan };

static struct driver start(size_t workers) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("follow-plan"), 50, workers);
  driver.setup.plan = plan;
  driver.setup.plan_count = PLAN_COUNT;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void assert_push(struct driver *driver, uint32_t worker, uint64_t units) {
  uint32_t to = 99;
  uint64_t size = 0;
  assert_true(driver_push(driver, &to, &size));
  assert_int_equal(to, worker);
  assert_int_equal(size, units);
}

static void assert_nothing(struct driver *driver) {
  uint32_t worker = 99;
  uint64_t units = 99;
  assert_false(driver_push(driver, &worker, &units));
  assert_int_equal(worker, 99);
  assert_int_equal(units, 99);
}

static void the_plan_is_pushed_in_its_order(void **state) {
  (void)state;
  struct driver driver = start(3);
  for (size_t i = 0; i < PLAN_COUNT; i++) assert_push(&driver, plan[i].worker, plan[i].units);
  assert_nothing(&driver);
  driver_close(&driver);
}

static void it_waits_for_a_worker_that_has_not_joined(void **state) {
  (void)state;
  struct driver driver = start(3);
  driver.is_present[1] = false;
  driver.view.workers_present = 2;
  assert_push(&driver, 0, 10);
  assert_nothing(&driver);
  driver_join(&driver, 1);
  assert_push(&driver, 1, 20);
  driver_close(&driver);
}

/* Planned: 15, 30, 5. After the loss of 1 its chunks go where the share of the own plan stays
 * least: the 20 to worker 0 ((10 + 20)/15 = 2 against 20/5 = 4). */
static void the_chunks_of_the_lost_go_to_the_others(void **state) {
  (void)state;
  struct driver driver = start(3);
  assert_push(&driver, 0, 10);
  driver_lose(&driver, 1, 0);
  assert_push(&driver, 0, 20);
  assert_push(&driver, 0, 5);
  assert_push(&driver, 2, 10);
  assert_push(&driver, 2, 5);
  assert_nothing(&driver);
  driver_close(&driver);
}

static void what_came_back_is_pushed_after_the_plan(void **state) {
  (void)state;
  struct driver driver = start(3);
  for (size_t i = 0; i < PLAN_COUNT; i++) assert_push(&driver, plan[i].worker, plan[i].units);
  driver_lose(&driver, 1, 16);
  uint64_t sum = 0, units;
  uint32_t worker;
  while (driver_push(&driver, &worker, &units)) {
    assert_true(worker == 0 || worker == 2);
    assert_true(units >= 1 && units <= 4);
    sum += units;
  }
  assert_int_equal(sum, 16);
  driver_close(&driver);
}

static void a_worker_that_comes_back_gets_its_own_chunks(void **state) {
  (void)state;
  struct driver driver = start(3);
  assert_push(&driver, 0, 10);
  driver_lose(&driver, 1, 0);
  driver_join(&driver, 1);
  assert_push(&driver, 1, 20);
  driver_close(&driver);
}

static void a_worker_outside_the_plan_is_the_last_resort(void **state) {
  (void)state;
  struct driver driver = start(4);
  for (uint32_t i = 0; i < 2; i++) driver_lose(&driver, i, 0);
  assert_push(&driver, 2, 10);
  driver_lose(&driver, 2, 10);
  assert_push(&driver, 3, 20);
  driver_close(&driver);
}

static void a_newcomer_counts_as_a_mean_worker(void **state) {
  (void)state;
  struct driver driver = start(3);
  driver_lose(&driver, 0, 0);
  driver_join(&driver, 3);
  /* (0 + 10)/30 at worker 1 is less than 10/(50/3) at the newcomer and 10/5 at worker 2. */
  assert_push(&driver, 1, 10);
  assert_push(&driver, 1, 20);
  /* 35/30 against 5/(50/3) against 5/5. */
  assert_push(&driver, 3, 5);
  driver_close(&driver);
}

static void nobody_there_gets_nothing(void **state) {
  (void)state;
  struct driver driver = start(3);
  for (uint32_t i = 0; i < 3; i++) driver_lose(&driver, i, 0);
  assert_nothing(&driver);
  driver_join(&driver, 5);
  assert_push(&driver, 5, 10);
  driver_close(&driver);
}

static void plans_that_cannot_be_followed_are_refused(void **state) {
  (void)state;
  static const struct ls_planned_chunk few[] = {{0, 10}}, nothing[] = {{0, 50}, {1, 0}},
                                       stranger[] = {{DRIVER_WORKERS_MAX, 50}},
                                       much[] = {{0, UINT64_MAX}, {1, 1}};
  static const struct {
    const struct ls_planned_chunk *plan;
    size_t count;
    const char *says;
  } wrong[] = {{few, 1, "hold 10 units, expected at least 50"},
               {nothing, 2, "chunks[1].units is 0"},
               {stranger, 1, "chunks[0].worker is 16"},
               {much, 2, "too large"},
               {NULL, 0, "no plan"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct driver driver;
    struct ls_error err = {0};
    driver_prepare(&driver, ls_chunking_find("follow-plan"), 50, 2);
    driver.setup.plan = wrong[i].plan;
    driver.setup.plan_count = wrong[i].count;
    assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, wrong[i].says));
    driver_close(&driver);
  }
}

static void no_units_need_no_plan(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("follow-plan"), 0, 2);
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  assert_nothing(&driver);
  driver_close(&driver);
}

/* The next chunk waits, and nobody else is served in its place. */
static void a_chunk_waits_for_its_workers_room(void **state) {
  (void)state;
  uint64_t free_units[DRIVER_WORKERS_MAX] = {9, 100, 100};
  struct driver driver = start(3);
  driver.view.units_free = free_units;
  assert_nothing(&driver);
  free_units[0] = 10;
  assert_push(&driver, 0, 10);
  driver_close(&driver);
}

/* A resumed run: the first 30 units are done, so the plan's sum is more than what waits. */
static void a_resumed_run_ends_when_nothing_waits(void **state) {
  (void)state;
  struct driver driver = start(3);
  driver.view.units_unassigned = 20;
  assert_push(&driver, 0, 10);
  assert_push(&driver, 1, 10);
  assert_nothing(&driver);
  driver_close(&driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_plan_is_pushed_in_its_order),
      cmocka_unit_test(it_waits_for_a_worker_that_has_not_joined),
      cmocka_unit_test(the_chunks_of_the_lost_go_to_the_others),
      cmocka_unit_test(what_came_back_is_pushed_after_the_plan),
      cmocka_unit_test(a_worker_that_comes_back_gets_its_own_chunks),
      cmocka_unit_test(a_worker_outside_the_plan_is_the_last_resort),
      cmocka_unit_test(a_newcomer_counts_as_a_mean_worker),
      cmocka_unit_test(nobody_there_gets_nothing),
      cmocka_unit_test(plans_that_cannot_be_followed_are_refused),
      cmocka_unit_test(no_units_need_no_plan),
      cmocka_unit_test(a_chunk_waits_for_its_workers_room),
      cmocka_unit_test(a_resumed_run_ends_when_nothing_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
