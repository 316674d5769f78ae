#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "awf_fixture.h"

static void every_request_renews_the_weights_and_the_rest(void **state) {
  (void)state;
  awf_expect_renewal("awf-e", 113);
}

static void the_time_elapsed_at_the_master_counts(void **state) {
  (void)state;
  awf_expect_weighed("awf-e", (const uint64_t[]){200, 200});
}

static void a_report_of_failures_alone_is_no_measurement(void **state) {
  (void)state;
  awf_expect_failures_are_ignored("awf-e");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_request_renews_the_weights_and_the_rest),
      cmocka_unit_test(the_time_elapsed_at_the_master_counts),
      cmocka_unit_test(a_report_of_failures_alone_is_no_measurement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
