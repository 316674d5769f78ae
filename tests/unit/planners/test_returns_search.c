#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planners/returns/returns.h"
#include "returns_fixture.h"

static void it_is_never_worse_than_fifo_and_lifo(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 171, "search");
  for (size_t kind = 0; kind < 20; kind++) {
    struct ls_returns returns;
    struct ls_plan plan;
    returns_make(&returns, &random, 3 + kind, kind, kind % 2 == 1);
    returns_plan(&returns, "returns-search:0", 10, false, &plan);
    double found = ls_plan_get(&plan, "throughput", (double)NAN);
    expect_near(plan.makespan_s, 10 / found, 1e-8);
    expect_near(ls_plan_get(&plan, "proven", (double)NAN), 0, 0);
    assert_true(found >= returns_throughput(&returns, "fifo") * (1 - 1e-11));
    assert_true(found >= returns_throughput(&returns, "lifo") * (1 - 1e-11));
    ls_plan_close(&plan);
    ls_returns_close(&returns);
  }
}

static void more_starts_are_no_worse(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 172, "search");
  for (size_t kind = 0; kind < 10; kind++) {
    struct ls_returns returns;
    returns_make(&returns, &random, 7, kind, false);
    assert_true(returns_throughput(&returns, "returns-search:4") >=
                returns_throughput(&returns, "returns-search:0") * (1 - 1e-12));
    ls_returns_close(&returns);
  }
}

static void latencies_of_many_workers_are_planned(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_returns returns;
  struct ls_plan plan;
  ls_random_init(&random, 173, "search");
  returns_make(&returns, &random, 24, 3, false);
  for (size_t i = 0; i < 24; i++) returns.workers[i].send_latency_s = 0.3;
  returns_plan(&returns, "returns-search", 20, false, &plan);
  assert_int_equal(plan.outcome, LS_PLAN_OK);
  assert_true(plan.chunks_count > 1 && plan.chunks_count <= 24);
  expect_near(plan.makespan_s, ls_plan_get(&plan, "predicted_makespan", (double)NAN), 1e-8);
  ls_plan_close(&plan);
  ls_returns_close(&returns);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_is_never_worse_than_fifo_and_lifo),
      cmocka_unit_test(more_starts_are_no_worse),
      cmocka_unit_test(latencies_of_many_workers_are_planned),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
