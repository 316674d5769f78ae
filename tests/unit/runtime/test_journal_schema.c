#include "journal_fixture.h"

static void expect_refusal(const char *path, enum ls_journal_mode mode,
                           const struct ls_journal_job *job, enum ls_status expected,
                           const char *words) {
  struct ls_journal *journal = NULL;
  struct ls_error err = {0};
  enum ls_status status = fixture_open(path, mode, job, &journal, &err);
  if (status != expected) fail_msg("status %d (%s)", (int)status, err.text);
  if (strstr(err.text, words) == NULL) fail_msg("'%s' does not say '%s'", err.text, words);
  assert_non_null(strstr(err.text, path));
}

static void each_difference_of_the_job_is_named_with_both_values(void **state) {
  struct fixture *fixture = *state;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  struct ls_journal_job job = fixture_job;
  job.application = "fibonacci";
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &job, LS_EMISMATCH,
                 "its application is \"run\", this run's is \"fibonacci\"");
  job = fixture_job;
  job.command = "echo";
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &job, LS_EMISMATCH,
                 "its command is \"echo {}\", this run's is \"echo\"");
  job = fixture_job;
  job.directory = "/";
  expect_refusal(fixture->path, LS_JOURNAL_NEW, &job, LS_EMISMATCH, "its directory is \"/tmp\"");
  job = fixture_job;
  job.input_digest = 1;
  expect_refusal(fixture->path, LS_JOURNAL_RESUME_FAILED, &job, LS_EMISMATCH,
                 "what the application reads has changed");
  job = fixture_job;
  job.units = 101;
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &job, LS_EMISMATCH,
                 "the run has 101 units, the journal has 100");
  /* Where the inputs are in the journal, whoever opens it compares them. */
  job.has_inputs = true;
  job.input_digest = 1;
  struct ls_journal *journal = NULL;
  assert_int_equal(fixture_open(fixture->path, LS_JOURNAL_RESUME, &job, &journal, NULL), LS_OK);
  ls_journal_close(journal);
}

static enum ls_status refuse_inputs(void *context, struct ls_journal *journal,
                                    struct ls_error *err) {
  ls_journal_units(journal, 7, false);
  ls_journal_words(journal, LS_JOURNAL_OPTION, (const char *const[]){"--keep-order"}, 1);
  return context == NULL ? LS_OK : ls_fail(err, LS_EMISMATCH, "no such inputs");
}

/* Refused or killed before the first commit, a start leaves nothing. */
static void inputs_are_committed_with_the_session(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal_request request = {.path = fixture->path,
                                       .mode = LS_JOURNAL_RESUME,
                                       .job = &fixture_job,
                                       .inputs = refuse_inputs,
                                       .context = fixture};
  struct ls_journal *journal = NULL;
  struct ls_bytes words = {0};
  size_t count = 0;
  char text[32];
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_EMISMATCH);
  assert_int_not_equal(access(fixture->path, F_OK), 0);
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_EMISMATCH);
  fixture_read_sql(fixture->path, "SELECT units || ' ' || (SELECT count(*) FROM sessions) FROM job",
                   text, sizeof text);
  assert_string_equal(text, "100 1");
  request.context = NULL;
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  assert_int_equal(ls_journal_read_words(journal, LS_JOURNAL_OPTION, &words, &count, NULL), LS_OK);
  assert_int_equal(count, 1);
  ls_bytes_close(&words);
  ls_journal_close(journal);
  fixture_read_sql(fixture->path, "SELECT units || ' ' || (SELECT count(*) FROM sessions) FROM job",
                   text, sizeof text);
  assert_string_equal(text, "7 2");
}

static void a_new_run_does_not_continue_what_has_settled_units(void **state) {
  struct fixture *fixture = *state;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 0, NULL);
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  expect_refusal(fixture->path, LS_JOURNAL_NEW, &fixture_job, LS_EINVAL,
                 "exists, with 1 units settled; --resume to continue it");
  fixture_run_session(fixture->path, LS_JOURNAL_RESUME, 0, NULL);
}

static void a_refusal_records_no_session(void **state) {
  struct fixture *fixture = *state;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  expect_refusal(fixture->path, LS_JOURNAL_NEW, &fixture_job, LS_EINVAL, "--resume");
  char count[16];
  fixture_read_sql(fixture->path, "SELECT count(*) FROM sessions", count, sizeof count);
  assert_string_equal(count, "1");
}

