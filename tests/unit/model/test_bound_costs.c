#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/bound_costs.h"
#include "model/windows.h"

static void start_and_seconds_are_those_of_the_best_window(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_window windows[2] = {{.from = 0, .to = 5}, {.from = 5, .to = 10}};
  windows[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 3};
  windows[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){4, 1};
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.prepare.latency_s = 0.5;
  assert_int_equal(ls_platform_set_windows(&platform, &platform.workers[0], windows, 2, NULL),
                   LS_OK);
  platform.workers[0].room_units = 8;
  assert_int_equal(ls_bound_ways(&platform.workers[0]), 2);
  assert_true(fabs(ls_bound_way(&platform.workers[0], 0).most - 5) < 1e-12);
  assert_true(fabs(ls_bound_way(&platform.workers[0], 1).most - 8) < 1e-12);
  assert_true(fabs(ls_bound_start(&platform, 0) - 1.5) < 1e-12);
  assert_true(fabs(ls_bound_seconds(&platform, 0, true) - 1) < 1e-12);
  assert_true(fabs(ls_bound_seconds(&platform, 0, false) - 1.5) < 1e-12); /* 1 + 4 / 8 */
  ls_platform_close(&platform);
}

static void shared_links_gain_by_number(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  assert_true(fabs(ls_bound_sharing_gain(&platform) - 1) < 1e-12);
  platform.ports = LS_PORTS_MULTI;
  platform.ports_alpha = 0.5;
  assert_true(isinf(ls_bound_sharing_gain(&platform)));
  platform.ports_limit = 9;
  assert_true(fabs(ls_bound_sharing_gain(&platform) - 3) < 1e-12);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(start_and_seconds_are_those_of_the_best_window),
      cmocka_unit_test(shared_links_gain_by_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
