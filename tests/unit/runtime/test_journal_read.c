#include <sqlite3.h>

#include "journal_heard.h"

static enum ls_status on_worker(void *context, const struct ls_journal_worker *worker) {
  struct ls_bytes *text = context;
  ls_bytes_printf(text, "%u:%u:%s:%g:%g:%g ", worker->worker, worker->slot, worker->name,
                  worker->joined_s, worker->left_s, worker->price_per_s);
  return LS_OK;
}

static void workers_are_told_with_the_time_they_were_there(void **state) {
  struct fixture *fixture = *state;
  struct ls_bytes text = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_journal_worker one = {.worker = 0,
                                  .slot = 1,
                                  .name = "one",
                                  .joined_s = 0.5,
                                  .left_s = (double)NAN,
                                  .price_per_s = 2.5};
  add_event(journal, LS_EVENT_JOINED, 0, 0.25);
  ls_journal_worker(journal, &one);
  one.left_s = 4;
  ls_journal_worker(journal, &one);
  one.left_s = (double)NAN; /* another one in its slot */
  ls_journal_worker(journal, &one);
  add_event(journal, LS_EVENT_JOINED, 1, 1);
  add_event(journal, LS_EVENT_LOST, 1, 3);
  add_event(journal, LS_EVENT_JOINED, 2, 5);
  ls_journal_end(journal, "stopped", 8);
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_each_worker(journal, on_worker, &text, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&text), "0:1:one:0.5:nan:2.5 1:0::1:3:1 2:0::5:nan:1 ");
  ls_journal_close(journal);
  /* Worker 2 stayed to the end of the first session, which is over now. */
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  ls_bytes_clear(&text);
  assert_int_equal(ls_journal_each_worker(journal, on_worker, &text, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&text), "0:1:one:0.5:8:2.5 1:0::1:3:1 2:0::5:8:1 ");
  ls_journal_close(journal);
  ls_bytes_close(&text);
}

static enum ls_status on_decision(void *context, const struct ls_journal_decision *decision) {
  ls_bytes_printf(context, "%u:%llu:%llu ", decision->worker, (unsigned long long)decision->chunk,
                  (unsigned long long)decision->units);
  return LS_OK;
}

static enum ls_status on_timed(void *context, const struct ls_journal_decision *decision) {
  ls_bytes_printf(context, "%llu:%llu:%g ", (unsigned long long)decision->chunk,
                  (unsigned long long)decision->event, decision->time_s);
  return LS_OK;
}

/* By the event that caused them, heard or a result. */
static void decisions_have_the_times_of_their_events(void **state) {
  struct fixture *fixture = *state;
  struct ls_bytes text = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_event(journal, LS_EVENT_JOINED, 0, 1.5);
  fixture_send(journal, 0, 0, (struct ls_range){0, 1});
  add_event(journal, LS_EVENT_READY, 0, 2.5);
  fixture_send(journal, 0, 1, (struct ls_range){1, 1});
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_each_timed_decision(journal, on_timed, &text, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&text), "0:1:1.5 1:2:2.5 ");
  ls_journal_close(journal);
  ls_bytes_close(&text);
}

static void decisions_of_all_sessions_are_one_per_chunk(void **state) {
  struct fixture *fixture = *state;
  struct ls_bytes text = {0};
  for (int session = 0; session < 2; session++) {
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
    add_event(journal, LS_EVENT_JOINED, 0, 0);
    struct ls_range ranges[] = {{0, 2}, {4, 1}};
    struct ls_actions actions = {.ranges = ranges, .ranges_count = 2};
    struct ls_action send = {.kind = LS_ACTION_SEND, .send = {.ranges_count = 2}};
    ls_journal_decision(journal, &actions, &send);
    fixture_send(journal, 0, 1, (struct ls_range){7, 7});
    fixture_must_commit(journal);
    ls_journal_close(journal);
  }
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  uint64_t last = 0;
  assert_int_equal(ls_journal_each_decision(journal, &last, on_decision, &text, NULL), LS_OK);
  assert_int_equal(last, 6);
  assert_string_equal(ls_bytes_text(&text), "0:0:3 0:1:7 1:2:3 1:3:7 ");
  ls_journal_close(journal);
  ls_bytes_close(&text);
}

static enum ls_status stop_at_third(void *context, const struct ls_journal_result *result) {
  (void)result;
  return ++*(int *)context == 3 ? LS_EINTERRUPTED : LS_OK;
}

static void a_visit_stops_the_walk_with_its_status(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  for (uint64_t unit = 0; unit < 9; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    ls_journal_result(journal, &result);
  }
  int seen = 0;
  assert_int_equal(ls_journal_each_result(journal, stop_at_third, &seen, NULL), LS_EINTERRUPTED);
  assert_int_equal(seen, 3);
  ls_journal_close(journal);
}

