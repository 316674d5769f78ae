#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "scow_fixture.h"

/* Table 6-2 of the thesis, truncated to 3 digits: makespan, workers, mean use of the workers. */
static const struct {
  double bandwidth, makespan_s, workers;
} published[] = {{11, 99.058, 11}, {22, 53.427, 21}, {33, 38.2375, 30},
                 {12, 91.453, 12}, {23, 51.434, 22}, {34, 37.321, 31}};

static void the_published_makespans_come_out(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double units[60], used = 0;
    scow_published(&platform, 60, published[i].bandwidth);
    scow_plan(&platform, 1000, false, "scow-mp:search=published", &plan);
    double predicted_s = ls_plan_get(&plan, "predicted_makespan", 0);
    assert_true(predicted_s >= published[i].makespan_s &&
                predicted_s < published[i].makespan_s + 1e-3);
    assert_true(fabs(plan.makespan_s - predicted_s) <= 3e-3);
    ls_plan_units(&plan, 60, units);
    for (size_t k = 0; k < 60; k++) used += units[k] > 0;
    expect_near(used, published[i].workers, 0);
    ls_plan_close(&plan);
    /* The search by replay is no worse. */
    assert_true(scow_makespan(&platform, 1000, false, "scow-mp") <= predicted_s * (1 + 1e-4));
    ls_platform_close(&platform);
  }
}

static void what_the_published_search_does_not_know_is_refused(void **state) {
  struct ls_platform platform;
  (void)state;
  scow_published(&platform, 4, 11);
  assert_true(isinf(scow_makespan(&platform, 1000, true, "scow-mp:search=published")));
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
  assert_true(isinf(scow_makespan(&platform, 1000, false, "scow-mp:search=published")));
  assert_true(isfinite(scow_makespan(&platform, 1000, false, "scow-mp")));
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_makespans_come_out),
      cmocka_unit_test(what_the_published_search_does_not_know_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
