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

static const struct ls_grammar grammar = {.sources_count = 1};

struct fixture {
  struct ls_task_source source;
  struct ls_template compiled;
  struct ls_commands commands;
};

static void open_fixture(struct fixture *fixture, const char *const *words, size_t count,
                         bool is_shell) {
  char *values[] = {(char *)"a b", (char *)"it's", (char *)"c\nd"};
  *fixture = (struct fixture){.commands = {.delivery = NULL}};
  assert_int_equal(ls_task_source_add_words(&fixture->source, values, 3, false, NULL), LS_OK);
  assert_int_equal(ls_task_source_finish(&fixture->source, NULL), LS_OK);
  const struct ls_command_line command = {words, count, is_shell, NULL};
  assert_int_equal(ls_template_init(&fixture->compiled, &command, &grammar, NULL), LS_OK);
  fixture->commands.compiled = &fixture->compiled;
  fixture->commands.source = &fixture->source;
}

static void close_fixture(struct fixture *fixture) {
  ls_commands_close(&fixture->commands);
  ls_template_close(&fixture->compiled);
  ls_task_source_close(&fixture->source);
}

static void expect_line(struct fixture *fixture, uint64_t unit, const char *text, size_t length) {
  assert_int_equal(
      ls_commands_write_log_line(&fixture->commands, (struct ls_range){unit, 1}, 0, NULL), LS_OK);
  assert_int_equal(fixture->commands.log_line.length, length);
  assert_memory_equal(fixture->commands.log_line.data, text, length);
}

/* A shell can run it again: words are quoted, and a line end is a zero byte. */
static void commands_stand_in_the_log_as_a_shell_would_read_them(void **state) {
  static const char *const plain[] = {"echo"}, *const shell[] = {"echo {}\n\techo x"};
  (void)state;
  struct fixture fixture;
  open_fixture(&fixture, plain, 1, false);
  expect_line(&fixture, 0, "echo 'a b'", 10);
  expect_line(&fixture, 1, "echo 'it'\\''s'", 14);
  expect_line(&fixture, 2, "echo 'c\0d'", 10);
  close_fixture(&fixture);
  open_fixture(&fixture, shell, 1, true);
  expect_line(&fixture, 0, "echo 'a b'\0\techo x", 18);
  close_fixture(&fixture);
}

static void a_row_has_what_the_log_has_and_both_outputs(void **state) {
  static const char *const plain[] = {"echo"};
  (void)state;
  struct fixture fixture;
  open_fixture(&fixture, plain, 1, false);
  const uint64_t sequences[] = {31, 32, 33};
  fixture.commands.sequences = sequences;
  fixture.commands.shown_table = LS_TABLE_CSV;
  fixture.commands.epoch_s = 1000;
  const struct ls_unit_result result = {.units = {1, 1},
                                        .outcome = LS_OUTCOME_FAILED,
                                        .slot = 1,
                                        .exit_code = 3,
                                        .start_s = 2,
                                        .seconds = 0.5,
                                        .output = {"o", 1, -1},
                                        .error_output = {"e", 1, -1}};
  assert_int_equal(ls_commands_write_row(&fixture.commands, &result, (struct ls_range){1, 1}, NULL),
                   LS_OK);
  assert_string_equal(ls_bytes_text(&fixture.commands.table_row),
                      "32,:,1002.000,0.500,0,1,3,0,\"echo 'it'\\''s'\",it's,o,e\n");
  close_fixture(&fixture);
}

static size_t count_lines(const char *path) {
  char text[2048];
  size_t lines = 0;
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  while (fgets(text, sizeof text, file) != NULL) lines++;
  assert_int_equal(fclose(file), 0);
  return lines;
}

/* A heading and a line of each of two tasks, in each file that the user asked for. */
static void a_task_is_recorded_wherever_it_is_asked_for(void **state) {
  static const char *const plain[] = {"echo"};
  (void)state;
  for (int asked = 0; asked < 4; asked++) {
    bool has_log = asked & 1, has_table = asked & 2;
    char log[] = "/tmp/test-record-XXXXXX", table[] = "/tmp/test-record-XXXXXX.csv";
    struct fixture fixture;
    open_fixture(&fixture, plain, 1, false);
    assert_int_equal(close(mkstemp(log)) | close(mkstemps(table, 4)), 0);
    const struct ls_joblog_setup log_setup = {.path = log, .tasks = 3};
    const struct ls_table_setup table_setup = {.path = table, .columns = {.count = 1}};
    struct ls_commands *commands = &fixture.commands;
    if (has_log) assert_int_equal(ls_joblog_open(&log_setup, &commands->joblog, NULL), LS_OK);
    if (has_table)
      assert_int_equal(ls_results_table_open(&table_setup, &commands->table, NULL), LS_OK);
    for (uint64_t unit = 0; unit < 2; unit++) {
      const struct ls_unit_result result = {.units = {unit, 1},
                                            .outcome = LS_OUTCOME_DONE,
                                            .slot = 1,
                                            .seconds = 0.5,
                                            .output = {"o", 1, -1},
                                            .error_output = {.file = -1}};
      assert_int_equal(ls_commands_record(commands, &result, result.units, NULL), LS_OK);
    }
    ls_joblog_close(commands->joblog);
    ls_results_table_close(commands->table);
    commands->joblog = NULL;
    commands->table = NULL;
    assert_int_equal(count_lines(log), has_log ? 3 : 0);
    assert_int_equal(count_lines(table), has_table ? 3 : 0);
    assert_int_equal(unlink(log) | unlink(table), 0);
    close_fixture(&fixture);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commands_stand_in_the_log_as_a_shell_would_read_them),
      cmocka_unit_test(a_task_is_recorded_wherever_it_is_asked_for),
      cmocka_unit_test(a_row_has_what_the_log_has_and_both_outputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
