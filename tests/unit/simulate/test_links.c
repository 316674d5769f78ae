/* Several transfers at once. */
#include "support.h"

#include "model/replay.h"
#include "model/validate.h"

static void open_multi(struct ls_platform *platform, size_t workers, double alpha, uint64_t limit) {
  open_platform(platform, workers);
  platform->ports = LS_PORTS_MULTI;
  platform->ports_alpha = alpha;
  platform->ports_limit = limit;
}

static double find_end(const struct ls_timeline *timeline, enum ls_operation operation,
                       uint64_t chunk) {
  for (size_t i = 0; i < timeline->spans_count; i++)
    if (timeline->spans[i].operation == operation && timeline->spans[i].chunk == chunk)
      return timeline->spans[i].end_s;
  fail_msg("no %s span of chunk %llu", ls_operation_name(operation), (unsigned long long)chunk);
  return 0;
}

static void play(struct ls_simulation *setup, struct ls_timeline *timeline) {
  struct ls_error err = {0};
  ls_timeline_init(timeline);
  setup->wants_spans = true;
  run_simulation(setup, timeline);
  if (ls_validate_timeline(timeline, &err) != LS_OK) fail_msg("%s", err.text);
}

static void separate_links_carry_at_once(void **state) {
  (void)state;
  struct ls_platform platform;
  open_multi(&platform, 2, 0, 0);
  for (size_t i = 0; i < 2; i++) platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 3;
  struct ls_simulation setup = make_simulation(&platform, "ss", 2);
  struct ls_timeline timeline;
  play(&setup, &timeline);
  assert_near(find_end(&timeline, LS_OPERATION_TRANSFER, 0), 3, 0);
  assert_near(find_end(&timeline, LS_OPERATION_TRANSFER, 1), 3, 0);
  assert_near(timeline.makespan_s, 4, 0);
  ls_timeline_close(&timeline);
  platform.ports_alpha = 1; /* one uplink: each has half of it */
  play(&setup, &timeline);
  assert_near(find_end(&timeline, LS_OPERATION_TRANSFER, 1), 6, 1e-12);
  assert_near(timeline.makespan_s, 7, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* Two chunks for worker 0 are ready at once, and that of worker 1 does not wait for them. */
static void a_link_carries_one_chunk_at_a_time(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_error err = {0};
  open_multi(&platform, 2, 0, 0);
  for (size_t i = 0; i < 2; i++) platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 3;
  ls_plan_init(&plan, "given", 3);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 0, 1, 1);
  ls_plan_add(&plan, 1, 0, 1);
  assert_int_equal(ls_plan_finish(&plan, &err), LS_OK);
  struct ls_simulation setup = make_simulation(&platform, "follow-plan", 3);
  setup.config.plan = &plan;
  struct ls_timeline timeline;
  play(&setup, &timeline);
  assert_near(find_end(&timeline, LS_OPERATION_TRANSFER, 0), 3, 0);
  assert_near(find_end(&timeline, LS_OPERATION_TRANSFER, 1), 6, 0);
  assert_near(find_end(&timeline, LS_OPERATION_TRANSFER, 2), 3, 0);
  ls_timeline_close(&timeline);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void draw_costs(struct ls_random *random, struct ls_platform *platform) {
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_cost *costs = platform->workers[i].costs;
    costs[LS_OPERATION_TRANSFER] = (struct ls_cost){draw(random, 0, 1), draw(random, 0.1, 1)};
    costs[LS_OPERATION_COMPUTE] = (struct ls_cost){draw(random, 0, 1), draw(random, 0.5, 2)};
    costs[LS_OPERATION_REPLY].per_unit_s = draw(random, 0.1, 1);
  }
}

/* One at a time is what two ports are. */
static void a_limit_of_one_is_two_ports(void **state) {
  (void)state;
  static const char *const names[] = {"ss", "gss", "fac2", "tss"};
  struct ls_random random;
  ls_random_init(&random, 5, "limit");
  for (size_t i = 0; i < 100; i++) {
    struct ls_platform platform;
    open_multi(&platform, 1 + ls_random_below(&random, 6), draw(&random, 0, 1), 1);
    draw_costs(&random, &platform);
    struct ls_simulation setup = make_simulation(&platform, names[i % 4], 60);
    setup.prefetch = ls_random_below(&random, 3);
    double one_by_one_s = run_simulation(&setup, NULL).makespan_s;
    platform.ports = LS_PORTS_TWO;
    assert_near(one_by_one_s, run_simulation(&setup, NULL).makespan_s, 1e-9);
    ls_platform_close(&platform);
  }
}

/* Where each worker gets one chunk, a plan that is followed is what its replay says. */
static void a_round_is_that_of_the_replay(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 6, "round");
  for (size_t i = 0; i < 200; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    struct ls_error err = {0};
    size_t workers = 1 + ls_random_below(&random, 8);
    uint64_t units = 0;
    open_multi(&platform, workers, draw(&random, 0, 1), ls_random_below(&random, 5));
    draw_costs(&random, &platform);
    ls_plan_init(&plan, "given", 0);
    for (uint32_t k = 0; k < workers; k++) {
      double chunk = 1 + (double)ls_random_below(&random, 9);
      ls_plan_add(&plan, k, 0, chunk);
      units += (uint64_t)chunk;
      plan.load += chunk;
    }
    if (ls_replay(&plan, &platform, &err) != LS_OK) fail_msg("%s", err.text);
    struct ls_simulation setup = make_simulation(&platform, "follow-plan", units);
    setup.config.plan = &plan;
    assert_near(run_simulation(&setup, NULL).makespan_s, plan.makespan_s, 1e-9);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

static void who_leaves_frees_nobody_else(void **state) {
  (void)state;
  struct ls_platform platform;
  open_multi(&platform, 3, 0.5, 2);
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 4;
    platform.workers[i].costs[LS_OPERATION_REPLY].per_unit_s = 2;
  }
  struct ls_simulation setup = make_simulation(&platform, "ss", 20);
  struct ls_simulated_change leave = {1, 9};
  setup.prefetch = 3;
  setup.leave = &leave;
  setup.leave_count = 1;
  struct ls_timeline timeline;
  play(&setup, &timeline);
  ls_timeline_close(&timeline);
  assert_int_equal(run_simulation(&setup, NULL).units_done, 20);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(separate_links_carry_at_once),
      cmocka_unit_test(a_link_carries_one_chunk_at_a_time),
      cmocka_unit_test(a_limit_of_one_is_two_ports),
      cmocka_unit_test(a_round_is_that_of_the_replay),
      cmocka_unit_test(who_leaves_frees_nobody_else),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
