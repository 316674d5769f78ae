#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/commands.h"
#include "protocol/command.h"

static const struct ls_grammar grammar = {.sources_count = 1};

struct fixture {
  struct ls_task_source source;
  struct ls_template compiled;
  struct ls_commands commands;
};

static void open_fixture(struct fixture *fixture, const char *const *words, size_t words_count,
                         bool is_shell) {
  char *values[] = {(char *)"a b", (char *)"it's", (char *)"c\nd"};
  *fixture = (struct fixture){0};
  assert_int_equal(ls_task_source_add_words(&fixture->source, values, 3, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&fixture->source, NULL), LS_OK);
  const struct ls_command_line command = {words, words_count, is_shell, NULL};
  assert_int_equal(ls_template_init(&fixture->compiled, &command, &grammar, NULL), LS_OK);
  fixture->commands.compiled = &fixture->compiled;
  fixture->commands.source = &fixture->source;
}

static void close_fixture(struct fixture *fixture) {
  ls_commands_close(&fixture->commands);
  ls_template_close(&fixture->compiled);
  ls_task_source_close(&fixture->source);
}

static void units_are_the_tasks_of_one_iteration(void **state) {
  (void)state;
  static const char *const words[] = {"echo"};
  struct fixture fixture;
  open_fixture(&fixture, words, 1, false);
  uint64_t units = 77;
  assert_int_equal(ls_commands_app.units(&fixture.commands, 0, &units, NULL), LS_OK);
  assert_int_equal(units, 3);
  assert_int_equal(ls_commands_app.units(&fixture.commands, 1, &units, NULL), LS_OK);
  assert_int_equal(units, 0);
  close_fixture(&fixture);
}

static void a_range_is_packed_as_commands(void **state) {
  (void)state;
  static const char *const words[] = {"echo", "{#}", "{}"};
  struct fixture fixture;
  open_fixture(&fixture, words, 3, false);
  struct ls_bytes input = {0};
  assert_int_equal(
      ls_commands_app.pack(&fixture.commands, (struct ls_range){1, 2}, 1, &input, NULL), LS_OK);
  struct ls_command command = {0};
  size_t offset = 0;
  static const char *const values[] = {"it's", "c\nd"};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ls_command_decode(&command, input.data, input.length, &offset, NULL), LS_OK);
    assert_int_equal(command.argv_count, 3);
    assert_string_equal(command.argv[1], i == 0 ? "2" : "3");
    assert_string_equal(command.argv[2], values[i]);
  }
  assert_int_equal(offset, input.length);
  ls_command_close(&command);
  ls_bytes_close(&input);
  close_fixture(&fixture);
}

static void commands_are_described_on_one_line(void **state) {
  (void)state;
  static const char *const words[] = {"echo", "{}"};
  struct fixture fixture;
  open_fixture(&fixture, words, 2, false);
  assert_int_equal(ls_commands_describe(&fixture.commands, (struct ls_range){0, 1}, 1, NULL),
                   LS_OK);
  assert_string_equal(ls_bytes_text(&fixture.commands.line), "echo 'a b'");
  assert_int_equal(ls_commands_describe(&fixture.commands, (struct ls_range){2, 1}, 1, NULL),
                   LS_OK);
  assert_string_equal(ls_bytes_text(&fixture.commands.line), "echo $'c\\nd'");
  close_fixture(&fixture);
  open_fixture(&fixture, words, 0, false);
  assert_int_equal(ls_commands_describe(&fixture.commands, (struct ls_range){2, 1}, 1, NULL),
                   LS_OK);
  assert_string_equal(ls_bytes_text(&fixture.commands.line), "/bin/sh -c $'c\\nd'");
  close_fixture(&fixture);
}

static void a_worker_opens_without_words(void **state) {
  (void)state;
  void *opened = &state;
  char *words[] = {(char *)"x", NULL};
  struct ls_error err = {0};
  assert_int_equal(ls_commands_app.open(0, words, &opened, &err), LS_OK);
  assert_null(opened);
  assert_int_equal(ls_commands_app.open(1, words, &opened, &err), LS_EINVAL);
  ls_commands_app.close(NULL);
  assert_true(ls_commands_app.runs_commands);
}

