/* What is shown and kept of the tasks of a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"

/* Each run starts this very program as its workers. */
static struct capture capture;

#define RUN(input, ...) CAPTURE(&capture, input, (char *)"run", (char *)"-q", __VA_ARGS__)
#define W(text)         (char *)(text)

static char folder[32], path[64];

static void enter(const char *name) {
  strcpy(folder, "/tmp/test-outputs-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/%s", folder, name);
}

static void leave(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void a_job_log_resumes_a_run(void **state) {
  (void)state;
  enter("log");
  RUN("", W("-j1"), W("--joblog"), path, W("--shell"), W("echo {}; exit {}"), W(":::"), W("0"),
      W("3"));
  assert_string_equal(capture.output, "0\n3\n");
  RUN("", W("-j1"), W("-k"), W("--joblog"), path, W("--resume"), W("--shell"),
      W("echo {}; exit {}"), W(":::"), W("0"), W("3"), W("4"));
  assert_string_equal(capture.output, "4\n");
  RUN("", W("-j1"), W("-k"), W("--joblog"), path, W("--resume-failed"), W("--shell"),
      W("echo {}; exit {}"), W(":::"), W("0"), W("3"), W("4"));
  assert_string_equal(capture.output, "3\n4\n");
  RUN("", W("--joblog"), path, W("--resume"), W("--"), W("echo"), W(":::"), W("0"), W("3"));
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "line 2: task 1 is 'echo 0' now, was 'echo 0; exit 0'"));
  leave();
}

static void failed_lines_are_tasks_again(void **state) {
  (void)state;
  enter("log");
  RUN("", W("-j1"), W("--joblog"), path, W("--shell"), W("echo {}; exit {}"), W(":::"), W("0"),
      W("3"), W("0"), W("4"));
  RUN("", W("-j1"), W("--retry-failed"), W("--joblog"), path);
  assert_string_equal(capture.output, "3\n4\n");
  assert_int_equal(capture.exit_status, 1);
  FILE *log = fopen(path, "r");
  char line[256], numbers[16] = "";
  while (fgets(line, sizeof line, log) != NULL)
    if (line[0] != 'S') strncat(numbers, line, 1);
  fclose(log);
  assert_string_equal(numbers, "123424");
  leave();
}

static void a_log_may_be_gone_on_with(void **state) {
  (void)state;
  enter("log");
  char sign[72];
  snprintf(sign, sizeof sign, "+%s", path);
  for (int i = 0; i < 2; i++) RUN("", W("--joblog"), sign, W("--"), W("true"), W(":::"), W("x"));
  FILE *log = fopen(path, "r");
  int lines = 0, letter;
  while ((letter = fgetc(log)) != EOF) lines += letter == '\n';
  fclose(log);
  assert_int_equal(lines, 3);
  leave();
}

static void results_go_where_the_name_says(void **state) {
  (void)state;
  enter("sub/{}.log");
  char name[96];
  RUN("", W("--results"), path, W("--"), W("echo"), W(":::"), W("x"));
  assert_string_equal(capture.output, "");
  snprintf(name, sizeof name, "%s/sub/x.log", folder);
  assert_int_equal(access(name, R_OK), 0);
  strcat(name, ".seq");
  assert_int_equal(access(name, R_OK), 0);
  RUN("", W("-k"), W("--results"), W("-.csv"), W("--"), W("printf"), W("{}"), W(":::"), W("x"),
      W("y"));
  assert_memory_equal(capture.output, "Seq,Host,", 9);
  assert_non_null(strstr(capture.output, ",\"printf x\",x,x,\n2,"));
  leave();
}

int main(int argc, char **argv) {
  if (IS_WORKER(argc, argv)) return ls_cli_main(argc, argv, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_job_log_resumes_a_run),
      cmocka_unit_test(failed_lines_are_tasks_again),
      cmocka_unit_test(a_log_may_be_gone_on_with),
      cmocka_unit_test(results_go_where_the_name_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
