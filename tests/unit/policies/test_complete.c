/* Copies of the first tasks by the number of extra workers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "policies/replication.h"

static uint64_t count(uint64_t units, size_t wanted, size_t present) {
  struct ls_replication_view view = {
      .units = units, .workers_wanted = wanted, .workers_present = present};
  return ls_replication_find("complete")->replicas(&view);
}

static void extra_workers_make_copies(void **state) {
  (void)state;
  assert_int_equal(count(50, 8, 8), 0);
  assert_int_equal(count(50, 8, 9), 1);
  assert_int_equal(count(50, 8, 11), 3);
  assert_int_equal(count(2, 2, 6), 2);
  assert_int_equal(count(0, 2, 6), 0);
  assert_null(ls_replication_find("complete")->worth);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(extra_workers_make_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
