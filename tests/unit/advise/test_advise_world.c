/* The world in which auto tries its candidates: what is known, and what has been seen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "advise/advise_world.h"

static bool is_near(double got, double wanted) {
  return fabs(got - wanted) <= 1e-9 * wanted;
}

static struct ls_simulation draw(struct ls_advise_world *world, size_t number) {
  struct ls_simulation setup = {0};
  struct ls_advice_world own = ls_advise_world_of(world);
  assert_int_equal(own.draw(own.context, number, &setup, NULL), LS_OK);
  return setup;
}

static void what_can_be_tried_is_told_apart(void **state) {
  const double times[3] = {1, 2, 3};
  struct ls_run_history empty = {0}, history = {.mean_seconds = 2};
  struct ls_platform platform = {0};
  struct ls_run_situation situation = {.units = 3, .workers = 2};
  (void)state;
  assert_false(ls_advise_world_is_known(&situation));
  situation.history = &empty;
  assert_false(ls_advise_world_is_known(&situation));
  situation.history = &history;
  assert_true(ls_advise_world_is_known(&situation));
  situation = (struct ls_run_situation){.times = times, .units = 3, .workers = 2};
  assert_true(ls_advise_world_is_known(&situation));
  situation = (struct ls_run_situation){.platform = &platform, .units = 3, .workers = 2};
  assert_true(ls_advise_world_is_known(&situation));
  situation.units = 0;
  assert_false(ls_advise_world_is_known(&situation));
}

static void declared_times_are_played_as_they_are(void **state) {
  const double times[4] = {1, 2, 3, 6}, weights[2] = {1, 0.5};
  struct ls_run_situation situation = {
      .times = times, .units = 4, .workers = 2, .weights = weights};
  struct ls_advise_world world;
  (void)state;
  assert_int_equal(ls_advise_world_open(&world, &situation, NULL), LS_OK);
  struct ls_simulation setup = draw(&world, 3);
  assert_int_equal(setup.units, 4);
  for (size_t i = 0; i < 4; i++) assert_true(is_near(setup.task_work[i], times[i] / 3));
  /* Task 0 takes 1 s on the first worker, and twice as long on the second. */
  assert_true(is_near(setup.platform->workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s, 3));
  assert_true(is_near(setup.platform->workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s, 6));
  assert_non_null(setup.config.weights);
  assert_true(is_near(setup.config.weights[0] / setup.config.weights[1], 2));
  assert_true(is_near(setup.config.mean_seconds, 3));
  ls_advise_world_close(&world);
}

static void a_history_says_how_tasks_differ_and_which_worker_is_slow(void **state) {
  double shares[2] = {0.5, 1.5};
  struct ls_run_slot slots[2] = {{10, 15}, {10, 25}};
  struct ls_run_history history = {
      .shares = shares, .shares_count = 2, .mean_seconds = 2, .slots = slots, .slots_count = 2};
  struct ls_run_situation situation = {.history = &history, .units = 50, .workers = 3};
  struct ls_advise_world world;
  (void)state;
  assert_int_equal(ls_advise_world_open(&world, &situation, NULL), LS_OK);
  struct ls_simulation setup = draw(&world, 0);
  size_t short_ones = 0;
  for (size_t i = 0; i < 50; i++) {
    assert_true(is_near(setup.task_work[i], 0.5) || is_near(setup.task_work[i], 1.5));
    short_ones += setup.task_work[i] < 1;
  }
  assert_in_range(short_ones, 10, 40);
  assert_true(is_near(setup.platform->workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s, 1.5));
  assert_true(is_near(setup.platform->workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s, 2.5));
  assert_true(is_near(setup.platform->workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s, 2));
  /* The policies of the run would not know, either. */
  assert_null(setup.config.weights);
  ls_advise_world_close(&world);
}

/* 20 chunks took 3 s beside their units; also where the times of the tasks are declared. */
static void the_overhead_of_chunks_is_learnt(void **state) {
  const double times[] = {1, 2, 3};
  struct ls_run_history history = {.mean_seconds = 2, .overhead = {.beside_s = 3, .chunks = 20}};
  struct ls_run_situation situation = {.history = &history, .units = 3, .workers = 2};
  struct ls_advise_world world;
  (void)state;
  for (int is_declared = 0; is_declared < 2; is_declared++) {
    situation.times = is_declared ? times : NULL;
    assert_int_equal(ls_advise_world_open(&world, &situation, NULL), LS_OK);
    for (size_t i = 0; i < 2; i++)
      assert_true(is_near(world.platform.workers[i].costs[LS_OPERATION_COMPUTE].latency_s, 0.15));
    assert_true(is_near(world.overhead_s - world.request_s, 0.15));
    ls_advise_world_close(&world);
  }
}

