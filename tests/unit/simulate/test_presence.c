/* Workers are reclaimed and given back, granted and released. */
#include "support.h"

#include "model/metrics.h"

/* Two workers, twelve units, one away from 2.5 to 5.5: it loses half a unit. */
static void a_reclaimed_worker_loses_what_runs_and_comes_back(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_pause pause = {.worker = 1, .from_s = 2.5, .until_s = 5.5};
  open_platform(&platform, 2);
  platform.workers[1].price_per_s = 3;
  struct ls_simulation setup = make_simulation(&platform, "ss", 12);
  setup.prefetch = 0;
  setup.pauses = &pause;
  setup.pauses_count = 1;
  setup.wants_spans = true;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  /* Worker 0 does 8 units; worker 1 two before it is away, two from 5.5 to 7.5. */
  assert_near(result.makespan_s, 8, 1e-12);
  assert_int_equal(result.units_done, 12);
  assert_int_equal(result.chunks, 13);
  assert_int_equal(result.reclaims, 1);
  assert_near(result.up_s, 8 + 5, 1e-12);
  /* Eight useful seconds at 1, four at 3. */
  assert_near(result.efficiency, (8 + 3 * 4) / (8 + 3 * 5.0), 1e-12);
  assert_near(timeline.workers[1].suspended_s, 3, 1e-12);
  /* Seconds that it was away cost nothing. */
  struct ls_metrics metrics;
  ls_metrics_of(&timeline, &metrics, NULL);
  assert_near(result.price, 8 + 3 * 5, 1e-12);
  assert_near(metrics.price, result.price, 1e-12);
  assert_near(metrics.efficiency, result.efficiency, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

static void nobody_left_for_ever_is_an_error(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_pause pause = {.worker = 0, .from_s = 1, .until_s = (double)INFINITY};
  open_platform(&platform, 1);
  struct ls_simulation setup = make_simulation(&platform, "ss", 4);
  setup.pauses = &pause;
  setup.pauses_count = 1;
  assert_refused(&setup, "cannot end");
  ls_platform_close(&platform);
}

/* A chunk on its way to a worker that is away and back before it arrives is lost all the same. */
static void what_was_on_its_way_is_lost(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_pause pause = {.worker = 0, .from_s = 1.2, .until_s = 1.4};
  open_platform(&platform, 1);
  platform.workers[0].delay_s = 1;
  struct ls_simulation setup = make_simulation(&platform, "sc", 5);
  setup.pauses = &pause;
  setup.pauses_count = 1;
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 5);
  assert_int_equal(result.chunks, 2);
  /* Its new request leaves at 1.4, arrives at 2.4; the units are there at 3.4. */
  assert_near(result.makespan_s, 8.4, 1e-12);
  ls_platform_close(&platform);
}

/* A sizing wants no more than were asked for at the start: two of four machines stay. */
static void no_sizing_grows_beyond_the_start(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_iteration iterations[3];
  open_platform(&platform, 4);
  struct ls_simulation setup = make_simulation(&platform, "ss", 40);
  setup.iterations = 3;
  setup.prefetch = 0;
  setup.iterations_out = iterations;
  setup.grant = (struct ls_simulated_grant){.at_start = 2, .delay_s = 3};
  setup.config.sizing = ls_sizing_find("asp");
  assert_non_null(setup.config.sizing);
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.units_done, 120);
  assert_int_equal(iterations[2].workers, 2);
  assert_near(iterations[0].end_s, 20, 1e-12);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

/* When the first of a worker's computing begins; INFINITY: it never computes. */
static double find_begin(const struct ls_timeline *timeline, uint32_t worker) {
  double begin_s = (double)INFINITY;
  for (size_t i = 0; i < timeline->spans_count; i++) {
    const struct ls_span *span = &timeline->spans[i];
    if (span->operation == LS_OPERATION_COMPUTE && span->worker == worker)
      begin_s = fmin(begin_s, span->start_s);
  }
  return begin_s;
}

/* Two of four machines are there; one is lost at 5.5 with half a unit.  Of the two free ones the
 * faster takes its place three seconds later. */
static struct ls_simulated replace_lost(struct ls_simulated_grant grant, uint64_t seed,
                                        double *begin_s) {
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_change leave = {.worker = 0, .time_s = 5.5};
  open_platform(&platform, 4);
  platform.workers[3].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.5;
  struct ls_simulation setup = make_simulation(&platform, "ss", 40);
  setup.prefetch = 0;
  setup.leave = &leave;
  setup.leave_count = 1;
  setup.grant = grant;
  setup.config.seed = seed;
  setup.wants_spans = true;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_true(isinf(find_begin(&timeline, 2)));
  *begin_s = find_begin(&timeline, 3);
  assert_int_equal(result.units_done, 40);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
  return result;
}

static void a_lost_machine_is_replaced_by_the_fastest_free_one(void **state) {
  (void)state;
  double begin_s;
  struct ls_simulated result =
      replace_lost((struct ls_simulated_grant){.at_start = 2, .delay_s = 2.5}, 1, &begin_s);
  assert_near(begin_s, 8, 1e-12);
  /* 5 and 8 units are done at 8; the other 27 take 9 s at three a second. */
  assert_near(result.makespan_s, 17, 1e-12);
}

static void granting_takes_its_time_by_chance_repeatably(void **state) {
  (void)state;
  enum { SEEDS = 400 };
  struct ls_simulated_grant grant = {.at_start = 2, .delay_s = 3, .is_exponential = true};
  double sum_s = 0, begin_s, again_s;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    (void)replace_lost(grant, seed, &begin_s);
    /* The job ends at 35 without a third machine; it comes later once in 10,000 times. */
    if (isfinite(begin_s)) sum_s += begin_s - 5.5;
  }
  /* Five standard errors around the mean. */
  assert_true(fabs(sum_s / SEEDS - 3) < 5 * 3 / sqrt(SEEDS));
  (void)replace_lost(grant, 7, &begin_s);
  (void)replace_lost(grant, 7, &again_s);
  assert_memory_equal(&begin_s, &again_s, sizeof begin_s);
}

