#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform.h"

static void costs_are_affine_and_nothing_costs_nothing(void **state) {
  (void)state;
  struct ls_cost cost = {.latency_s = 0.5, .per_unit_s = 2};
  assert_true(ls_cost_time(&cost, 3) == 6.5);
  assert_true(ls_cost_time(&cost, 0) == 0);
}

static void new_platform_has_the_defaults(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  assert_int_equal(platform.workers_count, 3);
  assert_string_equal(platform.workers[2].name, "worker-2");
  assert_true(platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s == 1);
  assert_true(platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s == 0);
  assert_true(isinf(platform.workers[0].window_to));
  assert_true(platform.workers[0].price_per_s == 1);
  assert_true(platform.master_share == 0.5);
  assert_int_equal(platform.ports, LS_PORTS_TWO);
  assert_int_equal(ls_platform_check(&platform, NULL), LS_OK);
  ls_platform_close(&platform);
  assert_null(platform.workers);
  ls_platform_close(&platform);
}

static void nobody_is_no_platform(void **state) {
  (void)state;
  struct ls_platform platform = {0};
  struct ls_error err;
  assert_int_equal(ls_platform_init(&platform, 0, &err), LS_EINVAL);
  assert_int_equal(ls_platform_check(&platform, &err), LS_EINVAL);
  assert_string_equal(err.text, "a platform needs at least one worker");
}

/* Checks that one value, put where `field` points, is refused with this text. */
static void expect_refused(struct ls_platform *platform, double *field, double value,
                           const char *text) {
  struct ls_error err = {0};
  double before = *field;
  *field = value;
  assert_int_equal(ls_platform_check(platform, &err), LS_EINVAL);
  assert_string_equal(err.text, text);
  *field = before;
  assert_int_equal(ls_platform_check(platform, &err), LS_OK);
}

static void every_bad_value_is_named(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  struct ls_worker_model *worker = &platform.workers[1];
  expect_refused(&platform, &worker->costs[LS_OPERATION_SEND].latency_s, -1,
                 "worker 1: send.latency is -1, must be finite and >= 0");
  expect_refused(&platform, &worker->costs[LS_OPERATION_TRANSFER].per_unit_s, (double)NAN,
                 "worker 1: transfer.per_unit is nan, must be finite and >= 0");
  expect_refused(&platform, &worker->costs[LS_OPERATION_RECEIVE].latency_s, (double)INFINITY,
                 "worker 1: receive.latency is inf, must be finite and >= 0");
  expect_refused(&platform, &worker->costs[LS_OPERATION_COMPUTE].per_unit_s, -0.5,
                 "worker 1: compute.per_unit is -0.5, must be finite and >= 0");
  expect_refused(&platform, &worker->costs[LS_OPERATION_REPLY].per_unit_s, -2,
                 "worker 1: reply.per_unit is -2, must be finite and >= 0");
  expect_refused(&platform, &worker->delay_s, (double)NAN,
                 "worker 1: delay is nan, must be finite and >= 0");
  expect_refused(&platform, &worker->window_from, -3,
                 "worker 1: window.from is -3, must be finite and >= 0");
  expect_refused(&platform, &worker->window_to, 0,
                 "worker 1: window.to is 0, must be > 0 and at least window.from, 0");
  expect_refused(&platform, &worker->window_to, (double)NAN,
                 "worker 1: window.to is nan, must be > 0 and at least window.from, 0");
  expect_refused(&platform, &worker->price_per_s, -1,
                 "worker 1: cost is -1, must be finite and >= 0");
  expect_refused(&platform, &worker->unit_variation, 0.5,
                 "worker 1: task_seconds: deviation / mean is 0.5, must be 0 where the law is "
                 "constant");
  worker->unit_law = LS_DURATION_GAMMA;
  expect_refused(&platform, &worker->unit_variation, (double)NAN,
                 "worker 1: task_seconds: deviation / mean is nan, must be from 0 to 1e+06");
  expect_refused(&platform, &platform.prepare.latency_s, -1,
                 "master: prepare.latency is -1, must be finite and >= 0");
  expect_refused(&platform, &platform.master_share, 0,
                 "master: share is 0, must be > 0 and at most 1");
  expect_refused(&platform, &platform.master_share, (double)NAN,
                 "master: share is nan, must be > 0 and at most 1");
  platform.ports = LS_PORTS_MULTI;
  expect_refused(&platform, &platform.ports_alpha, 1.5, "ports: alpha is 1.5, must be from 0 to 1");
  expect_refused(&platform, &platform.ports_alpha, (double)NAN,
                 "ports: alpha is nan, must be from 0 to 1");
  ls_platform_close(&platform);
}

