/* test_crew_judges.c: a crew's offer is that of its own platform. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/crew_judges.h"
#include "cli/policy_table.h"

static void open_platform(struct ls_platform *platform) {
  assert_int_equal(ls_platform_init(platform, 3, NULL), LS_OK);
  platform->workers[1].price_per_s = 5;
  platform->workers[2].costs[LS_OPERATION_COMPUTE].per_unit_s = 2;
}

/* Worker 0 alone, 1 and 2, all. */
static size_t all_workers[] = {0, 1, 2};
static void make_crews(struct ls_crew *crews) {
  crews[0] = (struct ls_crew){.workers = all_workers, .count = 1};
  crews[1] = (struct ls_crew){.workers = all_workers + 1, .count = 2};
  crews[2] = (struct ls_crew){.workers = all_workers, .count = 3};
}

static void plans_are_replayed_on_the_crew(void **state) {
  struct ls_platform platform;
  struct ls_crew crews[3];
  struct ls_planner_limits limits = {.has_load = true, .load = 30};
  (void)state;
  open_platform(&platform);
  make_crews(crews);
  struct ls_planner_judge judge = {&platform, &limits, "one-round", NULL};
  assert_int_equal(ls_judge_by_planner(&judge, crews, 3, NULL), LS_OK);
  assert_true(fabs(crews[0].offer.time_s - 30) < 1e-9 && fabs(crews[0].offer.price - 30) < 1e-9);
  assert_true(fabs(crews[1].offer.time_s - 20) < 1e-9 && fabs(crews[1].offer.price - 120) < 1e-9);
  assert_true(fabs(crews[2].offer.time_s - 12) < 1e-9 && fabs(crews[2].offer.price - 84) < 1e-9);
  ls_platform_close(&platform);
}

/* Readers of workers are beyond the planners. */
static void a_refusal_is_no_offer(void **state) {
  struct ls_platform platform;
  struct ls_crew crews[3];
  struct ls_planner_limits limits = {.has_load = true, .load = 30};
  (void)state;
  open_platform(&platform);
  platform.workers[2].costs[LS_OPERATION_STAGE].per_unit_s = 1;
  make_crews(crews);
  for (size_t i = 0; i < 3; i++)
    crews[i].offer = (struct ls_offer){(double)INFINITY, (double)INFINITY};
  struct ls_planner_judge judge = {&platform, &limits, "one-round", NULL};
  assert_int_equal(ls_judge_by_planner(&judge, crews, 3, NULL), LS_OK);
  assert_true(isfinite(crews[0].offer.time_s));
  assert_true(isinf(crews[1].offer.time_s) && isinf(crews[2].offer.price));
  ls_platform_close(&platform);
}

static void policies_are_simulated_on_the_crew(void **state) {
  static const char *const policy[] = {"ss"}, *const order[] = {NULL}, *const names[] = {""};
  struct ls_platform platform;
  struct ls_crew crews[3];
  (void)state;
  open_platform(&platform);
  make_crews(crews);
  struct ls_policy_grid grid = {.policies = {policy, 1},
                                .orders = {order, 1},
                                .platform_names = {names, 1},
                                .platforms = &platform,
                                .units = 30,
                                .seed = 1,
                                .seeds = 2,
                                .map = ls_policy_table_map,
                                .processes = 1};
  struct ls_policy_judge judge = {&grid};
  assert_int_equal(ls_judge_by_policy(&judge, crews, 3, NULL), LS_OK);
  assert_true(fabs(crews[0].offer.time_s - 30) < 1e-9 && fabs(crews[0].offer.price - 30) < 1e-9);
  assert_true(fabs(crews[1].offer.time_s - 20) < 1e-9 && fabs(crews[1].offer.price - 120) < 1e-9);
  assert_true(fabs(crews[2].offer.time_s - 12) < 1e-9 && fabs(crews[2].offer.price - 84) < 1e-9);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plans_are_replayed_on_the_crew),
      cmocka_unit_test(a_refusal_is_no_offer),
      cmocka_unit_test(policies_are_simulated_on_the_crew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
