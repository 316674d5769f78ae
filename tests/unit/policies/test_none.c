#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/replication.h"

static void nothing_stands_twice(void **state) {
  (void)state;
  const struct ls_replication *none = ls_replication_find("none");
  assert_non_null(none);
  struct ls_replication_view view = {
      .units = 100, .workers_wanted = 4, .workers_present = 8, .loss_rate = 1};
  assert_int_equal(none->replicas(&view), 0);
  assert_null(none->worth);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_stands_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
