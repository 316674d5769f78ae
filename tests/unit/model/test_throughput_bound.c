#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/throughput_bound.h"

static struct ls_lower_bound find(const struct ls_platform *platform, double load, double known_s) {
  struct ls_lower_bound bound;
  assert_int_equal(ls_throughput_bound(platform, load, known_s, &bound), LS_OK);
  return bound;
}

static void set(struct ls_platform *platform, size_t i, enum ls_operation operation,
                double per_unit_s) {
  platform->workers[i].costs[operation].per_unit_s = per_unit_s;
}

static void expect(const struct ls_platform *platform, double load, double bound_s,
                   const char *name) {
  struct ls_lower_bound bound = find(platform, load, load * 1e-3);
  assert_true(fabs(bound.bound_s - bound_s) < 1e-6 * bound_s);
  assert_string_equal(bound.name, name);
}

/* Theorem 1: three workers are full, 0.3 s of the link in a second; the rest sends 0.7 units. */
static void the_steady_state_is_a_bound(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 6, NULL), LS_OK);
  for (size_t i = 0; i < 6; i++) set(&platform, i, LS_OPERATION_TRANSFER, i < 3 ? 0.1 : 1);
  expect(&platform, 1000, 1000 / 3.7, "network and workers");
  for (size_t i = 0; i < 6; i++) {
    set(&platform, i, LS_OPERATION_SEND, i < 3 ? 0.1 : 1);
    set(&platform, i, LS_OPERATION_TRANSFER, 0);
  }
  expect(&platform, 1000, 1000 / 3.7, "master and workers");
  for (size_t i = 0; i < 6; i++) {
    set(&platform, i, LS_OPERATION_STAGE, i < 3 ? 0.2 : 2);
    set(&platform, i, LS_OPERATION_SEND, 0);
    set(&platform, i, LS_OPERATION_COMPUTE, i < 3 ? 1 : 0.1);
  }
  platform.storage_readers = 2; /* 0.6 s of two readers, and 1.4 / 2 units */
  expect(&platform, 1000, 1000 / 3.7, "storage and workers");
  ls_platform_close(&platform);
}

/* x_0 + 0.1 x_1 <= 1 and 0.1 x_0 + x_1 <= 1: 1 / 1.1 each. */
static void two_stations_bound_together(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
  for (size_t i = 0; i < 2; i++) {
    set(&platform, i, LS_OPERATION_COMPUTE, 0.25);
    set(&platform, i, LS_OPERATION_SEND, i == 0 ? 1 : 0.1);
    set(&platform, i, LS_OPERATION_TRANSFER, i == 0 ? 0.1 : 1);
  }
  struct ls_lower_bound bound = find(&platform, 1000, 1);
  assert_true(bound.bound_s <= 550 * (1 + 1e-9) && bound.bound_s > 549);
  assert_string_equal(bound.name, "several stations and workers");
  ls_platform_close(&platform);
}

/* Three workers begin after 1, 2 and 3 s: 100 units end at 100 / 3 + 2. */
static void first_chunks_come_in_turn(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  for (size_t i = 0; i < 3; i++) platform.workers[i].costs[LS_OPERATION_TRANSFER].latency_s = 1;
  expect(&platform, 100, 100.0 / 3 + 2, "work / total speed after starts in turn");
  platform.ports = LS_PORTS_MULTI;
  expect(&platform, 100, 100.0 / 3 + 1, "work / total speed after starts in turn");
  ls_platform_close(&platform);
}

/* The third worker would be sent its first chunk for 50 s: two are sooner without it. */
static void who_keeps_others_waiting_may_be_left_out(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 3, NULL), LS_OK);
  platform.workers[2].costs[LS_OPERATION_TRANSFER].latency_s = 50;
  struct ls_lower_bound bound = find(&platform, 40, 1);
  assert_true(bound.bound_s <= 20 * (1 + 1e-9));
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_steady_state_is_a_bound),
      cmocka_unit_test(two_stations_bound_together),
      cmocka_unit_test(first_chunks_come_in_turn),
      cmocka_unit_test(who_keeps_others_waiting_may_be_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
