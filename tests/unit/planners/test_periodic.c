#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "scow_fixture.h"

/* (n + 1) T(n) of one n. */
static double predict(const struct ls_plan *plan, const struct ls_scow_star *star, double rounds,
                      const double *units) {
  double period_s = ls_plan_get(plan, "a", 0) / rounds + ls_plan_get(plan, "b", 0);
  for (size_t i = 0; i < star->count; i++)
    period_s = fmax(period_s,
                    ls_cost_time(&star->items[i].compute, units[star->items[i].number] / rounds));
  return (rounds + 1) * period_s;
}

static void no_number_of_rounds_is_better_and_the_replay_is_within(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "periodic");
  for (int turn = 0; turn < 60; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    struct ls_plan plan;
    double units[16];
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    scow_star(&platform, &star);
    scow_plan(&platform, star_draw(&random, 20, 3000), false, "periodic", &plan);
    double predicted_s = ls_plan_get(&plan, "predicted_makespan", 0);
    ls_plan_units(&plan, platform.workers_count, units);
    for (double rounds = 1; rounds <= 300; rounds++)
      assert_true(predict(&plan, &star, rounds, units) >= predicted_s * (1 - 1e-9));
    assert_true(plan.makespan_s <= predicted_s * (1 + 1e-9));
    ls_plan_close(&plan);
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

static void without_latencies_of_sending_chunks_are_units(void **state) {
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  scow_grid(&platform, 4, (struct ls_cost){0, 0.2}, (struct ls_cost){0.1, 1});
  scow_plan(&platform, 100, true, "periodic", &plan);
  assert_true(ls_plan_has(&plan, "why"));
  expect_near(plan.chunks[0].units, 1, 0);
  assert_int_equal(ls_plan_rounds(&plan), 25);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The thesis ends PERIODIC as it ends SCOW (section 6.2): never later than equal rounds, and near
 * to what it simulates (Table 6-4: 53.309, 91.536 and 37.009 s). */
static void workers_that_end_together_end_sooner(void **state) {
  static const struct {
    double bandwidth, makespan_s;
  } cells[] = {{22, 53.4346}, {12, 91.6226}, {34, 37.1493}};
  (void)state;
  for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
    struct ls_platform platform;
    size_t workers = (size_t)cells[i].bandwidth;
    scow_published(&platform, workers, cells[i].bandwidth);
    double makespan_s = scow_makespan(&platform, 1000, false, "periodic:last=together");
    if (!(fabs(makespan_s - cells[i].makespan_s) < 1e-4)) fail_msg("%.17g", makespan_s);
    ls_platform_close(&platform);
  }
}

static void a_last_round_of_its_own_is_never_longer(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "periodic-last");
  size_t sooner = 0;
  for (int turn = 0; turn < 60; turn++) {
    struct ls_platform platform;
    bool is_whole = turn % 2 > 0;
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    double load = floor(star_draw(&random, 20, 3000));
    double equal_s = scow_makespan(&platform, load, is_whole, "periodic");
    double together_s = scow_makespan(&platform, load, is_whole, "periodic:last=together");
    assert_true(together_s <= equal_s * (1 + 1e-9));
    sooner += !is_whole && together_s < equal_s * (1 - 1e-3);
    ls_platform_close(&platform);
  }
  assert_true(sooner > 20); /* of 30: whole units may carry remainders instead */
}

/* Rounds of few units, rounded alike, are far from their rates. */
static void whole_units_lose_little(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "periodic-whole");
  for (int turn = 0; turn < 90; turn++) {
    struct ls_platform platform;
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    double load = floor(star_draw(&random, 200, 3000));
    double real_s = scow_makespan(&platform, load, false, "periodic");
    double whole_s = scow_makespan(&platform, load, true, "periodic");
    if (!(whole_s <= real_s * 1.03)) fail_msg("turn %d: %g s, real %g s", turn, whole_s, real_s);
    ls_platform_close(&platform);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_number_of_rounds_is_better_and_the_replay_is_within),
      cmocka_unit_test(without_latencies_of_sending_chunks_are_units),
      cmocka_unit_test(workers_that_end_together_end_sooner),
      cmocka_unit_test(whole_units_lose_little),
      cmocka_unit_test(a_last_round_of_its_own_is_never_longer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
