/* What the page says of a run: failures with their inputs, facts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/report_run.h"

static char folder[] = "/tmp/report-run-XXXXXX";
static char path[64];

static void add_inputs(struct ls_journal *journal, uint32_t source, bool is_linked,
                       const char *text, size_t length, uint64_t count) {
  ls_journal_inputs(journal, &(struct ls_journal_inputs){.source = source,
                                                         .is_linked = is_linked,
                                                         .count = count,
                                                         .text = text,
                                                         .length = length});
}

/* Two sources crossed, two and three values; `form`: what makes tasks of them. */
static struct ls_journal *make_journal(const char *form) {
  struct ls_journal_job job = {.application = "run",
                               .command = "cmp {1} {2}",
                               .directory = "/somewhere",
                               .units = 6,
                               .policy = "ss",
                               .workers = 2};
  struct ls_journal_request request = {.path = path, .job = &job};
  struct ls_journal *journal = NULL;
  snprintf(path, sizeof path, "%s/j", folder);
  unlink(path);
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  add_inputs(journal, 0, false, "a\0b", 4, 2);
  add_inputs(journal, 1, false, "x\0y\0z", 6, 3);
  ls_journal_words(journal, LS_JOURNAL_FORM, &form, 1);
  ls_journal_worker(journal,
                    &(struct ls_journal_worker){.slot = 1, .name = "here", .left_s = (double)NAN});
  for (uint64_t unit = 0; unit < 2; unit++) {
    ls_journal_result(journal, &(struct ls_journal_result){.units = {unit + 3, 1},
                                                           .outcome = LS_OUTCOME_FAILED,
                                                           .slot = 1,
                                                           .attempt = 1,
                                                           .has_timed_out = unit == 1,
                                                           .exit_code = unit == 0 ? 3 : 0,
                                                           .seconds = 1});
    ls_journal_reason(journal, 0, unit + 3, "no such frame");
  }
  ls_journal_end(journal, "finished", 5);
  assert_int_equal(ls_journal_commit(journal, NULL), LS_OK);
  ls_journal_close(journal);
  request = (struct ls_journal_request){.path = path, .mode = LS_JOURNAL_READ};
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  return journal;
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static void failures_have_ends_reasons_and_inputs(void **state) {
  (void)state;
  struct ls_journal *journal = make_journal("");
  struct ls_history history = {0};
  struct ls_report_run_source source = {.failures = NULL};
  struct ls_bytes input = {0};
  assert_int_equal(ls_history_read(journal, NULL, &history, NULL), LS_OK);
  assert_int_equal(ls_report_run_read(journal, &history, &source, NULL), LS_OK);
  const struct ls_report_run *run = &source.run;
  assert_int_equal(run->units, 6);
  assert_int_equal(run->failed, 2);
  assert_int_equal(run->timed_out, 1);
  assert_int_equal(run->failures_count, 2);
  assert_int_equal(run->failures[0].task, 4);
  assert_string_equal(run->failures[0].end, "exit code 3");
  assert_string_equal(run->failures[0].reason, "no such frame");
  assert_string_equal(run->failures[1].end, "timed out");
  assert_non_null(strstr(run->repeat, "loadstar run --resume-failed --journal /tmp/"));
  assert_string_equal(run->facts[0].value, "cmp {1} {2}");
  run->describe(run->context, 4, &input);
  assert_string_equal(ls_bytes_text(&input), "b x");
  ls_bytes_clear(&input);
  run->describe(run->context, 3, &input);
  assert_string_equal(ls_bytes_text(&input), "a z");
  ls_bytes_clear(&input);
  run->describe(run->context, 7, &input);
  assert_string_equal(ls_bytes_text(&input), "");
  ls_bytes_close(&input);
  ls_report_run_close(&source);
  ls_history_close(&history);
  ls_journal_close(journal);
}

/* Of tasks that are made otherwise the inputs are not known, and none is made up. */
static void inputs_of_another_form_are_not_guessed(void **state) {
  (void)state;
  struct ls_journal *journal = make_journal("-N2");
  struct ls_report_inputs inputs = {.count = 0};
  struct ls_bytes text = {0};
  assert_int_equal(ls_report_inputs_read(journal, &inputs, NULL), LS_OK);
  ls_report_inputs_write(&inputs, 1, &text);
  assert_int_equal(text.length, 0);
  ls_report_inputs_close(&inputs);
  ls_journal_close(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failures_have_ends_reasons_and_inputs),
      cmocka_unit_test(inputs_of_another_form_are_not_guessed),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