static void a_platform_is_played_as_it_stands(void **state) {
  struct ls_platform platform;
  struct ls_advise_world world;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  platform.prepare.latency_s = 0.25;
  platform.ports = LS_PORTS_ONE;
  platform.master_share = 0.75;
  platform.storage_readers = 2;
  platform.stage_ahead = 3;
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = (double)(i + 1);
    platform.workers[i].delay_s = 0.5;
    platform.workers[i].costs[LS_OPERATION_TRANSFER].per_unit_s = 0.125;
  }
  struct ls_run_situation situation = {.platform = &platform, .units = 5, .workers = 2};
  assert_int_equal(ls_advise_world_open(&world, &situation, NULL), LS_OK);
  ls_platform_close(&platform); /* nothing of it is borrowed */
  struct ls_simulation setup = draw(&world, 0);
  assert_int_equal(setup.platform->workers_count, 2);
  assert_true(is_near(setup.platform->prepare.latency_s, 0.25));
  assert_int_equal(setup.platform->ports, LS_PORTS_ONE);
  assert_true(is_near(setup.platform->master_share, 0.75));
  assert_int_equal(setup.platform->storage_readers, 2);
  assert_int_equal(setup.platform->stage_ahead, 3);
  assert_true(is_near(setup.platform->workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s, 2));
  assert_true(is_near(setup.platform->workers[1].costs[LS_OPERATION_TRANSFER].per_unit_s, 0.125));
  assert_true(is_near(setup.config.overhead_seconds, 1.25));
  assert_true(is_near(setup.platform->workers[0].delay_s, 0.5));
  assert_int_equal(setup.asking, LS_ASKING_ROOM);
  ls_advise_world_close(&world);
}

/* Policies know the deviation, and one draw does not tell all; what is known of the tasks
 * themselves counts more. */
static void laws_of_the_platform_spread_units_unless_times_are_known(void **state) {
  const double times[] = {1, 2, 3, 4, 5};
  struct ls_platform platform;
  struct ls_advise_world world;
  (void)state;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++)
    ls_worker_spread_units(&platform.workers[i], LS_DURATION_GAMMA, 2, 0.5);
  struct ls_run_situation situation = {.platform = &platform, .units = 5, .workers = 2};
  assert_int_equal(ls_advise_world_open(&world, &situation, NULL), LS_OK);
  assert_false(world.is_certain);
  struct ls_simulation setup = draw(&world, 0);
  assert_true(is_near(setup.config.deviation_seconds, 0.5));
  assert_int_equal(setup.platform->workers[1].unit_law, LS_DURATION_GAMMA);
  assert_true(is_near(setup.task_work[3], 1)); /* not drawn twice */
  ls_advise_world_close(&world);
  situation.times = times;
  assert_int_equal(ls_advise_world_open(&world, &situation, NULL), LS_OK);
  assert_true(world.is_certain);
  setup = draw(&world, 0);
  assert_int_equal(setup.platform->workers[1].unit_law, LS_DURATION_CONSTANT);
  assert_true(setup.platform->workers[1].unit_variation <= 0);
  ls_advise_world_close(&world);
  ls_platform_close(&platform);
}

