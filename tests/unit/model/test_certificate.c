#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/certificate.h"
#include "model/plan_repeat.h"
#include "model/replay.h"
#include "model/windows.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-12;
}

/* Transfer 1 a chunk. Worker 0: 1..3 and 3..5 after a wait of none; worker 1 from 2..3, waits for
 * its second chunk at 4, 4..5; worker 2 gets nothing. */
static void idle_time_is_split_by_its_cause(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_certificate certificate;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) {
    platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = 1;
    platform.workers[i].costs[LS_OPERATION_REPLY].latency_s = 0.5;
  }
  ls_plan_init(&plan, "test", 6);
  ls_plan_add(&plan, 0, 0, 2);
  ls_plan_add(&plan, 1, 0, 1);
  ls_plan_add(&plan, 0, 1, 2);
  ls_plan_add(&plan, 1, 1, 1);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_true(is_near(plan.makespan_s, 6)); /* two replies wait for each other at 5 */
  assert_true(is_near(certificate.start_up_s, (1 + 2) / 3.0));
  assert_true(is_near(certificate.port_wait_s, 1 / 3.0));
  assert_true(is_near(certificate.imbalance_s, 5 / 3.0));
  assert_true(is_near(certificate.tail_s, 1));
  /* Speeds alone: 2; first chunks that arrive at 1, 2 and 3: (6 + 6) / 3 = 4. */
  assert_true(fabs(certificate.bound.bound_s - 4) < 1e-9);
  assert_true(fabs(certificate.gap - 0.5) < 1e-9);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void chunks_beyond_what_was_measured_are_told(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_certificate certificate;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[1].measured_from = 1;
  platform.workers[1].measured_to = 4;
  ls_plan_init(&plan, "test", 20);
  ls_plan_add(&plan, 0, 0, 6);
  ls_plan_add(&plan, 1, 0, 4);
  ls_plan_add(&plan, 1, 1, 10);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_true(is_near(certificate.beyond, 2.5));
  assert_int_equal(certificate.beyond_worker, 1);
  platform.workers[1].measured_to = 10;
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_true(is_near(certificate.beyond, 0));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void faster_workers_weigh_more(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_certificate certificate;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 0.25;
  ls_plan_init(&plan, "test", 2);
  ls_plan_add(&plan, 1, 0, 2);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_true(is_near(certificate.imbalance_s, 2 * 4 / 5.0));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* 10 units in 5 chunks of 2, for 1 s and 1 s a unit, or in one, for 3 s and 0.5 s a unit: the
 * worker of small chunks has a speed of 1, that of the large one of 2, that of none, too, since its
 * cheaper window is the second one. */
static void a_worker_weighs_by_the_windows_of_its_chunks(void **state) {
  (void)state;
  struct ls_window windows[] = {{.from = 1, .to = 3}, {.from = 4, .to = 100}};
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_certificate certificate;
  windows[0].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){1, 1};
  windows[1].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){3, 0.5};
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++)
    assert_int_equal(ls_platform_set_windows(&platform, &platform.workers[i], windows, 2, NULL),
                     LS_OK);
  ls_plan_init(&plan, "test", 20);
  for (int i = 0; i < 5; i++) ls_plan_add(&plan, 0, 0, 2);
  ls_plan_add(&plan, 1, 0, 10);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_true(is_near(plan.makespan_s, 15));
  assert_true(is_near(certificate.imbalance_s, (2 * 7 + 2 * 15) / 5.0));
  /* The makespan less load / total speed: the rest is latency. */
  assert_true(is_near(15 - 20 / 5.0 - certificate.imbalance_s, (1 * 5 + 2 * 3) / 5.0));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* One worker that is always busy: whatever the last digits, the makespan is the bound. A plan that
 * is really shorter shows a bound that is wrong: that is not hidden. */
static void rounding_is_no_gap(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_certificate certificate;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 2.45;
  ls_plan_init(&plan, "test", 100);
  ls_plan_add(&plan, 0, 0, 100);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  static const double factors[] = {1 - 1e-11, 1 + 1e-11, 1, 1 - 1e-8, 1 + 1e-8, 0.5};
  static const double gaps[] = {0, 0, 0, -1e-8, 1e-8, -0.5};
  for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
    platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s = 2.45 / factors[i];
    assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
    assert_true(fabs(certificate.gap - gaps[i]) <= 1e-6 * fabs(gaps[i]));
  }
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void unknown_parts_are_not_numbers(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_certificate certificate;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  ls_plan_init(&plan, "test", 2);
  ls_plan_add(&plan, 0, 0, 2);
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_true(isnan(certificate.gap) && isnan(certificate.start_up_s));
  assert_true(is_near(certificate.bound.bound_s, 2));
  platform.workers[0].costs[LS_OPERATION_COMPUTE].per_unit_s =
      0; /* no speed to weigh by, no bound to compare with */
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_true(isnan(certificate.gap) && isnan(certificate.tail_s));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static void certificate_names_the_chunk_outside_its_window_or_room(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  struct ls_certificate certificate;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  ls_plan_init(&plan, "test", 3);
  ls_plan_add(&plan, 1, 0, 2);
  ls_plan_add(&plan, 0, 0, 1);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_true(certificate.outside == SIZE_MAX);
  platform.workers[0].window_from = 1.5;
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_int_equal(certificate.outside, 1);
  platform.workers[0].window_from = 0;
  platform.workers[1].room_units = 1;
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_int_equal(certificate.outside, 0);
  ls_plan_close(&plan);
  /* Of a body that repeats, the chunk is the plan's, not one of those written out. */
  ls_plan_init(&plan, "test", 8);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_add(&plan, 1, 0, 0.5);
  ls_plan_add(&plan, 0, 0, 1);
  ls_plan_repeat(&plan, 0, 2, 6);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_int_equal(ls_certificate_of(&plan, &platform, &certificate, NULL), LS_OK);
  assert_int_equal(certificate.outside, 1);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idle_time_is_split_by_its_cause),
      cmocka_unit_test(chunks_beyond_what_was_measured_are_told),
      cmocka_unit_test(faster_workers_weigh_more),
      cmocka_unit_test(a_worker_weighs_by_the_windows_of_its_chunks),
      cmocka_unit_test(rounding_is_no_gap),
      cmocka_unit_test(unknown_parts_are_not_numbers),
      cmocka_unit_test(certificate_names_the_chunk_outside_its_window_or_room),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
