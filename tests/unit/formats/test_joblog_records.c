/* Lines of job logs, with and without what their commands used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "formats/joblog_records.h"

#define HEADING "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"
#define USED    HEADING LS_JOBLOG_USAGE_COLUMNS "\n"

static struct ls_text text_of(const char *data, size_t length) {
  return (struct ls_text){.data = data, .length = length, .source = "log"};
}

static enum ls_status read_all(const char *data, struct ls_joblog_record *records, size_t *count,
                               struct ls_error *err) {
  struct ls_joblog_records log;
  bool is_there = true;
  *count = 0;
  enum ls_status status = ls_joblog_records_open(&log, text_of(data, strlen(data)), err);
  while (status == LS_OK) {
    struct ls_joblog_record record;
    status = ls_joblog_records_next(&log, &record, &is_there, err);
    if (status != LS_OK || !is_there) break;
    records[(*count)++] = record;
  }
  ls_joblog_records_close(&log);
  return status;
}

static void expect_command(const struct ls_joblog_record *record, const char *expected) {
  assert_int_equal(record->command.length, strlen(expected));
  assert_memory_equal(record->command.data, expected, strlen(expected));
}

/* Commands may hold tabs. */
static void what_a_command_used_is_no_part_of_it(void **state) {
  struct ls_joblog_record records[4];
  size_t count;
  (void)state;
  static const char plain[] =
      HEADING "\n7\tn1\t1700000000.1\t0.25\t0\t3\t0\t0\tcut -f1\tx\n8\t:\t1\t2\t0\t0\t0\t9\ty\n";
  assert_int_equal(read_all(plain, records, &count, NULL), LS_OK);
  assert_int_equal(count, 2);
  assert_int_equal(records[0].sequence, 7);
  assert_true(ls_table_field_is(&records[0].host, "n1"));
  assert_true(records[0].seconds == 0.25 && !records[0].has_failed && records[1].has_failed);
  expect_command(&records[0], "cut -f1\tx");
  static const char used[] = USED "7\tn1\t1\t0.25\t0\t3\t0\t0\tcut -f1\tx\t0.010\t0.020\t3400\n";
  assert_int_equal(read_all(used, records, &count, NULL), LS_OK);
  assert_int_equal(count, 1);
  expect_command(&records[0], "cut -f1\tx");
}

