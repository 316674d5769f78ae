/* What is shown of tasks. */
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

static void tags_stand_before_each_line_of_both_streams(void **state) {
  (void)state;
  RUN("", W("-k"), W("--tag"), W("--shell"), W("printf 'x\\ny'; echo e >&2 #{}"), W(":::"), W("a"),
      W("b"), W(":::"), W("c"));
  assert_string_equal(capture.output, "a c\tx\na c\tyb c\tx\nb c\ty");
  assert_string_equal(capture.error, "a c\te\nb c\te\n");
  RUN("", W("-k"), W("--tagstring"), W("{#}-{/.}"), W("--"), W("echo"), W(":::"), W("d/a.b"));
  assert_string_equal(capture.output, "1-a\td/a.b\n");
}

static void lines_have_an_end_under_line_buffer(void **state) {
  (void)state;
  RUN("", W("-k"), W("--lb"), W("--"), W("printf"), W("x{}"), W(":::"), W("a"), W("b"));
  assert_string_equal(capture.output, "xa\nxb\n");
}

static void beginnings_are_told_before_outputs(void **state) {
  (void)state;
  RUN("", W("-j1"), W("-t"), W("--shell"), W("echo {} >&2"), W(":::"), W("a"), W("b"));
  assert_string_equal(capture.error, "echo a >&2\na\necho b >&2\nb\n");
}

static void tasks_may_write_by_themselves(void **state) {
  (void)state;
  RUN("", W("-j1"), W("-u"), W("-t"), W("--shell"), W("echo {}; echo e >&2"), W(":::"), W("a"));
  assert_string_equal(capture.output, "a\n");
  assert_non_null(strstr(capture.error, "e\n"));
  assert_non_null(strstr(capture.error, "echo a; echo e >&2\n"));
}

static void names_of_files_are_shown_in_place_of_outputs(void **state) {
  (void)state;
  RUN("", W("-k"), W("--files"), W("--"), W("echo"), W(":::"), W("a"));
  capture.output[strcspn(capture.output, "\n")] = '\0';
  FILE *file = fopen(capture.output, "r");
  assert_non_null(file);
  char text[8] = "";
  assert_non_null(fgets(text, sizeof text, file));
  assert_string_equal(text, "a\n");
  fclose(file);
  unlink(capture.output);
}

int main(int argc, char **argv) {
  if (IS_WORKER(argc, argv)) return ls_cli_main(argc, argv, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tags_stand_before_each_line_of_both_streams),
      cmocka_unit_test(lines_have_an_end_under_line_buffer),
      cmocka_unit_test(beginnings_are_told_before_outputs),
      cmocka_unit_test(tasks_may_write_by_themselves),
      cmocka_unit_test(names_of_files_are_shown_in_place_of_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