/* One large task: the sizing lets a machine go.  Then all are equal and three are too few: it is
 * asked for again and comes half a second into the third iteration. */
static void a_released_machine_is_granted_again(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_simulated_iteration iterations[3];
  double work[36];
  for (size_t i = 0; i < 36; i++) work[i] = i == 0 ? 20 : 1;
  open_platform(&platform, 4);
  struct ls_simulation setup = make_simulation(&platform, "ss", 12);
  setup.task_work = work;
  setup.iterations = 3;
  setup.prefetch = 0;
  setup.iterations_out = iterations;
  setup.grant = (struct ls_simulated_grant){.at_start = 4, .delay_s = 0.5};
  setup.config.sizing = ls_sizing_find("self");
  struct ls_simulated result = run_simulation(&setup, NULL);
  assert_int_equal(result.units_done, 36);
  assert_int_equal(iterations[1].workers, 3);
  assert_int_equal(iterations[2].workers, 4);
  assert_near(iterations[0].end_s, 20, 1e-12);
  assert_near(iterations[1].end_s, 24, 1e-12);
  assert_near(iterations[2].end_s, 27.5, 1e-12);
  ls_platform_close(&platform);
}

/* Random pauses: each unit is counted once, and efficiency stays within 0 and 1. */
static void random_pauses_lose_no_unit(void **state) {
  (void)state;
  static const char *const names[] = {"ss", "gss", "fac2", "wf2", "af", "monitor", "sc", "awf-b"};
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_simulated_pause pauses[6];
    ls_random_init(&random, seed, "pauses");
    size_t workers = 2 + ls_random_below(&random, 4);
    open_platform(&platform, workers);
    for (size_t i = 0; i < workers; i++)
      platform.workers[i].delay_s = ls_random_below(&random, 2) ? draw(&random, 0, 1) : 0;
    struct ls_simulation setup = make_simulation(&platform, names[seed % 8], 60);
    setup.prefetch = ls_random_below(&random, 4);
    setup.iterations = 1 + (uint32_t)ls_random_below(&random, 3);
    setup.config.mean_seconds = 1;
    for (size_t i = 0; i < 6; i++) {
      double from_s = draw(&random, 0, 20);
      uint32_t worker = (uint32_t)ls_random_below(&random, workers);
      pauses[i] = (struct ls_simulated_pause){.worker = worker,
                                              .from_s = from_s,
                                              .until_s = from_s + draw(&random, 0.01, 10),
                                              .is_kept = ls_random_below(&random, 2) == 0};
    }
    setup.pauses = pauses;
    setup.pauses_count = 6;
    struct ls_simulated result = run_simulation(&setup, NULL);
    assert_int_equal(result.units_done, 60 * setup.iterations);
    assert_true(result.efficiency > 0 && result.efficiency <= 1 + 1e-9);
    ls_platform_close(&platform);
  }
}

