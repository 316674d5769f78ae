#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "../../support/chunking_driver.h"

struct facts {
  double deviation_seconds, overhead_seconds;
  const char *rounding;
};

static uint64_t first_chunk(uint64_t units, size_t workers, struct facts facts) {
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("fsc"), units, workers);
  driver.setup.deviation_seconds = facts.deviation_seconds;
  driver.setup.overhead_seconds = facts.overhead_seconds;
  if (facts.rounding != NULL) {
    assert_int_equal(driver_set(&driver, "rounding", facts.rounding), LS_OK);
  }
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  uint64_t chunk = driver_ask(&driver, 0);
  if (driver.view.units_unassigned >= chunk) {
    assert_int_equal(driver_ask(&driver, (uint32_t)(workers - 1)), chunk);
  }
  driver_close(&driver);
  return chunk;
}

static void the_size_is_that_of_kruskal_and_weiss(void **state) {
  (void)state;
  assert_int_equal(first_chunk(4096, 8, (struct facts){0.3, 0.05, NULL}), 20);
}

static void a_size_is_at_most_an_equal_share(void **state) {
  (void)state;
  assert_int_equal(first_chunk(100, 4, (struct facts){0.1, 1e9, NULL}), 25);
  assert_int_equal(first_chunk(101, 4, (struct facts){0.1, 1e9, NULL}), 26);
  assert_int_equal(first_chunk(100, 1, (struct facts){0.1, 0.01, NULL}), 100);
  assert_int_equal(first_chunk(100, 4, (struct facts){0, 0.01, NULL}), 25);
  assert_int_equal(first_chunk(100, 4, (struct facts){0, 0, NULL}), 25);
}

static void free_requests_mean_single_units(void **state) {
  (void)state;
  assert_int_equal(first_chunk(100, 4, (struct facts){0.5, 0, NULL}), 1);
  assert_int_equal(first_chunk(100, 4, (struct facts){1e9, 1e-9, NULL}), 1);
}

static void unknown_facts_mean_the_size_without_knowledge(void **state) {
  (void)state;
  double unknown = (double)NAN;
  assert_int_equal(first_chunk(1000, 4, (struct facts){unknown, unknown, NULL}), 31);
  assert_int_equal(first_chunk(1000, 4, (struct facts){0.1, unknown, NULL}), 31);
  assert_int_equal(first_chunk(1000, 4, (struct facts){unknown, 0.01, NULL}), 31);
  assert_int_equal(first_chunk(8, 4, (struct facts){unknown, unknown, NULL}), 1);
}

/* The example of the option's description: 49 chunks become 48. */
static void multiple_makes_the_chunks_a_multiple_of_p(void **state) {
  (void)state;
  assert_int_equal(first_chunk(8192, 16, (struct facts){0.1, 0.5, NULL}), 168);
  uint64_t chunk = first_chunk(8192, 16, (struct facts){0.1, 0.5, "multiple"});
  assert_int_equal((8192 + chunk - 1) / chunk, 48);
}

static void a_newcomer_makes_the_chunks_smaller(void **state) {
  (void)state;
  struct driver driver;
  driver_prepare(&driver, ls_chunking_find("fsc"), 120, 2);
  driver.setup.deviation_seconds = 0;
  driver.setup.overhead_seconds = 1;
  assert_int_equal(driver_start(&driver, NULL), LS_OK);
  assert_int_equal(driver_ask(&driver, 0), 60);
  driver_join(&driver, 2);
  assert_int_equal(driver_ask(&driver, 2), 40);
  driver_close(&driver);
}

static void negative_facts_are_refused(void **state) {
  (void)state;
  const double wrong[][2] = {{-1, 0.1}, {0.1, -1}};
  const char *const names[] = {"deviation_seconds", "overhead_seconds"};
  for (size_t i = 0; i < 2; i++) {
    struct driver driver;
    struct ls_error err = {0};
    driver_prepare(&driver, ls_chunking_find("fsc"), 120, 2);
    driver.setup.deviation_seconds = wrong[i][0];
    driver.setup.overhead_seconds = wrong[i][1];
    assert_int_equal(driver_start(&driver, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, names[i]));
    driver_close(&driver);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_size_is_that_of_kruskal_and_weiss),
      cmocka_unit_test(a_size_is_at_most_an_equal_share),
      cmocka_unit_test(free_requests_mean_single_units),
      cmocka_unit_test(unknown_facts_mean_the_size_without_knowledge),
      cmocka_unit_test(multiple_makes_the_chunks_a_multiple_of_p),
      cmocka_unit_test(a_newcomer_makes_the_chunks_smaller),
      cmocka_unit_test(negative_facts_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
