#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <sqlite3.h>

#include "capture.h"
#include "runtime/journal/journal.h"

static struct capture capture;
static char folder[] = "/tmp/report-test-XXXXXX";
static char journal_path[64], file_path[64];

#define REPORT(...) CAPTURE(&capture, "", (char *)"report", __VA_ARGS__)

/* Two workers; units 0 to 7 are done in a second each, unit 8 fails. */
static int make_journal(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(journal_path, sizeof journal_path, "%s/j", folder);
  snprintf(file_path, sizeof file_path, "%s/out", folder);
  setenv("LC_ALL", "C.UTF-8", 1);
  struct ls_journal_job job = {.application = "run",
                               .command = "echo \033[31m{}",
                               .directory = "/",
                               .units = 9,
                               .policy = "ss",
                               .seed = 77,
                               .workers = 2};
  struct ls_journal_request request = {.path = journal_path, .job = &job};
  struct ls_journal *journal = NULL;
  if (ls_journal_open(&request, &journal, NULL) != LS_OK) return -1;
  for (uint32_t worker = 0; worker < 2; worker++) {
    struct ls_journal_worker one = {
        .worker = worker, .slot = worker + 1, .name = "local", .left_s = (double)NAN};
    ls_journal_worker(journal, &one);
  }
  for (uint64_t unit = 0; unit < 9; unit++) {
    struct ls_journal_result result = {.units = {unit, 1},
                                       .outcome = unit == 8 ? LS_OUTCOME_FAILED : LS_OUTCOME_DONE,
                                       .worker = (uint32_t)(unit % 2),
                                       .exit_code = unit == 8 ? 3 : 0,
                                       .start_s = (double)(unit / 2),
                                       .seconds = 1};
    ls_journal_result(journal, &result);
  }
  ls_journal_end(journal, "finished", 5);
  enum ls_status status = ls_journal_commit(journal, NULL);
  ls_journal_close(journal);
  return status == LS_OK ? 0 : -1;
}

static int remove_journal(void **state) {
  (void)state;
  unlink(journal_path);
  unlink(file_path);
  return rmdir(folder);
}

static void without_options_there_is_a_summary_and_a_chart(void **state) {
  (void)state;
  REPORT(journal_path);
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.error, "");
  assert_non_null(strstr(capture.output, "state        finished\n"));
  assert_non_null(strstr(capture.output, "policy       ss, 2 workers wanted, seed 77\n"));
  assert_non_null(strstr(capture.output, "tasks        9: 8 done, 1 failed, 0 abandoned\n"));
  assert_non_null(strstr(capture.output, "  task 9: exit code 3\n"));
  assert_non_null(strstr(capture.output, "makespan     5 s\n"));
  assert_non_null(strstr(capture.output, "█"));
  /* No colour in a file, and none smuggled in by the command. */
  assert_null(strchr(capture.output, '\033'));
}

/* A journal that says "running" is one of a killed master, unless somebody holds it. */
static void a_killed_run_is_not_running_and_advice_is_told(void **state) {
  (void)state;
  char path[80];
  snprintf(path, sizeof path, "%s/killed", folder);
  struct ls_journal_job job = {
      .application = "run", .command = "echo", .directory = "/", .units = 9, .policy = "ss"};
  struct ls_journal_request request = {.path = path, .job = &job};
  struct ls_journal *journal = NULL;
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  ls_journal_advice(journal, &(struct ls_journal_advice){.time_s = 1.5,
                                                         .policy = "gss",
                                                         .prefetch = 2,
                                                         .workers = 3,
                                                         .reason = "the units are short"});
  assert_int_equal(ls_journal_commit(journal, NULL), LS_OK);
  REPORT(path);
  assert_non_null(strstr(capture.output, "state        running\n"));
  ls_journal_close(journal);
  REPORT(path);
  assert_non_null(strstr(capture.output, "state        killed, --resume goes on\n"));
  assert_non_null(strstr(capture.output,
                         "advice       at 1.5 s: gss, 3 workers wanted, prefetch 2: "
                         "the units are short\n"));
  unlink(path);
}

/* Whoever wrote the journal: each of its texts that a report has. */
static void nothing_that_a_journal_holds_reaches_the_terminal_raw(void **state) {
  (void)state;
  static const char *const edits[] = {
      "UPDATE sessions SET policy = char(27) || '[31m', state = char(27) || '[31m'",
      "UPDATE workers SET name = char(27) || '[31m', labels = char(27) || '[31m'",
      "UPDATE job SET command = char(155), directory = char(27), application = char(27)",
      "INSERT INTO advices VALUES (1, 0, 1, char(27), 1, 1, char(155))",
      "INSERT INTO reasons VALUES (0, 8, char(27) || ']0;x' || char(7))",
      "UPDATE sessions SET started = char(27), host = char(27), listens = char(27)"};
  char path[80], copy[200];
  snprintf(path, sizeof path, "%s/raw", folder);
  snprintf(copy, sizeof copy, "cp %s %s", journal_path, path);
  assert_int_equal(system(copy), 0);
  sqlite3 *database = NULL;
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++)
    assert_int_equal(sqlite3_exec(database, edits[i], NULL, NULL, NULL), SQLITE_OK);
  sqlite3_close(database);
  const char *const options[] = {"--gantt",  "--csv",     "--json",     "--svg=-",
                                 "--html=-", "--explain", "--width=100"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    REPORT(path, (char *)(uintptr_t)options[i]);
    if (capture.exit_status != 0) fail_msg("%s: %s", options[i], capture.error);
    for (const char *c = capture.output; *c != '\0'; c++)
      if (((unsigned char)*c < ' ' && *c != '\n') || (unsigned char)*c == 0x7f)
        fail_msg("%s: byte %d is printed", options[i], *c);
    assert_null(strstr(capture.output, "\xc2\x9b"));
  }
  unlink(path);
}

