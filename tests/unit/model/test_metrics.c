#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/metrics.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-12;
}

static void add_span(struct ls_timeline *timeline, enum ls_resource resource,
                     enum ls_operation operation, double start_s, double end_s) {
  ls_timeline_add_span(timeline, &(struct ls_span){.resource = resource,
                                                   .operation = operation,
                                                   .units = 2,
                                                   .start_s = start_s,
                                                   .end_s = end_s});
}

/* Worker 0: receives 1, computes 4, up 10; worker 1: joined at 2, suspended 1, left at 8, lost 3 s
 * of computing. */
static void every_number_is_what_its_name_says(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_metrics metrics;
  struct ls_worker_metrics workers[2];
  ls_timeline_init(&timeline);
  timeline.makespan_s = 10;
  ls_timeline_add_worker(&timeline, "a", 0, (double)INFINITY);
  ls_timeline_add_worker(&timeline, "b", 2, 8);
  timeline.workers[1].suspended_s = 1;
  ls_timeline_add_decision(&timeline, 0, 2);
  ls_timeline_add_decision(&timeline, 1, 2);
  add_span(&timeline, LS_RESOURCE_MASTER, LS_OPERATION_SEND, 0, 2);
  add_span(&timeline, LS_RESOURCE_NETWORK, LS_OPERATION_TRANSFER, 2, 5);
  add_span(&timeline, LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, 6, 10);
  add_span(&timeline, LS_RESOURCE_WORKER, LS_OPERATION_RECEIVE, 5, 6);
  add_span(&timeline, LS_RESOURCE_RETURN, LS_OPERATION_REPLY, 9, 10);
  ls_timeline_add_span(&timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                    .operation = LS_OPERATION_COMPUTE,
                                                    .outcome = LS_OUTCOME_LOST,
                                                    .worker = 1,
                                                    .chunk = 1,
                                                    .units = 2,
                                                    .start_s = 5,
                                                    .end_s = 8});
  ls_metrics_of(&timeline, &metrics, workers);
  assert_true(is_near(metrics.makespan_s, 10));
  assert_true(is_near(metrics.efficiency, 4.0 / 15));
  assert_true(is_near(metrics.eer_s, 10 * 15.0 / 4));
  assert_true(is_near(metrics.utilisation_master, 0.2));
  assert_true(is_near(metrics.utilisation_network, 0.3));
  assert_true(is_near(metrics.utilisation_return, 0.1));
  assert_true(is_near(metrics.utilisation_workers, 0.4));
  assert_true(is_near(workers[0].busy_s, 5) && is_near(workers[0].useful_s, 4));
  assert_true(is_near(workers[0].up_s, 10) && is_near(workers[0].idle_s, 5));
  assert_true(is_near(workers[0].units, 2) && workers[0].chunks == 1);
  assert_true(is_near(workers[1].busy_s, 3) && is_near(workers[1].useful_s, 0));
  assert_true(is_near(workers[1].up_s, 5) && is_near(workers[1].idle_s, 2));
  assert_true(is_near(workers[1].units, 0) && workers[1].chunks == 1);
  struct ls_metrics alone;
  ls_metrics_of(&timeline, &alone, NULL);
  assert_true(is_near(alone.efficiency, metrics.efficiency));
  /* At its price the other one's idle and lost seconds weigh three times as much. */
  timeline.workers[1].price_per_s = 3;
  ls_metrics_of(&timeline, &alone, NULL);
  assert_true(is_near(alone.efficiency, 4.0 / (10 + 3 * 5)));
  assert_true(is_near(alone.eer_s, 10 * 25.0 / 4));
  ls_timeline_close(&timeline);
}

static void nobody_up_is_no_efficiency(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_metrics metrics;
  ls_timeline_init(&timeline);
  ls_metrics_of(&timeline, &metrics, NULL);
  assert_true(metrics.efficiency == 0 && isinf(metrics.eer_s));
  assert_true(metrics.utilisation_workers == 0);
  ls_timeline_close(&timeline);
}

/* A worker that is there later than the end was never up in this timeline. */
static void late_joiners_were_not_up(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_metrics metrics;
  struct ls_worker_metrics worker;
  ls_timeline_init(&timeline);
  timeline.makespan_s = 3;
  ls_timeline_add_worker(&timeline, "late", 7, (double)INFINITY);
  ls_metrics_of(&timeline, &metrics, &worker);
  assert_true(worker.up_s == 0 && worker.idle_s == 0);
  ls_timeline_close(&timeline);
}

