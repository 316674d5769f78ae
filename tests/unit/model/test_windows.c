/* test_windows.c: the window of a chunk prices it, in the replay as in what checks it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/bound_of.h"
#include "model/certificate.h"
#include "model/replay.h"
#include "model/validate.h"
#include "model/windows.h"

/* 25 to 450: 1 s and 0.1 s a unit; 500 to 2500: 30 s and 0.05 s a unit, sent for 2 s. */
static void make_windows(struct ls_window windows[2]) {
  memset(windows, 0, 2 * sizeof *windows);
  windows[0].from = 25;
  windows[0].to = 450;
  windows[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 0.1};
  windows[1].from = 500;
  windows[1].to = 2500;
  windows[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){30, 0.05};
  windows[1].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){2, 0};
}

/* `workers` of them, all with these windows. */
static void open_platform(struct ls_platform *platform, size_t workers) {
  struct ls_window windows[2];
  make_windows(windows);
  assert_int_equal(ls_platform_init(platform, workers, NULL), LS_OK);
  for (size_t i = 0; i < workers; i++)
    assert_int_equal(ls_platform_set_windows(platform, &platform->workers[i], windows, 2, NULL),
                     LS_OK);
  assert_int_equal(ls_platform_check(platform, NULL), LS_OK);
}

