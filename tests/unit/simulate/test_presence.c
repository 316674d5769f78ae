/* Workers are reclaimed and given back, granted and released. */
#include "support.h"

/* Two workers, twelve units, one away from 2.5 to 5.5: it loses half a unit. */
static void a_reclaimed_worker_loses_what_runs_and_comes_back(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_timeline timeline;
  struct ls_simulated_pause pause = {.worker = 1, .from_s = 2.5, .until_s = 5.5};
  open_platform(&platform, 2);
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
  assert_near(result.efficiency, 12 / 13.0, 1e-12);
  assert_near(timeline.workers[1].suspended_s, 3, 1e-12);
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

/* The coordinator wants four workers; two are there, the others come, the fastest free one first,
 * after three seconds. */
static void requested_machines_come_after_their_delay(void **state) {
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
  /* The sizing may want no more than were asked for at the start: two stay. */
  assert_int_equal(iterations[2].workers, 2);
  assert_near(iterations[0].end_s, 20, 1e-12);
  ls_timeline_close(&timeline);
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
      pauses[i] = (struct ls_simulated_pause){(uint32_t)ls_random_below(&random, workers), from_s,
                                              from_s + draw(&random, 0.01, 10)};
    }
    setup.pauses = pauses;
    setup.pauses_count = 6;
    struct ls_simulated result = run_simulation(&setup, NULL);
    assert_int_equal(result.units_done, 60 * setup.iterations);
    assert_true(result.efficiency > 0 && result.efficiency <= 1 + 1e-9);
    ls_platform_close(&platform);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reclaimed_worker_loses_what_runs_and_comes_back),
      cmocka_unit_test(nobody_left_for_ever_is_an_error),
      cmocka_unit_test(what_was_on_its_way_is_lost),
      cmocka_unit_test(requested_machines_come_after_their_delay),
      cmocka_unit_test(random_pauses_lose_no_unit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
