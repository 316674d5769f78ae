#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "awf_fixture.h"

static void every_request_renews_the_weights_and_the_rest(void **state) {
  (void)state;
  awf_expect_renewal("awf-c", 169);
}

static void the_time_of_the_tasks_counts(void **state) {
  (void)state;
  awf_expect_weighed("awf-c", (const uint64_t[]){300, 100});
}

static void a_report_of_failures_alone_is_no_measurement(void **state) {
  (void)state;
  awf_expect_failures_are_ignored("awf-c");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_request_renews_the_weights_and_the_rest),
      cmocka_unit_test(the_time_of_the_tasks_counts),
      cmocka_unit_test(a_report_of_failures_alone_is_no_measurement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
