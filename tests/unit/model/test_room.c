/* Rooms in whole units: what a worker can hold at once, and take as one chunk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/room.h"

static void open_platform(struct ls_platform *platform) {
  assert_int_equal(ls_platform_init(platform, 3, NULL), LS_OK);
}

static void a_platform_without_limits_has_no_rooms(void **state) {
  struct ls_platform platform;
  struct ls_room *rooms = (struct ls_room *)&platform;
  (void)state;
  open_platform(&platform);
  platform.workers[1].window_from = 5; /* the last chunk may be smaller */
  assert_int_equal(ls_platform_rooms(&platform, &rooms, NULL), LS_OK);
  assert_null(rooms);
  ls_platform_close(&platform);
}

static void parts_of_units_do_not_count(void **state) {
  struct ls_platform platform;
  struct ls_room *rooms = NULL;
  (void)state;
  open_platform(&platform);
  platform.workers[0].room_units = 4.9;
  platform.workers[1].window_to = 0.3 * 10; /* 3, but for rounding */
  platform.workers[2].room_units = 9;
  platform.workers[2].window_to = 2.5;
  assert_int_equal(ls_platform_rooms(&platform, &rooms, NULL), LS_OK);
  assert_int_equal(rooms[0].units, 4);
  assert_int_equal(rooms[0].chunk_units, 4);
  assert_int_equal(rooms[1].units, 0);
  assert_int_equal(rooms[1].chunk_units, 3);
  assert_int_equal(rooms[2].units, 9);
  assert_int_equal(rooms[2].chunk_units, 2);
  free(rooms);
  ls_platform_close(&platform);
}

static void limits_that_miss_a_whole_number_by_rounding_are_it(void **state) {
  (void)state;
  assert_true(0.1 * 3 * 10 > 3);
  assert_true(fabs(ls_whole_least(0.1 * 3 * 10) - 3) < 1e-15);
  assert_true(fabs(ls_whole_most(3 - 1e-15) - 3) < 1e-15);
  assert_true(fabs(ls_whole_least(3.1) - 4) < 1e-15);
  assert_true(fabs(ls_whole_most(3.9) - 3) < 1e-15);
  assert_true(isinf(ls_whole_most((double)INFINITY)));
}

static void room_for_more_than_any_run_has_is_any_room(void **state) {
  struct ls_platform platform;
  (void)state;
  open_platform(&platform);
  platform.workers[0].room_units = 1e300;
  assert_int_equal(ls_worker_room(&platform.workers[0]).units, 0);
  assert_int_equal(ls_worker_room(&platform.workers[0]).chunk_units, 0);
  ls_platform_close(&platform);
}

static void a_worker_that_no_unit_fits_is_refused(void **state) {
  struct ls_platform platform;
  struct ls_room *rooms = NULL;
  struct ls_error err = {0};
  (void)state;
  open_platform(&platform);
  platform.workers[2].room_units = 0.5;
  assert_int_equal(ls_platform_rooms(&platform, &rooms, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 2: room is 0.5"));
  platform.workers[2].room_units = (double)INFINITY;
  platform.workers[1].window_to = 0.25;
  assert_int_equal(ls_platform_rooms(&platform, &rooms, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "worker 1: window.to is 0.25"));
  assert_null(rooms);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_platform_without_limits_has_no_rooms),
      cmocka_unit_test(parts_of_units_do_not_count),
      cmocka_unit_test(limits_that_miss_a_whole_number_by_rounding_are_it),
      cmocka_unit_test(room_for_more_than_any_run_has_is_any_room),
      cmocka_unit_test(a_worker_that_no_unit_fits_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
