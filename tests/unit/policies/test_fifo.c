#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policies/ordering.h"

static void the_given_order_costs_no_memory(void **state) {
  (void)state;
  const struct ls_ordering *fifo = ls_ordering_find("fifo");
  assert_non_null(fifo);
  assert_null(fifo->arrange);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_given_order_costs_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
