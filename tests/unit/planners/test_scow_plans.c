#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "planners/scow/scow_search.h"
#include "scow_fixture.h"

/* A load too small for one chunk each: one round. */
static void a_small_load_is_one_round(void **state) {
  static const char *const names[] = {"scow-mp", "scow-pwu", "scow", "umr-scow"};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    for (int turn = 0; turn < 2; turn++) {
      struct ls_platform platform;
      struct ls_plan plan;
      double load = turn == 0 ? 3 : 0.25;
      scow_grid(&platform, 6, (struct ls_cost){0.5, 0.1}, (struct ls_cost){0.1, 1});
      scow_plan(&platform, load, turn == 0, names[i], &plan);
      assert_int_equal(plan.outcome, LS_PLAN_OK);
      double units[6], sum = 0;
      ls_plan_units(&plan, 6, units);
      for (size_t k = 0; k < 6; k++) sum += units[k];
      expect_near(sum, load, 1e-9);
      ls_plan_close(&plan);
      ls_platform_close(&platform);
    }
  }
}

/* What the parameters say agrees with the chunks. */
static void parameters_describe_the_plan(void **state) {
  static const char *const names[] = {
      "period",        "rounds_real",        "full_workers",       "chunk",
      "partial_chunk", "auxiliary_workers",  "predicted_makespan", "model_makespan",
      "lower_bound",   "worker_utilization", "network_utilization"};
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_published(&platform, 60, 33);
  scow_plan(&platform, 1000, false, "scow", &plan);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!ls_plan_has(&plan, names[i])) fail_msg("%s is missing", names[i]);
  expect_near(ls_plan_get(&plan, "chunk", 0), plan.chunks[0].units, 0);
  assert_true(plan.makespan_s >= ls_plan_get(&plan, "lower_bound", HUGE_VAL));
  size_t auxiliary = 0;
  uint32_t last = plan.chunks[plan.chunks_count - 1].round;
  for (size_t i = 0; i < plan.chunks_count; i++) auxiliary += plan.chunks[i].round == last;
  expect_near(ls_plan_get(&plan, "auxiliary_workers", 0), (double)auxiliary, 0);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_small_load_is_one_round),
      cmocka_unit_test(parameters_describe_the_plan),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
