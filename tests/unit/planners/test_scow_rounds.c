#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/plan_repeat.h"
#include "planners/scow/scow_rounds.h"
#include "scow_fixture.h"

static void sizes_keep_limits_and_sum(void **state) {
  struct ls_random random;
  size_t found = 0;
  (void)state;
  ls_random_init(&random, 1, "slots");
  for (int turn = 0; turn < 2000; turn++) {
    struct ls_scow_slot items[12];
    struct ls_scow_slots slots = {.items = items, .count = 1 + ls_random_below(&random, 12)};
    double sum = 0;
    bool is_found;
    slots.is_whole = ls_random_below(&random, 2) == 0;
    for (size_t i = 0; i < slots.count; i++) {
      double least = (double)ls_random_below(&random, 4);
      items[i] = (struct ls_scow_slot){star_draw(&random, -1, 20), least,
                                       least + 2 + (double)ls_random_below(&random, 20)};
    }
    slots.total = ceil(star_draw(&random, 0, 8 * (double)slots.count));
    assert_int_equal(ls_scow_fit_slots(&slots, &is_found, NULL), LS_OK);
    if (!is_found) continue;
    for (size_t i = 0; i < slots.count; i++) {
      double units = items[i].units;
      assert_true(units >= 0 && units <= items[i].most * (1 + 1e-9));
      assert_true(!(units > 0) || units >= items[i].least * (1 - 1e-9));
      if (slots.is_whole) assert_true(floor(units) >= units);
      sum += units;
    }
    expect_near(sum, slots.total, 1e-9);
    found++;
  }
  assert_true(found > 1000);
}

/* 10^6 periods: one body, one last round, whole or not, within a window. */
static void a_million_rounds_are_a_few_chunks(void **state) {
  (void)state;
  for (int turn = 0; turn < 4; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    bool is_whole = turn % 2;
    scow_grid(&platform, 4, (struct ls_cost){0.01, 0.01}, (struct ls_cost){0.1, 1});
    scow_plan(&platform, 4e7 + 3, is_whole,
              turn < 2 ? "steady-state:10" : "steady-state:window=2-9", &plan);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    assert_true(plan.chunks_count <= 8);
    assert_true(ls_plan_rounds(&plan) >= 1000000);
    if (is_whole) assert_true(ls_plan_is_whole(&plan));
    for (size_t i = 0; i < plan.chunks_count; i++)
      if (turn >= 2) assert_true(plan.chunks[i].units <= 9 * (1 + 1e-9));
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* Four chunks of 10 to 20 units: every load from 40 on is some rounds of 40 to 80, also where equal
 * ones of the wanted size leave a rest that is no round. */
static void rounds_keep_to_windows_of_the_platform(void **state) {
  static const char *const planners[] = {"steady-state", "asymptotic", "periodic"};
  (void)state;
  for (size_t turn = 0; turn < 6; turn++) {
    struct ls_platform platform;
    scow_grid(&platform, 4, (struct ls_cost){0.1, 0.05}, (struct ls_cost){0.3, 1});
    for (size_t i = 0; i < 4; i++) {
      platform.workers[i].window_from = 10;
      platform.workers[i].window_to = 20;
    }
    for (double load = 40; load < 1000; load += load < 180 ? 1 : 37) {
      struct ls_plan plan;
      scow_plan(&platform, load, turn % 2, planners[turn / 2], &plan);
      if (plan.outcome != LS_PLAN_OK)
        fail_msg("%s, %g units: %s", planners[turn / 2], load, plan.why);
      for (size_t i = 0; i < plan.chunks_count; i++)
        assert_true(plan.chunks[i].units >= 10 * (1 - 1e-9) &&
                    plan.chunks[i].units <= 20 * (1 + 1e-9));
      ls_plan_close(&plan);
    }
    ls_platform_close(&platform);
  }
}

/* No worker has a window: that is not the reason. */
static void too_many_rounds_are_refused_by_their_number(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_grid(&platform, 3, (struct ls_cost){0.1, 0.06}, (struct ls_cost){0.1, 1});
  scow_plan(&platform, 1e17, false, "steady-state:1", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "rounds of 3 units are more than a plan counts"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_keep_limits_and_sum),
      cmocka_unit_test(rounds_keep_to_windows_of_the_platform),
      cmocka_unit_test(a_million_rounds_are_a_few_chunks),
      cmocka_unit_test(too_many_rounds_are_refused_by_their_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
