/* The choice by simulation: the best candidate, hysteresis, limits of time. */
#include "world_fixture.h"

static struct ls_advice advise(struct world *world, const struct ls_candidate *candidates,
                               size_t count, size_t current) {
  struct ls_advice_setup setup = {.world = {.context = world, .draw = world_draw},
                                  .candidates = candidates,
                                  .candidates_count = count,
                                  .current = current,
                                  .draws = 3,
                                  .margin = 0.05};
  struct ls_advice advice;
  assert_int_equal(ls_advise(&setup, &advice, NULL), LS_OK);
  return advice;
}

static void the_fastest_candidate_is_chosen(void **state) {
  struct world world;
  (void)state;
  world_open(&world, 1);
  world.variation = 0.5;
  const struct ls_candidate candidates[] = {make_candidate("ss", 0, 0),
                                            make_candidate("wf2", 0, 0)};
  struct ls_advice advice = advise(&world, candidates, 2, SIZE_MAX);
  assert_int_equal(advice.chosen, 1);
  assert_true(advice.expectations[1].makespan_s < advice.expectations[0].makespan_s);
  assert_true(advice.expectations[1].least_s <= advice.expectations[1].makespan_s);
  assert_true(advice.expectations[1].most_s >= advice.expectations[1].makespan_s);
  ls_advice_close(&advice);
  ls_platform_close(&world.platform);
}

static void the_current_candidate_is_kept_unless_another_is_clearly_better(void **state) {
  struct world world;
  (void)state;
  world_open(&world, 1);
  const struct ls_candidate near[] = {make_candidate("wf2", 0, 0), make_candidate("awf-b", 0, 0)};
  const struct ls_candidate far[] = {make_candidate("wf2", 0, 0), make_candidate("ss", 0, 0)};
  for (size_t current = 0; current < 2; current++) {
    struct ls_advice advice = advise(&world, near, 2, current);
    assert_int_equal(advice.chosen, current);
    ls_advice_close(&advice);
  }
  struct ls_advice advice = advise(&world, far, 2, 1);
  assert_int_equal(advice.chosen, 0);
  ls_advice_close(&advice);
  ls_platform_close(&world.platform);
}

/* A master that needs half the time of a unit for each request keeps two or three workers busy. */
static void the_least_number_of_workers_that_makes_no_difference_is_found(void **state) {
  struct world world;
  struct ls_advice advice;
  (void)state;
  world_open(&world, 0);
  world.platform.prepare.latency_s = 1;
  for (size_t i = 0; i < WORLD_WORKERS; i++)
    world.platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = i % 2 == 0 ? 2 : 1.9;
  const struct ls_candidate candidates[] = {make_candidate("ss", 1, 0), make_candidate("ss", 2, 0)};
  struct ls_advice_setup setup = {.world = {.context = &world, .draw = world_draw},
                                  .candidates = candidates,
                                  .candidates_count = 2,
                                  .current = 0,
                                  .draws = 2,
                                  .margin = 0.1,
                                  .saves_workers = true};
  assert_int_equal(ls_advise(&setup, &advice, NULL), LS_OK);
  const struct ls_expectation *chosen = &advice.expectations[advice.chosen];
  assert_int_equal(advice.workers, WORLD_WORKERS);
  assert_in_range(chosen->candidate.workers, 2, 3);
  assert_true(chosen->makespan_s <= 1.005 * advice.expectations[0].makespan_s);
  assert_int_equal(chosen->draws, 2);
  /* One worker fewer makes a difference, and was tried. */
  bool is_tried = false;
  for (size_t i = setup.candidates_count; i < advice.count; i++) {
    const struct ls_expectation *other = &advice.expectations[i];
    if (other->candidate.workers + 1 != chosen->candidate.workers) continue;
    is_tried = true;
    assert_true(other->makespan_s >
                1.005 * fmin(advice.expectations[0].makespan_s, advice.expectations[1].makespan_s));
  }
  assert_true(is_tried);
  ls_advice_close(&advice);
  /* A job that needs all of them keeps all of them. */
  world.platform.prepare.latency_s = 0;
  assert_int_equal(ls_advise(&setup, &advice, NULL), LS_OK);
  assert_int_equal(advice.expectations[advice.chosen].candidate.workers, 0);
  ls_advice_close(&advice);
  ls_platform_close(&world.platform);
}

