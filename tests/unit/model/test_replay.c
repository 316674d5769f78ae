#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/replay.h"

static const double NONE = -1; /* no such event */

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-12;
}

/* Two workers: transfer 1 + x, compute 2 x, reply 0.5 x. */
static void open_platform(struct ls_platform *platform, enum ls_ports ports) {
  assert_int_equal(ls_platform_init(platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){1, 1};
    platform->workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0, 2};
    platform->workers[i].costs[LS_OPERATION_REPLY] = (struct ls_cost){0, 0.5};
  }
  platform->ports = ports;
}

static void add_chunks(struct ls_plan *plan, size_t count, const uint32_t *workers,
                       const double *units) {
  double load = 0;
  for (size_t i = 0; i < count; i++) load += units[i];
  ls_plan_init(plan, "test", load);
  for (size_t i = 0; i < count; i++) ls_plan_add(plan, workers[i], 0, units[i]);
}

static void expect_reply(const struct ls_plan *plan, size_t chunk, double start_s, double end_s) {
  const struct ls_plan_chunk *item = &plan->chunks[chunk];
  if (start_s < 0) {
    assert_true(isnan(item->reply_start_s) && isnan(item->reply_end_s));
  } else {
    assert_true(is_near(item->reply_start_s, start_s));
    assert_true(is_near(item->reply_end_s, end_s));
  }
}

