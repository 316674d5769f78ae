#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/plan_repeat.h"
#include "model/plan_share.h"
#include "model/replay.h"

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
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_tell_units_and_seconds_of_every_play),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