/* A result reaches the job log, the results folder and the output; skipped ones only what lacks. */
static void results_go_where_they_were_wanted(void **state) {
  (void)state;
  static const char *const words[] = {"echo"};
  char root[] = "/tmp/test-commands-XXXXXX", log[64], folder[64];
  assert_non_null(mkdtemp(root));
  snprintf(log, sizeof log, "%s/log", root);
  snprintf(folder, sizeof folder, "%s/out", root);
  struct fixture fixture;
  open_fixture(&fixture, words, 1, false);
  struct ls_joblog_setup log_setup = {.path = log, .tasks = 3};
  FILE *output = tmpfile();
  struct ls_commands *commands = &fixture.commands;
  assert_int_equal(
      ls_writer_open((const int[2]){fileno(output), STDERR_FILENO}, false, &commands->writer, NULL),
      LS_OK);
  struct ls_delivery_setup delivery = {.keeps_order = true, .writer = commands->writer};
  assert_int_equal(ls_joblog_open(&log_setup, &commands->joblog, NULL), LS_OK);
  assert_int_equal(ls_results_open(folder, false, &commands->results, NULL), LS_OK);
  assert_int_equal(ls_delivery_create(&delivery, &commands->delivery, NULL), LS_OK);
  struct ls_unit_result result = {.units = {1, 1},
                                  .outcome = LS_OUTCOME_FAILED,
                                  .has_timed_out = true,
                                  .slot = 1,
                                  .output = {"out\n", 4, -1},
                                  .error_output = {NULL, 0, -1}};
  assert_int_equal(ls_commands_app.merge(commands, &result, NULL), LS_OK);
  const struct ls_app_outputs *outputs = ls_commands_app.outputs;
  struct ls_units_left left;
  assert_int_equal(outputs->take_left(commands, &left, NULL), LS_OK);
  assert_int_equal(left.units.count, 0);
  assert_int_equal(outputs->file(commands), ls_writer_file(commands->writer));
  assert_true(ls_results_has(commands->results, 2));
  result = (struct ls_unit_result){.units = {0, 1}, .output.file = -1, .error_output.file = -1};
  assert_int_equal((ls_commands_app.skip)(commands, &result, NULL), LS_OK);
  assert_int_equal(outputs->finish(commands, NULL), LS_OK);
  assert_false(outputs->is_behind(commands));
  assert_int_equal(outputs->take_left(commands, &left, NULL), LS_OK);
  assert_true(left.iteration == 0 && left.units.first == 1 && left.units.count == 1);
  assert_true(ls_results_has(commands->results, 1));
  /* Units 2: given up as part of a range; no exit code exists, so the log says -1. */
  result.units = (struct ls_range){2, 1};
  result.outcome = LS_OUTCOME_GIVEN_UP;
  result.worker = UINT32_MAX;
  assert_int_equal(ls_commands_app.merge(commands, &result, NULL), LS_OK);
  char text[1024];
  FILE *file = fopen(log, "r");
  assert_non_null(file);
  size_t length = fread(text, 1, sizeof text - 1, file);
  text[length] = '\0';
  fclose(file);
  assert_non_null(strstr(text, "\t0\t4\t-1\t0\techo 'it'\\''s'\n"));
  assert_non_null(strstr(text, "\n3\t-\t"));
  assert_int_equal(pread(fileno(output), text, sizeof text, 0), 4);
  ls_delivery_destroy(commands->delivery);
  ls_writer_close(commands->writer);
  ls_results_close(commands->results);
  ls_joblog_close(commands->joblog);
  fclose(output);
  close_fixture(&fixture);
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", root);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(units_are_the_tasks_of_one_iteration),
                                     cmocka_unit_test(a_range_is_packed_as_commands),
                                     cmocka_unit_test(commands_are_described_on_one_line),
                                     cmocka_unit_test(a_worker_opens_without_words),
                                     cmocka_unit_test(results_go_where_they_were_wanted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
