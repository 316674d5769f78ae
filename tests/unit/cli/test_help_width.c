#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "cli/help_width.h"

static void columns_are_those_of_the_environment_within_limits(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t columns;
  } cases[] = {{"100", 100}, {"60", 60},   {"5", 60}, {"0", 80},
               {"200", 120}, {"many", 80}, {"", 80},  {"99999999999999999999", 80}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    setenv("COLUMNS", cases[i].text, 1);
    /* A terminal would be asked where the environment says nothing that can be used. */
    if (ls_terminal_columns() == 0) assert_int_equal(ls_help_columns(), cases[i].columns);
  }
}

static void argp_is_told_and_the_environment_is_left_as_it_was(void **state) {
  (void)state;
  setenv("COLUMNS", "100", 1);
  unsetenv("ARGP_HELP_FMT");
  ls_help_width_begin();
  assert_string_equal(getenv("ARGP_HELP_FMT"), "rmargin=99");
  ls_help_width_end();
  assert_null(getenv("ARGP_HELP_FMT"));
  setenv("ARGP_HELP_FMT", "rmargin=70", 1);
  ls_help_width_begin();
  assert_string_equal(getenv("ARGP_HELP_FMT"), "rmargin=70");
  ls_help_width_end();
  assert_string_equal(getenv("ARGP_HELP_FMT"), "rmargin=70");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_are_those_of_the_environment_within_limits),
      cmocka_unit_test(argp_is_told_and_the_environment_is_left_as_it_was)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