/* The two fast workers do little more than half of what all eight do. */
static void fewer_workers_are_chosen_only_where_they_cost_nothing(void **state) {
  struct world world;
  (void)state;
  world_open(&world, 0);
  const struct ls_candidate candidates[] = {make_candidate("ss", 1, 0), make_candidate("ss", 1, 2)};
  struct ls_advice advice = advise(&world, candidates, 2, SIZE_MAX);
  assert_int_equal(advice.chosen, 0);
  ls_advice_close(&advice);
  /* Slow workers without a share are of no use. */
  for (size_t i = 0; i < WORLD_WORKERS - 2; i++) {
    world.platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1e6;
    world.weights[i] = 0;
  }
  const struct ls_candidate weighted[] = {make_candidate("sc", 1, 0), make_candidate("sc", 1, 2)};
  advice = advise(&world, weighted, 2, SIZE_MAX);
  assert_int_equal(advice.chosen, 1);
  ls_advice_close(&advice);
  ls_platform_close(&world.platform);
}

/* Who is a thousandth of a per cent slower and stands first is what a user knows already. */
static void of_candidates_that_are_alike_the_first_is_chosen(void **state) {
  struct world world;
  (void)state;
  world_open(&world, 0);
  for (size_t i = 0; i < WORLD_WORKERS; i++) world.platform.workers[i].delay_s = 1e-7;
  const struct ls_candidate candidates[] = {make_candidate("ss", 0, 0), make_candidate("sc", 0, 0)};
  struct ls_advice advice = advise(&world, candidates, 2, SIZE_MAX);
  assert_true(advice.expectations[0].makespan_s > advice.expectations[1].makespan_s);
  assert_int_equal(advice.chosen, 0);
  ls_advice_close(&advice);
  ls_platform_close(&world.platform);
}

static bool stop_at_once(void *context) {
  (*(size_t *)context)++;
  return true;
}

static void the_first_candidate_is_played_even_without_time(void **state) {
  struct world world;
  size_t asked = 0;
  (void)state;
  world_open(&world, 1);
  const struct ls_candidate candidates[] = {make_candidate("ss", 0, 0),
                                            make_candidate("wf2", 0, 0)};
  struct ls_advice_setup setup = {.world = {.context = &world, .draw = world_draw},
                                  .candidates = candidates,
                                  .candidates_count = 2,
                                  .current = SIZE_MAX,
                                  .draws = 3,
                                  .stop = stop_at_once,
                                  .stop_context = &asked};
  struct ls_advice advice;
  assert_int_equal(ls_advise(&setup, &advice, NULL), LS_OK);
  assert_true(advice.was_stopped);
  assert_int_equal(advice.simulations, 1);
  assert_int_equal(advice.chosen, 0);
  assert_int_equal(advice.expectations[1].draws, 0);
  ls_advice_close(&advice);
  ls_platform_close(&world.platform);
}

static bool stop_later(void *context) {
  return ++*(size_t *)context > 4;
}

