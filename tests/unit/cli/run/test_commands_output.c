/* What is shown of tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "capture.h"
#include "cli/run/commands.h"

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
  RUN("", W("-k"), W("--line-buffer"), W("--"), W("printf"), W("x{}"), W(":::"), W("a"), W("b"));
  assert_string_equal(capture.output, "xa\nxb\n");
}

static void beginnings_are_told_before_outputs(void **state) {
  (void)state;
  RUN("", W("-j1"), W("-t"), W("--shell"), W("echo {} >&2"), W(":::"), W("a"), W("b"));
  assert_string_equal(capture.error, "echo a >&2\na\necho b >&2\nb\n");
}

/* The word that a task has begun may come late, or never; a task that never began has none. */
static void a_beginning_is_told_once_before_its_end(void **state) {
  (void)state;
  static const char *const words[] = {"echo"};
  char *values[] = {W("a"), W("b"), W("c")};
  struct ls_task_source source = {0};
  struct ls_template compiled = {0};
  const struct ls_command_line line = {.words = words, .words_count = 1};
  struct ls_commands commands = {
      .source = &source, .compiled = &compiled, .tells_beginnings = true};
  FILE *shown = tmpfile();
  char text[64] = "";
  assert_int_equal(ls_task_source_add_words(&source, values, 3, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&source, NULL), LS_OK);
  assert_int_equal(
      ls_template_init(&compiled, &line, &(struct ls_grammar){.sources_count = 1}, NULL), LS_OK);
  assert_int_equal(
      ls_writer_open((const int[2]){fileno(shown), fileno(shown)}, false, &commands.writer, NULL),
      LS_OK);
  const struct ls_delivery_setup setup = {.writer = commands.writer};
  assert_int_equal(ls_delivery_create(&setup, &commands.delivery, NULL), LS_OK);
  ls_commands_init(&commands);
  const struct ls_unit_lines begins = {.units = {0, 1}, .slot = 1};
  struct ls_unit_result result = {
      .slot = 1, .output = {"x\n", 2, -1}, .error_output = {.file = -1}};
  assert_int_equal(ls_commands_show(&commands, &begins, NULL), LS_OK);
  for (uint64_t unit = 0; unit < 3; unit++) {
    if (unit == 2)
      result = (struct ls_unit_result){
          .outcome = LS_OUTCOME_GIVEN_UP, .output = {.file = -1}, .error_output = {.file = -1}};
    assert_int_equal(ls_commands_deliver(&commands, &result, (struct ls_range){unit, 1}, NULL),
                     LS_OK);
  }
  assert_int_equal(commands.told_count, 0);
  assert_int_equal(ls_writer_finish(commands.writer, NULL, NULL), LS_OK);
  ls_delivery_destroy(commands.delivery);
  ls_writer_close(commands.writer);
  assert_true(pread(fileno(shown), text, sizeof text - 1, 0) > 0);
  assert_string_equal(text, "echo a\nx\necho b\nx\n");
  fclose(shown);
  ls_commands_close(&commands);
  ls_template_close(&compiled);
  ls_task_source_close(&source);
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
      cmocka_unit_test(a_beginning_is_told_once_before_its_end),
      cmocka_unit_test(tasks_may_write_by_themselves),
      cmocka_unit_test(names_of_files_are_shown_in_place_of_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
