#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "advise/star_batch.h"
#include "base/random.h"
#include "planners/planner.h"

enum { PLATFORMS = 70, TURNS = 25 };

struct world {
  struct ls_star_batch_setup setup;
  double transfer_s[PLATFORMS], compute_s[PLATFORMS];
};

/* Rates above and below what keeps all workers busy; runs of equal transfer latencies. */
static void draw_world(struct world *world, uint64_t seed) {
  struct ls_random random;
  ls_random_init(&random, seed, "star");
  for (size_t i = 0; i < PLATFORMS; i++) {
    bool repeats = i > 0 && ls_random_below(&random, 3) > 0;
    world->transfer_s[i] =
        repeats ? world->transfer_s[i - 1] : 0.1 * (double)ls_random_below(&random, 8);
    world->compute_s[i] = 0.1 * (double)ls_random_below(&random, 12);
  }
  size_t workers = 1 + ls_random_below(&random, 12);
  world->setup = (struct ls_star_batch_setup){
      .workers = workers,
      .load = 50 + 1000 * ls_random_real(&random),
      .transfer_per_unit_s = 1 / ((double)workers * (0.5 + 3 * ls_random_real(&random))),
      .compute_per_unit_s = 0.3 + ls_random_real(&random),
      .transfer_latencies_s = world->transfer_s,
      .compute_latencies_s = world->compute_s,
      .count = 1 + ls_random_below(&random, PLATFORMS)};
}

static double plan_alone(const struct world *world, size_t index, const char *label) {
  const struct ls_planner *planner = NULL;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_planner_setup setup = {.platform = &platform, .load = world->setup.load};
  assert_int_equal(ls_platform_init(&platform, world->setup.workers, NULL), LS_OK);
  for (size_t i = 0; i < platform.workers_count; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){world->transfer_s[index], world->setup.transfer_per_unit_s};
    platform.workers[i].costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){world->compute_s[index], world->setup.compute_per_unit_s};
  }
  assert_int_equal(ls_planner_parse(label, &planner, &setup, NULL), LS_OK);
  assert_int_equal(ls_planner_run(planner, &setup, label, &plan, NULL), LS_OK);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  double makespan_s = plan.makespan_s;
  ls_plan_close(&plan);
  ls_platform_close(&platform);
  return makespan_s;
}

static size_t expect_same(const struct world *world, bool is_covered, const char *label,
                          const double *makespans_s) {
  for (size_t i = 0; is_covered && i < world->setup.count; i++) {
    double alone_s = plan_alone(world, i, label);
    if (memcmp(&alone_s, &makespans_s[i], sizeof alone_s) != 0)
      fail_msg("%s, platform %zu: %.17g together, %.17g alone", label, i, makespans_s[i], alone_s);
  }
  return is_covered;
}

/* Not one bit may differ, and what is not covered may not be all. */
static void together_has_the_digits_of_the_planners(void **state) {
  (void)state;
  size_t covered = 0;
  for (uint64_t turn = 0; turn < TURNS; turn++) {
    struct world world;
    struct ls_star_batch *batch = NULL;
    double makespans_s[PLATFORMS];
    char label[16];
    draw_world(&world, turn);
    assert_int_equal(ls_star_batch_create(&batch, &world.setup, NULL), LS_OK);
    bool is_covered = ls_star_batch_umr(batch, makespans_s);
    covered += expect_same(&world, is_covered, "umr", makespans_s);
    is_covered = ls_star_batch_one_round(batch, makespans_s);
    covered += expect_same(&world, is_covered, "one-round", makespans_s);
    size_t installments = turn == 0 ? LS_STAR_BATCH_INSTALLMENTS_MAX : 1 + turn % 9;
    (void)snprintf(label, sizeof label, "mi:%zu", installments);
    is_covered = ls_star_batch_installments(batch, installments, makespans_s);
    covered += expect_same(&world, is_covered, label, makespans_s);
    ls_star_batch_destroy(batch);
  }
  assert_true(covered > 2 * TURNS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(together_has_the_digits_of_the_planners),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
