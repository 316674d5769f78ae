#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/replay.h"
#include "model/validate.h"

/* Worker 0 computes a unit in 1 s, a transfer takes 1 s, whatever its size. */
static void open_plan(struct ls_platform *platform, struct ls_plan *plan, const double *units,
                      size_t count) {
  double load = 0;
  for (size_t i = 0; i < count; i++) load += units[i];
  assert_int_equal(ls_platform_init(platform, 1, NULL), LS_OK);
  platform->workers[0].costs[LS_OPERATION_TRANSFER].latency_s = 1;
  ls_plan_init(plan, "test", load);
  for (size_t i = 0; i < count; i++) ls_plan_add(plan, 0, 0, units[i]);
  assert_int_equal(ls_replay(plan, platform, NULL), LS_OK);
}

static void expect(const struct ls_plan *plan, const struct ls_platform *platform,
                   const char *words) {
  struct ls_error err = {0};
  enum ls_status status = ls_validate_limits(plan, platform, &err);
  if (words == NULL) {
    assert_int_equal(status, LS_OK);
  } else {
    assert_int_equal(status, LS_EINVAL);
    if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
  }
}

static void chunk_outside_its_window_is_named(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_plan(&platform, &plan, (double[]){4, 2, 8}, 3);
  expect(&plan, &platform, NULL);
  platform.workers[0].window_from = 2;
  platform.workers[0].window_to = 8;
  expect(&plan, &platform, NULL); /* the ends belong to it */
  platform.workers[0].window_from = 3;
  expect(&plan, &platform, "chunk 1: units is 2, the window of worker 0 is 3 to 8");
  platform.workers[0].window_from = 0;
  platform.workers[0].window_to = 7;
  expect(&plan, &platform, "chunk 2: units is 8");
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The same with and without a window somewhere, and before anything is replayed. */
static void chunk_larger_than_a_room_is_named(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  size_t chunk = 7;
  open_plan(&platform, &plan, (double[]){4, 8, 2}, 3);
  platform.workers[0].room_units = 5;
  expect(&plan, &platform, "chunk 1: with it worker 0 holds 12 units");
  platform.workers[0].window_to = 100;
  expect(&plan, &platform, "chunk 1: with it worker 0 holds 12 units");
  platform.workers[0].window_to = (double)INFINITY;
  plan.makespan_s = (double)NAN;
  struct ls_error err;
  assert_int_equal(ls_validate_find_outside(&plan, &platform, &chunk, &err), LS_EINVAL);
  assert_int_equal(chunk, 1);
  assert_non_null(strstr(err.text, "units is 8, the room of worker 0 is 5"));
  platform.workers[0].room_units = 8;
  assert_int_equal(ls_validate_find_outside(&plan, &platform, &chunk, NULL), LS_OK);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The chunks arrive at 1, 2 and 3 s; the first is computed at 5 s: 4, 6, then 14 units. */
static void units_at_a_worker_never_exceed_its_room(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_plan(&platform, &plan, (double[]){4, 2, 8}, 3);
  platform.workers[0].room_units = 14;
  expect(&plan, &platform, NULL);
  platform.workers[0].room_units = 13;
  expect(&plan, &platform, "chunk 2: with it worker 0 holds 14 units at 3 s, its room is 13");
  platform.workers[0].room_units = 5;
  expect(&plan, &platform, "chunk 1: ");
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* The second chunk arrives at 2 s, when the first one ends: they are never there together. */
static void chunk_that_ends_makes_room_for_the_one_that_arrives(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  open_plan(&platform, &plan, (double[]){1, 1, 1}, 3);
  platform.workers[0].room_units = 1;
  expect(&plan, &platform, NULL);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chunk_outside_its_window_is_named),
      cmocka_unit_test(chunk_larger_than_a_room_is_named),
      cmocka_unit_test(units_at_a_worker_never_exceed_its_room),
      cmocka_unit_test(chunk_that_ends_makes_room_for_the_one_that_arrives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
