/* The master: who is served when, and what a decision costs. */
#include "support.h"

static void check_decisions(const struct ls_timeline *timeline, const uint32_t *workers,
                            size_t count) {
  assert_int_equal(timeline->decisions_count, count);
  for (size_t i = 0; i < count; i++) assert_int_equal(timeline->decisions[i].worker, workers[i]);
}

static void preparing_keeps_the_master_busy(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 3);
  platform.prepare = (struct ls_cost){0.5, 0.25};
  for (size_t i = 0; i < 3; i++) platform.workers[i].costs[LS_OPERATION_SEND].latency_s = 0.25;
  struct ls_simulation setup = make_simulation(&platform, "ss", 3);
  assert_near(run_simulation(&setup, NULL).makespan_s, 3 * 1.0 + 1, 1e-12);
  ls_platform_close(&platform);
}

/* All are equal, so all ask again at one instant: served in the order of their service before. */
static void equal_requests_go_by_their_previous_service(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 3);
  struct ls_simulation setup = make_simulation(&platform, "ss", 7);
  setup.prefetch = 0;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  run_simulation(&setup, &timeline);
  check_decisions(&timeline, (const uint32_t[]){0, 1, 2, 0, 1, 2, 0}, 7);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void a_departure_comes_before_requests(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 4);
  struct ls_simulated_change leave = {0, 1};
  setup.prefetch = 0;
  setup.leave = &leave;
  setup.leave_count = 1;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  check_decisions(&timeline, (const uint32_t[]){0, 1, 1, 1}, 4);
  assert_near(result.makespan_s, 3, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void refused_workers_are_served_when_units_come_back(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 3);
  platform.prepare.latency_s = 0.125;
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 100;
  struct ls_simulation setup = make_simulation(&platform, "ss", 3);
  struct ls_simulated_change leave = {0, 10};
  setup.leave = &leave;
  setup.leave_count = 1;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  check_decisions(&timeline, (const uint32_t[]){0, 1, 2, 1}, 4);
  assert_near(result.makespan_s, 11.125, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* Two units come back at 5, when the master is free for the first of them only: at 6, when it is
 * free again, worker 3 is lost, too, and gets nothing. */
static void units_that_come_back_are_given_one_service_at_a_time(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 4);
  platform.prepare.latency_s = 1;
  for (size_t i = 0; i < 4; i++) platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 10;
  struct ls_simulation setup = make_simulation(&platform, "ss", 4);
  const struct ls_simulated_change leave[] = {{0, 5}, {1, 5}, {3, 5.5}};
  setup.leave = leave;
  setup.leave_count = 3;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  check_decisions(&timeline, (const uint32_t[]){0, 1, 2, 3, 2, 2, 2}, 7);
  assert_near(result.makespan_s, 43, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* Seven units: those of 0, 1 and 2 are long; 3, 4 and 5 end theirs and are refused. */
static void open_refusals(struct ls_platform *platform) {
  static const double seconds[] = {100, 100, 100, 1, 1, 1, 3.5};
  open_platform(platform, 7);
  platform->prepare.latency_s = 1;
  for (size_t i = 0; i < 7; i++)
    platform->workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = seconds[i];
}

static void check_losses(const struct ls_simulated_change *leave, size_t leave_count,
                         const uint32_t *workers, size_t count) {
  struct ls_platform platform;
  open_refusals(&platform);
  struct ls_simulation setup = make_simulation(&platform, "ss", 7);
  setup.prefetch = 0;
  setup.leave = leave;
  setup.leave_count = leave_count;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  run_simulation(&setup, &timeline);
  check_decisions(&timeline, workers, count);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* Units come back at 10 for 3, 4 and 5, of whom the master serves one a second: worker 6 asks at
 * 10.5 and is behind all of them, also behind 5, whose turn comes at 12. */
static void refused_workers_keep_the_instant_of_the_loss(void **state) {
  (void)state;
  const struct ls_simulated_change leave[] = {{0, 10}, {1, 10}, {2, 10}};
  check_losses(leave, 3, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 3, 4, 5}, 10);
}

/* The unit that comes back at 10 keeps the master busy until 11. The next one comes back at 10.75,
 * when the request that worker 6 made at 10.5 is the older one. */
static void a_request_older_than_the_loss_is_served_first(void **state) {
  (void)state;
  const struct ls_simulated_change leave[] = {{0, 10}, {1, 10.75}};
  check_losses(leave, 2, (const uint32_t[]){0, 1, 2, 3, 4, 5, 6, 3, 6}, 9);
}

static void a_plan_is_pushed_whenever_the_master_is_free(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  for (size_t i = 0; i < 2; i++) {
    platform.workers[i].costs[LS_OPERATION_SEND].latency_s = 2;
    platform.workers[i].delay_s = 1;
  }
  struct ls_plan_chunk chunks[] = {
      {.worker = 1, .units = 2}, {.worker = 0, .units = 3}, {.worker = 1, .units = 1}};
  const struct ls_plan plan = {.chunks = chunks, .chunks_count = 3};
  struct ls_simulation setup = make_simulation(&platform, "follow-plan", 6);
  setup.config.plan = &plan;
  struct ls_timeline timeline;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  check_decisions(&timeline, (const uint32_t[]){1, 0, 1}, 3);
  /* Nobody asks: sent at 2, 4, 6; here at 3, 5, 7. */
  assert_near(result.makespan_s, 8, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void a_lost_worker_of_a_plan_is_replaced(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 5}, {.worker = 1, .units = 5}};
  const struct ls_plan plan = {.chunks = chunks, .chunks_count = 2};
  struct ls_simulation setup = make_simulation(&platform, "follow-plan", 10);
  struct ls_simulated_change leave = {0, 2.5};
  setup.config.plan = &plan;
  setup.leave = &leave;
  setup.leave_count = 1;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 10);
  assert_near(result.makespan_s, 8, 1e-12);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(preparing_keeps_the_master_busy),
      cmocka_unit_test(equal_requests_go_by_their_previous_service),
      cmocka_unit_test(a_departure_comes_before_requests),
      cmocka_unit_test(refused_workers_are_served_when_units_come_back),
      cmocka_unit_test(units_that_come_back_are_given_one_service_at_a_time),
      cmocka_unit_test(refused_workers_keep_the_instant_of_the_loss),
      cmocka_unit_test(a_request_older_than_the_loss_is_served_first),
      cmocka_unit_test(a_plan_is_pushed_whenever_the_master_is_free),
      cmocka_unit_test(a_lost_worker_of_a_plan_is_replaced),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
