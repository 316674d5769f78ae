/* Two players of one plan: the replay of the model, and SimGrid, the field's reference simulator
 * (a separate program, simgrid_player.c).  They share no code, so what they agree on is the model
 * and not a common mistake. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/random.h"
#include "model/replay.h"
#include "planners/planner.h"
#include "star_exchange.h"

enum { PLANS = 240, WORKERS_MAX = 9, ROUNDS_MAX = 6 };

static const char *player;

struct world {
  struct ls_random random;
  char file[32];
  FILE *out;
  double replayed_s[PLANS];
  size_t count;
};

static double draw(struct ls_random *random, double least, double most) {
  return least + (most - least) * ls_random_real(random);
}

static void open_world(struct world *world, uint64_t seed) {
  *world = (struct world){.file = "/tmp/loadstar-plans-XXXXXX"};
  ls_random_init(&world->random, seed, "simgrid");
  int handle = mkstemp(world->file);
  assert_true(handle >= 0);
  world->out = fdopen(handle, "w");
  assert_non_null(world->out);
}

/* Different workers, with latencies everywhere; some without a delay. */
static void draw_platform(struct world *world, struct ls_platform *platform) {
  struct ls_random *random = &world->random;
  assert_int_equal(ls_platform_init(platform, 1 + ls_random_below(random, WORKERS_MAX), NULL),
                   LS_OK);
  double slowness = draw(random, 0.3, 2) / (double)platform->workers_count;
  for (size_t i = 0; i < platform->workers_count; i++) {
    struct ls_worker_model *worker = &platform->workers[i];
    worker->costs[LS_OPERATION_TRANSFER] =
        (struct ls_cost){draw(random, 0.001, 0.5), draw(random, 0.2, 2) * slowness};
    worker->delay_s = ls_random_below(random, 2) ? draw(random, 0, 3) : 0;
    worker->costs[LS_OPERATION_COMPUTE] =
        (struct ls_cost){draw(random, 0.001, 1), draw(random, 0.2, 3)};
  }
}

/* Any worker, any size: messages that wait, workers that idle. */
static void draw_plan(struct world *world, const struct ls_platform *platform,
                      struct ls_plan *plan) {
  struct ls_random *random = &world->random;
  size_t count = 1 + ls_random_below(random, platform->workers_count * ROUNDS_MAX);
  ls_plan_init(plan, "random", 1);
  for (size_t i = 0; i < count; i++) {
    uint32_t worker = (uint32_t)ls_random_below(random, platform->workers_count);
    ls_plan_add(plan, worker, (uint32_t)i, draw(random, 0.01, 30));
  }
}

static void write_plan(struct world *world, const struct ls_platform *platform,
                       const struct ls_plan *plan) {
  assert_true(world->count < PLANS);
  assert_int_equal(ls_replay_makespan(plan, platform, &world->replayed_s[world->count++], NULL),
                   LS_OK);
  star_write(world->out, platform, plan);
}

/* Plays all plans; the largest relative difference. */
static double compare_world(struct world *world) {
  static struct star_answer answers[PLANS];
  double largest = 0;
  assert_int_equal(fclose(world->out), 0);
  assert_int_equal(star_play(player, world->file, answers, PLANS), world->count);
  unlink(world->file);
  for (size_t i = 0; i < world->count; i++) {
    double difference = fabs(answers[i].makespan_s / world->replayed_s[i] - 1);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

static void random_plans_end_as_in_simgrid(void **state) {
  struct world world;
  (void)state;
  open_world(&world, 1);
  for (size_t i = 0; i < PLANS; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    draw_platform(&world, &platform);
    draw_plan(&world, &platform, &plan);
    write_plan(&world, &platform, &plan);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  double difference = compare_world(&world);
  if (!(difference <= 1e-9)) fail_msg("largest relative difference %.3g", difference);
}

static void planned_schedules_end_as_in_simgrid(void **state) {
  const char *const names[] = {"umr", "umr-best", "xmi", "lp:2"};
  struct world world;
  (void)state;
  open_world(&world, 2);
  for (size_t i = 0; i < 60; i++) {
    struct ls_platform platform;
    struct ls_plan plan;
    const struct ls_planner *planner;
    draw_platform(&world, &platform);
    struct ls_planner_setup setup = {.platform = &platform, .load = 200};
    assert_int_equal(ls_planner_parse(names[i % 4], &planner, &setup, NULL), LS_OK);
    assert_int_equal(ls_planner_run(planner, &setup, NULL, &plan, NULL), LS_OK);
    assert_int_equal(plan.outcome, LS_PLAN_OK);
    write_plan(&world, &platform, &plan);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
  double difference = compare_world(&world);
  if (!(difference <= 1e-9)) fail_msg("largest relative difference %.3g", difference);
}

/* A comparison that cannot see a difference would prove nothing: a hundredth of one chunk shows. */
static void another_plan_ends_differently(void **state) {
  struct world world;
  struct ls_platform platform;
  struct ls_plan plan;
  (void)state;
  open_world(&world, 3);
  draw_platform(&world, &platform);
  draw_plan(&world, &platform, &plan);
  write_plan(&world, &platform, &plan);
  for (size_t i = 0; i < plan.chunks_count; i++) plan.chunks[i].units *= 1.01;
  assert_int_equal(ls_replay_makespan(&plan, &platform, &world.replayed_s[0], NULL), LS_OK);
  assert_true(compare_world(&world) > 1e-4);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_plans_end_as_in_simgrid),
      cmocka_unit_test(planned_schedules_end_as_in_simgrid),
      cmocka_unit_test(another_plan_ends_differently),
  };
  if (count != 2) {
    fprintf(stderr, "usage: test_simgrid PLAYER\n");
    return 2;
  }
  player = words[1];
  return cmocka_run_group_tests(tests, NULL, NULL);
}
