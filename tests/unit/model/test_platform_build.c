#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "model/platform_build.h"

static void worker_before_any_field_costs_nothing(void **state) {
  (void)state;
  struct ls_worker_model worker = ls_platform_free_worker();
  assert_true(ls_cost_time(&worker.costs[LS_OPERATION_COMPUTE], 7) == 0);
  assert_true(worker.window_from == 0 && isinf(worker.window_to));
  assert_true(worker.price_per_s == 1);
}

static void copies_are_numbered_and_what_has_no_name_gets_one(void **state) {
  (void)state;
  struct ls_platform platform = ls_platform_without_workers();
  struct ls_worker_model worker = ls_platform_free_worker();
  worker.costs[LS_OPERATION_COMPUTE].per_unit_s = 2;
  size_t capacity = 0;
  assert_int_equal(ls_platform_add_copies(&platform, &capacity, "node", 2, &worker), LS_OK);
  assert_int_equal(ls_platform_add_copies(&platform, &capacity, "head", 1, &worker), LS_OK);
  assert_int_equal(ls_platform_add_copies(&platform, &capacity, NULL, 1, &worker), LS_OK);
  const char *const names[] = {"node-0", "node-1", "head", "worker-3"};
  assert_int_equal(platform.workers_count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_string_equal(platform.workers[i].name, names[i]);
    assert_true(platform.workers[i].costs[LS_OPERATION_COMPUTE].per_unit_s == 2);
  }
  assert_int_equal(ls_platform_check(&platform, NULL), LS_OK);
  ls_platform_close(&platform);
}

static void every_kind_of_ports_has_its_own_name(void **state) {
  (void)state;
  for (int i = 0; i <= LS_PORTS_MULTI; i++) {
    for (int j = 0; j < i; j++)
      assert_string_not_equal(ls_platform_port_names[i], ls_platform_port_names[j]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(worker_before_any_field_costs_nothing),
      cmocka_unit_test(copies_are_numbered_and_what_has_no_name_gets_one),
      cmocka_unit_test(every_kind_of_ports_has_its_own_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