static void a_chunk_has_the_costs_of_its_window(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  const struct ls_worker_model *worker = platform.workers;
  const struct {
    double units;
    size_t window;
    bool is_taken;
  } cases[] = {{25, 0, true},
               {24, 0, false},
               {450, 0, true},
               {450 * (1 + 1e-12), 0, true},
               {451, 1, false},
               {499, 1, false},
               {500 * (1 - 1e-12), 1, true},
               {500, 1, true},
               {2500, 1, true},
               {2501, 1, false},
               {1e300, 1, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_ptr_equal(ls_worker_costs(worker, cases[i].units),
                     worker->windows[cases[i].window].costs);
    assert_int_equal(ls_worker_takes(worker, cases[i].units), cases[i].is_taken);
  }
  assert_true(worker->window_from == 25 && worker->window_to == 2500);
  ls_platform_close(&platform);
}

/* In the largest chunks: 0.102 s in the first window, 0.0628 s in the second one; with room for 600
 * units 0.103 s there. */
static void costs_are_those_of_the_cheapest_window(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  struct ls_worker_model *worker = platform.workers;
  assert_int_equal(ls_worker_window_best(worker), 1);
  assert_true(worker->costs[LS_OPERATION_COMPUTE].latency_s == 30);
  worker->room_units = 600;
  ls_worker_settle_windows(worker);
  assert_int_equal(ls_worker_window_best(worker), 0);
  assert_true(worker->costs[LS_OPERATION_COMPUTE].latency_s == 1);
  /* A window that the room does not reach is none. */
  worker->room_units = 100;
  assert_int_equal(ls_worker_window_best(worker), 0);
  assert_true(ls_worker_has_cost(worker, LS_OPERATION_TRANSFER));
  assert_false(ls_worker_has_cost(worker, LS_OPERATION_REPLY));
  ls_worker_take_window(worker, 1);
  assert_int_equal(worker->windows_count, 0);
  assert_true(worker->window_from == 500 && worker->window_to == 2500);
  assert_true(worker->costs[LS_OPERATION_TRANSFER].latency_s == 2);
  ls_platform_close(&platform);
}

static void one_window_is_no_list(void **state) {
  (void)state;
  struct ls_window windows[2];
  struct ls_platform platform;
  make_windows(windows);
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  assert_int_equal(ls_platform_set_windows(&platform, platform.workers, windows, 1, NULL), LS_OK);
  assert_false(ls_platform_has_windows(&platform));
  assert_true(platform.workers[0].window_from == 25 && platform.workers[0].window_to == 450);
  assert_true(platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s == 0.1);
  assert_int_equal(platform.window_lists_count, 0);
  ls_platform_close(&platform);
}

static void expect_refused(const struct ls_window *windows, size_t count, const char *text) {
  struct ls_error err = {0};
  assert_int_equal(ls_windows_check(windows, count, &err), LS_EINVAL);
  assert_string_equal(err.text, text);
}

static void windows_that_cannot_be_are_named(void **state) {
  (void)state;
  struct ls_window good[2], bad[2];
  make_windows(good);
  assert_int_equal(ls_windows_check(good, 2, NULL), LS_OK);
  expect_refused(good, 0, "windows are 0, must be 1 to 64");
  memcpy(bad, good, sizeof bad);
  bad[1].from = 449;
  expect_refused(bad, 2, "windows[1].from is 449, must be finite and at least 450");
  bad[1].from = (double)NAN;
  expect_refused(bad, 2, "windows[1].from is nan, must be finite and at least 450");
  memcpy(bad, good, sizeof bad);
  bad[0].to = 24;
  expect_refused(bad, 2, "windows[0].to is 24, must be > 0 and at least its from, 25");
  bad[0].from = bad[0].to = 0;
  expect_refused(bad, 1, "windows[0].to is 0, must be > 0 and at least its from, 0");
  memcpy(bad, good, sizeof bad);
  bad[1].costs[LS_OPERATION_REPLY].per_unit_s = -1;
  expect_refused(bad, 2, "windows[1].reply.per_unit is -1, must be finite and >= 0");
  bad[0].costs[LS_OPERATION_SEND].latency_s = (double)INFINITY;
  expect_refused(bad, 2, "windows[0].send.latency is inf, must be finite and >= 0");
  struct ls_platform platform;
  struct ls_error err = {0};
  open_platform(&platform, 2);
  platform.workers[1].windows = bad;
  assert_int_equal(ls_platform_check(&platform, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "worker 1: windows[0].send.latency is inf, must be finite and >= 0");
  ls_platform_close(&platform);
}

static void a_copy_of_a_platform_gets_windows_of_its_own(void **state) {
  (void)state;
  struct ls_platform platform, copy;
  open_platform(&platform, 3);
  assert_int_equal(ls_platform_init(&copy, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    char *name = copy.workers[i].name;
    copy.workers[i] = platform.workers[i];
    copy.workers[i].name = name;
  }
  struct ls_error err = {0};
  assert_int_equal(ls_platform_check(&copy, &err), LS_EINVAL);
  assert_string_equal(err.text, "worker 0: has windows that its platform does not keep");
  assert_int_equal(ls_platform_own_windows(&copy, NULL), LS_OK);
  ls_platform_close(&platform);
  assert_true(copy.workers[2].windows[1].from == 500);
  assert_int_equal(ls_platform_check(&copy, NULL), LS_OK);
  ls_platform_close(&copy);
}

/* By hand: 450 units are computed for 46 s; 1000 sent for 2 s and computed for 80 s behind them. */
static void the_replay_prices_each_chunk_by_its_window(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  double makespan_s = 0;
  open_platform(&platform, 1);
  ls_plan_init(&plan, "given", 1450);
  ls_plan_add(&plan, 0, 0, 450);
  ls_plan_add(&plan, 0, 1, 1000);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_true(fabs(plan.makespan_s - (46 + 80)) < 1e-12);
  assert_true(plan.chunks[1].transfer_end_s == 2);
  assert_int_equal(ls_replay_makespan(&plan, &platform, &makespan_s, NULL), LS_OK);
  assert_true(fabs(makespan_s - 126) < 1e-12);
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
  assert_int_equal(ls_validate_timeline(&timeline, NULL), LS_OK);
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void a_chunk_between_windows_is_named(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_certificate certificate;
  struct ls_error err = {0};
  open_platform(&platform, 1);
  ls_plan_init(&plan, "given", 770);
  ls_plan_add(&plan, 0, 0, 300);
  ls_plan_add(&plan, 0, 1, 470);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_validate_plan(&plan, &platform, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "chunk 1: units is 470, the windows of worker 0 are 25 to 450, 500 to 2500");
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_int_equal(certificate.outside, 1);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The cheapest window counts: 1 worker, 100,000 units: 0.062 s a unit in the second window. */
static void the_lower_bound_takes_the_cheapest_window(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  double bound_s = bound_of(&platform, 100000).bound_s;
  assert_true(fabs(bound_s - 100000 * (0.05 + 30.0 / 2500)) < 1e-6);
  /* 40 chunks of 2500. */
  struct ls_plan plan;
  ls_plan_init(&plan, "given", 100000);
  for (uint32_t i = 0; i < 40; i++) ls_plan_add(&plan, 0, i, 2500);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_true(plan.makespan_s >= bound_s * (1 - 1e-12));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chunk_has_the_costs_of_its_window),
      cmocka_unit_test(costs_are_those_of_the_cheapest_window),
      cmocka_unit_test(one_window_is_no_list),
      cmocka_unit_test(windows_that_cannot_be_are_named),
      cmocka_unit_test(a_copy_of_a_platform_gets_windows_of_its_own),
      cmocka_unit_test(the_replay_prices_each_chunk_by_its_window),
      cmocka_unit_test(a_chunk_between_windows_is_named),
      cmocka_unit_test(the_lower_bound_takes_the_cheapest_window),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
