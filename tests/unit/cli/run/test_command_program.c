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

#include "cli/run/command_program.h"

static void expect_name(const char *word, bool is_shell, const char *expected) {
  const struct ls_command_line command = {.words = &word, .words_count = 1, .is_shell = is_shell};
  const struct ls_grammar grammar = {.sources_count = 1};
  struct ls_template compiled;
  assert_int_equal(ls_template_init(&compiled, &command, &grammar, NULL), LS_OK);
  const char *name = ls_command_program_name(&command, &compiled);
  if (expected == NULL)
    assert_null(name);
  else
    assert_string_equal(name, expected);
  ls_template_close(&compiled);
}

static void a_name_that_the_tasks_make_is_not_known(void **state) {
  (void)state;
  expect_name("gzip", false, "gzip");
  expect_name("./a b", false, "./a b");
  expect_name("gzip", true, NULL);
  expect_name("{}", false, NULL);
  expect_name("./{/.}.sh", false, NULL);
  expect_name("step{#}", false, NULL);
  const struct ls_command_line none = {NULL, 0, false, NULL};
  assert_null(ls_command_program_name(&none, NULL));
}

static void make_file(const char *path, mode_t mode) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fclose(file);
  assert_int_equal(chmod(path, mode), 0);
}

static void expect_refusal(const char *name, bool is_elsewhere, const char *expected) {
  struct ls_error err = {0};
  assert_int_equal(ls_command_program_check(name, is_elsewhere, &err), LS_EINVAL);
  assert_string_equal(err.text, expected);
}

static void an_interpreter_that_is_not_there_is_named(void **state) {
  (void)state;
  FILE *file = fopen("tool", "w");
  assert_non_null(file);
  fputs("#!/bin/sh\r\necho\r\n", file);
  fclose(file);
  expect_refusal(
      "./tool", false,
      "./tool: cannot be run: its interpreter '/bin/sh\\r' cannot be run: No such file or "
      "directory (its lines end as those of Windows do, in \\r)");
  make_file("tool", 0700);
}

/* A folder with a program and a file that is none, which is the working folder. */
static int enter_folder(void **state) {
  char *folder = strdup("/tmp/test-program-XXXXXX");
  *state = folder;
  if (folder == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0) return 1;
  assert_int_equal(mkdir("sub", 0700), 0);
  make_file("tool", 0700);
  make_file("sub/late", 0700);
  make_file("text", 0600);
  return 0;
}

static int leave_folder(void **state) {
  unlink("tool");
  unlink("text");
  unlink("sub/late");
  rmdir("sub");
  assert_int_equal(chdir("/"), 0);
  rmdir(*state);
  free(*state);
  return 0;
}

static void a_name_is_looked_up_in_the_path(void **state) {
  char path[200];
  (void)snprintf(path, sizeof path, "/nonexistent:%s:%s/sub", (char *)*state, (char *)*state);
  setenv("PATH", path, 1);
  assert_int_equal(ls_command_program_check("tool", false, NULL), LS_OK);
  assert_int_equal(ls_command_program_check("late", true, NULL), LS_OK);
  expect_refusal("gizp", false, "gizp: no program of that name in PATH");
  expect_refusal("gizp", true, "gizp: no program of that name in PATH");
  expect_refusal("text", false, "text: cannot be run: Permission denied");
  /* A folder is none, and what lies behind it is found. */
  expect_refusal("sub", false, "sub: no program of that name in PATH");
  expect_refusal("", false, "'': no program of that name in PATH");
  unsetenv("PATH");
  assert_int_equal(ls_command_program_check("gizp", false, NULL), LS_OK);
}

static void relative_folders_are_those_of_the_task(void **state) {
  (void)state;
  setenv("PATH", "/nonexistent:sub:", 1);
  assert_int_equal(ls_command_program_check("late", false, NULL), LS_OK);
  assert_int_equal(ls_command_program_check("tool", false, NULL), LS_OK);
  expect_refusal("gizp", false, "gizp: no program of that name in PATH");
  assert_int_equal(ls_command_program_check("gizp", true, NULL), LS_OK);
}

static void a_path_is_there_or_not(void **state) {
  char path[200];
  (void)snprintf(path, sizeof path, "%s/tool", (char *)*state);
  assert_int_equal(ls_command_program_check(path, true, NULL), LS_OK);
  assert_int_equal(ls_command_program_check("./tool", false, NULL), LS_OK);
  expect_refusal("./tol", false, "./tol: cannot be run: No such file or directory");
  assert_int_equal(ls_command_program_check("./tol", true, NULL), LS_OK);
  expect_refusal("/nonexistent/x", true,
                 "/nonexistent/x: cannot be run: No such file or directory");
  expect_refusal("./text", false, "./text: cannot be run: Permission denied");
  expect_refusal("./sub", false, "./sub: cannot be run: Is a directory");
  expect_refusal("./tool/x", false, "./tool/x: cannot be run: Not a directory");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_name_that_the_tasks_make_is_not_known),
      cmocka_unit_test(an_interpreter_that_is_not_there_is_named),
      cmocka_unit_test(a_name_is_looked_up_in_the_path),
      cmocka_unit_test(relative_folders_are_those_of_the_task),
      cmocka_unit_test(a_path_is_there_or_not),
  };
  return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
