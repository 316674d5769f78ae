#include "journal_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct fixture_results results;

static void what_was_not_committed_is_gone(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  struct ls_journal_result result = fixture_result(0);
  ls_journal_result(journal, &result);
  fixture_must_commit(journal);
  result = fixture_result(1);
  ls_journal_result(journal, &result);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 1);
  ls_journal_close(journal);
}

static void closing_nothing_is_fine_and_committing_nothing_succeeds(void **state) {
  struct fixture *fixture = *state;
  ls_journal_close(NULL);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_must_commit(journal);
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

static void labels_of_workers_are_kept(void **state) {
  struct fixture *fixture = *state;
  static const char *const labels[] = {"gpu,big", "", NULL};
  char text[32];
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  for (uint32_t i = 0; i < 3; i++)
    ls_journal_worker(
        journal,
        &(struct ls_journal_worker){
            .worker = i, .slot = i + 1, .name = "", .labels = labels[i], .left_s = (double)NAN});
  fixture_must_commit(journal);
  ls_journal_close(journal);
  fixture_read_sql(fixture->path,
                   "SELECT group_concat(ifnull(labels, '-'), ';') FROM workers ORDER BY worker",
                   text, sizeof text);
  assert_string_equal(text, "gpu,big;-;-");
}

/* A limit on the size of files stands for a full disk: both refuse a write in the middle. */
static void a_full_disk_is_a_sticky_error_and_loses_nothing_committed(void **state) {
  struct fixture *fixture = *state;
  signal(SIGXFSZ, SIG_IGN);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  struct rlimit before, tight;
  getrlimit(RLIMIT_FSIZE, &before);
  tight = before;
  tight.rlim_cur = 256 * 1024;
  struct ls_error err = {0};
  uint64_t committed = 0;
  enum ls_status status = LS_OK;
  setrlimit(RLIMIT_FSIZE, &tight);
  for (uint64_t unit = 0; unit < 4000 && status == LS_OK; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    ls_journal_result(journal, &result);
    status = ls_journal_commit(journal, &err);
    if (status == LS_OK) committed = unit + 1;
  }
  setrlimit(RLIMIT_FSIZE, &before);
  assert_int_equal(status, LS_EIO);
  assert_non_null(strstr(err.text, fixture->path));
  assert_true(committed > 0);
  /* The disk has room again, but a hole in the record would be worse than an end. */
  struct ls_journal_result late = fixture_result(3999);
  ls_journal_result(journal, &late);
  assert_int_equal(ls_journal_commit(journal, NULL), LS_EIO);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  fixture_read(journal, &results);
  assert_int_equal(results.count, committed);
  for (size_t i = 0; i < results.count; i++) assert_int_equal(results.items[i].units.first, i);
  ls_journal_close(journal);
}

/* The child of the durability test: says through the pipe which unit is committed. */
static void append_until_killed(const char *path, int acknowledgements, uint64_t first) {
  struct ls_journal *journal = NULL;
  if (fixture_open(path, LS_JOURNAL_RESUME, &fixture_job, &journal, NULL) != LS_OK) _exit(1);
  fixture_join(journal, 2);
  for (uint64_t unit = first; unit < first + 1500; unit++) {
    struct ls_event event = {.kind = LS_EVENT_RESULT,
                             .result = {.chunk = unit, .units = {unit, 1}}};
    ls_journal_event(journal, &event);
    struct ls_journal_result result = fixture_result(unit);
    ls_journal_result(journal, &result);
    if (unit % 3 == 2) {
      if (ls_journal_commit(journal, NULL) != LS_OK) _exit(1);
      if (write(acknowledgements, &unit, sizeof unit) != sizeof unit) _exit(1);
    }
  }
  for (;;) pause();
}

static void check_integrity(const char *path) {
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
  sqlite3_prepare_v2(database, "PRAGMA integrity_check", -1, &statement, NULL);
  assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
  assert_string_equal((const char *)sqlite3_column_text(statement, 0), "ok");
  sqlite3_finalize(statement);
  sqlite3_close(database);
}

/* Fifty masters, one after the other on one journal, are killed at instants of all kinds: before
 * the first commit, within one, and during checkpoints. */
static void everything_acknowledged_survives_kill_9(void **state) {
  struct fixture *fixture = *state;
  uint64_t next = 0;
  for (unsigned round = 0; round < 50; round++) {
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
      close(pipe_ends[0]);
      append_until_killed(fixture->path, pipe_ends[1], next);
    }
    close(pipe_ends[1]);
    uint64_t acknowledged = 0, wanted = (round * 7919u) % 60, got = 0;
    while (got < wanted && read(pipe_ends[0], &acknowledged, sizeof acknowledged) > 0) got++;
    usleep((round * 104729u) % 3000);
    kill(child, SIGKILL);
    int end = 0;
    waitpid(child, &end, 0);
    assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL);
    /* The bytes still in the pipe were written before the kill. */
    while (read(pipe_ends[0], &acknowledged, sizeof acknowledged) > 0) got++;
    close(pipe_ends[0]);
    if (got > 0) next = acknowledged + 1;
    if (access(fixture->path, F_OK) != 0) continue;
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
    fixture_read(journal, &results);
    assert_true(results.count >= next);
    assert_true(results.count < sizeof results.items / sizeof *results.items);
    for (size_t i = 0; i < results.count; i++) assert_int_equal(results.items[i].units.first, i);
    next = results.count;
    ls_journal_close(journal);
    check_integrity(fixture->path);
    if (next > 2000) {
      unlink(fixture->path);
      next = 0;
    }
  }
}

static void a_synced_journal_records_the_same(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal_request request = {
      .path = fixture->path, .mode = LS_JOURNAL_NEW, .job = &fixture_job, .is_synced = true};
  struct ls_journal *journal = NULL;
  assert_int_equal(ls_journal_open(&request, &journal, NULL), LS_OK);
  fixture_join(journal, 2);
  struct ls_journal_result result = fixture_result(0);
  ls_journal_result(journal, &result);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 1);
  ls_journal_close(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_was_not_committed_is_gone, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(labels_of_workers_are_kept, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(closing_nothing_is_fine_and_committing_nothing_succeeds,
                                      fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(a_full_disk_is_a_sticky_error_and_loses_nothing_committed,
                                      fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(everything_acknowledged_survives_kill_9, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(a_synced_journal_records_the_same, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
