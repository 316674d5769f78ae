#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/window_grid.h"

static void medians_of_repeats_at_common_sizes(void **state) {
  (void)state;
  const double units[] = {4, 1, 4, 2, 4, 1}, seconds[] = {9, 1, 7, 5, 100, 3};
  const double others[] = {1, 4, 8}, times[] = {2, 6, 7};
  struct ls_points points[] = {{units, seconds, 6}, {others, times, 3}};
  struct ls_window_grid grid;
  assert_int_equal(ls_window_grid_make(points, 2, &grid, NULL), LS_OK);
  assert_int_equal(grid.sizes, 2);
  assert_true(grid.least[0] >= 1 && grid.most[0] <= 1 && grid.least[1] >= 4);
  const double expected[] = {2, 9, 2, 6};
  for (size_t i = 0; i < 4; i++) assert_true(fabs(grid.seconds[i] - expected[i]) <= 1e-12);
  ls_window_grid_close(&grid);
}

/* Sizes that no two operations share are taken together in ranges. */
static void sizes_that_differ_become_ranges(void **state) {
  (void)state;
  enum { COUNT = 5000 };
  static double units[2][COUNT], seconds[2][COUNT];
  for (size_t i = 0; i < COUNT; i++) {
    units[0][i] = 1 + (double)((i * 7919) % COUNT);
    units[1][i] = units[0][i] + 0.5;
    seconds[0][i] = 2 * units[0][i];
    seconds[1][i] = 3 * units[1][i];
  }
  struct ls_points points[] = {{units[0], seconds[0], COUNT}, {units[1], seconds[1], COUNT}};
  struct ls_window_grid grid;
  assert_int_equal(ls_window_grid_make(points, 2, &grid, NULL), LS_OK);
  assert_int_equal(grid.sizes, LS_WINDOW_SIZES_MAX);
  for (size_t k = 0; k < grid.sizes; k++) {
    assert_true(grid.least[k] < grid.most[k]);
    assert_true(k == 0 || grid.least[k] > grid.most[k - 1]);
    for (size_t j = 0; j < 2; j++) {
      double x = grid.units[j * grid.sizes + k];
      assert_true(x >= grid.least[k] && x <= grid.most[k]);
      assert_true(fabs(grid.seconds[j * grid.sizes + k] - (double)(2 + j) * x) <= 1e-9 * x);
    }
  }
  ls_window_grid_close(&grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(medians_of_repeats_at_common_sizes),
      cmocka_unit_test(sizes_that_differ_become_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
