#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "advise/grid_play.h"
#include "grid_fixture.h"
#include "planners/planner.h"

enum { LABELS = 4, MOST = 16 };

static const char *const labels[LABELS] = {"umr", "mi:3", "one-round", "xmi"};

static void play(const struct ls_grid_piece *piece, bool is_one_by_one, bool is_whole,
                 double *makespans_s) {
  const struct ls_grid_planners planners = {
      .labels = labels, .count = LABELS, .is_one_by_one = is_one_by_one, .is_whole = is_whole};
  assert_int_equal(ls_grid_play(piece, &planners, makespans_s, MOST, NULL), LS_OK);
}

static double plan_alone(const struct ls_platform_grid *grid, size_t index, const char *label) {
  const struct ls_planner *planner = NULL;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_grid_point point = ls_platform_grid_point(grid, 2, index);
  struct ls_planner_setup setup = {.platform = &platform, .load = point.values[LS_GRID_LOAD]};
  assert_int_equal(ls_platform_grid_make(grid, &point, &platform, NULL), LS_OK);
  assert_int_equal(ls_planner_parse(label, &planner, &setup, NULL), LS_OK);
  enum ls_status status = ls_planner_run(planner, &setup, label, &plan, NULL);
  bool is_plan = status == LS_OK && plan.outcome == LS_PLAN_OK;
  double makespan_s = is_plan ? plan.makespan_s : (double)INFINITY;
  ls_plan_close(&plan);
  ls_arguments_close(&setup.arguments);
  ls_platform_close(&platform);
  return makespan_s;
}

static void one_by_one_has_the_same_digits(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  make_grid(&grid, 5, 4, 1);
  for (size_t i = 0; i < ls_grid_pieces(&grid, MOST); i++) {
    double together[LABELS * MOST], alone[LABELS * MOST];
    struct ls_grid_piece piece = ls_grid_piece(&grid, MOST, i);
    assert_int_equal(piece.count, MOST);
    play(&piece, false, false, together);
    play(&piece, true, false, alone);
    assert_memory_equal(together, alone, sizeof alone);
    for (size_t k = 0; k < LABELS * MOST; k++) assert_true(alone[k] > 0 && isfinite(alone[k]));
  }
  ls_platform_grid_close(&grid);
}

/* Those that are wanted stand next to each other. */
static void only_the_wanted_platforms_are_played(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  double whole[LABELS * MOST], part[LABELS * MOST] = {0};
  bool is_wanted[MOST] = {false};
  make_grid(&grid, 5, 4, 1);
  struct ls_grid_piece piece = ls_grid_piece(&grid, MOST, 1);
  play(&piece, false, false, whole);
  is_wanted[3] = is_wanted[14] = true;
  piece.is_wanted = is_wanted;
  play(&piece, false, false, part);
  for (size_t i = 0; i < LABELS; i++) {
    assert_memory_equal(&part[i * MOST], &whole[i * MOST + 3], sizeof *part);
    assert_memory_equal(&part[i * MOST + 1], &whole[i * MOST + 14], sizeof *part);
    assert_false(part[i * MOST + 2] > 0);
  }
  ls_platform_grid_close(&grid);
}

/* Installments are for identical workers. */
static void what_does_not_apply_has_no_makespan(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  double makespans_s[LABELS * MOST];
  make_grid(&grid, 5, 4, 3);
  struct ls_grid_piece piece = ls_grid_piece(&grid, MOST, 0);
  play(&piece, false, false, makespans_s);
  assert_true(isinf(makespans_s[MOST]));
  assert_true(isfinite(makespans_s[0]));
  ls_platform_grid_close(&grid);
}

static void whole_units_are_planned_as_such(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  double real[LABELS * MOST], whole[LABELS * MOST];
  make_grid(&grid, 7, 4, 1);
  struct ls_grid_piece piece = ls_grid_piece(&grid, MOST, 0);
  play(&piece, false, false, real);
  play(&piece, false, true, whole);
  assert_true(whole[2 * MOST] > real[2 * MOST]);
  ls_platform_grid_close(&grid);
}

/* Every planner that asks no others, with and without differences among the workers: the digits of
 * ls_planner_run, or no makespan where it has no plan. */
static void each_makespan_is_that_of_the_planner_alone(void **state) {
  (void)state;
  size_t applied = 0;
  for (int heterogeneity = 1; heterogeneity <= 3; heterogeneity += 2) {
    struct ls_platform_grid grid;
    make_grid(&grid, 3, 2, heterogeneity);
    for (size_t i = 0; ls_planners[i] != NULL; i++) {
      const struct ls_planner *planner = ls_planners[i];
      if (planner->asks_others || planner->is_search || planner->cost != LS_PLANNER_FORMULAS)
        continue;
      const char *const label[] = {planner->trial_first > 0 ? "mi:2" : planner->name};
      if (planner->trial_first > 0 && strcmp(planner->name, "mi") != 0) continue;
      const struct ls_grid_planners one = {.labels = label, .count = 1, .is_one_by_one = true};
      struct ls_grid_piece piece = ls_grid_piece(&grid, MOST, 2);
      double makespans_s[MOST];
      assert_int_equal(ls_grid_play(&piece, &one, makespans_s, MOST, NULL), LS_OK);
      for (size_t k = 0; k < piece.count; k++) {
        double alone_s = plan_alone(&grid, k, label[0]);
        if (memcmp(&alone_s, &makespans_s[k], sizeof alone_s) != 0)
          fail_msg("%s: %.17g, alone %.17g", label[0], makespans_s[k], alone_s);
        applied += isfinite(alone_s) != 0;
      }
    }
    ls_platform_grid_close(&grid);
  }
  assert_true(applied > 30);
}

static void unknown_planners_are_refused(void **state) {
  (void)state;
  struct ls_platform_grid grid;
  double makespans_s[MOST];
  struct ls_error err = {0};
  const char *const wrong[] = {"unr"};
  const struct ls_grid_planners planners = {.labels = wrong, .count = 1};
  make_grid(&grid, 5, 4, 1);
  struct ls_grid_piece piece = ls_grid_piece(&grid, MOST, 0);
  assert_int_equal(ls_grid_play(&piece, &planners, makespans_s, MOST, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "unr"));
  ls_platform_grid_close(&grid);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_by_one_has_the_same_digits),
      cmocka_unit_test(only_the_wanted_platforms_are_played),
      cmocka_unit_test(what_does_not_apply_has_no_makespan),
      cmocka_unit_test(whole_units_are_planned_as_such),
      cmocka_unit_test(each_makespan_is_that_of_the_planner_alone),
      cmocka_unit_test(unknown_planners_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
