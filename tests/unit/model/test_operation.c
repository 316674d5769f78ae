#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/operation.h"

static void every_name_is_there(void **state) {
  (void)state;
  assert_string_equal(ls_operation_name(LS_OPERATION_PREPARE), "prepare");
  assert_string_equal(ls_operation_name(LS_OPERATION_COMPUTE), "compute");
  assert_string_equal(ls_resource_name(LS_RESOURCE_MASTER), "master");
  assert_string_equal(ls_resource_name(LS_RESOURCE_WORKER), "worker");
  for (int i = 0; i < LS_OPERATION_COUNT; i++) {
    assert_true(strlen(ls_operation_name((enum ls_operation)i)) > 0);
  }
}

static void no_two_operations_have_one_name(void **state) {
  (void)state;
  for (int i = 0; i < LS_OPERATION_COUNT; i++) {
    for (int j = 0; j < i; j++)
      assert_string_not_equal(ls_operation_name((enum ls_operation)i),
                              ls_operation_name((enum ls_operation)j));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_name_is_there),
      cmocka_unit_test(no_two_operations_have_one_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
