#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "awf_fixture.h"

static void an_open_batch_keeps_its_weights_and_its_rest(void **state) {
  (void)state;
  awf_expect_batch_is_kept("awf-b");
}

static void the_time_of_the_tasks_counts(void **state) {
  (void)state;
  awf_expect_weighed("awf-b", (const uint64_t[]){300, 100});
}

static void a_report_of_failures_alone_is_no_measurement(void **state) {
  (void)state;
  awf_expect_failures_are_ignored("awf-b");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_open_batch_keeps_its_weights_and_its_rest),
      cmocka_unit_test(the_time_of_the_tasks_counts),
      cmocka_unit_test(a_report_of_failures_alone_is_no_measurement),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
