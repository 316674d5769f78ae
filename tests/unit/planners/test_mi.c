#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "planners/rounds/mi.h"
#include "umr_fixture.h"

enum { SEEDS = 200, SIZES_MAX = 400 };

static void remove_latencies(struct scene *scene) {
  for (size_t i = 0; i < scene->platform.workers_count; i++) {
    scene->platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = 0;
    scene->platform.workers[i].costs[LS_OPERATION_COMPUTE].latency_s = 0;
  }
}

/* Property 6: on what the theory covers, nobody waits and all end together. */
static void without_latencies_nobody_waits(void **state) {
  (void)state;
  size_t judged = 0;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 8);
    remove_latencies(&scene);
    for (int x = 1; scene.is_identical && x <= 8; x++) {
      struct ls_plan plan;
      char text[16];
      snprintf(text, sizeof text, "mi:%d", x);
      plan_valid(&scene, text, &plan);
      struct waits waits = find_waits(&plan);
      assert_true(waits.gap_s <= 1e-9 * plan.makespan_s);
      assert_true(waits.spread_s <= 1e-9 * plan.makespan_s);
      ls_plan_close(&plan);
      judged++;
    }
    close_scene(&scene);
  }
  assert_true(judged > 100);
}

static void more_installments_never_take_longer_without_latencies(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 8);
    remove_latencies(&scene);
    if (scene.is_identical) {
      double one_s = makespan_of(&scene, "mi:1"), two_s = makespan_of(&scene, "mi:2");
      assert_true(two_s <= one_s * (1 + 1e-9));
      assert_true(makespan_of(&scene, "mi:7") <= two_s * (1 + 1e-9));
    }
    close_scene(&scene);
  }
}

static void one_installment_without_latencies_is_one_round(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct scene scene;
    open_scene(&scene, seed, 8);
    remove_latencies(&scene);
    if (scene.is_identical) {
      require_close(&scene, "mi:1", makespan_of(&scene, "mi:1"), makespan_of(&scene, "one-round"),
                    1e-9);
    }
    close_scene(&scene);
  }
}

/* The recurrence as it is printed: every sum anew. */
static void sizes_follow_the_recurrence(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct ls_random random;
    double units[SIZES_MAX + 20], naive[SIZES_MAX], sum = 0;
    ls_random_init(&random, seed, "recurrence");
    size_t count = 1 + ls_random_below(&random, 20),
           installments = 1 + ls_random_below(&random, 20);
    double ratio = between(&random, 0.001, 1);
    ls_mi_sizes(ratio, count, installments, 100, units);
    for (size_t k = 0; k < count * installments; k++) {
      double window = 0;
      for (size_t m = k < count ? 0 : k - count; m < k; m++) window += naive[m];
      naive[k] = k == 0 ? 1 : k < count ? (1 + ratio) * naive[k - 1] : ratio * window;
      sum += naive[k];
    }
    for (size_t k = 0; k < count * installments; k++) {
      double expected = naive[k] * 100 / sum, got = units[count * installments - 1 - k];
      assert_true(is_close(got, expected, 1e-12));
    }
  }
}

/* (1 + s)^k leaves the range of numbers long before the last worker: only the shares count. */
static void shares_beyond_all_numbers_stay_shares(void **state) {
  static double units[6000];
  double sum = 0;
  (void)state;
  ls_mi_sizes(3, 2000, 2, 100, units);
  for (size_t i = 0; i < 4000; i++) {
    assert_true(units[i] >= 0 && isfinite(units[i]));
    sum += units[i];
  }
  assert_true(is_close(sum, 100, 1e-9));
}

static void latencies_are_charged_but_not_planned(void **state) {
  struct scene scene;
  struct ls_plan plan, same;
  (void)state;
  open_grid(&scene, 4, 8, 0, 0);
  plan_valid(&scene, "mi:3", &plan);
  close_scene(&scene);
  open_grid(&scene, 4, 8, 0.2, 0.05);
  plan_valid(&scene, "mi:3", &same);
  for (size_t i = 0; i < plan.chunks_count; i++) {
    assert_true(is_close(plan.chunks[i].units, same.chunks[i].units, 0));
  }
  assert_true(same.makespan_s > plan.makespan_s);
  ls_plan_close(&plan);
  ls_plan_close(&same);
  close_scene(&scene);
}

static void expect_refused(const struct scene *scene, const char *text, const char *reason) {
  struct ls_plan plan;
  plan_as(scene, text, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  if (strstr(plan.why, reason) == NULL) fail_msg("%s: %s", text, plan.why);
  assert_int_equal(plan.chunks_count, 0);
  ls_plan_close(&plan);
}

static void what_the_theory_does_not_cover_is_refused(void **state) {
  struct scene scene;
  (void)state;
  open_grid(&scene, 4, 8, 0.2, 0.05);
  expect_refused(&scene, "mi", "not given");
  expect_refused(&scene, "mi:0", "below 1");
  scene.platform.workers[1].delay_s = 1;
  expect_refused(&scene, "mi:2", "not identical");
  scene.platform.workers[1].delay_s = 0;
  for (size_t i = 0; i < 4; i++)
    scene.platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  expect_refused(&scene, "mi:2", "compute.per_unit");
  close_scene(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_latencies_nobody_waits),
      cmocka_unit_test(more_installments_never_take_longer_without_latencies),
      cmocka_unit_test(one_installment_without_latencies_is_one_round),
      cmocka_unit_test(sizes_follow_the_recurrence),
      cmocka_unit_test(shares_beyond_all_numbers_stay_shares),
      cmocka_unit_test(latencies_are_charged_but_not_planned),
      cmocka_unit_test(what_the_theory_does_not_cover_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
