#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "scow_fixture.h"

/* And (3.33), with O for tau: it tends to the bound. */
static void the_replay_is_no_longer_than_predicted(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "asymptotic");
  for (int turn = 0; turn < 60; turn++) {
    struct ls_platform platform;
    double load = pow(10, star_draw(&random, 2.5, 6)), worst = 0;
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    for (int step = 0; step < 2; step++) {
      struct ls_plan plan;
      scow_plan(&platform, step == 0 ? load : 16 * load, false, "asymptotic", &plan);
      if (plan.outcome == LS_PLAN_OK) {
        double bound_s = ls_plan_get(&plan, "lower_bound", 0);
        double excess = plan.makespan_s / bound_s - 1;
        double lost = ls_plan_get(&plan, "lost", 1), period_s = ls_plan_get(&plan, "period", 0);
        assert_true(plan.makespan_s <= ls_plan_get(&plan, "predicted_makespan", 0) * (1 + 1e-9));
        if (2 * lost <= 1)
          assert_true(plan.makespan_s <= bound_s + 2 * lost * bound_s + 2 * period_s + 1e-9);
        if (step == 1) assert_true(excess < worst);
        worst = excess;
      } else {
        worst = HUGE_VAL;
      }
      ls_plan_close(&plan);
    }
    ls_platform_close(&platform);
  }
}

static void latencies_as_long_as_the_period_are_refused(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_grid(&platform, 4, (struct ls_cost){2, 0.1}, (struct ls_cost){3, 1});
  scow_plan(&platform, 20, false, "asymptotic", &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  assert_non_null(strstr(plan.why, "latencies"));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_replay_is_no_longer_than_predicted),
      cmocka_unit_test(latencies_as_long_as_the_period_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
