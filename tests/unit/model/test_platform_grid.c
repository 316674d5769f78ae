#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/platform_grid.h"

static void set_axis(struct ls_platform_grid *grid, enum ls_grid_axis axis, const double *values,
                     size_t count) {
  grid->axes[axis].items = calloc(count, sizeof *values);
  assert_non_null(grid->axes[axis].items);
  memcpy(grid->axes[axis].items, values, count * sizeof *values);
  grid->axes[axis].count = count;
}

/* 2 loads, 3 numbers of workers, 2 speeds, 2 latencies, 2 seeds. */
static void make_grid(struct ls_platform_grid *grid, double heterogeneity) {
  *grid = (struct ls_platform_grid){.ports = LS_PORTS_TWO};
  for (size_t i = 0; i < LS_GRID_AXES; i++)
    set_axis(grid, (enum ls_grid_axis)i, (const double[]){1}, 1);
  grid->axes[LS_GRID_HETEROGENEITY].items[0] = heterogeneity;
  const struct {
    enum ls_grid_axis axis;
    double values[3];
    size_t count;
  } axes[] = {{LS_GRID_LOAD, {100, 200}, 2},
              {LS_GRID_WORKERS, {2, 3, 4}, 3},
              {LS_GRID_SPEED, {1, 2}, 2},
              {LS_GRID_COMPUTE_LATENCY, {0, 0.5}, 2},
              {LS_GRID_SEED, {1, 2}, 2}};
  for (size_t i = 0; i < sizeof axes / sizeof *axes; i++) {
    free(grid->axes[axes[i].axis].items);
    set_axis(grid, axes[i].axis, axes[i].values, axes[i].count);
  }
}

static void every_combination_stands_once_in_order(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  make_grid(&grid, 2);
  assert_int_equal(ls_platform_grid_finish(&grid, NULL), LS_OK);
  assert_int_equal(grid.block_platforms, 4);
  assert_int_equal(grid.blocks, 12);
  size_t number = 0;
  for (int load = 100; load <= 200; load += 100)
    for (int workers = 2; workers <= 4; workers++)
      for (int speed = 1; speed <= 2; speed++)
        for (int latency = 0; latency <= 1; latency++)
          for (int seed = 1; seed <= 2; seed++, number++) {
            struct ls_grid_point point = ls_platform_grid_point(&grid, number / 4, number % 4);
            assert_int_equal(point.values[LS_GRID_LOAD], load);
            assert_int_equal(point.values[LS_GRID_WORKERS], workers);
            assert_int_equal(point.values[LS_GRID_SPEED], speed);
            assert_int_equal(2 * point.values[LS_GRID_COMPUTE_LATENCY], latency);
            assert_int_equal(point.values[LS_GRID_SEED], seed);
          }
  assert_int_equal(number, ls_platform_grid_count(&grid));
  ls_platform_grid_close(&grid);
}

static double cost_of(const struct ls_platform *platform, size_t worker) {
  return platform->workers[worker].costs[LS_OPERATION_COMPUTE].per_unit_s;
}

static void workers_are_alike_unless_they_are_drawn(void **state) {
  (void)state;
  for (int heterogeneity = 1; heterogeneity <= 4; heterogeneity += 3) {
    struct ls_platform_grid grid;
    struct ls_platform first, again, other;
    make_grid(&grid, heterogeneity);
    assert_int_equal(ls_platform_grid_finish(&grid, NULL), LS_OK);
    struct ls_grid_point point = ls_platform_grid_point(&grid, 3, 0);
    struct ls_grid_point next = ls_platform_grid_point(&grid, 3, 1);
    assert_int_equal(ls_grid_point_is_drawn(&point), heterogeneity > 1);
    assert_int_equal(ls_platform_grid_make(&grid, &point, &first, NULL), LS_OK);
    assert_int_equal(ls_platform_grid_make(&grid, &point, &again, NULL), LS_OK);
    assert_int_equal(ls_platform_grid_make(&grid, &next, &other, NULL), LS_OK);
    assert_int_equal(ls_platform_check(&first, NULL), LS_OK);
    assert_int_equal(first.workers_count, 3);
    bool is_alike = !(fabs(cost_of(&first, 0) - cost_of(&first, 1)) > 0);
    bool is_same = !(fabs(cost_of(&first, 0) - cost_of(&other, 0)) > 0);
    assert_int_equal(is_alike, heterogeneity == 1);
    assert_int_equal(is_same, heterogeneity == 1); /* another seed */
    for (size_t i = 0; i < 3; i++) {
      double mine = cost_of(&first, i), repeated = cost_of(&again, i);
      assert_memory_equal(&mine, &repeated, sizeof mine);
      /* Speed 2, from 2/(het + 1) x 2 to 2 het/(het + 1) x 2. */
      assert_true(1 / mine >= 4.0 / (heterogeneity + 1) - 1e-12);
      assert_true(1 / mine <= 4.0 * heterogeneity / (heterogeneity + 1) + 1e-12);
    }
    ls_platform_close(&first);
    ls_platform_close(&again);
    ls_platform_close(&other);
    ls_platform_grid_close(&grid);
  }
}

static void ranges_end_where_they_say(void **state) {
  (void)state;
  const struct ls_grid_range range = {0, 0.99, 0.03}, one = {5, 5, 1};
  assert_int_equal(ls_grid_range_count(&range), 34);
  double last = ls_grid_range_value(&range, 33), expected = 0.99;
  assert_memory_equal(&last, &expected, sizeof last);
  assert_int_equal(ls_grid_range_count(&one), 1);
  const struct ls_grid_range endless = {0, 1e300, 1e-300};
  assert_true(ls_grid_range_count(&endless) > LS_GRID_VALUES_MOST);
}

static void too_many_platforms_are_refused(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  struct ls_error err = {0};
  static double values[100000];
  for (size_t i = 0; i < 100000; i++) values[i] = 1;
  make_grid(&grid, 1);
  for (size_t i = LS_GRID_DELAY; i <= LS_GRID_COMPUTE_LATENCY; i++) {
    free(grid.axes[i].items);
    set_axis(&grid, (enum ls_grid_axis)i, values, 100000);
  }
  assert_int_equal(ls_platform_grid_finish(&grid, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "more than"));
  ls_platform_grid_close(&grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_combination_stands_once_in_order),
      cmocka_unit_test(workers_are_alike_unless_they_are_drawn),
      cmocka_unit_test(ranges_end_where_they_say),
      cmocka_unit_test(too_many_platforms_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
