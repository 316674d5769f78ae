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
  assert_int_equal(none->replicas(100, 8, 4), 0);
  assert_int_equal(none->replicas(0, 0, 0), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_stands_twice),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
