#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planners/returns/returns.h"
#include "returns_sorted_fixture.h"

static double get_w(const struct ls_returns_worker *worker) {
  return worker->compute_s;
}

static void everybody_works_in_the_order_of_w(void **state) {
  (void)state;
  returns_expect_sorted("fifo-inc-w", get_w);
}

static void one_port_is_no_faster(void **state) {
  (void)state;
  returns_expect_one_port_no_faster("fifo-inc-w");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everybody_works_in_the_order_of_w),
      cmocka_unit_test(one_port_is_no_faster),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
