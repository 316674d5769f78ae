#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/command_words.h"

static enum ls_status check(const char *word, bool is_shell, struct ls_error *err) {
  const struct ls_command_line command = {.words = &word, .words_count = 1, .is_shell = is_shell};
  const struct ls_grammar grammar = {.has_plus = true, .sources_count = 1};
  struct ls_template compiled;
  assert_int_equal(ls_template_init(&compiled, &command, &grammar, NULL), LS_OK);
  const struct ls_command_words words = {&command, &compiled, &grammar, NULL};
  enum ls_status status = ls_command_words_check(&words, err);
  ls_template_close(&compiled);
  return status;
}

static void a_command_line_as_one_word_is_told_how_to_go(void **state) {
  (void)state;
  static const char *const lines[] = {"wc -c < {}", "/bin/echo a", "sh\t-c x",
                                      "a | b",      "(cd /)",      "{}>x"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    struct ls_error err = {0};
    assert_int_equal(check(lines[i], false, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "with --shell it is a command line"));
    assert_int_equal(check(lines[i], true, NULL), LS_OK);
  }
}

static void what_may_be_a_program_is_left_alone(void **state) {
  (void)state;
  char folder[] = "/tmp/test-words-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/sh -c", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  chmod(path, 0700);
  setenv("PATH", folder, 1);
  /* A program with a blank in its name; without the one, and with an empty PATH, there is no sh. */
  assert_int_equal(check("sh -c", false, NULL), LS_OK);
  assert_int_equal(check(path, false, NULL), LS_OK);
  assert_int_equal(check("sh x", false, NULL), LS_OK);
  unsetenv("PATH");
  assert_int_equal(check("sh x", false, NULL), LS_OK);
  assert_int_equal(check("true", false, NULL), LS_OK);
  assert_int_equal(check(" x", false, NULL), LS_OK);
  assert_int_equal(check("", false, NULL), LS_OK);
  /* What stands in a replacement string is no part of the name. */
  assert_int_equal(check("{= s/a b|c/d/ =}{:-x y}", false, NULL), LS_OK);
  const struct ls_command_line none = {NULL, 0, false, NULL};
  const struct ls_command_words nothing = {&none, NULL, NULL, NULL};
  assert_int_equal(ls_command_words_check(&nothing, NULL), LS_OK);
  unlink(path);
  rmdir(folder);
}

/* As it would be for the first task, ready to be typed. */
static void what_the_shell_would_run_is_shown(void **state) {
  (void)state;
  static char first[] = "it's", second[] = "b";
  char *const inputs[] = {first, second};
  const char *const words_of_it[] = {"wc -c", "<", "{}"};
  const struct ls_command_line command = {.words = words_of_it, .words_count = 3};
  const struct ls_grammar grammar = {.sources_count = 1};
  struct ls_task_source source = {0};
  struct ls_template compiled;
  struct ls_error err = {0};
  setenv("LOADSTAR_SHELL", "/bin/sh", 1);
  setenv("PATH", "/usr/bin:/bin", 1);
  assert_int_equal(ls_template_init(&compiled, &command, &grammar, NULL), LS_OK);
  assert_int_equal(ls_task_source_add_words(&source, inputs, 2, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  const struct ls_command_words words = {&command, &compiled, &grammar, &source};
  assert_int_equal(ls_command_words_check(&words, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "it is a command line: /bin/sh -c 'wc -c < "));
  source.tasks = 0;
  assert_int_equal(ls_command_words_check(&words, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "command line"));
  assert_null(strstr(err.text, "/bin/sh"));
  ls_task_source_close(&source);
  ls_template_close(&compiled);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_command_line_as_one_word_is_told_how_to_go),
      cmocka_unit_test(what_the_shell_would_run_is_shown),
      cmocka_unit_test(what_may_be_a_program_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
