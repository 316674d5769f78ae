#include "completion/completion_fixture.h"

static void options_and_their_values_stand_in_the_script(void **state) {
  (void)state;
  static const char *const pieces[] = {
      "-n __my_tool_begins -f -a run -d 'what the tasks\\' user wants'\n",
      "-n '__my_tool_is run' -l 'order' -x -a 'fifo random' -d 'It\\'s [an] order'\n",
      "-s 'o' -x -a",
      "-l 'sort' -x -a",
      "-l 'csv' -d 'Rows'\n",
      "-l 'out' -x -a '(__fish_complete_directories)'",
      "-l 'quiet' -d 'Nothing'\n",
      "__my_tool_is list' -f -a 'one two'\n",
      "-l 'seed' -r -d",
      NULL};
  expect_script(ls_completion_fish, pieces);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_and_their_values_stand_in_the_script)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
