#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/metrics.h"
#include "planners/scow/scow_rates.h"
#include "scow_fixture.h"

static void chunks_are_in_proportion_to_the_rates(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "steady");
  for (int turn = 0; turn < 40; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    struct ls_plan plan;
    double rates[16], units[16];
    scow_open(&platform, &random, SCOW_DIFFERENT, 9);
    scow_star(&platform, &star);
    struct ls_scow_rates found = ls_scow_rates_of(star.items, star.count, rates);
    scow_plan(&platform, 300, false, "steady-state", &plan);
    ls_plan_units(&plan, platform.workers_count, units);
    for (size_t i = 0; i < star.count; i++)
      expect_near(units[star.items[i].number], 300 * rates[i] / found.throughput, 1e-9);
    assert_true(plan.makespan_s >= 300 / found.throughput * (1 - 1e-9));
    expect_near(ls_plan_get(&plan, "lower_bound", 0), 300 / found.throughput, 1e-9);
    ls_plan_close(&plan);
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

static void its_argument_is_the_period(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_grid(&platform, 4, (struct ls_cost){0, 0.2}, (struct ls_cost){0, 1});
  scow_plan(&platform, 100, false, "steady-state:10", &plan);
  assert_int_equal(ls_plan_rounds(&plan), 3);
  expect_near(plan.chunks[0].units, 100.0 / 12, 1e-12);
  ls_plan_close(&plan);
  scow_plan(&platform, 100, false, "steady-state:workers=2", &plan);
  expect_near(ls_plan_get(&plan, "throughput", 0), 2, 1e-12);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunks_are_in_proportion_to_the_rates),
      cmocka_unit_test(its_argument_is_the_period),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
