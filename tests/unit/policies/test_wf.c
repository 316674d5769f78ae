#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

#include "policies/chunking/wf.h"

/* The inverses of the thesis' first column: 0.10, 0.56, 0.89, 0.75 s. */
static const double figure_weights[DRIVER_WORKERS_MAX] = {1 / 0.10, 1 / 0.56, 1 / 0.89, 1 / 0.75};

static void expect_rounds(enum ls_wf_rounding rounding, const uint64_t *expected, size_t rounds) {
  struct ls_wf_workers workers = {figure_weights, 4, rounding};
  struct ls_load_candidate scratch[4];
  uint64_t rest = 512;
  for (size_t k = 0; k < rounds; k++) {
    uint64_t batches[4];
    ls_wf_round(&workers, rest, scratch, batches);
    for (size_t i = 0; i < 4; i++) {
      assert_int_equal(batches[i], expected[4 * k + i]);
      rest -= batches[i];
    }
  }
}

static void rounds_are_those_of_the_figure(void **state) {
  (void)state;
  const uint64_t expected[] = {180, 32, 20, 24, 90, 16, 10, 12, 45, 8, 5, 6, 22, 4,
                               3,   3,  11, 2,  1,  2,  5,  1,  1,  1, 3, 1, 0,  0};
  expect_rounds(LS_WF_LARGEST_REMAINDER, expected, 7);
}

/* Weights .702 .125 .079 .094, the fastest first, nobody below 1 while the quota lasts. */
static void printed_rounds_use_up_their_quota_fastest_first(void **state) {
  (void)state;
  const uint64_t expected[] = {180, 32, 20, 24, 90, 16, 10, 12, 45, 8, 5, 6, 22, 4,
                               3,   3,  11, 2,  1,  2,  6,  1,  0,  1, 3, 1, 0,  0,
                               1,   1,  0,  0,  1,  0,  0,  0,  1,  0, 0, 0};
  expect_rounds(LS_WF_PRINTED, expected, 10);
}

static struct driver start(uint64_t units, size_t workers, const double *weights) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("wf"), units, workers);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  return driver;
}

static void requests_take_the_batches_of_a_round_once(void **state) {
  (void)state;
  struct driver driver = start(512, 4, figure_weights);
  const uint64_t first[] = {180, 32, 20, 24}, second[] = {90, 16, 10, 12};
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(driver_ask(&driver, i), first[i]);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(driver_ask(&driver, i), second[i]);
  driver_close(&driver);
}

/* What nobody fetched is in the pool of the next round. */
static void asking_again_opens_the_next_round(void **state) {
  (void)state;
  struct driver driver = start(512, 4, figure_weights);
  assert_int_equal(driver_ask(&driver, 0), 180);
  assert_int_equal(driver_ask(&driver, 0), 117); /* 332 / 2 = 166, 0.7023 of it */
  driver_close(&driver);
}

static void a_batch_of_0_is_1_unit(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {0, 1};
  struct driver driver = start(100, 2, weights);
  assert_int_equal(driver_ask(&driver, 0), 1);
  assert_int_equal(driver_ask(&driver, 1), 50);
  driver_close(&driver);
}

static void without_weights_all_are_equal(void **state) {
  (void)state;
  struct driver driver = start(80, 4, NULL);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(driver_ask(&driver, i), 10);
  driver_close(&driver);
}

static void the_lost_get_no_share_of_a_round(void **state) {
  (void)state;
  struct driver driver = start(80, 4, NULL);
  driver_lose(&driver, 0, 0);
  assert_int_equal(driver_ask(&driver, 1), 14); /* 40 among three */
  driver_join(&driver, 0);
  assert_int_equal(driver_ask(&driver, 0), 9); /* 33 among four */
  driver_close(&driver);
}

/* All that is left may weigh nothing: it still gets units. */
static void workers_without_any_weight_go_one_by_one(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {0, 1};
  struct driver driver = start(10, 2, weights);
  driver_lose(&driver, 1, 0);
  for (int i = 0; i < 10; i++) assert_int_equal(driver_ask(&driver, 0), 1);
  driver_close(&driver);
}

static void bad_weights_are_refused(void **state) {
  (void)state;
  const double weights[DRIVER_WORKERS_MAX] = {1, (double)NAN};
  struct driver driver;
  struct ls_error err = {0};
  driver_prepare(&driver, ls_chunking_find("wf"), 10, 2);
  driver.setup.weights = weights;
  assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1"));
  driver_close(&driver);
}

/* Weights .702 .125 .079 .094: of a quota of 4 the fastest gets 3, of one of 3 units 2. */
static void the_printed_rounding_is_chosen_by_its_argument(void **state) {
  (void)state;
  const double weights[] = {1 / 0.1, 1 / 0.56, 1 / 0.89, 1 / 0.75};
  for (int is_printed = 0; is_printed <= 1; is_printed++) {
    struct driver driver;
    driver_prepare(&driver, ls_chunking_find("wf"), 7, 4);
    driver.setup.weights = weights;
    if (is_printed) assert_int_equal(driver_set(&driver, "rounding", "printed"), LS_OK);
    assert_int_equal(driver_start(&driver, NULL), LS_OK);
    assert_int_equal(driver_ask(&driver, 0), is_printed ? 3 : 2);
    driver_close(&driver);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_are_those_of_the_figure),
      cmocka_unit_test(printed_rounds_use_up_their_quota_fastest_first),
      cmocka_unit_test(requests_take_the_batches_of_a_round_once),
      cmocka_unit_test(asking_again_opens_the_next_round),
      cmocka_unit_test(a_batch_of_0_is_1_unit),
      cmocka_unit_test(without_weights_all_are_equal),
      cmocka_unit_test(the_lost_get_no_share_of_a_round),
      cmocka_unit_test(workers_without_any_weight_go_one_by_one),
      cmocka_unit_test(bad_weights_are_refused),
      cmocka_unit_test(the_printed_rounding_is_chosen_by_its_argument),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