static void foreign_newer_and_older_databases_are_refused_unchanged(void **state) {
  struct fixture *fixture = *state;
  char text[32];
  fixture_run_sql(fixture->path, "CREATE TABLE recipes (name TEXT)");
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &fixture_job, LS_EINVAL,
                 "not a Loadstar journal");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_EINVAL, "not a Loadstar journal");
  fixture_read_sql(fixture->path, "PRAGMA journal_mode", text, sizeof text);
  assert_string_equal(text, "delete");
  unlink(fixture->path);
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  fixture_run_sql(fixture->path, "PRAGMA user_version = 700");
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &fixture_job, LS_EINVAL, "newer version 700");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_EINVAL, "newer version 700");
  fixture_run_sql(fixture->path, "PRAGMA user_version = 1");
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &fixture_job, LS_EINVAL, "older version 1");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_EINVAL, "older version 1");
  /* Version 9 lacks columns; nobody may stumble over that. */
  fixture_run_sql(fixture->path,
                  "DROP VIEW result_list; DROP VIEW attempt_list; DROP VIEW results; "
                  "DROP VIEW attempts; ALTER TABLE ended RENAME COLUMN stage_s TO read_s; "
                  "ALTER TABLE ended DROP COLUMN lead_s; ALTER TABLE ended DROP COLUMN exposed_s; "
                  "PRAGMA user_version = 9");
  for (int mode = LS_JOURNAL_NEW; mode <= LS_JOURNAL_READ; mode++)
    expect_refusal(
        fixture->path, (enum ls_journal_mode)mode, &fixture_job, LS_EINVAL,
        "is a journal of the older version 9, this program knows versions 14 to 15 only");
  fixture_run_sql(fixture->path, "PRAGMA user_version = -1");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_ECORRUPT, "version -1");
}

/* Its sessions do not say to the millisecond when they began. */
static void a_journal_of_the_version_before_is_read_and_goes_on(void **state) {
  struct fixture *fixture = *state;
  char text[64];
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  fixture_run_sql(fixture->path,
                  "ALTER TABLE sessions DROP COLUMN started_unix_s; PRAGMA user_version = 14");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  struct ls_journal_summary summary;
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  ls_journal_close(journal);
  fixture_run_session(fixture->path, LS_JOURNAL_RESUME, 2, NULL);
  fixture_read_sql(fixture->path, "PRAGMA user_version", text, sizeof text);
  assert_string_equal(text, "15");
  fixture_read_sql(fixture->path,
                   "SELECT group_concat(started_unix_s IS NULL) || ' ' || "
                   "(max(started_unix_s) > 1e9) FROM sessions",
                   text, sizeof text);
  assert_string_equal(text, "1,0 1");
}

/* Killed between the first page and the tables, a master leaves an empty database. */
static void an_interrupted_beginning_is_begun_again(void **state) {
  struct fixture *fixture = *state;
  fixture_run_sql(fixture->path, "PRAGMA journal_mode = WAL");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_EINVAL, "holds nothing yet");
  fixture_run_session(fixture->path, LS_JOURNAL_RESUME, 1, NULL);
}

static void summary_gives_back_the_whole_job(void **state) {
  struct fixture *fixture = *state;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, "stopped");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  struct ls_journal_summary summary;
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_string_equal(summary.job.application, fixture_job.application);
  assert_string_equal(summary.job.command, fixture_job.command);
  assert_string_equal(summary.job.directory, fixture_job.directory);
  assert_true(summary.job.input_digest == fixture_job.input_digest);
  assert_true(summary.job.units == 100 && summary.job.seed == UINT64_MAX);
  assert_string_equal(summary.state, "stopped");
  ls_journal_close(journal);
}

