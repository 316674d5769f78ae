#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "returns_best_fixture.h"

static void the_recovered_platforms_have_their_throughput(void **state) {
  (void)state;
  const struct returns_recovered wanted = {61.0 / 135, 271.0 / 4060, 3};
  returns_expect_recovered("lifo", &wanted);
}

static void the_plan_ends_at_the_load_over_the_throughput(void **state) {
  (void)state;
  returns_expect_end("lifo", true);
}

static void a_worker_that_costs_nothing_is_refused(void **state) {
  (void)state;
  returns_expect_refusal("lifo");
}

static void latencies_end_no_sooner(void **state) {
  (void)state;
  returns_expect_latencies_cost("lifo");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_recovered_platforms_have_their_throughput),
      cmocka_unit_test(the_plan_ends_at_the_load_over_the_throughput),
      cmocka_unit_test(a_worker_that_costs_nothing_is_refused),
      cmocka_unit_test(latencies_end_no_sooner),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
