#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/replay.h"
#include "planners/scow/scow_last.h"
#include "scow_fixture.h"

enum { WORKERS = 11 };

/* 11 workers of B = 11, 10 of them with 7 units and one with 3 in every round. */
struct scene {
  struct ls_platform platform;
  struct ls_scow_star star;
  double units[WORKERS];
  struct ls_scow_rest rest;
};

static void open_scene(struct scene *scene, double load, double spacing_s) {
  scow_published(&scene->platform, WORKERS, 11);
  scow_star(&scene->platform, &scene->star);
  for (size_t i = 0; i < WORKERS; i++) scene->units[i] = i < 10 ? 7 : 3;
  scene->rest = (struct ls_scow_rest){.workers = scene->star.items,
                                      .count = WORKERS,
                                      .units = scene->units,
                                      .period_s = 7.03,
                                      .load = load,
                                      .spacing_s = spacing_s,
                                      .send_s = (double)NAN};
}

static void close_scene(struct scene *scene) {
  ls_scow_star_close(&scene->star);
  ls_platform_close(&scene->platform);
}

/* Identical rounds, the last one and the auxiliary one, as they are sent. */
static void play(const struct scene *scene, size_t auxiliary, const double *sizes, int rounds,
                 double *ends) {
  struct ls_plan plan;
  ls_plan_init(&plan, "last", 0);
  for (int round = 0; round < rounds; round++)
    for (size_t i = 0; i < WORKERS; i++)
      ls_plan_add(&plan, (uint32_t)i, (uint32_t)round, scene->units[i]);
  for (size_t i = 0; i < WORKERS; i++)
    ls_plan_add(&plan, (uint32_t)i, (uint32_t)rounds, i < auxiliary ? scene->units[i] : sizes[i]);
  for (size_t i = 0; i < auxiliary; i++)
    ls_plan_add(&plan, (uint32_t)i, (uint32_t)rounds + 1, sizes[i]);
  assert_int_equal(ls_replay(&plan, &scene->platform, NULL), LS_OK);
  for (size_t i = 0; i < plan.chunks_count; i++)
    ends[plan.chunks[i].worker] = plan.chunks[i].compute_end_s;
  ls_plan_close(&plan);
}

/* All end together, or K apart, when the replay says so: and then the end is the formula's. */
static void workers_end_so_far_apart_as_results_need(void **state) {
  static const double spacings[] = {0, 0.05, 0.2};
  (void)state;
  for (size_t k = 0; k < 3; k++) {
    struct scene scene;
    double sizes[WORKERS], ends[WORKERS], end_s;
    open_scene(&scene, 73, spacings[k]);
    size_t m = ls_scow_last_round(&scene.rest, sizes, &end_s);
    assert_int_equal(m, 5);
    double sum = 0;
    for (size_t i = 0; i < WORKERS; i++) {
      assert_true(sizes[i] >= 0 && sizes[i] <= 7);
      sum += sizes[i] + (i < m ? 7 : 0);
    }
    expect_near(sum, 73, 1e-12);
    /* Here a period is as long as what full workers compute, and the master sends. */
    play(&scene, m, sizes, 3, ends);
    double first_s = ls_scow_first_s(&scene.star.items[0], 7) + 3 * 7.03;
    expect_near(ends[0], first_s + end_s, 1e-9);
    /* The partial worker is free when its last chunk comes. */
    for (size_t i = 1; i + 1 < WORKERS; i++) expect_near(ends[i] - ends[i - 1], spacings[k], 1e-9);
    close_scene(&scene);
  }
}

/* Every m gives the whole load, the chosen one is the largest with sizes that are there. */
static void the_most_auxiliary_chunks_are_chosen(void **state) {
  (void)state;
  for (double load = 5; load <= 150; load += 5) {
    struct scene scene;
    double sizes[WORKERS], end_s, least[WORKERS + 1];
    open_scene(&scene, load, 0);
    size_t m = ls_scow_last_round(&scene.rest, sizes, &end_s), largest = 0;
    bool has_any = false;
    for (size_t k = 0; k <= WORKERS; k++) {
      double sum = 0;
      ls_scow_last_sizes(&scene.rest, k, sizes, &end_s);
      least[k] = HUGE_VAL;
      for (size_t i = 0; i < WORKERS; i++) {
        least[k] = fmin(least[k], sizes[i]);
        sum += sizes[i] + (i < k ? scene.units[i] : 0);
      }
      expect_near(sum, load, 1e-9);
      if (!(least[k] >= -1e-12)) continue;
      largest = k;
      has_any = true;
    }
    if (has_any) assert_int_equal(m, largest);
    close_scene(&scene);
  }
}

/* Theorem 11, corrected: T' <= T/2 + (m/n) C behind the last period. */
static void the_last_round_is_half_a_period(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "last");
  for (int turn = 0; turn < 200; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    double sizes[64], units[64], end_s;
    double h = star_draw(&random, 0.01, 0.1), c = 1, chunk = star_draw(&random, 2, 20);
    struct ls_cost send = {star_draw(&random, 0, 0.1), h},
                   compute = {star_draw(&random, 0, 0.3), c};
    double period_s = ls_cost_time(&compute, chunk);
    size_t count = (size_t)fmin(60, period_s / ls_cost_time(&send, chunk));
    if (count < 2) continue;
    scow_grid(&platform, count, send, compute);
    scow_star(&platform, &star);
    for (size_t i = 0; i < count; i++) units[i] = chunk;
    struct ls_scow_rest rest = {.workers = star.items,
                                .count = count,
                                .units = units,
                                .period_s = period_s,
                                .load = (double)count * chunk,
                                .send_s = (double)NAN};
    size_t m = ls_scow_last_round(&rest, sizes, &end_s);
    assert_true(end_s - period_s <=
                period_s / 2 + (double)m / (double)count * compute.latency_s + 1e-9);
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_end_so_far_apart_as_results_need),
      cmocka_unit_test(the_most_auxiliary_chunks_are_chosen),
      cmocka_unit_test(the_last_round_is_half_a_period),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
