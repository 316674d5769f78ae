#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../../support/bound_of.h"
#include "model/metrics.h"
#include "model/windows.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-9;
}

static void expect_bound(const struct ls_platform *platform, double load, double bound_s,
                         const char *name) {
  struct ls_lower_bound bound = bound_of(platform, load);
  assert_true(is_near(bound.bound_s, bound_s));
  assert_string_equal(bound.name, name);
}

static void no_load_has_no_bound(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  expect_bound(&platform, 0, 0, "none");
  expect_bound(&platform, (double)NAN, 0, "none");
  ls_platform_close(&platform);
}

static void speeds_add_up(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5;
  platform.workers[2].costs[LS_OPERATION_RECEIVE].per_unit_s = 0.25;
  platform.workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.75;
  expect_bound(&platform, 100, 25, "work / total speed");
  ls_platform_close(&platform);
}

/* Worker 1 may start at 10, too late for 4 units, in time for 100: (100 + 10) / 2. */
static void late_starters_help_with_large_loads_only(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[1].delay_s = 9;
  platform.workers[1].costs[LS_OPERATION_COMPUTE].latency_s = 1;
  expect_bound(&platform, 4, 4, "work / total speed after start-up");
  expect_bound(&platform, 100, 55, "work / total speed after start-up");
  ls_platform_close(&platform);
}

/* Sums in which 1e120 stands would swallow everything else. */
static void a_worker_that_never_starts_does_not_count(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1e120, 1e-20};
  platform.workers[1].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.1, 0};
  struct ls_lower_bound bound = bound_of(&platform, 1);
  assert_true(is_near(bound.bound_s, 1.1));
  ls_platform_close(&platform);
}

/* Of reader and processor the slower one counts, and both where nothing is read ahead. */
static void a_slow_reader_bounds_its_worker(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_STAGE].per_unit_s = 3;
  platform.workers[1].costs[LS_OPERATION_STAGE].per_unit_s = 0.5;
  expect_bound(&platform, 40, 30, "work / total speed"); /* a third and one a second */
  platform.stage_ahead = 0;
  expect_bound(&platform, 55, 60, "work / total speed"); /* 1/4 + 2/3 */
  platform.workers[0].costs[LS_OPERATION_STAGE].latency_s = 4;
  platform.workers[1].costs[LS_OPERATION_STAGE].latency_s = 4;
  expect_bound(&platform, 55, 64, "work / total speed after start-up");
  ls_platform_close(&platform);
}

/* Small chunks are read at once and computed slowly, large ones the other way round: a mix of both
 * takes 2 s a unit at each station; neither ever takes less than 1 s. */
static void reader_and_processor_may_like_different_windows(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_window windows[2] = {{.from = 0, .to = 5}, {.from = 5, .to = 10}};
  windows[0].costs[LS_OPERATION_STAGE].per_unit_s = 1;
  windows[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 3;
  windows[1].costs[LS_OPERATION_STAGE].per_unit_s = 3;
  windows[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  assert_int_equal(ls_platform_set_windows(&platform, &platform.workers[0], windows, 2, NULL),
                   LS_OK);
  struct ls_lower_bound bound = bound_of(&platform, 30);
  assert_true(bound.bound_s <= 60 && bound.bound_s >= 30);
  ls_platform_close(&platform);
}

static void network_bounds_what_must_pass_it(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 10, NULL), LS_OK);
  for (size_t i = 0; i < 10; i++)
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.5, 0.25};
  /* 0.25 s a unit, and 0.5 s for every T - 0.5 units, the most that a worker computes. */
  double both_s = (25.5 + sqrt(25.5 * 25.5 + 150)) / 2;
  assert_true(bound_of(&platform, 100).bound_s >= both_s * (1 - 1e-9));
  platform.ports = LS_PORTS_MULTI;
  platform.ports_alpha = 0.5;
  platform.ports_limit = 4; /* four at once move twice as much: 12.5 s, less than the work */
  expect_bound(&platform, 100, 13, "network");
  platform.ports_limit = 0; /* no end to the gain */
  expect_bound(&platform, 100, 10.5, "work / total speed after start-up");
  platform.ports_alpha = 1;
  expect_bound(&platform, 100, 25.5, "network");
  ls_platform_close(&platform);
}

static void master_bounds_what_it_must_send(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 10, NULL), LS_OK);
  platform.prepare = (struct ls_cost){1, 0.25};
  for (size_t i = 0; i < 10; i++)
    platform.workers[i].costs[LS_OPERATION_SEND] = (struct ls_cost){1, 0.25 + (double)i};
  /* Worker 0 computes u = T - 2 units, sent in 0.5 u + 2 s; worker 1 gets the rest. */
  double most = (148 + sqrt(148.0 * 148 + 1600)) / 4;
  assert_true(bound_of(&platform, 100).bound_s >= (most + 2) * (1 - 1e-9));
  for (size_t i = 0; i < 10; i++) platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  expect_bound(&platform, 100, 52, "master");
  ls_platform_close(&platform);
}

static void infinitely_fast_workers_bound_by_their_start(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  expect_bound(&platform, 100, 0, "none");
  platform.workers[1].delay_s = 3;
  expect_bound(&platform, 100, 3, "work / total speed after start-up");
  expect_bound(&platform, 2, 2, "work / total speed after start-up");
  ls_platform_close(&platform);
}

/* At most 5 units a chunk: 2 s of latency for every 5 units, so 10 units take 10 + 4 s; without the
 * window one chunk takes 12 s. */
static void small_windows_cost_more_latencies(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s = 2;
  assert_true(fabs(bound_of(&platform, 10).bound_s - 12) < 1e-9);
  platform.workers[0].window_to = 5;
  assert_true(fabs(bound_of(&platform, 10).bound_s - 14) < 1e-9);
  platform.workers[0].window_to = (double)INFINITY;
  platform.workers[0].room_units = 5;
  assert_true(fabs(bound_of(&platform, 10).bound_s - 14) < 1e-9);
  /* Two messages at 20 s and 1 s a unit each, before the last computes. */
  platform.workers[0].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){20, 1};
  assert_true(fabs(bound_of(&platform, 10).bound_s - (40 + 10 + 2)) < 1e-9);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_load_has_no_bound),
      cmocka_unit_test(speeds_add_up),
      cmocka_unit_test(late_starters_help_with_large_loads_only),
      cmocka_unit_test(a_worker_that_never_starts_does_not_count),
      cmocka_unit_test(a_slow_reader_bounds_its_worker),
      cmocka_unit_test(reader_and_processor_may_like_different_windows),
      cmocka_unit_test(network_bounds_what_must_pass_it),
      cmocka_unit_test(master_bounds_what_it_must_send),
      cmocka_unit_test(infinitely_fast_workers_bound_by_their_start),
      cmocka_unit_test(small_windows_cost_more_latencies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
