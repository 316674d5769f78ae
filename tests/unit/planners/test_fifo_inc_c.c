#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "returns_fixture.h"

static void everybody_works_in_the_order_of_c(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 151, "sorted");
  for (size_t kind = 0; kind < 40; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 1 + kind % 9, kind, false);
    returns_plan(&returns, "fifo-inc-c", 10, false, &plan);
    assert_int_equal(plan.chunks_count, returns.count);
    for (size_t k = 1; k < plan.chunks_count; k++) {
      const struct ls_returns_worker *before = &returns.workers[plan.chunks[k - 1].worker];
      const struct ls_returns_worker *here = &returns.workers[plan.chunks[k].worker];
      assert_true(before->send_s <= here->send_s);
    }
    expect_near(plan.makespan_s, 10 / ls_plan_get(&plan, "throughput", (double)NAN), 1e-9);
    assert_true(ls_plan_get(&plan, "throughput", (double)NAN) <=
                returns_throughput(&returns, "fifo") * (1 + 1e-12));
    expect_near(ls_plan_get(&plan, "proven", (double)NAN), 0, 0);
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

static void one_port_is_no_faster(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 152, "sorted");
  for (size_t kind = 0; kind < 20; kind++) {
    struct ls_returns returns;
    returns_make(&returns, &random, 5, kind, false);
    double two = returns_throughput(&returns, "fifo-inc-c");
    returns.is_one_port = true;
    double one = returns_throughput(&returns, "fifo-inc-c");
    assert_true(one >= two / 2 &&
                one <= 1.0000001 * fmax(two, returns_throughput(&returns, "fifo")));
    ls_returns_close(&returns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everybody_works_in_the_order_of_c),
      cmocka_unit_test(one_port_is_no_faster),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
