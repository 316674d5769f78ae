#include "completion/completion_fixture.h"

static void options_and_their_values_stand_in_the_script(void **state) {
  (void)state;
  static const char *const pieces[] = {
      "#compdef my-tool\n",
      "'run:what the tasks'\\'' user wants'\n",
      "'*--order=[It'\\''s \\[an\\] order]:NAME[\\:X]:(fifo random)' \\\n",
      "'*-o+[",
      "'*--sort=[",
      "'*--csv=-[Rows]::FILE:_files'",
      "'*--out=[A folder]:DIR:_files -/'",
      "'*-q[Nothing]' \\\n",
      "'*::command:_normal'",
      "'*:word:(one two)'",
      "compdef _my_tool my-tool\n",
      NULL};
  expect_script(ls_completion_zsh, pieces);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_and_their_values_stand_in_the_script)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
