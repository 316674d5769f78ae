#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planners/returns/returns.h"
#include "returns_sorted_fixture.h"

static double get_c(const struct ls_returns_worker *worker) {
  return worker->send_s;
}

static void everybody_works_in_the_order_of_c(void **state) {
  (void)state;
  returns_expect_sorted("fifo-inc-c", get_c);
}

static void one_port_is_no_faster(void **state) {
  (void)state;
  returns_expect_one_port_no_faster("fifo-inc-c");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everybody_works_in_the_order_of_c),
      cmocka_unit_test(one_port_is_no_faster),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
