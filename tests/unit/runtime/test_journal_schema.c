#include "journal_fixture.h"

#include <sqlite3.h>

static struct fixture_results results;

/* Runs SQL on a journal at rest, as a user with the sqlite3 program would. */
static void run_sql(const char *path, const char *sql) {
  sqlite3 *database = NULL;
  char *text = NULL;
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  if (sqlite3_exec(database, sql, NULL, NULL, &text) != SQLITE_OK) fail_msg("%s", text);
  sqlite3_close(database);
}

static void read_sql(const char *path, const char *sql, char *out, size_t out_bytes) {
  sqlite3 *database = NULL;
  sqlite3_stmt *row = NULL;
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  if (sqlite3_prepare_v2(database, sql, -1, &row, NULL) != SQLITE_OK)
    fail_msg("%s", sqlite3_errmsg(database));
  assert_int_equal(sqlite3_step(row), SQLITE_ROW);
  snprintf(out, out_bytes, "%s", (const char *)sqlite3_column_text(row, 0));
  sqlite3_finalize(row);
  sqlite3_close(database);
}

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

/* A session that settles `units` units and dies, or ends with `state`. */
static void run_session(const char *path, enum ls_journal_mode mode, uint64_t units,
                        const char *state) {
  struct ls_journal *journal = fixture_must_open(path, mode);
  for (uint64_t unit = 0; unit < units; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    if (unit == 2) result.outcome = LS_OUTCOME_FAILED;
    if (unit == 3) result.outcome = LS_OUTCOME_GIVEN_UP;
    ls_journal_result(journal, &result);
  }
  if (state != NULL) ls_journal_end(journal, state, 10);
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

static void each_difference_of_the_job_is_named_with_both_values(void **state) {
  struct fixture *fixture = *state;
  run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
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
  ls_journal_units(journal, 7);
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
  run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_EMISMATCH);
  read_sql(fixture->path, "SELECT units || ' ' || (SELECT count(*) FROM sessions) FROM job", text,
           sizeof text);
  assert_string_equal(text, "100 1");
  request.context = NULL;
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  assert_int_equal(ls_journal_read_words(journal, LS_JOURNAL_OPTION, &words, &count, NULL), LS_OK);
  assert_int_equal(count, 1);
  ls_bytes_close(&words);
  ls_journal_close(journal);
  read_sql(fixture->path, "SELECT units || ' ' || (SELECT count(*) FROM sessions) FROM job", text,
           sizeof text);
  assert_string_equal(text, "7 2");
}

static void policy_seed_and_workers_may_change_on_resume(void **state) {
  struct fixture *fixture = *state;
  run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  struct ls_journal_job job = fixture_job;
  job.policy = "gss";
  job.seed = 5;
  job.workers = 9;
  struct ls_journal *journal = NULL;
  struct ls_journal_summary summary;
  assert_int_equal(fixture_open(fixture->path, LS_JOURNAL_RESUME, &job, &journal, NULL), LS_OK);
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_string_equal(summary.job.policy, "gss");
  assert_true(summary.job.seed == 5 && summary.job.workers == 9);
  ls_journal_close(journal);
}

static void a_new_run_does_not_continue_what_has_settled_units(void **state) {
  struct fixture *fixture = *state;
  run_session(fixture->path, LS_JOURNAL_NEW, 0, NULL);
  run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  expect_refusal(fixture->path, LS_JOURNAL_NEW, &fixture_job, LS_EINVAL,
                 "exists, with 1 units settled; --resume to continue it");
  run_session(fixture->path, LS_JOURNAL_RESUME, 0, NULL);
}

static void a_refusal_records_no_session(void **state) {
  struct fixture *fixture = *state;
  run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  expect_refusal(fixture->path, LS_JOURNAL_NEW, &fixture_job, LS_EINVAL, "--resume");
  char count[16];
  read_sql(fixture->path, "SELECT count(*) FROM sessions", count, sizeof count);
  assert_string_equal(count, "1");
}

static void foreign_newer_and_older_databases_are_refused_unchanged(void **state) {
  struct fixture *fixture = *state;
  char text[32];
  run_sql(fixture->path, "CREATE TABLE recipes (name TEXT)");
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &fixture_job, LS_EINVAL,
                 "not a Loadstar journal");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_EINVAL, "not a Loadstar journal");
  read_sql(fixture->path, "PRAGMA journal_mode", text, sizeof text);
  assert_string_equal(text, "delete");
  unlink(fixture->path);
  run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
  run_sql(fixture->path, "PRAGMA user_version = 700");
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &fixture_job, LS_EINVAL, "newer version 700");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_EINVAL, "newer version 700");
  run_sql(fixture->path, "PRAGMA user_version = 1");
  expect_refusal(fixture->path, LS_JOURNAL_RESUME, &fixture_job, LS_EINVAL, "older version 1");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_EINVAL, "older version 1");
  run_sql(fixture->path, "PRAGMA user_version = -1");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_ECORRUPT, "version -1");
}

