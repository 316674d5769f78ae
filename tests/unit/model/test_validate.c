#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/validate.h"

/* Two workers, three chunks, every station at work; the caller closes both. */
static void open_good(struct ls_platform *platform, struct ls_plan *plan, enum ls_ports ports) {
  assert_int_equal(ls_platform_init(platform, 2, NULL), LS_OK);
  platform->ports = ports;
  platform->prepare.latency_s = 0.5;
  for (size_t i = 0; i < 2; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_SEND].latency_s = 0.5;
    worker->costs[LS_OPERATION_TRANSFER] = (struct ls_cost){1, 1};
    worker->delay_s = 0.25;
    worker->costs[LS_OPERATION_RECEIVE].latency_s = 0.5;
    worker->costs[LS_OPERATION_REPLY] = (struct ls_cost){0, 1};
  }
  ls_plan_init(plan, "test", 6);
  ls_plan_add(plan, 0, 0, 2);
  ls_plan_add(plan, 1, 0, 3);
  ls_plan_add(plan, 0, 1, 1);
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
  struct ls_error err;
  if (ls_validate_plan(plan, platform, &err) != LS_OK) fail_msg("%s", err.text);
}

static void expect_fault(struct ls_plan *plan, struct ls_platform *platform, const char *words) {
  struct ls_error err;
  assert_int_equal(ls_validate_plan(plan, platform, &err), LS_EINVAL);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
  ls_plan_close(plan);
  ls_platform_close(platform);
}

static void lost_load_is_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.load = 6.1;
  expect_fault(&plan, &platform, "the chunks are 6 units together, the load is 6.09");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[0].units = -2;
  expect_fault(&plan, &platform, "chunk 0: units is -2");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[2].worker = 2;
  expect_fault(&plan, &platform, "chunk 2: worker is 2, must be below 2");
}

static void stations_out_of_order_are_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[0].send_start_s = 0.5;
  expect_fault(&plan, &platform, "chunk 0: the end of sending is 1.5, transfer_start is 1");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[0].compute_start_s -= 0.5;
  plan.chunks[0].compute_end_s -= 0.5;
  expect_fault(&plan, &platform, "chunk 0: arrival is");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[1].reply_start_s -= 1;
  plan.chunks[1].reply_end_s -= 1;
  expect_fault(&plan, &platform, "chunk 1: compute_end is");
}

static void wrong_durations_are_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[0].transfer_end_s -= 0.5;
  expect_fault(&plan, &platform, "chunk 0: transfer takes 2.5 s, the platform says 3 s");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[1].compute_end_s -= 0.5;
  expect_fault(&plan, &platform, "chunk 1: compute takes 2.5 s, the platform says 3 s");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[1].reply_end_s += 2;
  expect_fault(&plan, &platform, "chunk 1: reply takes 5 s, the platform says 3 s");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.makespan_s += 1;
  expect_fault(&plan, &platform, "makespan is ");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[0].compute_start_s = (double)NAN;
  expect_fault(&plan, &platform, "chunk 0: arrival is");
}

static void two_chunks_on_one_resource_are_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[1].send_start_s = 0.25;
  expect_fault(&plan, &platform, "master 0: chunk 0 holds it until 1, chunk 1 from 0.25");
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[1].transfer_start_s -= 1;
  plan.chunks[1].transfer_end_s -= 1;
  expect_fault(&plan, &platform, "network 0: chunk 0 holds it until 4, chunk 1 from 3");
  /* Two-port lets a reply pass beside a transfer, one-port does not. */
  open_good(&platform, &plan, LS_PORTS_TWO);
  platform.ports = LS_PORTS_ONE;
  expect_fault(&plan, &platform, "network 0: chunk ");
}

static void missing_and_surplus_replies_are_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan, LS_PORTS_TWO);
  plan.chunks[0].reply_start_s = plan.chunks[0].reply_end_s = (double)NAN;
  expect_fault(&plan, &platform, "chunk 0: reply_start is nan");
  open_good(&platform, &plan, LS_PORTS_TWO);
  ls_plan_add_return(&plan, 0);
  expect_fault(&plan, &platform, "3 chunks reply, 1 must");
  open_good(&platform, &plan, LS_PORTS_TWO);
  ls_plan_add_return(&plan, 1); /* chunk 0 replies first in the replay */
  ls_plan_add_return(&plan, 0);
  ls_plan_add_return(&plan, 2);
  expect_fault(&plan, &platform, "returns[1] starts at ");
}

static void chunks_sent_out_of_order_are_seen(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_good(&platform, &plan, LS_PORTS_TWO);
  struct ls_plan_chunk first = plan.chunks[0];
  plan.chunks[0] = plan.chunks[1];
  plan.chunks[1] = first;
  expect_fault(&plan, &platform, "chunk 1 goes out before chunk 0");
}

static void refused_plans_have_nothing_to_check(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  ls_plan_init(&plan, "test", 7);
  ls_plan_refuse(&plan, "no");
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void plan_that_repeats_is_checked_written_out(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_error err = {0};
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.25;
  ls_plan_init(&plan, "test", 301);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 0, 1, 1);
  ls_plan_add(&plan, 1, 1, 2);
  ls_plan_repeat(&plan, 1, 3, 100);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  /* Worker 1 computes for 2 s what comes every 0.75 s: hundreds of units wait at it. */
  platform.workers[1].room_units = 100;
  assert_int_equal(ls_validate_plan(&plan, &platform, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "its room is 100"));
  platform.workers[1].room_units = (double)INFINITY;
  plan.makespan_s += 1;
  assert_int_equal(ls_validate_plan(&plan, &platform, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "makespan is"));
  plan.makespan_s -= 1;
  plan.chunks[2].compute_end_s += 1;
  assert_int_equal(ls_validate_plan(&plan, &platform, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "chunk 2: compute_end is"));
  plan.load += 1;
  assert_int_equal(ls_validate_plan(&plan, &platform, &err), LS_EINVAL);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lost_load_is_seen),
      cmocka_unit_test(stations_out_of_order_are_seen),
      cmocka_unit_test(wrong_durations_are_seen),
      cmocka_unit_test(two_chunks_on_one_resource_are_seen),
      cmocka_unit_test(missing_and_surplus_replies_are_seen),
      cmocka_unit_test(chunks_sent_out_of_order_are_seen),
      cmocka_unit_test(refused_plans_have_nothing_to_check),
      cmocka_unit_test(plan_that_repeats_is_checked_written_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
