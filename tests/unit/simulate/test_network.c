/* Ports: who crosses when. */
#include "support.h"

#include "model/validate.h"

static const struct ls_span *find_span(const struct ls_timeline *timeline,
                                       enum ls_operation operation, uint64_t chunk) {
  for (size_t i = 0; i < timeline->spans_count; i++)
    if (timeline->spans[i].operation == operation && timeline->spans[i].chunk == chunk)
      return &timeline->spans[i];
  fail_msg("no %s span of chunk %llu", ls_operation_name(operation), (unsigned long long)chunk);
  return NULL;
}

static struct ls_simulated run_recorded(struct ls_simulation *setup, struct ls_timeline *timeline) {
  struct ls_error err = {0};
  ls_timeline_init(timeline);
  setup->wants_spans = true;
  struct ls_simulated result = run_simulation(setup, timeline);
  if (ls_validate_timeline(timeline, &err) != LS_OK) fail_msg("%s", err.text);
  return result;
}

static void transfers_wait_for_each_other(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  for (size_t i = 0; i < 2; i++) platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = 3;
  struct ls_simulation setup = make_simulation(&platform, "ss", 2);
  struct ls_timeline timeline;
  struct ls_simulated result = run_recorded(&setup, &timeline);
  assert_near(find_span(&timeline, LS_OPERATION_TRANSFER, 1)->start_s, 3, 0);
  assert_near(result.makespan_s, 7, 0);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* Unit 0 returns at 2 while unit 1 would cross; with two ports both go at once. */
static void replies_share_one_port_and_not_two(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  platform.workers[0].costs[LS_OPERATION_TRANSFER].latency_s = 1;
  platform.workers[0].costs[LS_OPERATION_REPLY].latency_s = 5;
  struct ls_simulation setup = make_simulation(&platform, "ss", 2);
  setup.prefetch = 0;
  struct ls_timeline timeline;
  struct ls_simulated result = run_recorded(&setup, &timeline);
  assert_near(find_span(&timeline, LS_OPERATION_TRANSFER, 1)->start_s, 2, 0);
  assert_near(result.makespan_s, 12, 0);
  ls_timeline_close(&timeline);
  platform.ports = LS_PORTS_ONE;
  result = run_recorded(&setup, &timeline);
  /* At 2 the reply and the next transfer are ready at one instant: outwards goes first. */
  assert_near(find_span(&timeline, LS_OPERATION_TRANSFER, 1)->start_s, 2, 0);
  assert_near(find_span(&timeline, LS_OPERATION_REPLY, 0)->start_s, 3, 0);
  assert_near(result.makespan_s, 13, 0);
  assert_int_equal(find_span(&timeline, LS_OPERATION_REPLY, 0)->resource, LS_RESOURCE_NETWORK);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void an_earlier_reply_goes_before_a_later_transfer(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  platform.ports = LS_PORTS_ONE;
  platform.prepare.latency_s = 0.5;
  platform.workers[0].costs[LS_OPERATION_TRANSFER].latency_s = 1;
  platform.workers[0].costs[LS_OPERATION_REPLY].latency_s = 5;
  struct ls_simulation setup = make_simulation(&platform, "ss", 2);
  setup.prefetch = 0;
  struct ls_timeline timeline;
  run_recorded(&setup, &timeline);
  assert_near(find_span(&timeline, LS_OPERATION_REPLY, 0)->start_s, 2.5, 0);
  assert_near(find_span(&timeline, LS_OPERATION_TRANSFER, 1)->start_s, 7.5, 0);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void a_chunk_for_a_lost_worker_is_not_carried(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  for (size_t i = 0; i < 2; i++) platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = 4;
  struct ls_simulation setup = make_simulation(&platform, "ss", 2);
  struct ls_simulated_change leave = {1, 2};
  setup.leave = &leave;
  setup.leave_count = 1;
  struct ls_timeline timeline;
  struct ls_simulated result = run_recorded(&setup, &timeline);
  assert_int_equal(result.units_done, 2);
  for (size_t i = 0; i < timeline.spans_count; i++)
    assert_false(timeline.spans[i].operation == LS_OPERATION_TRANSFER &&
                 timeline.spans[i].worker == 1);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(transfers_wait_for_each_other),
      cmocka_unit_test(replies_share_one_port_and_not_two),
      cmocka_unit_test(an_earlier_reply_goes_before_a_later_transfer),
      cmocka_unit_test(a_chunk_for_a_lost_worker_is_not_carried),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
