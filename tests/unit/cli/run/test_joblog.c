#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/joblog.h"

static const char header[] =
    "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";

struct fixture {
  char path[64];
  char text[1 << 16];
};

static int set_up(void **state) {
  static struct fixture fixture;
  strcpy(fixture.path, "/tmp/test-joblog-XXXXXX");
  int file = mkstemp(fixture.path);
  if (file < 0) return 1;
  close(file);
  *state = &fixture;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  return unlink(fixture->path);
}

static const char *read_text(struct fixture *fixture) {
  FILE *file = fopen(fixture->path, "r");
  assert_non_null(file);
  size_t length = fread(fixture->text, 1, sizeof fixture->text - 1, file);
  fixture->text[length] = '\0';
  fclose(file);
  return fixture->text;
}

static void write_text(struct fixture *fixture, const char *a, const char *b) {
  FILE *file = fopen(fixture->path, "w");
  assert_non_null(file);
  fprintf(file, "%s%s", a, b);
  fclose(file);
}

/* Opens the log and adds tasks first .. last. */
static enum ls_status log_tasks(struct fixture *fixture, enum ls_joblog_mode mode, uint64_t first,
                                uint64_t last, struct ls_error *err) {
  struct ls_joblog_setup setup = {.path = fixture->path, .mode = mode, .tasks = 10};
  struct ls_joblog *joblog = NULL;
  enum ls_status status = ls_joblog_open(&setup, &joblog, err);
  for (uint64_t i = first; i <= last && status == LS_OK; i++) {
    struct ls_joblog_entry entry = {.sequence = i,
                                    .host = ":",
                                    .start_s = 1000.5,
                                    .seconds = 1.25,
                                    .received = 3,
                                    .exit_code = i == 2 ? 7 : 0,
                                    .command = "echo 'a b'",
                                    .command_length = 10};
    status = ls_joblog_add(joblog, &entry, err);
  }
  ls_joblog_close(joblog);
  return status;
}

static size_t count_lines(const char *text) {
  size_t lines = 0;
  for (; *text != '\0'; text++) lines += *text == '\n';
  return lines;
}

static void lines_are_those_of_gnu_parallel(void **state) {
  struct fixture *fixture = *state;
  write_text(fixture, "old", "");
  assert_int_equal(log_tasks(fixture, LS_JOBLOG_NEW, 2, 2, NULL), LS_OK);
  char expected[512];
  snprintf(expected, sizeof expected, "%s2\t:\t1000.500\t     1.250\t0\t3\t7\t0\techo 'a b'\n",
           header);
  assert_string_equal(read_text(fixture), expected);
}

/* A log that goes on keeps the columns that it has. */
static void what_tasks_used_stands_behind_the_command(void **state) {
  struct fixture *fixture = *state;
  struct ls_joblog_setup setup = {
      .path = fixture->path, .mode = LS_JOBLOG_NEW, .tasks = 10, .has_usage = true};
  struct ls_joblog_entry entry = {.sequence = 1,
                                  .host = ":",
                                  .command = "a",
                                  .command_length = 1,
                                  .usage = {.user_s = 1.5, .system_s = 0.25, .peak_bytes = 4096}};
  for (int i = 0; i < 2; i++) {
    struct ls_joblog *joblog = NULL;
    assert_int_equal(ls_joblog_open(&setup, &joblog, NULL), LS_OK);
    assert_int_equal(ls_joblog_add(joblog, &entry, NULL), LS_OK);
    ls_joblog_close(joblog);
    setup.mode = LS_JOBLOG_RESUME;
    setup.has_usage = false;
    entry.sequence = 2;
  }
  assert_string_equal(read_text(fixture),
                      "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\t"
                      "Command\tUtime\tStime\tMaxrss\n"
                      "1\t:\t0.000\t     0.000\t0\t0\t0\t0\ta\t1.500\t0.250\t4\n"
                      "2\t:\t0.000\t     0.000\t0\t0\t0\t0\ta\t1.500\t0.250\t4\n");
}

static void a_resumed_log_goes_on_without_repeating(void **state) {
  struct fixture *fixture = *state;
  assert_int_equal(log_tasks(fixture, LS_JOBLOG_NEW, 1, 3, NULL), LS_OK);
  assert_int_equal(log_tasks(fixture, LS_JOBLOG_RESUME, 1, 5, NULL), LS_OK);
  assert_int_equal(count_lines(read_text(fixture)), 6);
  assert_int_equal(log_tasks(fixture, LS_JOBLOG_RESUME, 1, 5, NULL), LS_OK);
  assert_int_equal(count_lines(read_text(fixture)), 6);
}

static void a_repeated_failure_gets_a_further_line(void **state) {
  struct fixture *fixture = *state;
  assert_int_equal(log_tasks(fixture, LS_JOBLOG_NEW, 1, 3, NULL), LS_OK);
  assert_int_equal(log_tasks(fixture, LS_JOBLOG_RESUME_FAILED, 1, 3, NULL), LS_OK);
  assert_int_equal(count_lines(read_text(fixture)), 5);
}

