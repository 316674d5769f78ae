/* test_plan_command.c: programs that write plans: what they are given, and what is wrong with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/plan_command.h"
#include "formats/platform_line.h"

static struct ls_platform open_platform(void) {
  static const char line[] = "2x(compute=1x, transfer=0.1x)";
  struct ls_platform platform;
  assert_int_equal(
      ls_platform_read_line(&platform, (struct ls_text){line, strlen(line), "line"}, NULL), LS_OK);
  return platform;
}

static void the_name_leaves_the_places_out(void **state) {
  (void)state;
  static const struct {
    const char *command, *name;
  } rows[] = {{"./mine {platform} {load}", "./mine"},
              {"mine --load={load}  -p {platform} | tail", "mine --load= -p | tail"},
              {"{platform} mine", "mine"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct ls_bytes name = {0};
    ls_plan_command_name(rows[i].command, &name);
    assert_string_equal(ls_bytes_text(&name), rows[i].name);
    ls_bytes_close(&name);
  }
}

static void a_command_needs_the_platform(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_int_equal(ls_plan_command_check("x {platform}", &err), LS_OK);
  assert_int_equal(ls_plan_command_check("x {load}", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "x {load}"));
}

/* The file is there and has the platform; it is gone behind a good end. */
static void the_plan_is_read_and_replayed(void **state) {
  (void)state;
  struct ls_platform platform = open_platform();
  struct ls_plan plan;
  struct ls_error err = {0};
  char folder[] = "/tmp/test-plan-command-XXXXXX";
  assert_non_null(mkdtemp(folder));
  assert_int_equal(setenv("TMPDIR", folder, 1), 0);
  const char *command =
      "grep -q per_unit {platform} && test {load} = 10 && "
      "echo '{\"chunks\": [{\"worker\": 0, \"units\": 4}, {\"worker\": 1, \"units\": 6}]}'";
  if (ls_plan_command_run(command, &platform, 10, &plan, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(plan.makespan_s > 6.99 && plan.makespan_s < 7.01);
  ls_plan_close(&plan);
  assert_int_equal(rmdir(folder), 0);
  assert_int_equal(unsetenv("TMPDIR"), 0);
  ls_platform_close(&platform);
}

static void not_applicable_is_an_answer(void **state) {
  (void)state;
  struct ls_platform platform = open_platform();
  struct ls_plan plan;
  struct ls_error err = {0};
  const char *command =
      "echo '{\"outcome\": \"not_applicable\", \"why\": \"no\", \"chunks\": []}' # {platform}";
  if (ls_plan_command_run(command, &platform, 10, &plan, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(plan.outcome, LS_PLAN_NOT_APPLICABLE);
  ls_plan_close(&plan);
  ls_platform_close(&platform);
}

static const struct {
  const char *command, *words;
} failures[] = {
    {"exit 3 # {platform}", "exit code 3, expected 0"},
    {"kill -9 $$ # {platform}", "killed by signal 9"},
    {"/there/is/no/such {platform}", "exit code 127"},
    {"echo 'no plan' # {platform}", "what it printed"},
    {"echo '{\"chunks\": [{\"worker\": 2, \"units\": 10}]}' # {platform}", "worker"},
    {"echo '{\"chunks\": [{\"worker\": 1, \"units\": 9}]}' # {platform}",
     "its plan is for 9 units, expected 10"},
};

/* The text names the platform's file, which is still there. */
static void failures_keep_the_platform(void **state) {
  (void)state;
  struct ls_platform platform = open_platform();
  for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
    struct ls_plan plan;
    struct ls_error err = {0};
    if (ls_plan_command_run(failures[i].command, &platform, 10, &plan, &err) != LS_EINVAL)
      fail_msg("%s is not refused", failures[i].command);
    if (strstr(err.text, failures[i].words) == NULL)
      fail_msg("'%s' lacks '%s'", err.text, failures[i].words);
    char *path = strstr(err.text, "kept in ");
    assert_non_null(path);
    path += strlen("kept in ");
    *strchr(path, ')') = '\0';
    assert_int_equal(unlink(path), 0);
  }
  ls_platform_close(&platform);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_name_leaves_the_places_out),
      cmocka_unit_test(a_command_needs_the_platform),
      cmocka_unit_test(the_plan_is_read_and_replayed),
      cmocka_unit_test(not_applicable_is_an_answer),
      cmocka_unit_test(failures_keep_the_platform),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
