#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/plan_repeat.h"
#include "model/plan_share.h"
#include "model/replay.h"
#include "model/windows.h"

/* Transfers of 1 s and no work to receive; worker 1 gets 2 units three times: 1..3, 3..5, 5..7. */
static void shares_tell_units_and_seconds_of_every_play(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_plan_share shares[3];
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = 1;
  ls_plan_init(&plan, "test", 7);
  ls_plan_add(&plan, 1, 0, 2);
  ls_plan_add(&plan, 2, 3, 1);
  ls_plan_repeat(&plan, 0, 1, 3);
  ls_plan_shares(&plan, &platform, shares);
  assert_true(isnan(shares[1].last_s) && shares[1].chunks == 3);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  ls_plan_shares(&plan, &platform, shares);
  assert_int_equal(shares[0].chunks, 0);
  assert_true(shares[0].units == 0 && shares[0].last_s == 0);
  assert_true(shares[1].units == 6 && shares[1].busy_s == 6);
  assert_true(shares[1].first_s == 1 && shares[1].last_s == 7);
  assert_true(shares[2].first_s == 4 && shares[2].last_s == 5);
  /* Who gets nothing is not taken. */
  platform.workers[0].price_per_s = 100;
  platform.workers[2].price_per_s = 0.5;
  assert_true(ls_plan_price(&plan, &platform, shares) == 1.5 * plan.makespan_s);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void seconds_of_units_are_those_of_their_windows(void **state) {
  (void)state;
  struct ls_window windows[] = {{.from = 1, .to = 3}, {.from = 4, .to = 100}};
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_plan_share share;
  windows[0].costs[LS_OPERATION_RECEIVE] = (struct ls_cost){0.5, 0.25};
  windows[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 1};
  windows[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){3, 0.5};
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  assert_int_equal(ls_platform_set_windows(&platform, platform.workers, windows, 2, NULL), LS_OK);
  ls_plan_init(&plan, "test", 12);
  ls_plan_add(&plan, 0, 0, 2);
  ls_plan_add(&plan, 0, 0, 8);
  ls_plan_repeat(&plan, 0, 1, 2);
  ls_plan_shares(&plan, &platform, &share);
  assert_true(share.units == 12 && share.units_s == 2 * 2.5 + 4);
  assert_true(share.busy_s == share.units_s + 2 * 1.5 + 3);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_tell_units_and_seconds_of_every_play),
      cmocka_unit_test(seconds_of_units_are_those_of_their_windows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
