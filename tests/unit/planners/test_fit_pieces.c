#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "fit_fixture.h"
#include "planners/fit_private.h"

enum { PIECES = 8 };

/* Two workers with windows of 5 to 20 units, one planned piece each. */
struct scene {
  struct ls_platform platform;
  struct ls_fit_piece items[PIECES];
  struct ls_fit fit;
};

static void open_scene(struct scene *scene, double first, double second) {
  *scene = (struct scene){0};
  open_platform(&scene->platform, 2);
  for (size_t i = 0; i < 2; i++) {
    scene->platform.workers[i].window_from = 5;
    scene->platform.workers[i].window_to = 20;
    scene->platform.workers[i].room_units = 30;
  }
  scene->fit = (struct ls_fit){.platform = &scene->platform,
                               .items = scene->items,
                               .capacity = PIECES,
                               .load = first + second};
  assert_true(ls_fit_add(&scene->fit, (struct ls_fit_piece){.worker = 0, .planned = first}));
  assert_true(ls_fit_add(&scene->fit, (struct ls_fit_piece){.worker = 1, .planned = second}));
}

static bool settle(struct scene *scene) {
  bool is_settled;
  assert_int_equal(ls_fit_settle(&scene->fit, &is_settled, NULL), LS_OK);
  return is_settled;
}

static void limits_are_those_of_window_room_and_whole_units(void **state) {
  struct scene scene;
  double least, most;
  (void)state;
  open_scene(&scene, 10, 10);
  ls_fit_limits(&scene.fit, 0, &least, &most);
  assert_true(least == 5 && most == 20);
  scene.fit.parts = 4;
  ls_fit_limits(&scene.fit, 0, &least, &most);
  assert_true(least == 5 && most == 7.5);
  scene.fit.is_whole = true;
  ls_fit_limits(&scene.fit, 0, &least, &most);
  assert_true(least == 5 && most == 7);
  scene.fit.parts = 0;
  scene.fit.is_total = true;
  scene.fit.rooms = 1.5;
  ls_fit_limits(&scene.fit, 0, &least, &most);
  assert_true(least == 5 && most == 45);
  ls_platform_close(&scene.platform);
}

static void what_one_piece_may_not_take_goes_to_the_other(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene, 24, 6);
  assert_true(settle(&scene));
  assert_true(fabs(scene.items[0].units - 20) < 1e-9 && fabs(scene.items[1].units - 10) < 1e-9);
  ls_platform_close(&scene.platform);
}

static void what_is_too_small_is_left_out(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene, 7, 1);
  assert_true(settle(&scene));
  assert_true(scene.items[0].is_used && !scene.items[1].is_used);
  assert_true(fabs(scene.items[0].units - 8) < 1e-9);
  ls_platform_close(&scene.platform);
}

static void rounds_are_added_only_where_they_may(void **state) {
  struct scene scene;
  (void)state;
  open_scene(&scene, 40, 20);
  assert_false(settle(&scene));
  assert_int_equal(scene.fit.count, 2);
  scene.fit.may_add = true;
  assert_true(settle(&scene));
  assert_int_equal(scene.fit.count, 4);
  ls_platform_close(&scene.platform);
}

/* Two workers, eight rounds of 5.5 units each within 5 to 6: at no time is one of them more than a
 * unit off, and no piece leaves its window. */
static void remainders_go_to_the_next_piece(void **state) {
  struct scene scene;
  double ahead[2] = {0};
  (void)state;
  open_scene(&scene, 5.5, 5.5);
  scene.fit.is_whole = true;
  scene.fit.load = 5.5 * PIECES;
  for (uint32_t i = 2; i < PIECES; i++)
    assert_true(ls_fit_add(&scene.fit, (struct ls_fit_piece){.worker = i % 2, .planned = 5.5}));
  assert_true(settle(&scene));
  for (size_t i = 0; i < PIECES; i++) {
    assert_true(fabs(scene.items[i].units - 5.5) == 0.5);
    ahead[i % 2] += scene.items[i].units - 5.5;
    assert_true(fabs(ahead[i % 2]) < 1);
  }
  ls_platform_close(&scene.platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limits_are_those_of_window_room_and_whole_units),
      cmocka_unit_test(what_one_piece_may_not_take_goes_to_the_other),
      cmocka_unit_test(what_is_too_small_is_left_out),
      cmocka_unit_test(rounds_are_added_only_where_they_may),
      cmocka_unit_test(remainders_go_to_the_next_piece),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
