/* test_drawn_times.c: a worker's law spreads the times of its units. */
#include "support.h"

#include "base/statistics.h"

enum { UNITS = 4000 };

static void spread(struct ls_platform *platform, enum ls_duration_law law, double deviation_s) {
  for (size_t i = 0; i < platform->workers_count; i++)
    ls_worker_spread_units(&platform->workers[i], law, 0.5, deviation_s);
}

/* The seconds that one worker needs for this many units in chunks of one. */
static double run_alone(enum ls_duration_law law, uint64_t units, uint64_t seed) {
  struct ls_platform platform;
  open_platform(&platform, 1);
  spread(&platform, law, 0.2);
  struct ls_simulation setup = make_simulation(&platform, "ss", units);
  setup.config.seed = seed;
  double makespan_s = run_simulation(&setup, NULL).makespan_s;
  ls_platform_close(&platform);
  return makespan_s;
}

static void times_have_the_mean_and_deviation_of_their_law(void **state) {
  (void)state;
  for (unsigned law = LS_DURATION_NORMAL; law < LS_DURATION_LAWS; law++) {
    struct ls_moments ones = {0};
    double deviation_s = law == LS_DURATION_EXPONENTIAL ? 0.5 : 0.2;
    double all_s = run_alone((enum ls_duration_law)law, UNITS, 7);
    assert_true(fabs(all_s / UNITS - 0.5) <= 5 * deviation_s / sqrt(UNITS));
    for (uint64_t seed = 1; seed <= UNITS / 2; seed++)
      ls_moments_add(&ones, run_alone((enum ls_duration_law)law, 1, seed));
    assert_true(fabs(ones.mean - 0.5) <= 5 * deviation_s / sqrt(UNITS / 2));
    assert_true(fabs(ls_moments_deviation(&ones) / deviation_s - 1) < 0.15);
  }
}

/* The latency of a chunk is not drawn, and a task of twice the work takes twice what is drawn. */
static void only_the_times_of_units_are_drawn(void **state) {
  (void)state;
  struct ls_platform platform;
  double work[] = {1, 1, 1, 1}, twice[] = {2, 2, 2, 2};
  open_platform(&platform, 1);
  spread(&platform, LS_DURATION_GAMMA, 0.4);
  struct ls_simulation setup = make_simulation(&platform, "sc", 4);
  double plain_s = run_simulation(&setup, NULL).makespan_s;
  setup.task_work = work;
  assert_near(run_simulation(&setup, NULL).makespan_s, plain_s, 1e-12);
  setup.task_work = twice;
  assert_near(run_simulation(&setup, NULL).makespan_s, 2 * plain_s, 1e-12);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].latency_s = 3;
  assert_near(run_simulation(&setup, NULL).makespan_s, 3 + 2 * plain_s, 1e-12);
  ls_platform_close(&platform);
}

static void a_seed_repeats_its_draws_and_another_one_does_not(void **state) {
  (void)state;
  assert_near(run_alone(LS_DURATION_GAMMA, 100, 3), run_alone(LS_DURATION_GAMMA, 100, 3), 0);
  assert_true(fabs(run_alone(LS_DURATION_GAMMA, 100, 3) - run_alone(LS_DURATION_GAMMA, 100, 4)) >
              1e-6);
}

/* Each worker has its own luck, whatever the others do. */
static void no_worker_moves_the_draws_of_another(void **state) {
  (void)state;
  struct ls_timeline timelines[2];
  for (size_t k = 0; k < 2; k++) {
    struct ls_platform platform;
    open_platform(&platform, 2);
    ls_worker_spread_units(&platform.workers[1], LS_DURATION_GAMMA, 0.5, 0.4);
    if (k == 1) ls_worker_spread_units(&platform.workers[0], LS_DURATION_EXPONENTIAL, 2, 0);
    struct ls_simulation setup = make_simulation(&platform, "sc", 20);
    setup.wants_spans = true;
    ls_timeline_init(&timelines[k]);
    run_simulation(&setup, &timelines[k]);
    ls_platform_close(&platform);
  }
  double lasted_s[2] = {0, 0};
  for (size_t k = 0; k < 2; k++) {
    for (size_t i = 0; i < timelines[k].spans_count; i++) {
      const struct ls_span *span = &timelines[k].spans[i];
      if (span->worker == 1 && span->operation == LS_OPERATION_COMPUTE)
        lasted_s[k] += span->end_s - span->start_s;
    }
    ls_timeline_close(&timelines[k]);
  }
  assert_true(lasted_s[0] > 0);
  assert_near(lasted_s[0], lasted_s[1], 1e-9);
}

/* Units that are lost are computed again, and every unit counts once. */
static void a_run_with_losses_and_laws_does_all_units(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 50; seed++) {
    struct ls_platform platform;
    open_platform(&platform, 3);
    spread(&platform, LS_DURATION_LOGNORMAL, 0.7);
    struct ls_simulation setup = make_simulation(&platform, "gss", 300);
    struct ls_simulated_change leave = {1, 10 + (double)seed};
    setup.config.seed = seed;
    setup.leave = &leave;
    setup.leave_count = 1;
    assert_int_equal(run_simulation(&setup, NULL).units_done, 300);
    ls_platform_close(&platform);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_have_the_mean_and_deviation_of_their_law),
      cmocka_unit_test(only_the_times_of_units_are_drawn),
      cmocka_unit_test(a_seed_repeats_its_draws_and_another_one_does_not),
      cmocka_unit_test(no_worker_moves_the_draws_of_another),
      cmocka_unit_test(a_run_with_losses_and_laws_does_all_units),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
