#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

static struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 10},
                                        {.worker = 1, .units = 20},
                                        {.worker = 0, .units = 5},
                                        {.worker = 1, .units = 10},
                                        {.worker = 2, .units = 5}};
enum { PLAN_COUNT = sizeof chunks / sizeof *chunks };
static const struct ls_plan plan = {.chunks = chunks, .chunks_count = PLAN_COUNT};

static struct driver start(size_t workers) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("follow-plan"), 50, workers);
  driver.setup.plan = &plan;
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
  for (size_t i = 0; i < PLAN_COUNT; i++)
    assert_push(&driver, chunks[i].worker, (uint64_t)chunks[i].units);
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
  for (size_t i = 0; i < PLAN_COUNT; i++)
    assert_push(&driver, chunks[i].worker, (uint64_t)chunks[i].units);
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

/* Two of 10^6 periods, of 4 chunks each, and with them the parts that do not repeat. */
static void a_plan_that_repeats_is_pushed_play_by_play(void **state) {
  (void)state;
  static const uint64_t times = 1000000;
  const struct ls_plan repeating = {
      .chunks = chunks, .chunks_count = PLAN_COUNT, .repeat = {1, 4, times, NULL}};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("follow-plan"), 15 + 35 * times, 3);
  driver.setup.plan = &repeating;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  assert_push(&driver, 0, 10);
  for (uint64_t play = 0; play < times; play++)
    for (size_t i = 1; i < 4; i++)
      assert_push(&driver, chunks[i].worker, (uint64_t)chunks[i].units);
  assert_push(&driver, 2, 5);
  assert_nothing(&driver);
  /* However often it repeats. */
  assert_in_range(ls_arena_bytes(driver.arena), 1, 16384);
  driver_close(&driver);
}

/* Planned: 10 + 5 times, 30 times, 5; of the shares of these, not of the chunks stored once. */
static void a_loss_counts_all_plays(void **state) {
  (void)state;
  const struct ls_plan repeating = {
      .chunks = chunks, .chunks_count = PLAN_COUNT, .repeat = {1, 4, 10, NULL}};
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("follow-plan"), 365, 3);
  driver.setup.plan = &repeating;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  assert_push(&driver, 0, 10);
  driver_lose(&driver, 1, 0);
  /* (10 + 20)/60 at worker 0 against 20/5 at worker 2. */
  for (int play = 0; play < 3; play++) assert_push(&driver, 0, play == 1 ? 5 : play == 0 ? 20 : 10);
  driver_close(&driver);
}

static void plans_that_cannot_be_followed_are_refused(void **state) {
  (void)state;
  static struct ls_plan_chunk few[] = {{.worker = 0, .units = 10}},
                              nothing[] = {{.worker = 0, .units = 50}, {.worker = 1}},
                              part[] = {{.worker = 0, .units = 50.5}},
                              stranger[] = {{.worker = DRIVER_WORKERS_MAX, .units = 50}},
                              much[] = {{.worker = 0, .units = 0x1p53}, {.worker = 1, .units = 1}};
  static const struct {
    struct ls_plan plan;
    const char *says;
  } wrong[] = {
      {{.chunks = few, .chunks_count = 1}, "hold 10 units, expected at least 50"},
      {{.chunks = few, .chunks_count = 1, .repeat = {0, 1, 4, NULL}}, "hold 40 units"},
      {{.chunks = few, .chunks_count = 1, .repeat = {0, 1, (uint64_t)1 << 52, NULL}}, "too large"},
      {{.chunks = nothing, .chunks_count = 2}, "chunks[1].units is 0"},
      {{.chunks = part, .chunks_count = 1}, "chunks[0].units is 50.5, expected a whole number"},
      {{.chunks = stranger, .chunks_count = 1}, "chunks[0].worker is 16"},
      {{.chunks = much, .chunks_count = 2}, "too large"}};
  struct driver driver;
  struct ls_error err = {0};
  driver_prepare(&driver, ls_chunking_find("follow-plan"), 50, 2);
  assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "no plan"));
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    driver.setup.plan = &wrong[i].plan;
    assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, wrong[i].says));
  }
  driver_close(&driver);
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

/* The large chunk is too much for it: the other one with the least of its load gets it, though the
 * first one is there. Later ones that it has the time for are its own. */
static void a_chunk_that_outlasts_its_worker_is_planned_anew(void **state) {
  (void)state;
  uint64_t lasting[DRIVER_WORKERS_MAX] = {50, 19, 20};
  struct driver driver = start(3);
  driver.view.units_lasting = lasting;
  assert_push(&driver, 0, 10);
  assert_push(&driver, 0, 20);
  assert_push(&driver, 0, 5);
  assert_push(&driver, 1, 10);
  driver_close(&driver);
}

/* Who lives longest for it gets a part; for none at all nobody gets any. */
static void a_chunk_that_outlasts_all_is_cut(void **state) {
  (void)state;
  uint64_t lasting[DRIVER_WORKERS_MAX] = {3, 0, 0};
  struct driver driver = start(3);
  driver.view.units_lasting = lasting;
  assert_push(&driver, 0, 3);
  lasting[0] = 0;
  assert_nothing(&driver);
  lasting[2] = 7;
  assert_push(&driver, 2, 7);
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
      cmocka_unit_test(a_chunk_that_outlasts_its_worker_is_planned_anew),
      cmocka_unit_test(a_chunk_that_outlasts_all_is_cut),
      cmocka_unit_test(a_plan_that_repeats_is_pushed_play_by_play),
      cmocka_unit_test(a_loss_counts_all_plays),
      cmocka_unit_test(plans_that_cannot_be_followed_are_refused),
      cmocka_unit_test(no_units_need_no_plan),
      cmocka_unit_test(a_chunk_waits_for_its_workers_room),
      cmocka_unit_test(a_resumed_run_ends_when_nothing_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