/* Killed between the first page and the tables, a master leaves an empty database. */
static void an_interrupted_beginning_is_begun_again(void **state) {
  struct fixture *fixture = *state;
  run_sql(fixture->path, "PRAGMA journal_mode = WAL");
  expect_refusal(fixture->path, LS_JOURNAL_READ, NULL, LS_EINVAL, "no tables yet");
  run_session(fixture->path, LS_JOURNAL_RESUME, 1, NULL);
}

static void sessions_follow_each_other_in_time_and_number(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_event joined = {.kind = LS_EVENT_JOINED, .worker = 4, .now_s = 1};
  struct ls_event timer = {.kind = LS_EVENT_TIMER, .now_s = 7.5};
  ls_journal_event(journal, &joined);
  fixture_send(journal, 4, 41, (struct ls_range){0, 10});
  ls_journal_event(journal, &timer);
  fixture_must_commit(journal);
  ls_journal_close(journal); /* as a death would: no end is recorded */
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  struct ls_journal_summary summary;
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_int_equal(summary.sessions, 2);
  assert_int_equal(summary.next_worker, 5);
  assert_true(summary.elapsed_s > 7.499 && summary.elapsed_s < 7.501);
  assert_int_equal(summary.chunks, 42);
  assert_string_equal(summary.state, "running");
  struct ls_journal_result result = fixture_result(0);
  result.chunk = 0; /* the session's first */
  result.start_s = 1;
  ls_journal_result(journal, &result);
  ls_journal_end(journal, "finished", 12.5);
  fixture_must_commit(journal);
  fixture_read(journal, &results);
  assert_int_equal(results.items[0].chunk, 42);
  assert_near(results.items[0].start_s, 8.5, 1e-12);
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_true(summary.elapsed_s > 19.999 && summary.elapsed_s < 20.001);
  assert_string_equal(summary.state, "finished");
  ls_journal_close(journal);
  char text[32];
  read_sql(fixture->path, "SELECT state FROM sessions WHERE session = 0", text, sizeof text);
  assert_string_equal(text, "died");
}

static void summary_gives_back_the_whole_job(void **state) {
  struct fixture *fixture = *state;
  run_session(fixture->path, LS_JOURNAL_NEW, 1, "stopped");
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

static void resuming_keeps_failures_and_resuming_failed_reopens_them(void **state) {
  struct fixture *fixture = *state;
  run_session(fixture->path, LS_JOURNAL_NEW, 6, "finished");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 6);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME_FAILED);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 4);
  for (size_t i = 0; i < 4; i++) assert_int_equal(results.items[i].outcome, LS_OUTCOME_DONE);
  results.count = 0;
  assert_int_equal(ls_journal_each_attempt(journal, fixture_keep, &results, NULL), LS_OK);
  assert_int_equal(results.count, 2);
  assert_true(results.items[0].units.first == 2 && results.items[1].units.first == 3);
  assert_int_equal(results.items[0].outcome, LS_OUTCOME_FAILED);
  assert_int_equal(results.items[1].outcome, LS_OUTCOME_LOST);
  ls_journal_close(journal);
}

/* The views are what docs/journal.md tells users to ask. */
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
  read_sql(fixture->path, "SELECT kind FROM event_list", text, sizeof text);
  assert_string_equal(text, "stop");
  read_sql(fixture->path, "SELECT time_s FROM event_list", text, sizeof text);
  assert_string_equal(text, "2.0");
  read_sql(fixture->path, "SELECT outcome FROM result_list", text, sizeof text);
  assert_string_equal(text, "given up");
  read_sql(fixture->path, "SELECT outcome FROM attempt_list", text, sizeof text);
  assert_string_equal(text, "lost");
  read_sql(fixture->path, "SELECT typeof(command) || typeof(input_digest) FROM job", text,
           sizeof text);
  assert_string_equal(text, "texttext");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(each_difference_of_the_job_is_named_with_both_values),
      TEST(inputs_are_committed_with_the_session),
      TEST(policy_seed_and_workers_may_change_on_resume),
      TEST(a_new_run_does_not_continue_what_has_settled_units),
      TEST(a_refusal_records_no_session),
      TEST(foreign_newer_and_older_databases_are_refused_unchanged),
      TEST(an_interrupted_beginning_is_begun_again),
      TEST(sessions_follow_each_other_in_time_and_number),
      TEST(summary_gives_back_the_whole_job),
      TEST(resuming_keeps_failures_and_resuming_failed_reopens_them),
      TEST(views_speak_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
