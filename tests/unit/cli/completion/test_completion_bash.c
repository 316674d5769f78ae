#include "completion/completion_fixture.h"

static void options_and_their_values_stand_in_the_script(void **state) {
  (void)state;
  static const char *const pieces[] = {
      "subcommands='run list'",
      "options='--order -o --sort --csv --out --quiet -q'",
      "--order | --order= | -o | -o= | --sort | --sort=) values='fifo random' ;;",
      "--out | --out=) operands='' kind=directory ;;",
      "after='command'",
      "operands='one two'",
      "--seed | --seed=) operands='' kind=file ;;",
      "complete -F _my_tool my-tool\n",
      NULL};
  expect_script(ls_completion_bash, pieces);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_and_their_values_stand_in_the_script)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
