#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>

#include "model/replay.h"
#include "planners/search/best_changes.h"
#include "planners/search/best_sizes.h"
#include "planners/star/reduced_star.h"
#include "star_fixture.h"

enum { STARS = 300, WORKERS_MAX = 5, MESSAGES_MAX = 25 };

/* A star, a random sequence, and its sizes. */
struct world {
  struct ls_platform platform;
  struct ls_reduced_star workers;
  struct ls_best_sizes sizes;
  uint32_t sequence[MESSAGES_MAX];
  size_t count;
  double load;
};

static void open_world(struct world *world, struct ls_random *random) {
  star_open(&world->platform, random, STAR_DIFFERENT, WORKERS_MAX);
  assert_int_equal(ls_reduced_star_init(&world->workers, &world->platform, NULL), LS_OK);
  assert_true(world->workers.is_exact);
  assert_int_equal(
      ls_best_sizes_init(&world->sizes, world->platform.workers_count, MESSAGES_MAX, NULL), LS_OK);
  world->count = 1 + ls_random_below(random, MESSAGES_MAX);
  for (size_t i = 0; i < world->count; i++) {
    world->sequence[i] = (uint32_t)ls_random_below(random, world->platform.workers_count);
  }
  world->load = star_draw(random, 1, 300);
}

static void close_world(struct world *world) {
  ls_best_sizes_close(&world->sizes);
  ls_reduced_star_close(&world->workers);
  ls_platform_close(&world->platform);
}

static bool find_from(struct world *world, size_t first, struct ls_best_suffix *suffix) {
  struct ls_best_order sequence = {.items = world->sequence + first, .count = world->count - first};
  return ls_best_sizes_find(&world->sizes, &world->workers, &sequence, world->load, suffix);
}

static bool find_suffix(struct world *world, struct ls_best_suffix *suffix) {
  return find_from(world, 0, suffix);
}

static void play_suffix(const struct world *world, const struct ls_best_suffix *suffix,
                        struct ls_plan *plan) {
  struct ls_error err;
  ls_plan_init(plan, "sizes", world->load);
  for (size_t k = suffix->first; k < world->count; k++) {
    double units = ls_best_sizes_units(&world->sizes, suffix, k);
    assert_true(units >= -1e-11 * world->load);
    if (units > 1e-12 * world->load) ls_plan_add(plan, world->sequence[k], 0, units);
  }
  if (ls_replay(plan, &world->platform, &err) != LS_OK) fail_msg("%s", err.text);
}

/* Units conserved, nobody waits after the first chunk, all end together, when the theory says. */
static void check_play(const struct world *world, const struct ls_best_suffix *suffix,
                       const struct ls_plan *plan) {
  double units = 0, free_s[WORKERS_MAX] = {0};
  assert_true(fabs(plan->makespan_s / suffix->makespan_s - 1) < 1e-9);
  for (size_t i = 0; i < plan->chunks_count; i++) {
    const struct ls_plan_chunk *chunk = &plan->chunks[i];
    units += chunk->units;
    if (free_s[chunk->worker] > 0) {
      assert_true(chunk->compute_start_s <= free_s[chunk->worker] + 1e-9 * plan->makespan_s);
    }
    free_s[chunk->worker] = chunk->compute_end_s;
  }
  assert_true(fabs(units / world->load - 1) < 1e-9);
  for (size_t i = 0; i < WORKERS_MAX; i++) {
    if (free_s[i] > 0) assert_true(fabs(free_s[i] / plan->makespan_s - 1) < 1e-9);
  }
}

static void nobody_waits_and_all_end_together(void **state) {
  struct ls_random random;
  size_t found = 0;
  (void)state;
  ls_random_init(&random, 1, "sizes");
  for (size_t star = 0; star < STARS; star++) {
    struct world world;
    struct ls_best_suffix suffix;
    open_world(&world, &random);
    if (find_suffix(&world, &suffix)) {
      struct ls_plan plan;
      play_suffix(&world, &suffix, &plan);
      check_play(&world, &suffix, &plan);
      ls_plan_close(&plan);
      found++;
    }
    close_world(&world);
  }
  assert_true(found > STARS * 3 / 4);
}