/* Units of a second at every worker: the timeline's work, and what the efficiency is made of. */
static void assert_work_counts_once(const struct ls_simulation *setup, uint64_t seed) {
  struct ls_timeline timeline;
  double units = 0, expected = (double)(setup->units * setup->iterations);
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(setup, &timeline);
  for (size_t i = 0; i < timeline.spans_count; i++) {
    const struct ls_span *span = &timeline.spans[i];
    if (span->operation != LS_OPERATION_COMPUTE || span->outcome != LS_OUTCOME_DONE) continue;
    units += (double)span->units;
  }
  for (size_t i = 0; i < timeline.workers_count; i++)
    if (!(timeline.workers[i].suspended_s <= result.makespan_s))
      fail_msg("seed %d: %g s of suspension in %g s", (int)seed, timeline.workers[i].suspended_s,
               result.makespan_s);
  if (!(fabs(units - expected) < 1e-9))
    fail_msg("seed %d: %g units of work, expected %g", (int)seed, units, expected);
  /* What was computed before a pause stands behind it, where the end of the run may cut it. */
  double useful_s = result.efficiency * result.up_s;
  if (!(useful_s < expected + 1e-6 && useful_s > 0.99 * expected))
    fail_msg("seed %d: %.9g useful seconds, expected %g", (int)seed, useful_s, expected);
  ls_timeline_close(&timeline);
}

/* A unit that two workers computed, since one of them was away, or left in order, is work of the
 * one whose result counted. */
static void units_computed_twice_are_work_once(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 1000; seed++) {
    struct ls_random random;
    struct ls_platform platform;
    struct ls_simulated_pause pauses[4];
    ls_random_init(&random, seed, "twice");
    size_t workers = 2 + ls_random_below(&random, 3);
    open_platform(&platform, workers);
    for (size_t i = 0; i < workers; i++) {
      platform.workers[i].delay_s = ls_random_below(&random, 2) ? draw(&random, 0, 1) : 0;
      platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s = 1;
    }
    struct ls_simulation setup = make_simulation(&platform, seed % 2 ? "ss" : "fac2", 12);
    setup.prefetch = ls_random_below(&random, 3);
    setup.asking = ls_random_below(&random, 2) ? LS_ASKING_ROOM : LS_ASKING_ONE;
    setup.config.recalls = setup.asking == LS_ASKING_ROOM;
    setup.iterations = 1 + (uint32_t)ls_random_below(&random, 2);
    setup.wants_spans = true;
    for (size_t i = 0; i < 4; i++) {
      double from_s = draw(&random, 0, 8);
      uint32_t worker = (uint32_t)ls_random_below(&random, workers);
      pauses[i] = (struct ls_simulated_pause){.worker = worker,
                                              .from_s = from_s,
                                              .until_s = from_s + draw(&random, 0.01, 8),
                                              .is_kept = ls_random_below(&random, 4) > 0};
    }
    struct ls_simulated_change depart = {.worker = 0, .time_s = draw(&random, 0, 12)};
    setup.pauses = pauses;
    setup.pauses_count = 4;
    setup.depart = &depart;
    setup.depart_count = ls_random_below(&random, 2);
    assert_work_counts_once(&setup, seed);
    ls_platform_close(&platform);
  }
}

/* A machine that is stopped keeps what it has: the unit that runs goes on where it stood, what
 * waits there is done by the other one. */
static void who_stands_still_goes_on_with_what_ran(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_pause pause = {.worker = 0, .from_s = 1.25, .until_s = 3.25, .is_kept = true};
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "sc", 12);
  setup.prefetch = 0;
  setup.pauses = &pause;
  setup.pauses_count = 1;
  setup.wants_notes = true;
  ls_timeline_init(&timeline);
  struct ls_simulated result = run_simulation(&setup, &timeline);
  assert_int_equal(result.units_done, 12);
  /* One unit and three quarters before, and nothing is lost of it. */
  assert_near(timeline.workers[0].suspended_s, 2, 1e-12);
  assert_near(result.up_s, 2 * result.makespan_s - 2, 1e-12);
  assert_int_equal(result.reclaims, 0);
  ls_timeline_close(&timeline);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_stands_still_goes_on_with_what_ran),
      cmocka_unit_test(a_reclaimed_worker_loses_what_runs_and_comes_back),
      cmocka_unit_test(nobody_left_for_ever_is_an_error),
      cmocka_unit_test(what_was_on_its_way_is_lost),
      cmocka_unit_test(no_sizing_grows_beyond_the_start),
      cmocka_unit_test(a_lost_machine_is_replaced_by_the_fastest_free_one),
      cmocka_unit_test(granting_takes_its_time_by_chance_repeatably),
      cmocka_unit_test(a_released_machine_is_granted_again),
      cmocka_unit_test(random_pauses_lose_no_unit),
      cmocka_unit_test(units_computed_twice_are_work_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
