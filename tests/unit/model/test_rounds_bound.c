#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/rounds_bound.h"

static struct ls_lower_bound find(const struct ls_platform *platform, double load, double known_s) {
  struct ls_lower_bound bound;
  assert_int_equal(ls_rounds_bound(platform, load, known_s, &bound), LS_OK);
  return bound;
}

static void set(struct ls_platform *platform, struct ls_cost transfer) {
  for (size_t i = 0; i < platform->workers_count; i++)
    platform->workers[i].costs[LS_OPERATION_TRANSFER] = transfer;
}

/* 20 workers that want all the network has.  With chunks of D seconds they lose D / 2 at first, and
 * the network 20 * 0.01 s each D: sqrt(2 * 100 * 0.2) = 6.3 s, a good part of which is shown. */
static void rounds_cost_latencies_or_waiting(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 20, NULL), LS_OK);
  set(&platform, (struct ls_cost){0.01, 0.05});
  struct ls_lower_bound bound = find(&platform, 2000, 100);
  assert_true(bound.bound_s > 103 && bound.bound_s < 107);
  assert_string_equal(bound.name, "network and workers, round by round");
  ls_platform_close(&platform);
}

/* A network twice as fast as all workers: what is lost is lost in the beginning. */
static void a_fast_network_loses_at_first(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 20, NULL), LS_OK);
  set(&platform, (struct ls_cost){0.1, 0.025});
  struct ls_lower_bound bound = find(&platform, 2000, 100);
  assert_true(bound.bound_s > 101 && bound.bound_s < 104);
  ls_platform_close(&platform);
}

static void without_latencies_nothing_is_found(void **state) {
  (void)state;
  struct ls_platform platform;
  assert_int_equal(ls_platform_init(&platform, 20, NULL), LS_OK);
  set(&platform, (struct ls_cost){0, 0.05});
  assert_true(fabs(find(&platform, 2000, 100).bound_s) < 1e-12);
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rounds_cost_latencies_or_waiting),
      cmocka_unit_test(a_fast_network_loses_at_first),
      cmocka_unit_test(without_latencies_nothing_is_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
