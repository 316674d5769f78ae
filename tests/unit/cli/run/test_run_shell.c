#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run/run_shell.h"

static void what_is_wanted_comes_first_then_the_environment(void **state) {
  (void)state;
  char program[64];
  setenv("LOADSTAR_SHELL", "/bin/zsh", 1);
  ls_run_shell_find("ksh", program, sizeof program);
  assert_string_equal(program, "ksh");
  ls_run_shell_find(NULL, program, sizeof program);
  assert_string_equal(program, "/bin/zsh");
}

/* Whoever started this test. */
static void without_them_it_is_a_shell(void **state) {
  (void)state;
  char program[4096];
  unsetenv("LOADSTAR_SHELL");
  ls_run_shell_find(NULL, program, sizeof program);
  assert_int_equal(program[0], '/');
  assert_non_null(strstr(program, "sh"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_wanted_comes_first_then_the_environment),
      cmocka_unit_test(without_them_it_is_a_shell),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
