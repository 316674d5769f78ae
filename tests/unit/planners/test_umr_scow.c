#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../../support/unless_sanitized.h"
#include "model/validate.h"
#include "scow_fixture.h"

/* Target 2: without growing rounds it is scow. */
static void it_is_never_worse_than_scow(void **state) {
  struct ls_random random;
  size_t better = 0;
  (void)state;
  ls_random_init(&random, 1, "umr-scow");
  for (int turn = 0; turn < UNLESS_SANITIZED(24, 6); turn++) {
    struct ls_platform platform;
    struct ls_plan plan;
    bool is_whole = turn % 2;
    double load = floor(star_draw(&random, 100, 3000));
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    double scow_s = scow_makespan(&platform, load, is_whole, "scow");
    scow_plan(&platform, load, is_whole, "umr-scow", &plan);
    assert_int_equal(ls_validate_plan(&plan, &platform, NULL), LS_OK);
    assert_true(plan.makespan_s <= scow_s * (1 + 1e-12));
    better += plan.makespan_s < scow_s * (1 - 1e-6) && ls_plan_get(&plan, "ramp_rounds", 0) >= 1;
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  assert_true(better > 0);
}

static void growing_rounds_pay_where_workers_limit(void **state) {
  struct ls_platform platform;
  (void)state;
  scow_grid(&platform, 8, (struct ls_cost){0.1, 0.05}, (struct ls_cost){0.5, 1});
  assert_true(scow_makespan(&platform, 4000, true, "scow") <= 515.4);
  assert_true(scow_makespan(&platform, 4000, true, "umr-scow") <= 507.2);
  ls_platform_close(&platform);
}

/* Growing chunks keep the window, too. */
static void its_window_is_kept(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_grid(&platform, 8, (struct ls_cost){0.1, 0.05}, (struct ls_cost){0.5, 1});
  scow_plan(&platform, 4000, true, "umr-scow:window=10-120", &plan);
  assert_true(ls_plan_get(&plan, "ramp_rounds", 0) >= 1);
  uint32_t tail = (uint32_t)ls_plan_get(&plan, "ramp_rounds", 0) + 1;
  for (size_t i = 0; i < plan.chunks_count; i++) {
    assert_true(plan.chunks[i].units <= 120);
    if (plan.chunks[i].round < tail) assert_true(plan.chunks[i].units >= 10);
  }
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_never_worse_than_scow),
      cmocka_unit_test(growing_rounds_pay_where_workers_limit),
      cmocka_unit_test(its_window_is_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
