/* Machines are taken away by chance, repeatably. */
#include "support.h"

static void one_machine_goes_in_every_iteration(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 4);
  struct ls_simulation setup = make_simulation(&platform, "ss", 20);
  setup.iterations = 25;
  setup.reclaim.probability = 1;
  struct ls_simulated result = run_simulation(&setup, NULL);
  /* The loss comes within the longest task, so always before the iteration ends. */
  assert_int_equal(result.reclaims, 25);
  assert_int_equal(result.units_done, 500);
  setup.reclaim.probability = 0;
  assert_int_equal(run_simulation(&setup, NULL).reclaims, 0);
  ls_platform_close(&platform);
}

static void losses_come_as_often_as_they_are_said_to(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 4);
  struct ls_simulation setup = make_simulation(&platform, "ss", 8);
  setup.config.is_exact = false;
  setup.iterations = 2000;
  setup.reclaim.probability = 0.3;
  /* 600 are expected, with a deviation of 20.5. */
  assert_in_range(run_simulation(&setup, NULL).reclaims, 510, 690);
  setup.reclaim = (struct ls_simulated_reclaim){.mean_up_s = 50, .mean_away_s = 10};
  struct ls_simulated result = run_simulation(&setup, NULL);
  double expected = result.up_s / 50;
  assert_true(fabs((double)result.reclaims - expected) < 5 * sqrt(expected));
  ls_platform_close(&platform);
}

static void the_same_seed_loses_the_same(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 3);
  struct ls_simulation setup = make_simulation(&platform, "gss", 50);
  setup.reclaim = (struct ls_simulated_reclaim){.mean_up_s = 4, .mean_away_s = 2};
  double first = run_simulation(&setup, NULL).makespan_s;
  assert_near(run_simulation(&setup, NULL).makespan_s, first, 0);
  setup.config.seed = 2;
  assert_true(fabs(run_simulation(&setup, NULL).makespan_s - first) > 0);
  ls_platform_close(&platform);
}

static void a_single_machine_lost_in_its_iteration_never_ends(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 1);
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  setup.reclaim.probability = 1;
  assert_refused(&setup, "cannot end");
  ls_platform_close(&platform);
}

static void what_cannot_be_is_refused(void **state) {
  (void)state;
  struct ls_platform platform;
  open_platform(&platform, 2);
  struct ls_simulation setup = make_simulation(&platform, "ss", 5);
  setup.reclaim.probability = 1.5;
  assert_refused(&setup, "reclaim.probability is 1.5");
  setup.reclaim = (struct ls_simulated_reclaim){.mean_up_s = 3};
  assert_refused(&setup, "reclaim.mean_away is 0");
  setup.reclaim = (struct ls_simulated_reclaim){.mean_up_s = (double)NAN};
  assert_refused(&setup, "reclaim.mean_up");
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_machine_goes_in_every_iteration),
      cmocka_unit_test(losses_come_as_often_as_they_are_said_to),
      cmocka_unit_test(the_same_seed_loses_the_same),
      cmocka_unit_test(a_single_machine_lost_in_its_iteration_never_ends),
      cmocka_unit_test(what_cannot_be_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
