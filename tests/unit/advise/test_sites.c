/* test_sites.c: which workers are far. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advise/sites.h"
#include "base/random.h"

enum { WORKERS = 6 };

static size_t find(const double *transfers_s, bool *is_far) {
  struct ls_platform platform;
  size_t far = 77;
  assert_int_equal(ls_platform_init(&platform, WORKERS, NULL), LS_OK);
  for (size_t i = 0; i < WORKERS; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = transfers_s[i];
  assert_int_equal(ls_sites_find(&platform, is_far, &far, NULL), LS_OK);
  ls_platform_close(&platform);
  return far;
}

static void every_station_but_computing_delays(void **state) {
  struct ls_worker_model worker = {.delay_s = 1};
  (void)state;
  for (int i = 0; i < LS_OPERATION_COUNT; i++) worker.costs[i] = (struct ls_cost){10, 100};
  assert_float_equal(ls_worker_unit_delay(&worker), 1 + 4 * 110, 1e-9);
}

static void the_widest_gap_parts_the_sites(void **state) {
  bool is_far[WORKERS];
  (void)state;
  assert_int_equal(find((double[]){0.1, 3, 0.2, 0.1, 4, 0.3}, is_far), 2);
  assert_true(is_far[1] && is_far[4]);
  assert_int_equal(find((double[]){0.01, 3, 0.1, 0.1, 40, 0.3}, is_far), 1);
  assert_true(is_far[4]);
}

static void like_links_are_one_site(void **state) {
  bool is_far[WORKERS];
  (void)state;
  assert_int_equal(find((double[]){0.1, 0.7, 0.2, 0.1, 4, 0.6}, is_far), 0);
  assert_int_equal(find((double[]){0, 0, 0, 0, 0, 0}, is_far), 0);
  for (size_t i = 0; i < WORKERS; i++) assert_false(is_far[i]);
}

/* A microsecond is not far from nothing, where a unit computes for a second. */
static void what_is_negligible_parts_nothing(void **state) {
  bool is_far[WORKERS];
  (void)state;
  assert_int_equal(find((double[]){0, 1e-6, 1e-5, 1e-4, 0.0079, 0}, is_far), 0);
  assert_int_equal(find((double[]){0, 1e-6, 1e-5, 1e-4, 0.0081, 0}, is_far), 1);
}

/* The same site, in whatever order, at whatever scale; every far one is 8 times as far as any near
 * one. */
static void sites_are_parted_whatever_the_order(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "sites");
  for (int round = 0; round < 500; round++) {
    double delays[WORKERS], turned[WORKERS];
    bool is_far[WORKERS], is_far_turned[WORKERS];
    for (size_t i = 0; i < WORKERS; i++) delays[i] = pow(10, 4 * ls_random_real(&random) - 2);
    for (size_t i = 0; i < WORKERS; i++) turned[i] = delays[(i + 2) % WORKERS];
    size_t far = find(delays, is_far);
    assert_int_equal(far, find(turned, is_far_turned));
    assert_in_range(far, 0, WORKERS - 1);
    for (size_t i = 0; i < WORKERS; i++) {
      assert_int_equal(is_far_turned[i], is_far[(i + 2) % WORKERS]);
      for (size_t j = 0; j < WORKERS; j++)
        if (is_far[i] && !is_far[j]) assert_true(delays[i] >= 8 * delays[j]);
    }
  }
}

static void check_words(size_t far, double near_s, double all_s, const char *expected) {
  struct ls_bytes words = {0};
  ls_sites_describe(far, near_s, all_s, &words);
  assert_string_equal(ls_bytes_text(&words), expected);
  ls_bytes_close(&words);
}

static void they_pay_where_they_save_time(void **state) {
  (void)state;
  assert_true(ls_sites_pay(100, 99.4));
  assert_false(ls_sites_pay(100, 99.6));
  assert_true(ls_sites_pay((double)INFINITY, 5));
  assert_false(ls_sites_pay(5, (double)INFINITY));
  check_words(4, 36.9, 21.74, "the 4 far workers pay: 21.74 s with them, 36.9 s without");
  check_words(1, 36.9, 21.74, "the 1 far worker pays: 21.74 s with it, 36.9 s without");
  check_words(2, 9, 9, "the 2 far workers do not pay: 9 s with them, 9 s without");
  check_words(1, 9, (double)INFINITY, "the 1 far worker does not pay: no way with it, 9 s without");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_station_but_computing_delays),
      cmocka_unit_test(the_widest_gap_parts_the_sites),
      cmocka_unit_test(like_links_are_one_site),
      cmocka_unit_test(what_is_negligible_parts_nothing),
      cmocka_unit_test(sites_are_parted_whatever_the_order),
      cmocka_unit_test(they_pay_where_they_save_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