/* Plans of theory have broken sizes, which a span cannot count. */
static void broken_units_are_counted_by_the_decision(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_metrics metrics;
  struct ls_worker_metrics worker;
  ls_timeline_init(&timeline);
  timeline.makespan_s = 3;
  ls_timeline_add_worker(&timeline, "w", 0, (double)INFINITY);
  ls_timeline_add_decision(&timeline, 0, 2.5);
  ls_timeline_add_span(&timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                    .operation = LS_OPERATION_COMPUTE,
                                                    .end_s = 3});
  ls_metrics_of(&timeline, &metrics, &worker);
  assert_true(worker.units == 2.5);
  assert_true(metrics.efficiency == 1);
  ls_timeline_close(&timeline);
}

/* The second is up from 2 to 6 s, suspended for 1 s of them. */
static void price_is_the_cost_of_the_seconds_up(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_metrics metrics;
  struct ls_worker_metrics workers[2];
  ls_timeline_init(&timeline);
  timeline.makespan_s = 10;
  ls_timeline_add_worker(&timeline, "a", 0, (double)INFINITY);
  ls_timeline_add_worker(&timeline, "b", 2, 6);
  ls_timeline_price_worker(&timeline, 0.5);
  timeline.workers[1].suspended_s = 1;
  ls_metrics_of(&timeline, &metrics, workers);
  assert_true(fabs(workers[0].price - 10) < 1e-12);
  assert_true(fabs(workers[1].price - 1.5) < 1e-12);
  assert_true(fabs(metrics.price - 11.5) < 1e-12);
  ls_timeline_close(&timeline);
}

static void platform_with_its_own_prices_is_priced(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  assert_false(ls_platform_has_prices(&platform));
  platform.workers[2].price_per_s = 0.25;
  assert_true(ls_platform_has_prices(&platform));
  ls_platform_close(&platform);
}

/* 1 to 4 of staging, of which it computes from 2 to 3 and receives from 3.5 on; then 5 to 7 beside
 * computing; another worker computes all the time. */
static void staging_is_hidden_where_its_worker_is_busy(void **state) {
  (void)state;
  struct ls_timeline timeline;
  struct ls_metrics metrics;
  struct ls_worker_metrics workers[2];
  ls_timeline_init(&timeline);
  timeline.makespan_s = 10;
  ls_timeline_add_worker(&timeline, "a", 0, (double)INFINITY);
  ls_timeline_add_worker(&timeline, "b", 0, (double)INFINITY);
  add_span(&timeline, LS_RESOURCE_READER, LS_OPERATION_STAGE, 5, 7);
  add_span(&timeline, LS_RESOURCE_READER, LS_OPERATION_STAGE, 1, 4);
  add_span(&timeline, LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, 4.5, 8);
  add_span(&timeline, LS_RESOURCE_WORKER, LS_OPERATION_COMPUTE, 2, 3);
  add_span(&timeline, LS_RESOURCE_WORKER, LS_OPERATION_RECEIVE, 3.5, 4.5);
  ls_timeline_add_span(&timeline, &(struct ls_span){.resource = LS_RESOURCE_WORKER,
                                                    .operation = LS_OPERATION_COMPUTE,
                                                    .worker = 1,
                                                    .end_s = 10});
  ls_metrics_of(&timeline, &metrics, workers);
  assert_true(is_near(workers[0].stage_s, 5) && is_near(workers[0].hidden, 3.5 / 5));
  assert_true(is_near(workers[0].busy_s, 5.5) && is_near(workers[1].stage_s, 0));
  assert_true(isnan(workers[1].hidden));
  /* What the worker itself has told is better known. */
  timeline.workers[0].exposed_s = 2;
  ls_metrics_of(&timeline, &metrics, workers);
  assert_true(is_near(workers[0].hidden, 0.6));
  ls_timeline_close(&timeline);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_number_is_what_its_name_says),
      cmocka_unit_test(staging_is_hidden_where_its_worker_is_busy),
      cmocka_unit_test(nobody_up_is_no_efficiency),
      cmocka_unit_test(late_joiners_were_not_up),
      cmocka_unit_test(broken_units_are_counted_by_the_decision),
      cmocka_unit_test(price_is_the_cost_of_the_seconds_up),
      cmocka_unit_test(platform_with_its_own_prices_is_priced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
