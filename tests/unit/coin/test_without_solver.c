/* test_without_solver.c: a build with -Dsolver=disabled loads nothing, and says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "coin/coin.h"

static void no_model_is_made(void **state) {
  (void)state;
  assert_null(ls_Clp_newModel());
  assert_null(ls_Cbc_newModel());
  assert_non_null(ls_coin_failure());
  assert_non_null(strstr(ls_coin_failure(), "-Dsolver=disabled"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_model_is_made)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