/* A few that were expected never came; a number far beyond is damage, whoever opens the journal. */
static void numbers_of_workers_that_no_run_has_are_refused(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = NULL;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 0, NULL);
  fixture_run_sql(fixture->path, "UPDATE workers SET worker = 100000 WHERE worker = 1");
  assert_int_equal(fixture_open(fixture->path, LS_JOURNAL_READ, NULL, &journal, NULL), LS_OK);
  ls_journal_close(journal);
  fixture_run_sql(fixture->path, "UPDATE workers SET worker = 4000000 WHERE worker > 0");
  for (int mode = LS_JOURNAL_NEW; mode <= LS_JOURNAL_READ; mode++)
    expect_refusal(fixture->path, (enum ls_journal_mode)mode, &fixture_job, LS_ECORRUPT,
                   "a row of workers is of worker 4000000, expected 0 to 131073: 2 joined");
  fixture_run_sql(fixture->path, "UPDATE workers SET worker = -5 WHERE worker > 0");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_ECORRUPT, "is of worker -5, expected 0");
}

/* The views are what docs/journal.md tells users to ask. */
/* Each would run for ever, or do what whoever wrote the journal wants. */
static void a_journal_that_is_a_program_is_refused(void **state) {
  struct fixture *fixture = *state;
  static const char *const changes[] = {
      "ALTER TABLE sessions RENAME TO s; CREATE VIEW sessions AS WITH RECURSIVE n(x) AS (SELECT 1 "
      "UNION ALL SELECT x FROM n) SELECT s.* FROM s, n",
      "DROP TABLE job; CREATE VIEW job AS SELECT 'run' AS application",
      "CREATE VIEW slots AS SELECT 1 AS time_s",
      "CREATE TRIGGER more AFTER INSERT ON sessions BEGIN DELETE FROM ended; END",
      "DROP TABLE reasons; CREATE TABLE reasons (iteration INTEGER, unit INTEGER, reason TEXT AS "
      "(hex(zeroblob(100))))",
      "DROP TABLE words; CREATE VIRTUAL TABLE words USING fts5(id, kind, word, sum)"};
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, "finished");
    fixture_run_sql(fixture->path, changes[i]);
    expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_ECORRUPT, "has not written it so");
    expect_refusal(fixture->path, LS_JOURNAL_RESUME, &fixture_job, LS_ECORRUPT,
                   "has not written it so");
    assert_int_equal(unlink(fixture->path), 0);
  }
  /* A view of the user's own is read by nobody here. */
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, "finished");
  fixture_run_sql(fixture->path, "CREATE VIEW mine AS SELECT * FROM results; CREATE TABLE my (a)");
  ls_journal_close(fixture_must_open(fixture->path, LS_JOURNAL_READ));
}

static void views_speak_in_words(void **state) {
  struct fixture *fixture = *state;
  char text[32];
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_event stop = {.kind = LS_EVENT_STOP, .now_s = 2};
  ls_journal_event(journal, &stop);
  struct ls_journal_result result = fixture_result(0);
  result.outcome = LS_OUTCOME_GIVEN_UP;
  ls_journal_result(journal, &result);
  result.outcome = LS_OUTCOME_LOST;
  ls_journal_attempt(journal, &result);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  fixture_read_sql(fixture->path, "SELECT kind FROM event_list", text, sizeof text);
  assert_string_equal(text, "stop");
  fixture_read_sql(fixture->path, "SELECT time_s FROM event_list", text, sizeof text);
  assert_string_equal(text, "2.0");
  fixture_read_sql(fixture->path, "SELECT outcome FROM result_list", text, sizeof text);
  assert_string_equal(text, "abandoned");
  fixture_read_sql(fixture->path, "SELECT outcome FROM attempt_list", text, sizeof text);
  assert_string_equal(text, "lost");
  fixture_read_sql(fixture->path, "SELECT typeof(command) || typeof(input_digest) FROM job", text,
                   sizeof text);
  assert_string_equal(text, "texttext");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(each_difference_of_the_job_is_named_with_both_values),
      TEST(inputs_are_committed_with_the_session),
      TEST(a_new_run_does_not_continue_what_has_settled_units),
      TEST(a_refusal_records_no_session),
      TEST(foreign_newer_and_older_databases_are_refused_unchanged),
      TEST(a_journal_of_the_version_before_is_read_and_goes_on),
      TEST(an_interrupted_beginning_is_begun_again),
      TEST(summary_gives_back_the_whole_job),
      TEST(numbers_of_workers_that_no_run_has_are_refused),
      TEST(a_journal_that_is_a_program_is_refused),
      TEST(views_speak_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