static void every_station_takes_its_time(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  struct ls_worker_model *worker = &platform.workers[0];
  platform.prepare = (struct ls_cost){1, 0.5};
  worker->costs[LS_OPERATION_SEND] = (struct ls_cost){2, 0.25};
  worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){3, 1};
  worker->delay_s = 5;
  worker->costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.5, 0.125};
  worker->costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 2};
  worker->costs[LS_OPERATION_REPLY] = (struct ls_cost){1, 0.25};
  add_chunks(&plan, 2, (const uint32_t[]){0, 0}, (const double[]){4, 8});
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  const struct ls_plan_chunk *first = &plan.chunks[0], *second = &plan.chunks[1];
  assert_true(is_near(first->send_start_s, 0));
  assert_true(is_near(first->transfer_start_s, 6)); /* 1 + 2 + 2 + 1 */
  assert_true(is_near(first->transfer_end_s, 13));  /* + 3 + 4 */
  assert_true(is_near(first->compute_start_s, 19)); /* + 5 + 0.5 + 0.5 */
  assert_true(is_near(first->compute_end_s, 28));   /* + 1 + 8 */
  expect_reply(&plan, 0, 28, 30);
  assert_true(is_near(second->send_start_s, 6));
  assert_true(is_near(second->transfer_start_s, 15)); /* 6 + 1 + 4 + 2 + 2 */
  assert_true(is_near(second->transfer_end_s, 26));
  assert_true(is_near(second->compute_start_s, 32.5)); /* 26 + 5 + 0.5 + 1, free since 28 */
  assert_true(is_near(second->compute_end_s, 49.5));
  expect_reply(&plan, 1, 49.5, 52.5);
  assert_true(is_near(plan.makespan_s, 52.5));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void nothing_to_do_takes_no_time(void **state) {
  (void)state;
  const enum ls_ports ports[] = {LS_PORTS_TWO, LS_PORTS_ONE, LS_PORTS_MULTI};
  for (size_t i = 0; i < 3; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double makespan_s = -1;
    open_platform(&platform, ports[i]);
    ls_plan_init(&plan, "test", 0);
    assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
    assert_true(plan.makespan_s == 0);
    assert_int_equal(ls_replay_makespan(&plan, &platform, &makespan_s, NULL), LS_OK);
    assert_true(makespan_s == 0);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Chunk 0: transfer 0..3, compute 3..7; chunk 1: transfer 3..5, compute 5..7; chunk 2 behind chunk
 * 0: transfer 5..7, compute 7..9. Replies in computing order: chunk 0 first (tie at 7). */
static void two_ports_reply_while_they_send(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, LS_PORTS_TWO);
  add_chunks(&plan, 3, (const uint32_t[]){0, 1, 0}, (const double[]){2, 1, 1});
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  expect_reply(&plan, 0, 7, 8);
  expect_reply(&plan, 1, 8, 8.5);
  expect_reply(&plan, 2, 9, 9.5);
  assert_true(is_near(plan.makespan_s, 9.5));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Everything is ready to be sent at 0, so the one port sends all, then takes the replies. */
static void one_port_sends_before_it_receives(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, LS_PORTS_ONE);
  add_chunks(&plan, 3, (const uint32_t[]){0, 1, 0}, (const double[]){2, 1, 6});
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_true(is_near(plan.chunks[2].transfer_end_s, 12));
  expect_reply(&plan, 0, 12, 13);
  expect_reply(&plan, 1, 13, 13.5);
  expect_reply(&plan, 2, 24, 27);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The master needs long to send chunk 1 (ready at 20), so the reply of chunk 0, ready at 10 + 3 +
 * 4, passes before; with the same readiness the send would go first. */
static void one_port_serves_by_readiness(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, LS_PORTS_ONE);
  platform.prepare = (struct ls_cost){10, 0};
  add_chunks(&plan, 2, (const uint32_t[]){0, 1}, (const double[]){2, 1});
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  expect_reply(&plan, 0, 17, 18);
  assert_true(is_near(plan.chunks[1].transfer_start_s, 20));
  platform.prepare = (struct ls_cost){7, 0}; /* now both are ready at 14 */
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_true(is_near(plan.chunks[1].transfer_start_s, 14));
  expect_reply(&plan, 0, 16, 17);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void ordered_results_are_held_and_unlisted_ones_stay(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  const enum ls_ports ports[] = {LS_PORTS_TWO, LS_PORTS_ONE};
  for (size_t i = 0; i < 2; i++) {
    open_platform(&platform, ports[i]);
    add_chunks(&plan, 3, (const uint32_t[]){0, 1, 0}, (const double[]){2, 1, 1});
    ls_plan_add_return(&plan, 2);
    ls_plan_add_return(&plan, 0);
    assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
    expect_reply(&plan, 2, 9, 9.5);
    expect_reply(&plan, 0, 9.5, 10.5);
    expect_reply(&plan, 1, NONE, NONE);
    assert_true(is_near(plan.makespan_s, 10.5));
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

static void empty_order_of_returns_means_no_replies(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_platform(&platform, LS_PORTS_TWO);
  add_chunks(&plan, 1, (const uint32_t[]){0}, (const double[]){2});
  ls_plan_order_returns(&plan);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  expect_reply(&plan, 0, NONE, NONE);
  assert_true(is_near(plan.makespan_s, 7));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void bad_plans_are_refused_by_both(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_error err;
  open_platform(&platform, LS_PORTS_TWO);
  for (int fault = 0; fault < 6; fault++) {
    struct ls_plan plan;
    double makespan_s = 77;
    add_chunks(&plan, 2, (const uint32_t[]){0, 1}, (const double[]){2, 1});
    if (fault == 0) plan.chunks[1].worker = 2;
    if (fault == 1) plan.chunks[1].units = 0;
    if (fault == 2) plan.chunks[1].units = (double)NAN;
    if (fault == 3) plan.chunks[1].units = (double)INFINITY;
    if (fault == 4) ls_plan_add_return(&plan, 2);
    if (fault == 5) {
      ls_plan_add_return(&plan, 1);
      ls_plan_add_return(&plan, 1);
    }
    const char *const texts[] = {"chunk 1: worker is 2, must be below 2",
                                 "chunk 1: units is 0, must be finite and > 0",
                                 "chunk 1: units is nan, must be finite and > 0",
                                 "chunk 1: units is inf, must be finite and > 0",
                                 "returns[0] is 2, must be below 2, the chunks",
                                 "returns[1]: chunk 1 is listed twice"};
    for (int without_replies = 0; without_replies < (fault < 4 ? 2 : 1); without_replies++) {
      if (without_replies) ls_plan_order_returns(&plan);
      assert_int_equal(ls_replay(&plan, &platform, &err), LS_EINVAL);
      assert_string_equal(err.text, texts[fault]);
      assert_true(isnan(plan.makespan_s));
      assert_int_equal(ls_replay_makespan(&plan, &platform, &makespan_s, &err), LS_EINVAL);
      assert_string_equal(err.text, texts[fault]);
      assert_true(makespan_s == 77);
    }
    ls_plan_close(&plan);
  }
  ls_platform_close(&platform);
}

/* Costs whose products overflow end in an error, not in an endless or a wrong replay. */
static void endless_plans_are_refused(void **state) {
  (void)state;
  const enum ls_ports ports[] = {LS_PORTS_TWO, LS_PORTS_ONE, LS_PORTS_MULTI};
  for (size_t i = 0; i < 3; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double makespan_s = 77;
    open_platform(&platform, ports[i]);
    platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = 1e300;
    add_chunks(&plan, 2, (const uint32_t[]){0, 1}, (const double[]){1e300, 1});
    assert_int_equal(ls_replay(&plan, &platform, NULL), LS_EINVAL);
    assert_int_equal(ls_replay_makespan(&plan, &platform, &makespan_s, NULL), LS_EINVAL);
    assert_true(makespan_s == 77);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

static void failed_builders_are_not_replayed(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  double makespan_s;
  open_platform(&platform, LS_PORTS_TWO);
  ls_plan_init(&plan, "test", 1);
  ls_plan_add(&plan, 0, 0, -1);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_EINVAL);
  assert_int_equal(ls_replay_makespan(&plan, &platform, &makespan_s, NULL), LS_EINVAL);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_station_takes_its_time),
      cmocka_unit_test(nothing_to_do_takes_no_time),
      cmocka_unit_test(two_ports_reply_while_they_send),
      cmocka_unit_test(one_port_sends_before_it_receives),
      cmocka_unit_test(one_port_serves_by_readiness),
      cmocka_unit_test(ordered_results_are_held_and_unlisted_ones_stay),
      cmocka_unit_test(empty_order_of_returns_means_no_replies),
      cmocka_unit_test(bad_plans_are_refused_by_both),
      cmocka_unit_test(endless_plans_are_refused),
      cmocka_unit_test(failed_builders_are_not_replayed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
