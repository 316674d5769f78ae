/* test_master_resume.c: a run goes on where its journal ends. */
#include <time.h>

#include "master_fixture.h"

static void stopped_run_is_resumed_without_repeating(void **state) {
  (void)state;
  char folder[] = "/tmp/test-master-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  uint64_t before = 0;
  for (int session = 0; session < 3; ++session) {
    struct tally tally = {.units = 600, .iterations = 1, .threads_count = 2};
    /* A computing application sees the results of earlier sessions again. */
    tally.stop_after = session < 2 ? before + 150 : 0;
    struct ls_master_options options = make_options(&tally, &sound_app, "ss");
    options.journal = path;
    options.journal_mode = LS_JOURNAL_RESUME;
    options.job = (struct ls_journal_job){.application = "tally",
                                          .command = "tally",
                                          .directory = "/",
                                          .units = 600,
                                          .policy = "ss",
                                          .workers = 2};
    struct ls_master_report report;
    struct ls_error err = {0};
    if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
    assert_int_equal(report.units_before, before);
    assert_int_equal(report.units_before + report.units_done, tally.settled);
    for (uint64_t u = 0; u < tally.units; ++u) assert_true(tally.merged[u] <= 1);
    if (session == 2) {
      expect_once(&tally, 1);
      assert_int_equal(tally.sum, 600 * 599 / 2);
    } else {
      assert_true(report.was_stopped);
      assert_true(tally.settled >= before + 150 && tally.settled < 600);
    }
    before = tally.settled;
    ls_master_report_close(&report);
  }
  char command[96];
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

static void journal_of_another_job_is_refused(void **state) {
  (void)state;
  char folder[] = "/tmp/test-master-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  (void)snprintf(path, sizeof path, "%s/journal", folder);
  for (int session = 0; session < 2; ++session) {
    struct tally tally = {.units = 20, .iterations = 1, .threads_count = session == 0 ? 1 : 0};
    struct ls_master_options options = make_options(&tally, &sound_app, "ss");
    options.journal = path;
    options.journal_mode = LS_JOURNAL_RESUME;
    options.job = (struct ls_journal_job){.application = "tally",
                                          .command = session == 0 ? "one" : "another",
                                          .directory = "/",
                                          .units = 20,
                                          .policy = "ss",
                                          .workers = 1};
    struct ls_master_report report;
    struct ls_error err = {0};
    enum ls_status status = run(&options, &tally, &report, &err);
    assert_int_equal(status, session == 0 ? LS_OK : LS_EMISMATCH);
    if (session == 1) {
      assert_non_null(strstr(err.text, "another"));
      assert_int_equal(tally.settled, 0);
    }
    ls_master_report_close(&report);
  }
  char command[96];
  (void)snprintf(command, sizeof command, "rm -rf %s", folder);
  assert_int_equal(system(command), 0);
}

static enum ls_status count_units_slowly(void *context, uint32_t iteration, uint64_t *units,
                                         struct ls_error *err) {
  struct tally *tally = context;
  const struct timespec patience = {.tv_sec = 3, .tv_nsec = 500000000};
  if (iteration == 0) {
    (void)nanosleep(&patience, NULL);
    /* Workers start when units are there, as those of a pool do. */
    tally->threads_count = 1;
    start_threads(tally, "inproc://master", "");
  }
  return count_units(context, iteration, units, err);
}

static void announce_nothing(void *context, const char *address, const char *token) {
  (void)context, (void)address, (void)token;
}

/* A long restore, or units() that takes its time, must not be held against the workers. */
static void patience_begins_with_the_workers(void **state) {
  (void)state;
  struct ls_app app = sound_app;
  app.units = count_units_slowly;
  struct tally tally = {.units = 20, .iterations = 1};
  struct ls_master_options options = make_options(&tally, &app, "ss");
  options.announce = announce_nothing;
  options.workers_patience_s = 3;
  struct ls_master_report report;
  struct ls_error err = {0};
  if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
  expect_once(&tally, 1);
  ls_master_report_close(&report);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopped_run_is_resumed_without_repeating),
      cmocka_unit_test(journal_of_another_job_is_refused),
      cmocka_unit_test(patience_begins_with_the_workers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
