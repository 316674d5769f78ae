#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "advise/grid_play.h"
#include "grid_fixture.h"

enum { LABELS = 4, MOST = 16 };

static const char *const labels[LABELS] = {"umr", "mi:3", "one-round", "xmi"};

static void play(const struct ls_grid_piece *piece, bool is_one_by_one, bool is_whole,
                 double *makespans_s) {
  const struct ls_grid_planners planners = {
      .labels = labels, .count = LABELS, .is_one_by_one = is_one_by_one, .is_whole = is_whole};
  assert_int_equal(ls_grid_play(piece, &planners, makespans_s, MOST, NULL), LS_OK);
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
      cmocka_unit_test(unknown_planners_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
