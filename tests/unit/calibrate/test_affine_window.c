#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/affine_window.h"
#include "measured_fixture.h"

enum { REPEATS = 5, SEEDS = 40, POINTS = FIXTURE_SIZES * REPEATS };

/* Measurements of four operations; what a size is called, and how long a second is. */
struct measured {
  double units[FIXTURE_OPERATIONS][POINTS], seconds[FIXTURE_OPERATIONS][POINTS];
};

/* `law_of`: which of the two laws a size follows; 2: between them, and anywhere. */
static void measure(struct measured *measured, uint64_t seed, int (*law_of)(double)) {
  struct ls_random random;
  const struct noise noise = {0.02, 0, 0.08};
  ls_random_init(&random, seed, "windows");
  for (size_t j = 0; j < FIXTURE_OPERATIONS; j++) {
    for (size_t i = 0; i < POINTS; i++) {
      double units = fixture_size(i / REPEATS);
      int law = law_of(units);
      double seconds = measure_law(&fixture_laws[law % 2][j], units, &noise, &random);
      if (law == 2) seconds *= fmod(units * 0.6180339887 * (double)(j + 3), 1) * 4 + 1;
      measured->units[j][i] = units;
      measured->seconds[j][i] = seconds;
    }
  }
}

static struct ls_affine_windows find(const struct measured *measured) {
  struct ls_points points[FIXTURE_OPERATIONS];
  struct ls_window_grid grid;
  struct ls_affine_windows windows;
  for (size_t j = 0; j < FIXTURE_OPERATIONS; j++)
    points[j] = (struct ls_points){measured->units[j], measured->seconds[j], POINTS};
  assert_int_equal(ls_window_grid_make(points, FIXTURE_OPERATIONS, &grid, NULL), LS_OK);
  assert_int_equal(ls_affine_windows_find(&grid, &windows, NULL), LS_OK);
  ls_window_grid_close(&grid);
  return windows;
}

static void expect_limits(const struct ls_affine_window *window, double from, double to) {
  assert_true(fabs(window->units_from - from) <= 1e-9 * from);
  assert_true(fabs(window->units_to - to) <= 1e-9 * to);
}

static int follow_first(double units) {
  (void)units;
  return 0;
}

static int follow_both(double units) {
  return units > 450 ? 1 : 0;
}

/* From 900 to 1600 units nothing holds. */
static int follow_with_transition(double units) {
  if (units < 900) return 0;
  return units <= 1600 ? 2 : 1;
}

static void one_law_is_one_window(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct measured measured;
    measure(&measured, seed, follow_first);
    struct ls_affine_windows windows = find(&measured);
    assert_int_equal(windows.count, 1);
    expect_limits(&windows.items[0], 25, 2500);
    ls_affine_windows_close(&windows);
  }
}

static void two_laws_are_two_windows(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct measured measured;
    measure(&measured, seed, follow_both);
    struct ls_affine_windows windows = find(&measured);
    assert_int_equal(windows.count, 2);
    expect_limits(&windows.items[0], 25, 450);
    expect_limits(&windows.items[1], 500, 2500);
    for (size_t w = 0; w < 2; w++)
      for (size_t j = 0; j < FIXTURE_OPERATIONS; j++)
        assert_true(fabs(windows.items[w].laws[j].per_unit_s / fixture_laws[w][j].per_unit_s - 1) <=
                    0.05);
    ls_affine_windows_close(&windows);
  }
}

static void a_transition_is_in_no_window(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < SEEDS; seed++) {
    struct measured measured;
    measure(&measured, seed, follow_with_transition);
    struct ls_affine_windows windows = find(&measured);
    assert_int_equal(windows.count, 2);
    expect_limits(&windows.items[0], 25, 800);
    assert_true(windows.items[1].units_from >= 1700 && windows.items[1].units_from <= 1800);
    assert_true(windows.items[1].units_to >= 2500);
    ls_affine_windows_close(&windows);
  }
}

static void scales_do_not_move_the_limits(void **state) {
  (void)state;
  struct measured measured;
  measure(&measured, 3, follow_both);
  for (size_t j = 0; j < FIXTURE_OPERATIONS; j++) {
    for (size_t i = 0; i < POINTS; i++) {
      measured.units[j][i] *= 1e-4;
      measured.seconds[j][i] *= 1e7;
    }
  }
  struct ls_affine_windows windows = find(&measured);
  assert_int_equal(windows.count, 2);
  expect_limits(&windows.items[0], 25e-4, 450e-4);
  expect_limits(&windows.items[1], 500e-4, 2500e-4);
  ls_affine_windows_close(&windows);
}

static void exact_laws_and_idle_operations_have_windows(void **state) {
  (void)state;
  double units[20], seconds[20], nothing[20] = {0};
  for (size_t i = 0; i < 20; i++) {
    units[i] = (double)i + 1;
    seconds[i] = i < 10 ? 1 + units[i] : 40 + 3 * units[i];
  }
  struct ls_points points[] = {{units, seconds, 20}, {units, nothing, 20}};
  struct ls_window_grid grid;
  struct ls_affine_windows windows;
  assert_int_equal(ls_window_grid_make(points, 2, &grid, NULL), LS_OK);
  assert_int_equal(ls_affine_windows_find(&grid, &windows, NULL), LS_OK);
  assert_int_equal(windows.count, 2);
  expect_limits(&windows.items[0], 1, 10);
  expect_limits(&windows.items[1], 11, 20);
  ls_affine_windows_close(&windows);
  ls_window_grid_close(&grid);
}

static void few_sizes_are_not_cut(void **state) {
  (void)state;
  const double units[] = {1, 2, 3}, seconds[] = {1, 2, 3};
  struct ls_points points = {units, seconds, 3};
  struct ls_window_grid grid;
  struct ls_affine_windows windows;
  assert_int_equal(ls_window_grid_make(&points, 1, &grid, NULL), LS_OK);
  assert_int_equal(ls_affine_windows_find(&grid, &windows, NULL), LS_OK);
  assert_false(windows.is_searched);
  assert_int_equal(windows.count, 0);
  ls_affine_windows_close(&windows);
  ls_window_grid_close(&grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_law_is_one_window),
      cmocka_unit_test(two_laws_are_two_windows),
      cmocka_unit_test(a_transition_is_in_no_window),
      cmocka_unit_test(scales_do_not_move_the_limits),
      cmocka_unit_test(exact_laws_and_idle_operations_have_windows),
      cmocka_unit_test(few_sizes_are_not_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