static void values_that_no_journal_holds_are_refused(void **state) {
  struct fixture *fixture = *state;
  static const char *const sql[] = {
      "INSERT INTO ended (settled, iteration, first, units, outcome) VALUES (1, 0, 5, 1, 9)",
      "INSERT INTO ended (settled, iteration, first, units, outcome) VALUES (1, 0, 5, 0, 0)",
      "INSERT INTO heard (id, kind, now_s) VALUES (1, 99, 0)",
  };
  for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
    unlink(fixture->path);
    ls_journal_close(fixture_must_open(fixture->path, LS_JOURNAL_NEW));
    sqlite3 *database = NULL;
    assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql[i], NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
    static struct fixture_results results;
    static struct heard heard;
    struct ls_error err = {0};
    enum ls_status status = ls_journal_each_result(journal, fixture_keep, &results, &err);
    if (status == LS_OK) status = ls_journal_each_event(journal, 0, on_event, &heard, &err);
    assert_int_equal(status, LS_ECORRUPT);
    assert_non_null(strstr(err.text, fixture->path));
    ls_journal_close(journal);
  }
}

/* Who sized anything by such a number would take hours and all memory. */
static void rows_of_workers_that_never_joined_are_refused(void **state) {
  struct fixture *fixture = *state;
  static const struct {
    const char *sql, *words;
  } rows[] = {
      {"INSERT INTO ended (id, settled, iteration, first, units, outcome, worker) "
       "VALUES (3, 1, 0, 5, 1, 0, 4000000)",
       "row 3 of ended is of worker 4000000, expected one below 3: no other joined"},
      {"INSERT INTO ended (id, settled, iteration, first, units, outcome, worker) "
       "VALUES (4, 0, 0, 5, 1, 1, 3)",
       "row 4 of ended is of worker 3, expected"},
      {"INSERT INTO ended (id, settled, iteration, first, units, outcome, worker) "
       "VALUES (5, 1, 0, 5, 1, 0, 4294967296)",
       "row 5 of ended is of worker 4294967296, expected"},
      {"INSERT INTO ended (id, settled, iteration, first, units, outcome, worker) "
       "VALUES (6, 1, 0, 5, 1, 0, -1)",
       "row 6 of ended is of worker -1, expected"},
      {"INSERT INTO sent (id, event, worker, chunk, first, units) VALUES (7, 1, 3, 0, 0, 1)",
       "row 7 of sent is of worker 3, expected"},
      {"INSERT INTO sent (id, event, chunk, first, units) VALUES (8, 1, 0, 0, 1)",
       "row 8 of sent names no worker"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    unlink(fixture->path);
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
    add_event(journal, LS_EVENT_JOINED, 2, 0); /* and nobody before */
    fixture_must_commit(journal);
    ls_journal_close(journal);
    fixture_run_sql(fixture->path, rows[i].sql);
    journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
    struct ls_bytes text = {0};
    struct ls_error err = {0};
    uint64_t last = 0;
    static struct fixture_results results;
    enum ls_status status = ls_journal_each_end(journal, &last, fixture_keep, &results, &err);
    if (status == LS_OK)
      status = ls_journal_each_decision(journal, &last, on_decision, &text, &err);
    assert_int_equal(status, LS_ECORRUPT);
    if (strstr(err.text, rows[i].words) == NULL) fail_msg("%s", err.text);
    assert_non_null(strstr(err.text, fixture->path));
    ls_journal_close(journal);
    ls_bytes_close(&text);
  }
}

static uint64_t identify(const char *path) {
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_READ);
  struct ls_error err = {0};
  uint64_t identity = 0;
  if (ls_journal_identity(journal, &identity, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
  return identity;
}

/* Of all its sessions, whoever asks and however often. */
static void a_journal_with_another_session_is_another(void **state) {
  const struct fixture *fixture = *state;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 2, NULL);
  uint64_t one = identify(fixture->path);
  assert_true(identify(fixture->path) == one);
  fixture_run_session(fixture->path, LS_JOURNAL_RESUME, 0, NULL);
  assert_true(identify(fixture->path) != one);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(workers_are_told_with_the_time_they_were_there),
      TEST(decisions_have_the_times_of_their_events),
      TEST(decisions_of_all_sessions_are_one_per_chunk),
      TEST(a_visit_stops_the_walk_with_its_status),
      TEST(values_that_no_journal_holds_are_refused),
      TEST(rows_of_workers_that_never_joined_are_refused),
      TEST(a_journal_with_another_session_is_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
