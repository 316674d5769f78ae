/* test_selection.c: weights and availability go with the workers. */
#include "world_fixture.h"

#include "advise/selection.h"

static void all_that_is_by_worker_is_selected(void **state) {
  struct world world;
  struct ls_simulation setup = {0};
  struct ls_selection selection = {0};
  const size_t workers[] = {6, 1};
  const struct ls_availability *availability[WORLD_WORKERS] = {0};
  struct ls_availability away = {0};
  size_t counts[WORLD_WORKERS] = {[1] = 1};
  (void)state;
  world_open(&world, 0);
  assert_int_equal(world_draw(&world, 0, &setup, NULL), LS_OK);
  availability[1] = &away;
  setup.availability = availability;
  setup.availability_count = counts;
  assert_true(ls_selection_can_be(&setup));
  assert_int_equal(ls_selection_open(&selection, &setup, workers, 2, NULL), LS_OK);
  assert_int_equal(setup.platform->workers_count, 2);
  assert_string_equal(setup.platform->workers[0].name, world.platform.workers[6].name);
  assert_true(setup.config.weights[0] == world.weights[6]);
  assert_true(setup.config.weights[1] == world.weights[1]);
  assert_true(setup.availability[0] == NULL && setup.availability[1] == &away);
  assert_int_equal(setup.availability_count[1], 1);
  ls_selection_close(&selection);
  ls_platform_close(&world.platform);
}

static void who_comes_and_goes_by_number_is_not_selected(void **state) {
  (void)state;
  assert_false(ls_selection_can_be(&(struct ls_simulation){.leave_count = 1}));
  assert_false(ls_selection_can_be(&(struct ls_simulation){.join_count = 1}));
  assert_false(ls_selection_can_be(&(struct ls_simulation){.pauses_count = 1}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_that_is_by_worker_is_selected),
      cmocka_unit_test(who_comes_and_goes_by_number_is_not_selected),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
