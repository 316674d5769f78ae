#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/replay.h"
#include "planners/star/port_groups.h"
#include "star_fixture.h"

/* k workers at once are one that computes k times as fast, and to which k^(alpha-1) of the time is
 * sent: on a star of such workers, one transfer at a time, uniform rounds take as long. */
static void equal_groups_take_as_long_as_workers_of_their_speed(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "groups");
  for (int turn = 0; turn < 100; turn++) {
    size_t count = 1 + ls_random_below(&random, 6), size = 2 + ls_random_below(&random, 5);
    double alpha = ls_random_real(&random), load = star_draw(&random, 100, 1000);
    struct ls_cost send = {star_draw(&random, 0, 0.1), star_draw(&random, 0.01, 0.1)};
    struct ls_cost compute = {star_draw(&random, 0, 0.3), star_draw(&random, 0.8, 1.2)};
    struct ls_platform wide, narrow;
    assert_int_equal(ls_platform_init(&wide, count * size, NULL), LS_OK);
    assert_int_equal(ls_platform_init(&narrow, count, NULL), LS_OK);
    wide.ports = LS_PORTS_MULTI;
    wide.ports_alpha = alpha;
    wide.ports_limit = size;
    for (size_t i = 0; i < count * size; i++) {
      wide.workers[i].costs[LS_OPERATION_TRANSFER] = send;
      wide.workers[i].costs[LS_OPERATION_COMPUTE] = compute;
    }
    for (size_t i = 0; i < count; i++) {
      narrow.workers[i].costs[LS_OPERATION_TRANSFER] =
          (struct ls_cost){send.latency_s, send.per_unit_s * pow((double)size, alpha - 1)};
      narrow.workers[i].costs[LS_OPERATION_COMPUTE] =
          (struct ls_cost){compute.latency_s, compute.per_unit_s / (double)size};
    }
    double expected_s = star_makespan(&narrow, load, "umr-best");
    double got_s = star_makespan(&wide, load, "umr-best");
    if (!(got_s <= expected_s * (1 + 1e-9)))
      fail_msg("turn %d: %.17g, on one port %.17g", turn, got_s, expected_s);
    if (!(star_makespan(&wide, load, "umr") <= star_makespan(&narrow, load, "umr") * (1 + 1e-9)))
      fail_msg("turn %d: umr", turn);
    ls_platform_close(&narrow);
    ls_platform_close(&wide);
  }
}

/* 50 workers of section 6.4 of the paper: one at a time took 26.8 s. */
static void rounds_use_connections_that_help(void **state) {
  struct ls_platform platform;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 50, NULL), LS_OK);
  platform.ports = LS_PORTS_MULTI;
  platform.ports_alpha = 0.3;
  for (size_t i = 0; i < 50; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.09, 0.01};
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.99, 1};
  }
  double parallel_s = star_makespan(&platform, 1000, "one-round-parallel");
  assert_true(star_makespan(&platform, 1000, "umr") <= parallel_s * (1 + 1e-9));
  assert_true(star_makespan(&platform, 1000, "umr-best") <= parallel_s * (1 + 1e-9));
  /* Small latencies of computing: rounds are sooner than one. */
  for (size_t i = 0; i < 50; i++) platform.workers[i].costs[LS_OPERATION_COMPUTE].latency_s = 0.01;
  parallel_s = star_makespan(&platform, 1000, "one-round-parallel");
  assert_true(star_makespan(&platform, 1000, "umr") < parallel_s - 0.3);
  ls_platform_close(&platform);
}

/* What was planned for one transfer at a time is never better. */
static void plans_are_no_longer_than_those_in_turn(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "groups");
  for (int turn = 0; turn < 200; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    star_open(&platform, &random, turn % 2 ? STAR_DIFFERENT : STAR_IDENTICAL, 12);
    double load = star_draw(&random, 20, 500), in_turn_s = (double)INFINITY;
    star_plan(&platform, load, "umr", &plan);
    platform.ports = LS_PORTS_MULTI;
    platform.ports_alpha = ls_random_real(&random);
    platform.ports_limit = turn % 3 ? ls_random_below(&random, 6) : 0;
    if (plan.outcome == LS_PLAN_OK)
      assert_int_equal(ls_replay_makespan(&plan, &platform, &in_turn_s, NULL), LS_OK);
    ls_plan_close(&plan);
    double umr_s = star_makespan(&platform, load, "umr");
    assert_true(umr_s <= in_turn_s * (1 + 1e-9));
    assert_true(star_makespan(&platform, load, "umr-best") <= umr_s * (1 + 1e-9));
    ls_platform_close(&platform);
  }
}

/* A member whose latency is longer than the others' work gets nothing; the units are the same. */
static void members_end_together_or_get_nothing(void **state) {
  struct ls_platform platform;
  struct ls_port_groups groups;
  struct ls_plan plan;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  platform.ports = LS_PORTS_MULTI;
  static const struct ls_cost computes[] = {{1, 1}, {2, 0.5}, {50, 1}};
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0, 0.1};
    platform.workers[i].costs[LS_OPERATION_COMPUTE] = computes[i];
  }
  assert_int_equal(ls_port_groups_size(&platform), 3);
  assert_int_equal(ls_port_groups_open(&groups, &platform, NULL), LS_OK);
  assert_int_equal(groups.star.count, 1);
  ls_plan_init(&plan, "test", 13);
  ls_plan_add(&plan, 0, 0, 13);
  assert_int_equal(ls_port_groups_divide(&groups, &plan, NULL), LS_OK);
  assert_int_equal(plan.chunks_count, 2);
  double ends[2];
  for (size_t i = 0; i < 2; i++)
    ends[plan.chunks[i].worker] = computes[plan.chunks[i].worker].latency_s +
                                  computes[plan.chunks[i].worker].per_unit_s * plan.chunks[i].units;
  assert_true(fabs(ends[0] - ends[1]) < 1e-9);
  assert_true(fabs(plan.chunks[0].units + plan.chunks[1].units - 13) < 1e-9);
  ls_plan_close(&plan);
  ls_port_groups_close(&groups);
  platform.ports = LS_PORTS_TWO;
  assert_int_equal(ls_port_groups_size(&platform), 1);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_groups_take_as_long_as_workers_of_their_speed),
      cmocka_unit_test(rounds_use_connections_that_help),
      cmocka_unit_test(plans_are_no_longer_than_those_in_turn),
      cmocka_unit_test(members_end_together_or_get_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
