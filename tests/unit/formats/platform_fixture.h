/* platform_fixture.h: a worker with every field, as the forms of a platform write it. */
#ifndef LS_TESTS_UNIT_FORMATS_PLATFORM_FIXTURE_H
#define LS_TESTS_UNIT_FORMATS_PLATFORM_FIXTURE_H

#include "model/platform.h"

/* Latencies 1, 3, 6, 8, 10 and a unit more per unit, stage 0.5 and 0.75; delay 5, window 25 to 450,
 * room 400, cost 12, times of a gamma law with half the mean as deviation. */
static inline void platform_expect_full_worker(const struct ls_worker_model *worker) {
  assert_true(worker->costs[LS_OPERATION_SEND].latency_s == 1 &&
              worker->costs[LS_OPERATION_SEND].per_unit_s == 2);
  assert_true(worker->costs[LS_OPERATION_TRANSFER].latency_s == 3 &&
              worker->costs[LS_OPERATION_TRANSFER].per_unit_s == 4);
  assert_true(worker->delay_s == 5);
  assert_true(worker->costs[LS_OPERATION_STAGE].latency_s == 0.5 &&
              worker->costs[LS_OPERATION_STAGE].per_unit_s == 0.75);
  assert_true(worker->costs[LS_OPERATION_RECEIVE].latency_s == 6 &&
              worker->costs[LS_OPERATION_RECEIVE].per_unit_s == 7);
  assert_true(worker->costs[LS_OPERATION_COMPUTE].latency_s == 8 &&
              worker->costs[LS_OPERATION_COMPUTE].per_unit_s == 9);
  assert_true(worker->costs[LS_OPERATION_REPLY].latency_s == 10 &&
              worker->costs[LS_OPERATION_REPLY].per_unit_s == 11);
  assert_true(worker->window_from == 25 && worker->window_to == 450);
  assert_true(worker->room_units == 400);
  assert_true(worker->price_per_s == 12 && worker->is_on_master);
  assert_true(worker->unit_law == LS_DURATION_GAMMA && worker->unit_variation == 0.5);
}

#endif
