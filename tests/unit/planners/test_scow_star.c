#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "scow_fixture.h"

static const struct ls_parameter own[] = {LS_SCOW_WORKERS, LS_SCOW_WINDOW, {0}};

static void workers_stand_in_activation_order(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "star");
  for (int turn = 0; turn < 50; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    scow_open(&platform, &random, turn % 2 ? SCOW_DIFFERENT : SCOW_BUS, 12);
    scow_star(&platform, &star);
    assert_int_equal(star.count, platform.workers_count);
    for (size_t i = 1; i < star.count; i++) {
      const struct ls_scow_worker *a = &star.items[i - 1], *b = &star.items[i];
      bool is_later = a->send.per_unit_s < b->send.per_unit_s ||
                      (a->send.per_unit_s <= b->send.per_unit_s && a->number < b->number);
      assert_true(is_later);
    }
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

/* The theory's h is the station with the larger slope; on a tie the larger constant. */
static void the_slower_station_is_the_theorys(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  (void)state;
  scow_grid(&platform, 2, (struct ls_cost){0.2, 0.1}, (struct ls_cost){0, 1});
  platform.prepare = (struct ls_cost){0.05, 0.06};
  platform.workers[0].costs[LS_OPERATION_SEND] = (struct ls_cost){0.01, 0.06};
  scow_star(&platform, &star);
  assert_int_equal(star.items[0].number, 1);
  expect_near(star.items[0].send.latency_s, 0.2, 0);
  expect_near(star.items[1].send.per_unit_s, 0.12, 1e-15);
  expect_near(star.items[1].send.latency_s, 0.06, 1e-15);
  assert_true(star.uses_master && star.uses_link && !star.is_identical);
  expect_near(ls_scow_first_s(&star.items[1], 10), 0.06 + 1.2 + 0.2 + 1, 1e-12);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

static void what_costs_nothing_is_refused_by_name(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why = {{0}};
  (void)state;
  scow_grid(&platform, 3, (struct ls_cost){0.2, 0.1}, (struct ls_cost){0, 1});
  struct ls_planner_setup setup = {.platform = &platform, .load = 1};
  assert_true(ls_scow_is_valid(&setup, NULL, &why));
  platform.workers[2].costs[LS_OPERATION_TRANSFER].per_unit_s = 0;
  assert_false(ls_scow_is_valid(&setup, NULL, &why));
  assert_non_null(strstr(why.text, "worker 2"));
  platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 0;
  assert_false(ls_scow_is_valid(&setup, NULL, &why));
  assert_non_null(strstr(why.text, "worker 1"));
  ls_platform_close(&platform);
}

static void windows_of_argument_and_worker_must_meet(void **state) {
  struct ls_platform platform;
  struct ls_planner_reason why = {{0}};
  struct ls_scow_star star;
  (void)state;
  scow_grid(&platform, 3, (struct ls_cost){0.2, 0.1}, (struct ls_cost){0, 1});
  platform.workers[1].window_from = 20;
  platform.workers[1].window_to = 60;
  struct ls_planner_setup setup = {.platform = &platform, .load = 1};
  ls_arguments_init(&setup.arguments, own);
  assert_int_equal(ls_arguments_set(&setup.arguments, own, "window", "5-30", NULL), LS_OK);
  assert_true(ls_scow_is_valid(&setup, own, &why));
  assert_int_equal(ls_scow_star_open(&star, &setup, own, NULL), LS_OK);
  expect_near(star.items[0].least, 5, 0);
  expect_near(star.items[1].least, 20, 0);
  expect_near(star.items[1].most, 30, 0);
  expect_near(star.items[0].tail_least, 0, 0);
  expect_near(star.items[1].tail_least, 20, 0);
  ls_scow_star_close(&star);
  assert_int_equal(ls_arguments_set(&setup.arguments, own, "window", "[1, 9]", NULL), LS_OK);
  assert_false(ls_scow_is_valid(&setup, own, &why));
  assert_non_null(strstr(why.text, "worker 1"));
  ls_arguments_close(&setup.arguments);
  ls_platform_close(&platform);
}

static void a_round_lasts_as_long_as_its_slowest_station(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  (void)state;
  scow_grid(&platform, 3, (struct ls_cost){0.5, 0.1}, (struct ls_cost){1, 2});
  scow_star(&platform, &star);
  const double few[] = {4, 0, 2}, many[] = {1, 1, 100};
  struct ls_scow_load load = ls_scow_load_of(star.items, 3, few);
  expect_near(load.period_s, 9, 1e-12);
  expect_near(load.link_s, 1.6, 1e-12);
  expect_near(load.compute_s, 14, 1e-12);
  assert_int_equal(load.workers, 2);
  assert_true(ls_scow_load_of(star.items, 3, many).units == 102);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_stand_in_activation_order),
      cmocka_unit_test(the_slower_station_is_the_theorys),
      cmocka_unit_test(what_costs_nothing_is_refused_by_name),
      cmocka_unit_test(windows_of_argument_and_worker_must_meet),
      cmocka_unit_test(a_round_lasts_as_long_as_its_slowest_station),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