static void nameless_workers_and_unknown_ports_are_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.ports = (enum ls_ports)7;
  assert_int_equal(ls_platform_check(&platform, &err), LS_EINVAL);
  assert_string_equal(err.text, "ports: 7 is no known kind");
  free(platform.workers[0].name);
  platform.workers[0].name = NULL;
  assert_int_equal(ls_platform_check(&platform, &err), LS_EINVAL);
  assert_string_equal(err.text, "worker 0: name is empty, must be a text");
  ls_platform_close(&platform);
}

/* The mean is what a unit takes; where it says all, the given deviation says nothing. */
static void a_law_spreads_units_around_their_mean(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  struct ls_worker_model *worker = &platform.workers[0];
  assert_true(ls_platform_unit_variation(&platform) == 0);
  ls_worker_spread_units(worker, LS_DURATION_GAMMA, 4, 1);
  assert_true(worker->costs[LS_OPERATION_COMPUTE].per_unit_s == 4);
  assert_int_equal(worker->unit_law, LS_DURATION_GAMMA);
  assert_true(worker->unit_variation == 0.25);
  assert_true(fabs(ls_platform_unit_variation(&platform) - 0.25 / sqrt(2)) < 1e-15);
  ls_worker_spread_units(worker, LS_DURATION_EXPONENTIAL, 4, 1);
  assert_true(worker->unit_variation == 1);
  ls_worker_spread_units(worker, LS_DURATION_CONSTANT, 3, 1);
  assert_true(worker->unit_variation == 0);
  ls_worker_spread_units(worker, LS_DURATION_NORMAL, 3, 0);
  assert_int_equal(worker->unit_law, LS_DURATION_CONSTANT);
  worker->unit_law = LS_DURATION_LAWS;
  struct ls_error err = {0};
  assert_int_equal(ls_platform_check(&platform, &err), LS_EINVAL);
  assert_string_equal(err.text, "worker 0: task_seconds.law is 8, must be below 8");
  ls_platform_close(&platform);
}

static void room_must_hold_the_smallest_chunk(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err = {0};
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  assert_true(isinf(platform.workers[1].room_units));
  platform.workers[1].window_from = 10;
  platform.workers[1].room_units = 10;
  assert_int_equal(ls_platform_check(&platform, NULL), LS_OK);
  platform.workers[1].room_units = 9;
  assert_int_equal(ls_platform_check(&platform, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1: room is 9"));
  platform.workers[1].room_units = (double)NAN;
  assert_int_equal(ls_platform_check(&platform, NULL), LS_EINVAL);
  ls_platform_close(&platform);
}

static void chunks_stay_within_window_and_room(void **state) {
  (void)state;
  struct ls_worker_model worker = {.window_from = 25, .window_to = 450, .room_units = 400};
  assert_true(ls_worker_chunk_least(&worker) == 25);
  assert_true(ls_worker_chunk_most(&worker) == 400);
  worker.room_units = (double)INFINITY;
  assert_true(ls_worker_chunk_most(&worker) == 450);
  assert_true(ls_worker_takes(&worker, 25));
  assert_true(ls_worker_takes(&worker, 450 * (1 + 1e-12)));
  assert_false(ls_worker_takes(&worker, 24.9));
  assert_false(ls_worker_takes(&worker, 450.1));
  assert_false(ls_worker_takes(&worker, (double)NAN));
  worker.room_units = 100;
  assert_true(ls_worker_takes(&worker, 100));
  assert_false(ls_worker_takes(&worker, 100.1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(costs_are_affine_and_nothing_costs_nothing),
      cmocka_unit_test(new_platform_has_the_defaults),
      cmocka_unit_test(nobody_is_no_platform),
      cmocka_unit_test(every_bad_value_is_named),
      cmocka_unit_test(nameless_workers_and_unknown_ports_are_refused),
      cmocka_unit_test(a_law_spreads_units_around_their_mean),
      cmocka_unit_test(room_must_hold_the_smallest_chunk),
      cmocka_unit_test(chunks_stay_within_window_and_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
