#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calibrate/measured_points.h"

static void points_stand_by_worker_and_operation_in_their_order(void **state) {
  (void)state;
  struct ls_measurements measurements = {.items = NULL};
  struct ls_measured_points points;
  uint32_t worker;
  for (int i = 0; i < 2; i++)
    assert_int_equal(ls_measurements_worker(&measurements, i == 0 ? "a" : "b", 1, &worker, NULL),
                     LS_OK);
  for (int i = 0; i < 60; i++) {
    struct ls_measurement item = {(uint32_t)i % 2,
                                  (uint32_t)i % 3 == 0 ? LS_OPERATION_PREPARE
                                  : i % 3 == 1         ? LS_OPERATION_STAGE
                                                       : LS_OPERATION_COMPUTE,
                                  1 + i, i};
    assert_int_equal(ls_measurements_add(&measurements, &item, NULL), LS_OK);
  }
  assert_int_equal(ls_measured_points_sort(&measurements, &points, NULL), LS_OK);
  struct ls_points prepare = ls_measured_points_of(&points, 1, LS_OPERATION_PREPARE);
  assert_int_equal(prepare.count, 20);
  for (size_t i = 0; i < 20; i++) assert_true(fabs(prepare.seconds[i] - 3 * (double)i) <= 0);
  struct ls_points staged = ls_measured_points_of(&points, 1, LS_OPERATION_STAGE);
  assert_int_equal(staged.count, 10);
  assert_true(fabs(staged.seconds[0] - 1) <= 0 && fabs(staged.units[9] - 56) <= 0);
  assert_int_equal(ls_measured_points_of(&points, 0, LS_OPERATION_SEND).count, 0);
  assert_int_equal(ls_measured_points_of(&points, 0, LS_OPERATION_COMPUTE).count, 10);
  ls_measured_points_close(&points);
  ls_measurements_close(&measurements);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_stand_by_worker_and_operation_in_their_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
