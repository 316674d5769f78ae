#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "analysis_fixture.h"
#include "returns_fixture.h"

static void the_throughputs_are_those_of_the_planners(void **state) {
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "analysis");
  for (size_t kind = 0; kind < 12; kind++) {
    struct ls_returns returns;
    struct ls_platform platform;
    struct ls_planner_reason why;
    returns_make(&returns, &random, 4, kind, kind % 2 == 1);
    returns_platform(&returns, &platform);
    json_t *findings = analyse_platform(&platform, 0, "returns", &why);
    double fifo = returns_throughput(&returns, "fifo"), lifo = returns_throughput(&returns, "lifo");
    double best = returns_throughput(&returns, "returns-exact");
    expect_number(findings, "fifo", fifo);
    expect_number(findings, "lifo", lifo);
    expect_number(findings, "throughput", best);
    assert_true(json_is_true(json_object_get(findings, "proven")));
    assert_int_equal(json_is_true(json_object_get(findings, "fifo_attains")),
                     fifo >= best * (1 - 1e-9));
    assert_int_equal(json_is_true(json_object_get(findings, "lifo_attains")),
                     lifo >= best * (1 - 1e-9));
    json_decref(findings);
    ls_platform_close(&platform);
    ls_returns_close(&returns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_throughputs_are_those_of_the_planners)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