/* A slow network, so that sizes shrink from message to message, and a latency: the backward pass
 * leaves the range of its digits long before the sequence begins. */
static void long_sequences_lose_no_load(void **state) {
  (void)state;
  for (double slowness = 0.5; slowness <= 8; slowness *= 2) {
    struct ls_platform platform;
    struct ls_reduced_star workers;
    struct ls_best_sizes sizes;
    struct ls_best_suffix suffix;
    uint32_t items[50] = {0};
    struct ls_best_order sequence = {.items = items, .count = 50};
    assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
    platform.workers[0].costs[LS_OPERATION_TRANSFER].per_unit_s = slowness;
    platform.workers[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){24.5, 1};
    assert_int_equal(ls_reduced_star_init(&workers, &platform, NULL), LS_OK);
    assert_int_equal(ls_best_sizes_init(&sizes, 1, 50, NULL), LS_OK);
    assert_true(ls_best_sizes_find(&sizes, &workers, &sequence, 1e6, &suffix));
    double sum = 0;
    for (size_t k = suffix.first; k < 50; k++) sum += ls_best_sizes_units(&sizes, &suffix, k);
    if (!(fabs(sum / 1e6 - 1) < 1e-9)) fail_msg("slowness %g: %.17g units", slowness, sum);
    ls_best_sizes_close(&sizes);
    ls_reduced_star_close(&workers);
    ls_platform_close(&platform);
  }
}

/* One pass knows of every suffix what a pass over it alone finds. */
static void the_suffix_is_the_best_of_all(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 2, "sizes");
  for (size_t star = 0; star < STARS; star++) {
    struct world world;
    struct ls_best_suffix suffix, other;
    open_world(&world, &random);
    bool is_found = find_suffix(&world, &suffix);
    double least_s = (double)INFINITY;
    for (size_t first = 0; first < world.count; first++) {
      if (!find_from(&world, first, &other)) continue;
      if (other.makespan_s < least_s) least_s = other.makespan_s;
    }
    assert_int_equal(is_found, least_s < (double)INFINITY);
    if (is_found) assert_true(!(suffix.makespan_s < least_s) && !(suffix.makespan_s > least_s));
    close_world(&world);
  }
}

static void rounds_are_those_of_xmi(void **state) {
  struct ls_random random;
  size_t compared = 0;
  (void)state;
  ls_random_init(&random, 3, "sizes");
  for (size_t star = 0; star < STARS; star++) {
    struct world world;
    struct ls_best_suffix suffix;
    open_world(&world, &random);
    size_t workers = world.platform.workers_count, rounds = MESSAGES_MAX / workers;
    world.count = rounds * workers;
    for (size_t i = 0; i < world.count; i++) world.sequence[i] = (uint32_t)(i % workers);
    if (find_suffix(&world, &suffix) && suffix.first % workers == 0) {
      char text[16];
      (void)snprintf(text, sizeof text, "xmi:%zu", rounds - suffix.first / workers);
      double expected_s = star_makespan(&world.platform, world.load, text);
      assert_true(fabs(suffix.makespan_s / expected_s - 1) < 1e-9);
      compared++;
    }
    close_world(&world);
  }
  assert_true(compared > STARS / 10);
}

static void no_messages_have_no_sizes(void **state) {
  struct world world;
  struct ls_random random;
  struct ls_best_suffix suffix;
  (void)state;
  ls_random_init(&random, 4, "sizes");
  open_world(&world, &random);
  world.count = 0;
  assert_false(find_suffix(&world, &suffix));
  close_world(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nobody_waits_and_all_end_together),
      cmocka_unit_test(long_sequences_lose_no_load),
      cmocka_unit_test(the_suffix_is_the_best_of_all),
      cmocka_unit_test(rounds_are_those_of_xmi),
      cmocka_unit_test(no_messages_have_no_sizes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
