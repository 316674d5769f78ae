#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "planners/scow/scow_rates.h"
#include "scow_fixture.h"

/* None with sum h y <= 1, y <= 1/c. */
static void no_feasible_rates_are_better(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "rates");
  for (int turn = 0; turn < 100; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    double rates[16];
    scow_open(&platform, &random, SCOW_DIFFERENT, 12);
    scow_star(&platform, &star);
    struct ls_scow_rates found = ls_scow_rates_of(star.items, star.count, rates);
    double sent = 0, sum = 0;
    for (size_t i = 0; i < star.count; i++) {
      assert_true(rates[i] >= 0 && rates[i] <= 1 / star.items[i].compute.per_unit_s * (1 + 1e-12));
      sent += rates[i] * star.items[i].send.per_unit_s;
      sum += rates[i];
    }
    assert_true(sent <= 1 + 1e-9);
    expect_near(sum, found.throughput, 1e-12);
    for (int trial = 0; trial < 50; trial++) {
      double feasible = 0, left = 1;
      for (size_t i = star.count; i-- > 0;) {
        const struct ls_scow_worker *worker = &star.items[i];
        double rate = fmin(ls_random_real(&random) / worker->compute.per_unit_s,
                           left / worker->send.per_unit_s);
        feasible += rate;
        left -= rate * worker->send.per_unit_s;
      }
      assert_true(feasible <= found.throughput * (1 + 1e-12));
    }
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

/* One worker is sent to by a fast network through a slow master, another one the other way round:
 * the theory's h would add up what different stations do at the same time. */
static void the_bound_takes_each_station_alone(void **state) {
  struct ls_platform platform;
  struct ls_scow_star star;
  double bound_s;
  (void)state;
  scow_grid(&platform, 2, (struct ls_cost){0, 0.1}, (struct ls_cost){0, 1});
  platform.workers[0].costs[LS_OPERATION_SEND].per_unit_s = 1;
  platform.workers[1].costs[LS_OPERATION_TRANSFER].per_unit_s = 1;
  scow_star(&platform, &star);
  assert_int_equal(ls_scow_bound(&star, 10, &bound_s, NULL), LS_OK);
  /* Master: both computing needs 1 of it. Network: 0.1 + 0.9 of the slow one. */
  expect_near(bound_s, 10 / (1 + 0.9), 1e-12);
  assert_true(ls_scow_rates_of(star.items, 2, NULL).throughput < 1.9);
  assert_true(star_makespan(&platform, 10, "scow") >= bound_s);
  ls_scow_star_close(&star);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_feasible_rates_are_better),
      cmocka_unit_test(the_bound_takes_each_station_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