static void half_a_line_of_a_killed_master_is_removed(void **state) {
  struct fixture *fixture = *state;
  write_text(fixture, header, "1\t:\t1.0\t1.0\t0\t0\t0\t0\tx\n2\t:\t1.");
  assert_int_equal(log_tasks(fixture, LS_JOBLOG_RESUME, 1, 2, NULL), LS_OK);
  const char *text = read_text(fixture);
  assert_int_equal(count_lines(text), 3);
  assert_non_null(strstr(text, "\n2\t:\t1000.500\t"));
}

static void half_a_heading_is_written_again(void **state) {
  struct fixture *fixture = *state;
  write_text(fixture, "Seq\tHo", "");
  assert_int_equal(log_tasks(fixture, LS_JOBLOG_RESUME, 1, 1, NULL), LS_OK);
  assert_int_equal(strncmp(read_text(fixture), header, strlen(header)), 0);
}

#define COLUMNS "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"

static void what_is_no_job_log_is_left_alone(void **state) {
  struct fixture *fixture = *state;
  static const struct {
    const char *body, *reason;
  } wrong[] = {
      {"no\theading\n", "line 1: a field of the heading is \"no\", expected Seq"},
      {"Seq\tHost\tx\n", "line 1: a field of the heading is \"x\", expected Starttime"},
      {COLUMNS "\n1\t:\n", "line 2: Starttime is missing, expected a number"},
      {COLUMNS "\nx\t:\t1\t1\t0\t0\t0\t0\tc\n", "line 2: Seq is \"x\", expected a number"},
      {COLUMNS "\n\n0\t:\t1\t1\t0\t0\t0\t0\tc\n",
       "line 3: Seq is \"0\", expected the number of a task, from 1"},
      {COLUMNS "\n1\t:\t1\t1\t0\t0\tbad\t0\tc\n", "line 2: Exitval is \"bad\", expected a number"},
      {COLUMNS "\tUtime\tStime\tMaxrss\n1\t:\t1\t1\t0\t0\t0\t0\tc\n",
       "line 2: Command is \"c\", expected a command and what it used"},
      {COLUMNS "\n11\t:\t1\t1\t0\t0\t0\t0\tc\n",
       "line 2: Seq is 11, expected the number of one of the 10 tasks"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    write_text(fixture, wrong[i].body, "");
    struct ls_error err = {0};
    assert_int_equal(log_tasks(fixture, LS_JOBLOG_RESUME, 1, 1, &err), LS_EINVAL);
    if (strncmp(err.text, fixture->path, strlen(fixture->path)) != 0 ||
        strstr(err.text, wrong[i].reason) == NULL)
      fail_msg("%s, expected %s: %s", err.text, fixture->path, wrong[i].reason);
    assert_string_equal(read_text(fixture), wrong[i].body);
  }
}

struct command {
  char text[16];
  uint64_t fed;
};

static enum ls_status take_command(void *context, const struct ls_joblog_record *record,
                                   struct ls_error *err) {
  struct command *command = context;
  (void)err;
  assert_true(record->command.length < sizeof command->text);
  memcpy(command->text, record->command.data, record->command.length);
  command->text[record->command.length] = '\0';
  command->fed = record->fed;
  return LS_OK;
}

/* A \r may be the end of a command; where all lines have one, they were converted. */
static void commands_are_told_as_they_were(void **state) {
  struct fixture *fixture = *state;
  static const struct {
    const char *body, *command;
    uint64_t fed;
  } logs[] = {
      {COLUMNS "\n1\t:\t1\t1\t7\t0\t0\t0\tx\ty\r\n", "x\ty\r", 7},
      {COLUMNS "\r\n1\tn1\t1\t1\t7\t0\t0\t0\tx\r\n", "x", 0},
      {COLUMNS "\tUtime\tStime\tMaxrss\n1\t-\t1\t1\t3\t0\t0\t0\tx\ty\t1\t1\t5\n", "x\ty", 3}};
  for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
    struct command command = {.fed = 99};
    write_text(fixture, logs[i].body, "2\t:\t1.");
    assert_int_equal(ls_joblog_read(fixture->path, take_command, &command, NULL), LS_OK);
    assert_string_equal(command.text, logs[i].command);
    assert_int_equal(command.fed, logs[i].fed);
  }
}

static void a_place_that_cannot_be_written_is_named(void **state) {
  (void)state;
  struct ls_joblog_setup setup = {.path = "/nonexistent/log", .tasks = 1};
  struct ls_joblog *joblog = NULL;
  struct ls_error err = {0};
  assert_int_equal(ls_joblog_open(&setup, &joblog, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/nonexistent/log"));
  setup.path = "/dev/full";
  assert_int_equal(ls_joblog_open(&setup, &joblog, &err), LS_EIO);
  assert_non_null(strstr(err.text, "No space left"));
  ls_joblog_close(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(lines_are_those_of_gnu_parallel, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_tasks_used_stands_behind_the_command, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_resumed_log_goes_on_without_repeating, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_repeated_failure_gets_a_further_line, set_up, tear_down),
      cmocka_unit_test_setup_teardown(half_a_line_of_a_killed_master_is_removed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(half_a_heading_is_written_again, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_no_job_log_is_left_alone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(commands_are_told_as_they_were, set_up, tear_down),
      cmocka_unit_test(a_place_that_cannot_be_written_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
