#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/replay.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-12;
}

/* Section 6.4 of the UMR paper: nLat + (W/B) N^(alpha-1) + cLat + W/(S N) for all sent at once. */
static void multi_port_meets_the_published_formula(void **state) {
  (void)state;
  const double alphas[] = {0, 0.5, 0.855, 1};
  for (size_t k = 0; k < 4; k++) {
    struct ls_platform platform;
    struct ls_plan plan;
    double alpha = alphas[k];
    ls_plan_init(&plan, "test", 1000);
    assert_int_equal(ls_platform_init(&platform, 50, NULL), LS_OK);
    platform.ports = LS_PORTS_MULTI;
    platform.ports_alpha = alpha;
    for (uint32_t i = 0; i < 50; i++) {
      platform.workers[i].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0.09, 0.01};
      platform.workers[i].costs[LS_OPERATION_COMPUTE] = (struct ls_cost){0.99, 1};
      ls_plan_add(&plan, i, 0, 20);
    }
    assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
    double expected_s = 0.09 + 10 * pow(50, alpha - 1) + 0.99 + 20;
    assert_true(fabs(plan.makespan_s - expected_s) < 1e-9);
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

/* A small message waits for the large one before it on the link of their worker. */
static void a_link_keeps_the_order_of_its_chunks(void **state) {
  (void)state;
  struct ls_platform platform;
  struct ls_plan plan;
  assert_int_equal(ls_platform_init(&platform, 1, NULL), LS_OK);
  platform.ports = LS_PORTS_MULTI;
  platform.ports_alpha = 0;
  platform.workers[0].costs[LS_OPERATION_TRANSFER] = (struct ls_cost){0, 1};
  ls_plan_init(&plan, "test", 12);
  ls_plan_add(&plan, 0, 0, 10);
  ls_plan_add(&plan, 0, 0, 2);
  assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
  assert_true(is_near(plan.chunks[0].compute_start_s, 10));
  assert_true(is_near(plan.chunks[1].transfer_start_s, 10));
  assert_true(is_near(plan.chunks[1].transfer_end_s, 12));
  assert_true(is_near(plan.makespan_s, 22));
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

/* Both replies move data at once, and so slow each other; in a planned order the second is held
 * until the first has started. */
static void replies_share_the_way_back(void **state) {
  (void)state;
  for (int is_ordered = 0; is_ordered < 2; is_ordered++) {
    struct ls_platform platform;
    struct ls_plan plan;
    assert_int_equal(ls_platform_init(&platform, 2, NULL), LS_OK);
    platform.ports = LS_PORTS_MULTI;
    platform.ports_alpha = 1;
    platform.workers[0].costs[LS_OPERATION_REPLY] = platform.workers[1].costs[LS_OPERATION_REPLY] =
        (struct ls_cost){0, 1};
    platform.workers[1].costs[LS_OPERATION_COMPUTE].per_unit_s = 2;
    ls_plan_init(&plan, "test", 8);
    ls_plan_add(&plan, 0, 0, 4);
    ls_plan_add(&plan, 1, 0, 4);
    if (is_ordered) {
      ls_plan_add_return(&plan, 1);
      ls_plan_add_return(&plan, 0);
    }
    assert_int_equal(ls_replay(&plan, &platform, NULL), LS_OK);
    /* Ready at 4 and 8: alone one after the other, or both from 8 on at half the rate. */
    assert_true(is_near(plan.chunks[0].reply_start_s, is_ordered ? 8 : 4));
    assert_true(is_near(plan.chunks[1].reply_start_s, 8));
    assert_true(is_near(plan.makespan_s, is_ordered ? 16 : 12));
    ls_plan_close(&plan);
    ls_platform_close(&platform);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(multi_port_meets_the_published_formula),
      cmocka_unit_test(a_link_keeps_the_order_of_its_chunks),
      cmocka_unit_test(replies_share_the_way_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
