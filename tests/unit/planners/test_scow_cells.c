#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include <stdlib.h>

#include "planners/scow/scow_cells.h"
#include "scow_fixture.h"

/* q(T): full workers in activation order while the master has time. */
static size_t count_full(const struct ls_scow_star *star, double period_s) {
  size_t full = 0;
  double left_s = period_s;
  for (size_t i = 0; i < star->count; i++) {
    double chunk = ls_scow_chunk(&star->items[i], period_s);
    if (!(chunk > 0)) continue;
    left_s -= ls_cost_time(&star->items[i].send, chunk);
    if (left_s < 0) break;
    full++;
  }
  return full;
}

static void check_grid(const struct ls_scow_star *star, const struct ls_scow_cell *cells,
                       size_t count) {
  double first_s = cells[0].from_s, last_s = cells[count - 1].from_s;
  for (int step = 1; step < 2000; step++) {
    double period_s = first_s + (3 * last_s - first_s + 1) * step / 2000;
    for (size_t i = 0; i < count; i++) {
      double slack = 1e-9 * period_s;
      if (!(period_s > cells[i].from_s + slack && period_s < cells[i].to_s - slack)) continue;
      if (count_full(star, period_s) != cells[i].full)
        fail_msg("period %.17g: %zu full, the cell says %zu", period_s, count_full(star, period_s),
                 cells[i].full);
    }
  }
}

/* Also where more workers fit into shorter periods (lambda H < C). */
static void the_partition_is_that_of_a_grid(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "cells");
  for (int turn = 0; turn < 60; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    struct ls_scow_cell *cells;
    size_t count;
    scow_open(&platform, &random, (enum scow_kind)(turn % 3), 9);
    double stretch = turn % 2 ? 30 : 1;
    for (size_t i = 0; i < platform.workers_count; i++)
      platform.workers[i].costs[LS_OPERATION_COMPUTE].latency_s *= stretch;
    scow_star(&platform, &star);
    assert_int_equal(ls_scow_partition(&star, &cells, &count, NULL), LS_OK);
    assert_true(count > 0 && isinf(cells[count - 1].to_s));
    for (size_t i = 1; i < count; i++) {
      expect_near(cells[i].from_s, cells[i - 1].to_s, 0);
      assert_true(cells[i].full != cells[i - 1].full);
    }
    check_grid(&star, cells, count);
    free(cells);
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
}

/* R(i, T_i) = T_i, with a chunk for everybody. */
static void in_a_period_of_perfect_utilization_nobody_waits(void **state) {
  struct ls_random random;
  size_t found = 0;
  (void)state;
  ls_random_init(&random, 2, "pump");
  for (int turn = 0; turn < 100; turn++) {
    struct ls_platform platform;
    struct ls_scow_star star;
    double periods[16];
    scow_open(&platform, &random, turn % 2 ? SCOW_DIFFERENT : SCOW_IDENTICAL, 12);
    scow_star(&platform, &star);
    ls_scow_pump(&star, periods);
    for (size_t i = 0; i < star.count; i++) {
      double sent_s = 0;
      if (isnan(periods[i])) continue;
      for (size_t k = 0; k <= i; k++) {
        double chunk = ls_scow_chunk(&star.items[k], periods[i]);
        assert_true(chunk > 0);
        sent_s += ls_cost_time(&star.items[k].send, chunk);
      }
      expect_near(sent_s, periods[i], 1e-6);
      found++;
    }
    ls_scow_star_close(&star);
    ls_platform_close(&platform);
  }
  assert_true(found > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_partition_is_that_of_a_grid),
      cmocka_unit_test(in_a_period_of_perfect_utilization_nobody_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
