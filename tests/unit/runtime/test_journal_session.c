#include "journal_fixture.h"

static struct fixture_results results;

static void policy_seed_and_workers_may_change_on_resume(void **state) {
  struct fixture *fixture = *state;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 1, NULL);
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
  fixture_read_sql(fixture->path, "SELECT state FROM sessions WHERE session = 0", text,
                   sizeof text);
  assert_string_equal(text, "died");
}

/* Who may come in is a fact of a session; without guests there is none. */
static void a_session_keeps_for_whom_it_listened(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  struct ls_journal_job job = fixture_job;
  job.listens = "tcp, under a key";
  journal = NULL;
  assert_int_equal(fixture_open(fixture->path, LS_JOURNAL_RESUME, &job, &journal, NULL), LS_OK);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  char text[64];
  fixture_read_sql(fixture->path,
                   "SELECT group_concat(ifnull(listens, 'nobody'), '; ') FROM "
                   "(SELECT listens FROM sessions ORDER BY session)",
                   text, sizeof text);
  assert_string_equal(text, "nobody; tcp, under a key");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(a_session_keeps_for_whom_it_listened),
      TEST(policy_seed_and_workers_may_change_on_resume),
      TEST(sessions_follow_each_other_in_time_and_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