static void what_was_seen_becomes_a_world(void **state) {
  /* 2 s and 1 s a unit, each with a deviation of half of that: 1.5 s and 0.75 s in all. */
  const struct ls_adviser_worker workers[2] = {{20, 0.25, 10, 40 + 9 * 1.0, 0.5},
                                               {10, 0, 10, 10 + 9 * 0.25, 0.25}};
  struct ls_adviser_facts facts = {
      .units_left = 1000, .prefetch = 1, .workers = workers, .workers_count = 2, .workers_most = 3};
  struct ls_advise_world world;
  (void)state;
  assert_int_equal(ls_advise_world_observe(&world, &facts, false, NULL, NULL), LS_OK);
  struct ls_simulation setup = draw(&world, 1);
  assert_int_equal(setup.platform->workers_count, 3);
  /* Means of ten units differ by chance, too, by as much of the 0.5^2 by which they do. */
  double trust = 1 - (61.25 - 30 * 1.5) / 19 / 10 / 0.25;
  assert_true(is_near(setup.platform->workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s,
                      1.5 + trust * 0.5));
  assert_true(is_near(setup.platform->workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s,
                      1.5 - trust * 0.5));
  assert_true(is_near(setup.platform->workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s, 1.5));
  assert_true(is_near(setup.config.deviation_seconds, 0.75));
  /* Its way was measured; those of the others are taken for ways within a machine. */
  assert_true(is_near(setup.platform->workers[0].delay_s, 0.25));
  assert_true(setup.platform->workers[1].delay_s < 0.001);
  assert_true(is_near(world.variation, 0.5));
  /* So is what its chunks take beside their units; of one that is not there, as that of the mean.
   */
  assert_true(is_near(setup.platform->workers[0].costs[LS_OPERATION_COMPUTE].latency_s, 0.5));
  assert_true(is_near(setup.platform->workers[1].costs[LS_OPERATION_COMPUTE].latency_s, 0.25));
  assert_true(is_near(setup.platform->workers[2].costs[LS_OPERATION_COMPUTE].latency_s, 0.375));
  assert_true(is_near(setup.config.overhead_seconds - world.request_s, 0.375));
  double sum = 0, squares = 0;
  for (size_t i = 0; i < 1000; i++) {
    sum += setup.task_work[i];
    squares += setup.task_work[i] * setup.task_work[i];
  }
  double mean = sum / 1000, deviation = sqrt(squares / 1000 - mean * mean);
  assert_true(mean > 0.9 && mean < 1.1);
  assert_true(deviation > 0.4 && deviation < 0.6);
  ls_advise_world_close(&world);
}

/* Of 8 units that last 0.1 s or 2 s, two workers got a long one. */
static void who_got_the_long_units_is_not_taken_for_slow(void **state) {
  const struct ls_adviser_worker workers[4] = {
      {2.7, 0, 8, 4.07, 0}, {0.8, 0, 8, 0.08, 0}, {2.7, 0, 8, 4.07, 0}, {0.8, 0, 8, 0.08, 0}};
  struct ls_adviser_facts facts = {.units_left = 100,
                                   .left_s = 10,
                                   .prefetch = 1,
                                   .workers = workers,
                                   .workers_count = 4,
                                   .workers_most = 4};
  struct ls_advise_world world;
  (void)state;
  assert_int_equal(ls_advise_world_observe(&world, &facts, false, NULL, NULL), LS_OK);
  struct ls_simulation setup = draw(&world, 0);
  double slow_s = setup.platform->workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s;
  double fast_s = setup.platform->workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s;
  assert_true(slow_s >= fast_s && slow_s < 1.3 * fast_s);
  ls_advise_world_close(&world);
}

static double clock_now_s;

static double tell_time(void) {
  return clock_now_s;
}

static void a_long_run_has_half_a_second_for_advice(void **state) {
  const double times[2] = {5000, 5000};
  struct ls_run_situation situation = {
      .times = times, .units = 2, .workers = 1, .clock_s = tell_time};
  struct ls_advise_world world;
  (void)state;
  clock_now_s = 77;
  assert_int_equal(ls_advise_world_open(&world, &situation, NULL), LS_OK);
  assert_true(is_near(world.stop_s, 77.5));
  clock_now_s = 77.49;
  assert_false(ls_advise_world_is_over(&world));
  clock_now_s = 77.51;
  assert_true(ls_advise_world_is_over(&world));
  ls_advise_world_close(&world);
}

static void without_a_clock_there_is_time(void **state) {
  const double times[2] = {1e-9, 1e-9};
  struct ls_run_situation situation = {.times = times, .units = 2, .workers = 1};
  struct ls_advise_world world;
  (void)state;
  assert_int_equal(ls_advise_world_open(&world, &situation, NULL), LS_OK);
  assert_false(ls_advise_world_is_over(&world));
  ls_advise_world_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_can_be_tried_is_told_apart),
      cmocka_unit_test(declared_times_are_played_as_they_are),
      cmocka_unit_test(a_history_says_how_tasks_differ_and_which_worker_is_slow),
      cmocka_unit_test(the_overhead_of_chunks_is_learnt),
      cmocka_unit_test(a_platform_is_played_as_it_stands),
      cmocka_unit_test(laws_of_the_platform_spread_units_unless_times_are_known),
      cmocka_unit_test(what_was_seen_becomes_a_world),
      cmocka_unit_test(who_got_the_long_units_is_not_taken_for_slow),
      cmocka_unit_test(a_long_run_has_half_a_second_for_advice),
      cmocka_unit_test(without_a_clock_there_is_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
