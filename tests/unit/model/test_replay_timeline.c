#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/metrics.h"
#include "model/plan_repeat.h"
#include "model/replay.h"

static void open_replayed(struct ls_platform *platform, struct ls_plan *plan, enum ls_ports ports) {
  assert_int_equal(ls_platform_init(platform, 1, NULL), LS_OK);
  struct ls_worker_model *worker = &platform->workers[0];
  platform->ports = ports;
  platform->prepare.latency_s = 1;
  worker->costs[LS_OPERATION_SEND].latency_s = 2;
  worker->costs[LS_OPERATION_TRANSFER].latency_s = 3;
  worker->costs[LS_OPERATION_RECEIVE].latency_s = 0.5;
  worker->costs[LS_OPERATION_REPLY].latency_s = 4;
  ls_plan_init(plan, "test", 2.5);
  ls_plan_add(plan, 0, 0, 2.5);
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
}

static void expect_span(const struct ls_span *span, enum ls_resource resource,
                        enum ls_operation operation, double start_s, double end_s) {
  assert_int_equal(span->resource, resource);
  assert_int_equal(span->operation, operation);
  assert_true(fabs(span->start_s - start_s) < 1e-12);
  assert_true(fabs(span->end_s - end_s) < 1e-12);
}

static void every_station_leaves_a_span(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  open_replayed(&platform, &plan, LS_PORTS_TWO);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
  assert_int_equal(timeline.spans_count, 6);
  const struct ls_span *spans = timeline.spans;
  expect_span(&spans[0], LS_RESOURCE_MASTER, LS_OPERATION_PREPARE, 0, 1);
  expect_span(&spans[1], LS_RESOURCE_MASTER, LS_OPERATION_SEND, 1, 3);
  expect_span(&spans[2], LS_RESOURCE_NETWORK, LS_OPERATION_TRANSFER, 3, 6);
  expect_span(&spans[3], LS_RESOURCE_WORKER, LS_OPERATION_RECEIVE, 6, 6.5);
  expect_span(&spans[4], LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, 6.5, 9);
  expect_span(&spans[5], LS_RESOURCE_RETURN, LS_OPERATION_REPLY, 9, 13);
  assert_int_equal(timeline.decisions_count, 1);
  assert_true(timeline.decisions[0].units == 2.5);
  assert_int_equal(spans[4].units, 0); /* 2.5 is no whole number */
  assert_true(timeline.makespan_s == plan.makespan_s);
  assert_string_equal(timeline.workers[0].name, "worker-0");
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void one_port_replies_on_the_network(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  open_replayed(&platform, &plan, LS_PORTS_ONE);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
  expect_span(&timeline.spans[5], LS_RESOURCE_NETWORK, LS_OPERATION_REPLY, 9, 13);
  assert_false(timeline.has_shared_network);
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void multi_port_says_that_it_shares(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  open_replayed(&platform, &plan, LS_PORTS_MULTI);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
  assert_true(timeline.has_shared_network);
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void free_operations_leave_no_span(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  ls_plan_init(&plan, "test", 3);
  ls_plan_add(&plan, 0, 0, 3);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
  assert_int_equal(timeline.spans_count, 1);
  expect_span(&timeline.spans[0], LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, 0, 3);
  assert_int_equal(timeline.spans[0].units, 3);
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void plans_without_times_are_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  struct ls_error err;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  ls_plan_init(&plan, "test", 3);
  ls_plan_add(&plan, 0, 0, 3);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, &err), LS_EINVAL);
  assert_string_equal(err.text, "a plan that is not replayed has no timeline");
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void every_play_has_its_spans(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  ls_plan_init(&plan, "test", 6);
  ls_plan_add(&plan, 0, 0, 2);
  ls_plan_repeat(&plan, 0, 1, 3);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
  assert_int_equal(timeline.decisions_count, 3);
  expect_span(&timeline.spans[2], LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, 4, 6);
  assert_true(timeline.makespan_s == 6);
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* A plan takes the workers that get a chunk. */
static void who_gets_nothing_costs_nothing(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_timeline timeline;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) platform.workers[i].price_per_s = 10 + (double)i;
  ls_plan_init(&plan, "test", 3);
  ls_plan_add(&plan, 1, 0, 1);
  ls_plan_add(&plan, 1, 1, 2);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_replay_timeline(&plan, &platform, &timeline, NULL), LS_OK);
  struct ls_metrics metrics;
  struct ls_worker_metrics workers[3];
  ls_metrics_of(&timeline, &metrics, workers);
  assert_true(fabs(metrics.price - 33) < 1e-12);
  static const double prices[] = {0, 33, 0};
  for (size_t i = 0; i < 3; i++) assert_true(fabs(workers[i].price - prices[i]) < 1e-12);
  static const double up_s[] = {0, 3, 0};
  for (size_t i = 0; i < 3; i++) assert_true(fabs(workers[i].up_s - up_s[i]) < 1e-12);
  /* Nor are they there: efficiency and price are of the same seconds. */
  assert_true(fabs(metrics.efficiency - 33.0 / metrics.price) < 1e-12);
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_station_leaves_a_span),
      cmocka_unit_test(one_port_replies_on_the_network),
      cmocka_unit_test(multi_port_says_that_it_shares),
      cmocka_unit_test(free_operations_leave_no_span),
      cmocka_unit_test(plans_without_times_are_refused),
      cmocka_unit_test(every_play_has_its_spans),
      cmocka_unit_test(who_gets_nothing_costs_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
