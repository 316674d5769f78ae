#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <stdio.h>

#include "scow_fixture.h"

/* Table 6-2, truncated to 3 digits: with the workers of SCOW-MP, then of SCOW-PWU. */
static const struct {
  double bandwidth;
  int workers;
  double makespan_s;
} published[] = {{11, 11, 99.181}, {33, 30, 39.668}, {33, 29, 40.144}, {12, 12, 91.591},
                 {23, 22, 52.411}, {23, 21, 53.314}, {34, 31, 38.705}, {34, 30, 39.143}};

static void the_published_makespans_come_out(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    struct ls_platform platform;
    char text[32];
    scow_published(&platform, 60, published[i].bandwidth);
    (void)snprintf(text, sizeof text, "umr2:%d", published[i].workers);
    double makespan_s = scow_makespan(&platform, 1000, false, text);
    if (!(makespan_s >= published[i].makespan_s && makespan_s < published[i].makespan_s + 1e-3))
      fail_msg("B = %g, %s: %.6f, expected %.3f", published[i].bandwidth, text, makespan_s,
               published[i].makespan_s);
    ls_platform_close(&platform);
  }
}

/* Chunks that grow, shrink or stay. */
static void the_replay_is_the_formula(void **state) {
  struct ls_random random;
  size_t grow = 0, shrink = 0;
  (void)state;
  ls_random_init(&random, 1, "umr2");
  for (int turn = 0; turn < 200; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    char text[48];
    star_open(&platform, &random, STAR_IDENTICAL, 12);
    (void)snprintf(text, sizeof text, turn % 2 ? "umr2" : "umr2:%d,rounds=%d",
                   1 + (int)ls_random_below(&random, 12), 1 + (int)ls_random_below(&random, 9));
    scow_plan(&platform, star_draw(&random, 50, 2000), false, text, &plan);
    if (plan.outcome == LS_PLAN_OK) {
      expect_near(plan.makespan_s, ls_plan_get(&plan, "predicted_makespan", 0), 1e-9);
      double first = plan.chunks[0].units, last = plan.chunks[plan.chunks_count - 1].units;
      grow += last > first * (1 + 1e-9);
      shrink += last < first * (1 - 1e-9);
    }
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  assert_true(grow > 10 && shrink > 10);
}

static void different_workers_are_refused(void **state) {
  struct ls_platform platform;
  (void)state;
  scow_published(&platform, 4, 11);
  assert_true(isfinite(scow_makespan(&platform, 100, true, "umr2")));
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
  assert_true(isinf(scow_makespan(&platform, 100, false, "umr2")));
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_makespans_come_out),
      cmocka_unit_test(the_replay_is_the_formula),
      cmocka_unit_test(different_workers_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