static void the_chart_alone_has_the_width_and_alphabet_of_the_reader(void **state) {
  (void)state;
  setenv("LC_ALL", "C", 1);
  REPORT(journal_path, (char *)"--gantt", (char *)"--width", (char *)"100");
  setenv("LC_ALL", "C.UTF-8", 1);
  assert_int_equal(capture.exit_status, 0);
  assert_null(strstr(capture.output, "makespan"));
  assert_int_equal(strcspn(capture.output, "\n"), 100);
  for (const char *c = capture.output; *c != '\0'; c++) assert_true((unsigned char)*c < 0x80);
}

static void files_are_written_and_nothing_else_is_printed(void **state) {
  (void)state;
  char option[96];
  const char *const options[] = {"--svg", "--csv", "--trace", "--html"};
  const char *const beginnings[] = {"<svg ", "resource,", "{\"displayTimeUnit\"",
                                    "<!DOCTYPE html>"};
  for (size_t i = 0; i < 4; i++) {
    snprintf(option, sizeof option, "%s=%s", options[i], file_path);
    REPORT(journal_path, option);
    assert_int_equal(capture.exit_status, 0);
    assert_string_equal(capture.output, "");
    char text[32] = "";
    FILE *file = fopen(file_path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_int_equal(strncmp(text, beginnings[i], strlen(beginnings[i])), 0);
  }
  REPORT(journal_path, (char *)"--csv");
  assert_int_equal(strncmp(capture.output, "resource,", 9), 0);
  REPORT(journal_path, (char *)"--svg", (char *)"-");
  assert_int_equal(strncmp(capture.output, "<svg ", 5), 0);
}

static void json_is_the_timeline_with_spans_when_asked_for(void **state) {
  (void)state;
  for (int with_spans = 0; with_spans < 2; with_spans++) {
    if (with_spans)
      REPORT(journal_path, (char *)"--json", (char *)"--spans");
    else
      REPORT(journal_path, (char *)"--json");
    assert_int_equal(capture.exit_status, 0);
    json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(document);
    assert_int_equal(json_integer_value(json_object_get(document, "seed")), 77);
    assert_int_equal(json_array_size(json_object_get(document, "workers")), 2);
    assert_int_equal(json_array_size(json_object_get(document, "spans")), with_spans ? 9 : 0);
    json_decref(document);
  }
}

static void expect_refusal(int exit_status, const char *words) {
  assert_int_equal(capture.exit_status, exit_status);
  assert_string_equal(capture.output, "");
  if (strstr(capture.error, words) == NULL)
    fail_msg("'%s' does not say '%s'", capture.error, words);
}

static void bad_usage_and_bad_input_exit_with_2(void **state) {
  (void)state;
  CAPTURE(&capture, "", (char *)"report");
  expect_refusal(2, "JOURNAL is missing");
  REPORT((char *)"/nowhere/j");
  expect_refusal(2, "/nowhere/j: cannot be read");
  REPORT((char *)"/");
  expect_refusal(2, "/: is a folder");
  REPORT(journal_path, journal_path);
  expect_refusal(2, "one JOURNAL");
  REPORT(journal_path, (char *)"--width=47");
  expect_refusal(2, "from 48 to 1000");
  REPORT(journal_path, (char *)"--spans");
  expect_refusal(2, "without --json");
  REPORT(journal_path, (char *)"--json", (char *)"--csv");
  expect_refusal(2, "only one format");
  REPORT(journal_path, (char *)"--pie-chart");
  expect_refusal(2, "--pie-chart");
}

static void a_file_that_cannot_be_opened_is_bad_input_and_one_that_is_full_is_not(void **state) {
  (void)state;
  REPORT(journal_path, (char *)"--svg=/nowhere/x.svg");
  expect_refusal(2, "/nowhere/x.svg: cannot be written");
  REPORT(journal_path, (char *)"--csv=/dev/full");
  expect_refusal(3, "/dev/full: cannot be written");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(without_options_there_is_a_summary_and_a_chart),
      cmocka_unit_test(a_killed_run_is_not_running_and_advice_is_told),
      cmocka_unit_test(nothing_that_a_journal_holds_reaches_the_terminal_raw),
      cmocka_unit_test(the_chart_alone_has_the_width_and_alphabet_of_the_reader),
      cmocka_unit_test(files_are_written_and_nothing_else_is_printed),
      cmocka_unit_test(json_is_the_timeline_with_spans_when_asked_for),
      cmocka_unit_test(bad_usage_and_bad_input_exit_with_2),
      cmocka_unit_test(a_file_that_cannot_be_opened_is_bad_input_and_one_that_is_full_is_not),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