static void wrong_lines_are_named(void **state) {
  static const char *const cases[][2] = {
      {"", "log: is empty"},
      {"Seq\tHost\n", "log: line 1: a field of the heading is missing, expected Starttime"},
      {HEADING "\tUtime\n", "expected Command"},
      {HEADING "\n0\t:\t1\t1\t0\t0\t0\t0\tc\n", "Seq is \"0\", expected the number of a task"},
      {HEADING "\n1e99\t:\t1\t1\t0\t0\t0\t0\tc\n",
       "Seq is \"1e99\", expected the number of a task"},
      {HEADING "\n1\t\t1\t1\t0\t0\t0\t0\tc\n", "Host is \"\", expected a name"},
      {HEADING "\n1\t:\t1\t1\t0\t0\t0.5\t0\tc\n", "Exitval is \"0.5\", expected a whole number"},
      {USED "1\t:\t1\t1\t0\t0\t0\t0\tc\t0.1\t0.1\n", "expected a command and what it used"},
      {USED "1\t:\t1\t1\t0\t0\t0\t0\t\n", "expected a command and what it used"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_joblog_record records[4];
    struct ls_error err = {0};
    size_t count;
    assert_int_equal(read_all(cases[i][0], records, &count, &err), LS_EINVAL);
    if (strstr(err.text, cases[i][1]) == NULL) fail_msg("%s: %s", cases[i][1], err.text);
  }
}

static void expect_line(const char *text, const char *command, uint64_t fed) {
  struct ls_joblog_record records[4];
  size_t count;
  assert_int_equal(read_all(text, records, &count, NULL), LS_OK);
  assert_int_equal(count, 1);
  expect_command(&records[0], command);
  assert_int_equal(records[0].fed, fed);
}

static void a_command_is_what_stands_before_three_columns(void **state) {
  (void)state;
  expect_line(USED "1\t:\t1\t1\t0\t0\t0\t0\ta\tb\t1\t2\t3\n", "a\tb", 0);
  expect_line(USED "1\t:\t1\t1\t0\t0\t0\t0\ta\t1\t2\t3", "a", 0);
  expect_line(USED "1\t:\t1\t1\t0\t0\t0\t0\t\t1\t2\t3\n", "", 0);
}

/* It may end in \r, as inputs of lines that do; where the heading does, all lines were converted.
 */
static void a_return_is_the_end_of_a_command_or_of_all_lines(void **state) {
  (void)state;
  expect_line(HEADING "\n1\t:\t1\t1\t0\t0\t0\t0\ta b\r\n", "a b\r", 0);
  expect_line(HEADING "\n1\t:\t1\t1\t0\t0\t0\t0\ta b\r", "a b\r", 0);
  expect_line(HEADING "\r\n1\t:\t1\t1\t0\t0\t0\t0\ta b\r\n", "a b", 0);
}

/* Only some need times. */
static void a_clock_that_was_set_back_leaves_no_time(void **state) {
  struct ls_joblog_record records[4];
  struct ls_joblog_records log;
  struct ls_error err = {0};
  bool is_there = false;
  static const char text[] = HEADING "\n1\t:\t1\t    -0.003\t0\t0\t0\t0\tx\n";
  (void)state;
  assert_int_equal(ls_joblog_records_open(&log, text_of(text, strlen(text)), NULL), LS_OK);
  assert_int_equal(ls_joblog_records_next(&log, records, &is_there, NULL), LS_OK);
  assert_true(is_there);
  assert_int_equal(ls_joblog_records_check_time(&log, records, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "JobRuntime is \"    -0.003\", expected seconds >= 0"));
  ls_joblog_records_close(&log);
}

/* What other hosts were sent may have been files. */
static void what_a_task_was_fed_is_told(void **state) {
  (void)state;
  expect_line(HEADING "\n1\t:\t1\t1\t7\t0\t0\t0\tx\n", "x", 7);
  expect_line(HEADING "\n1\t-\t1\t1\t7\t0\t0\t0\tx\n", "x", 7);
  expect_line(HEADING "\n1\tn1\t1\t1\t7\t0\t0\t0\tx\n", "x", 0);
}

#define LINE(SEQ, SECONDS) SEQ "\t:\t1\t" SECONDS "\t0\t0\t0\t0\tcommand\n"

static void logs_that_were_put_together_are_one(void **state) {
  (void)state;
  struct ls_joblog_record records[8];
  size_t count;
  assert_int_equal(
      read_all(HEADING "\n" LINE("1", "2") HEADING "\n" LINE("1", "3"), records, &count, NULL),
      LS_OK);
  assert_int_equal(count, 2);
}

static void wrong_lines_may_be_left_out(void **state) {
  (void)state;
  static const char text[] =
      HEADING "\n" LINE("1", "2") LINE("x", "2") "torn\t:\n" LINE("2", "-1") LINE("3", "4");
  struct ls_joblog_records log;
  struct ls_joblog_record record;
  struct ls_error err = {0};
  bool is_there = true;
  uint64_t last = 0, taken = 0;
  assert_int_equal(ls_joblog_records_open(&log, text_of(text, strlen(text)), NULL), LS_OK);
  log.skips_bad = true;
  for (;;) {
    assert_int_equal(ls_joblog_records_next(&log, &record, &is_there, &err), LS_OK);
    if (!is_there) break;
    enum ls_status status = ls_joblog_records_check_time(&log, &record, &err);
    if (ls_joblog_records_skip(&log, status, &err)) continue;
    last = record.sequence;
    taken++;
  }
  assert_int_equal(taken, 2);
  assert_int_equal(last, 3);
  assert_int_equal(log.skipped, 3);
  assert_string_equal(log.first_skipped.text, "log: line 3: Seq is \"x\", expected a number");
  assert_false(ls_joblog_records_skip(&log, LS_ENOMEM, &err));
  ls_joblog_records_close(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_command_used_is_no_part_of_it),
      cmocka_unit_test(wrong_lines_are_named),
      cmocka_unit_test(a_command_is_what_stands_before_three_columns),
      cmocka_unit_test(a_return_is_the_end_of_a_command_or_of_all_lines),
      cmocka_unit_test(a_clock_that_was_set_back_leaves_no_time),
      cmocka_unit_test(logs_that_were_put_together_are_one),
      cmocka_unit_test(wrong_lines_may_be_left_out),
      cmocka_unit_test(what_a_task_was_fed_is_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
