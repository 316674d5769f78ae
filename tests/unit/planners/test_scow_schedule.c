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
#include "planners/scow/scow_schedule.h"
#include "scow_fixture.h"

/* Three workers: a growing round, five identical ones, a last and an auxiliary round. */
static void fill(struct ls_scow_schedule *schedule) {
  assert_int_equal(ls_scow_schedule_open(schedule, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    schedule->units[i] = 6;
    schedule->last[i] = i < 1 ? 6 : 4;
    schedule->ramp[i] = 2;
  }
  schedule->auxiliary[0] = 1;
  schedule->auxiliary_workers = 1;
  schedule->keep = 5;
  schedule->ramp_rounds = 1;
}

static void open_platform(struct ls_platform *platform, double reply_s) {
  scow_grid(platform, 3, (struct ls_cost){0.1, 0.1}, (struct ls_cost){0.5, 1});
  for (size_t i = 0; i < 3; i++) platform->workers[i].costs[LS_OPERATION_REPLY].latency_s = reply_s;
}

static void rounds_stand_in_their_order(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_scow_schedule schedule, copy;
  struct ls_plan plan, flat;
  (void)state;
  open_platform(&platform, 0);
  scow_star(&platform, &star);
  fill(&schedule);
  assert_int_equal(ls_scow_schedule_open(&copy, 3, NULL), LS_OK);
  ls_scow_schedule_copy(&copy, &schedule);
  ls_plan_init(&plan, "scow", 3 * 2 + 5 * 18 + 14 + 1);
  ls_scow_schedule_write(&copy, &star, &plan);
  assert_int_equal(plan.chunks_count, 10);
  assert_int_equal(ls_plan_messages(&plan), 22);
  expect_near(ls_scow_schedule_rounds(&schedule), 7, 0);
  assert_int_equal(ls_plan_unfolded(&plan, UINT64_MAX, &flat, NULL), LS_OK);
  for (size_t i = 0; i < flat.chunks_count; i++) assert_int_equal(flat.chunks[i].round, i / 3);
  /* Shrinking rounds stand behind the identical ones. */
  struct ls_plan falling;
  for (size_t i = 0; i < 3; i++) {
    schedule.last[i] = schedule.auxiliary[i] = 0;
    schedule.falling[i] = 4;
    schedule.falling[3 + i] = 2;
  }
  schedule.falling_rounds = 2;
  ls_scow_schedule_copy(&copy, &schedule);
  ls_plan_init(&falling, "scow", 3 * 2 + 5 * 18 + 12 + 6);
  ls_scow_schedule_write(&copy, &star, &falling);
  assert_int_equal(falling.chunks_count, 12);
  for (size_t i = 6; i < 12; i++) assert_true(falling.chunks[i].units == (i < 9 ? 4 : 2));
  assert_int_equal(ls_plan_rounds(&falling), 8);
  expect_near(ls_scow_schedule_rounds(&copy), 8, 0);
  ls_plan_close(&falling);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  ls_plan_close(&flat);
  ls_plan_close(&plan);
  ls_scow_schedule_close(&copy);
  ls_scow_schedule_close(&schedule);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

/* What the judge says is what the plan is worth, with and without results. */
static void the_judge_says_what_the_plan_is_worth(void **state) {
  (void)state;
  for (int turn = 0; turn < 3; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    struct ls_scow_schedule schedule;
    struct ls_scow_judge judge;
    struct ls_plan plan;
    double judged_s;
    open_platform(&platform, turn == 0 ? 0 : 0.7);
    if (turn == 2) platform.workers[1].costs[LS_OPERATION_REPLY].per_unit_s = 0.01;
    scow_star(&platform, &star);
    fill(&schedule);
    assert_int_equal(ls_scow_judge_open(&judge, &star, &platform, NULL), LS_OK);
    assert_true(judge.has_results == (turn == 1));
    assert_int_equal(ls_scow_judge_schedule(&judge, &schedule, &judged_s, NULL), LS_OK);
    ls_plan_init(&plan, "scow", 111);
    assert_int_equal(ls_scow_judge_write(&judge, &schedule, &plan, NULL), LS_OK);
    assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
    expect_near(plan.makespan_s, judged_s, 1e-12);
    assert_int_equal(plan.returns_count, turn == 1 ? 3 : 0);
    assert_true(ls_plan_repeats(&plan));
    /* The last chunk of each, first the worker that ends first. */
    for (size_t i = 1; i < plan.returns_count; i++)
      assert_true(plan.chunks[plan.returns[i - 1]].compute_end_s <=
                  plan.chunks[plan.returns[i]].compute_end_s);
    ls_plan_close(&plan);
    ls_scow_judge_close(&judge);
    ls_scow_schedule_close(&schedule);
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

/* An order of returns names no chunk of a body: the last round of a worker that has none behind it
 * is written out. */
static void a_worker_without_a_last_round_returns_its_last_play(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  struct ls_scow_schedule schedule;
  struct ls_scow_judge judge;
  struct ls_plan plan, flat;
  double judged_s;
  (void)state;
  open_platform(&platform, 0.7);
  scow_star(&platform, &star);
  fill(&schedule);
  schedule.last[2] = 0;
  assert_int_equal(ls_scow_judge_open(&judge, &star, &platform, NULL), LS_OK);
  assert_int_equal(ls_scow_judge_schedule(&judge, &schedule, &judged_s, NULL), LS_OK);
  ls_plan_init(&plan, "scow", 107);
  assert_int_equal(ls_scow_judge_write(&judge, &schedule, &plan, NULL), LS_OK);
  assert_int_equal(plan.repeat.times, 4);
  assert_int_equal(plan.returns_count, 3);
  assert_int_equal(ls_plan_unfolded(&plan, UINT64_MAX, &flat, NULL), LS_OK);
  for (size_t i = 0; i < flat.chunks_count; i++)
    assert_int_equal(flat.chunks[i].round, i < 20 ? i / 3 : 7);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
  expect_near(plan.makespan_s, judged_s, 1e-12);
  ls_plan_close(&flat);
  ls_plan_close(&plan);
  ls_scow_judge_close(&judge);
  ls_scow_schedule_close(&schedule);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

/* Long plans of a shared network are judged as the theory has it. */
static void a_plain_judge_knows_no_shared_network(void **state) {
  struct ls_platform platform, alone;
  struct ls_scow_star star;
  struct ls_scow_schedule schedule;
  struct ls_scow_judge judge;
  double shared_s, plain_s, alone_s;
  (void)state;
  open_platform(&platform, 0);
  open_platform(&alone, 0);
  platform.ports = LS_PORTS_MULTI;
  platform.ports_alpha = 0.5;
  scow_star(&platform, &star);
  fill(&schedule);
  assert_int_equal(ls_scow_judge_open(&judge, &star, &alone, NULL), LS_OK);
  assert_int_equal(ls_scow_judge_schedule(&judge, &schedule, &alone_s, NULL), LS_OK);
  ls_scow_judge_close(&judge);
  assert_int_equal(ls_scow_judge_open(&judge, &star, &platform, NULL), LS_OK);
  assert_int_equal(ls_scow_judge_schedule(&judge, &schedule, &shared_s, NULL), LS_OK);
  ls_scow_judge_plainly(&judge);
  assert_int_equal(ls_scow_judge_schedule(&judge, &schedule, &plain_s, NULL), LS_OK);
  expect_near(plain_s, alone_s, 0);
  assert_true(fabs(shared_s - alone_s) > 1e-6);
  ls_scow_judge_close(&judge);
  ls_scow_schedule_close(&schedule);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
  ls_platform_close(&alone);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_stand_in_their_order),
      cmocka_unit_test(the_judge_says_what_the_plan_is_worth),
      cmocka_unit_test(a_worker_without_a_last_round_returns_its_last_play),
      cmocka_unit_test(a_plain_judge_knows_no_shared_network),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
