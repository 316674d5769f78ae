#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <stdio.h>

#include "scow_fixture.h"

/* Table 6-2, truncated to 3 digits. */
static const struct {
  double bandwidth, makespan_s;
  int workers;
} published[] = {{11, 102.685, 10}, {22, 55.176, 19}, {33, 38.248, 29},
                 {12, 93.670, 11},  {23, 51.477, 21}, {34, 37.345, 30}};

static void the_published_makespans_come_out(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    char text[64];
    scow_published(&platform, 60, published[i].bandwidth);
    (void)snprintf(text, sizeof text, "scow-pwu:%d,search=published", published[i].workers);
    scow_plan(&platform, 1000, false, text, &plan);
    double predicted_s = ls_plan_get(&plan, "predicted_makespan", 0);
    assert_true(predicted_s >= published[i].makespan_s &&
                predicted_s < published[i].makespan_s + 1e-3);
    assert_true(fabs(plan.makespan_s - predicted_s) <= 3e-3);
    assert_true(ls_plan_get(&plan, "partial_chunk", 1) <= 0);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* B = 22 with 19 workers is not the best: 20 give 53.566. */
static void twenty_workers_are_better_than_the_printed_nineteen(void **state) {
  struct ls_platform platform;
  (void)state;
  scow_published(&platform, 60, 22);
  double twenty_s = scow_makespan(&platform, 1000, false, "scow-pwu:20,search=published");
  expect_near(twenty_s, 53.566, 2e-5);
  ls_platform_close(&platform);
}

/* Equal chunks for identical workers in every identical round. */
static void nobody_is_partly_busy(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "pwu");
  for (int turn = 0; turn < 20; turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    scow_open(&platform, &random, SCOW_IDENTICAL, 9);
    scow_plan(&platform, 1000, turn % 2, "scow-pwu", &plan);
    for (size_t i = plan.repeat.from; i < plan.repeat.to; i++)
      expect_near(plan.chunks[i].units, plan.chunks[plan.repeat.from].units, 1e-12);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_published_makespans_come_out),
      cmocka_unit_test(twenty_workers_are_better_than_the_printed_nineteen),
      cmocka_unit_test(nobody_is_partly_busy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
