/* test_line_limits.c: a command line that is as long as was measured can be executed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/os/line_limits.h"

/* The exit code of `true` with words of so many bytes, counted as execve does; 127: not run. */
static int run_with(uint64_t bytes, uint64_t word_bytes) {
  uint64_t each = word_bytes + sizeof(char *), count = bytes / each;
  char **words = calloc((size_t)count + 3, sizeof *words);
  char *word = malloc((size_t)word_bytes);
  assert_non_null(words);
  assert_non_null(word);
  memset(word, 'x', (size_t)word_bytes - 1);
  word[word_bytes - 1] = '\0';
  words[0] = "true";
  for (uint64_t i = 1; i <= count; i++) words[i] = word;
  words[count] = NULL; /* the first word is shorter than another one */
  pid_t pid = fork();
  if (pid == 0) {
    (void)execvp("true", words);
    _exit(127);
  }
  int status = 0;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  free(words);
  free(word);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_line_of_the_measured_length_runs(void **state) {
  (void)state;
  struct ls_line_limits limits = ls_line_limits_find(0, environ);
  assert_true(limits.bytes >= 4096);
  assert_int_equal(run_with(limits.bytes, 100), 0);
  assert_int_equal(run_with(limits.bytes, 4000), 0);
}

static void a_word_of_the_measured_length_runs_and_a_longer_one_does_not(void **state) {
  (void)state;
  struct ls_line_limits limits = ls_line_limits_find(0, environ);
  if (limits.bytes < 2 * limits.word_bytes + 1000) return;
  uint64_t two = 2 * (limits.word_bytes + sizeof(char *));
  assert_int_equal(run_with(two, limits.word_bytes), 0);
  assert_int_equal(run_with(two + 2 * sizeof(char *) + 2, limits.word_bytes + 1), 127);
}

static void environment_and_wishes_count(void **state) {
  (void)state;
  struct ls_line_limits before = ls_line_limits_find(0, environ),
                        wished = ls_line_limits_find(500, environ);
  assert_true(before.line_bytes == UINT64_MAX && wished.line_bytes == 500);
  char value[1001];
  memset(value, 'v', 1000);
  value[1000] = '\0';
  assert_int_equal(setenv("LINE_LIMITS", value, 1), 0);
  struct ls_line_limits after = ls_line_limits_find(0, environ);
  assert_int_equal(before.bytes - after.bytes, strlen("LINE_LIMITS=") + 1000 + 1 + sizeof(char *));
}

/* What counts is what commands get, which may be more than this process has. */
static void the_environment_of_commands_counts(void **state) {
  (void)state;
  char *const none[] = {NULL}, *const one[] = {"A=12345", NULL};
  uint64_t most = ls_line_limits_find(0, none).bytes;
  assert_int_equal(most - ls_line_limits_find(0, one).bytes, 8 + sizeof(char *));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_line_of_the_measured_length_runs),
      cmocka_unit_test(a_word_of_the_measured_length_runs_and_a_longer_one_does_not),
      cmocka_unit_test(environment_and_wishes_count),
      cmocka_unit_test(the_environment_of_commands_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