/* Two candidates, and time for two draws and a half: the half does not count. */
static void half_a_draw_is_forgotten(void **state) {
  struct world world;
  size_t asked = 0;
  (void)state;
  world_open(&world, 1);
  world.variation = 0.5;
  const struct ls_candidate candidates[] = {make_candidate("awf-b", 0, 0),
                                            make_candidate("wf2", 0, 0)};
  struct ls_advice_setup setup = {.world = {.context = &world, .draw = world_draw},
                                  .candidates = candidates,
                                  .candidates_count = 2,
                                  .current = SIZE_MAX,
                                  .draws = 9,
                                  .stop = stop_later,
                                  .stop_context = &asked};
  struct ls_advice advice;
  assert_int_equal(ls_advise(&setup, &advice, NULL), LS_OK);
  assert_true(advice.was_stopped);
  assert_int_equal(advice.simulations, 5);
  assert_int_equal(advice.expectations[0].draws, 2);
  assert_int_equal(advice.expectations[1].draws, 2);
  ls_advice_close(&advice);
  ls_platform_close(&world.platform);
}

/* Where there is time for a single draw, its luck decides nothing; nor that fewer would do. */
static void one_draw_of_many_is_chance(void **state) {
  const struct ls_candidate candidates[] = {
      make_candidate("wf2", 1, 0), make_candidate("awf-c", 1, 0), make_candidate("af", 1, 0)};
  (void)state;
  for (size_t current = 0; current < 3; current++) {
    for (size_t first = 0; first < 40; first++) {
      struct world world;
      size_t asked = 0;
      world_open(&world, 0.01);
      world.variation = 1;
      world.first = first;
      struct ls_advice_setup setup = {.world = {.context = &world, .draw = world_draw},
                                      .candidates = candidates,
                                      .candidates_count = 3,
                                      .current = current,
                                      .draws = 9,
                                      .margin = 0.02,
                                      .saves_workers = true,
                                      .stop = stop_later,
                                      .stop_context = &asked};
      struct ls_advice advice;
      assert_int_equal(ls_advise(&setup, &advice, NULL), LS_OK);
      assert_in_range(advice.count, 4, 5);
      assert_int_equal(advice.expectations[0].draws, 1);
      assert_int_equal(advice.chosen, current);
      ls_advice_close(&advice);
      ls_platform_close(&world.platform);
    }
  }
}

/* A candidate that is far behind at first plays no further draw. */
static void hopeless_candidates_leave_the_race(void **state) {
  struct world world;
  (void)state;
  world_open(&world, 4);
  const struct ls_candidate candidates[] = {make_candidate("wf2", 0, 0),
                                            make_candidate("ss", 0, 0)};
  struct ls_advice advice = advise(&world, candidates, 2, SIZE_MAX);
  assert_int_equal(advice.expectations[0].draws, 3);
  assert_int_equal(advice.expectations[1].draws, 1);
  assert_int_equal(world.draws, 3);
  ls_advice_close(&advice);
  ls_platform_close(&world.platform);
}

static void advice_without_a_playable_candidate_is_refused(void **state) {
  struct world world;
  struct ls_error err = {0};
  struct ls_advice advice;
  (void)state;
  world_open(&world, 0);
  world.platform.workers[0].delay_s = -1;
  const struct ls_candidate candidates[] = {make_candidate("ss", 0, 0)};
  struct ls_advice_setup setup = {.world = {.context = &world, .draw = world_draw},
                                  .candidates = candidates,
                                  .candidates_count = 1,
                                  .current = SIZE_MAX,
                                  .draws = 1};
  assert_int_equal(ls_advise(&setup, &advice, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "no policy can be tried: "));
  ls_platform_close(&world.platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_fastest_candidate_is_chosen),
      cmocka_unit_test(the_current_candidate_is_kept_unless_another_is_clearly_better),
      cmocka_unit_test(the_least_number_of_workers_that_makes_no_difference_is_found),
      cmocka_unit_test(fewer_workers_are_chosen_only_where_they_cost_nothing),
      cmocka_unit_test(of_candidates_that_are_alike_the_first_is_chosen),
      cmocka_unit_test(the_first_candidate_is_played_even_without_time),
      cmocka_unit_test(one_draw_of_many_is_chance),
      cmocka_unit_test(half_a_draw_is_forgotten),
      cmocka_unit_test(hopeless_candidates_leave_the_race),
      cmocka_unit_test(advice_without_a_playable_candidate_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
