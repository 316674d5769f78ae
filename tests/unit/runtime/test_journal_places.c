/* Who was there, and when, as the events, workers and slots of a journal tell it. */
#include "journal_fixture.h"

#include "runtime/journal/journal_slots.h"
#include "runtime/journal/past/journal_places.h"

static void note_slot(struct ls_journal *journal, double time_s, uint32_t slot, const char *kind) {
  const struct ls_journal_slot row = {.time_s = time_s,
                                      .pool = "slurm",
                                      .slot = slot,
                                      .workers = slot == 0 ? 2 : 1,
                                      .kind = kind,
                                      .why = ""};
  ls_journal_slot(journal, &row);
}

static void note_event(struct ls_journal *journal, double now_s, enum ls_event_kind kind,
                       uint32_t worker) {
  struct ls_event event = {.kind = kind, .now_s = now_s, .worker = worker};
  if (kind == LS_EVENT_SUSPENDED) event.suspended.reason = LS_AWAY_STOPPED;
  ls_journal_event(journal, &event);
}

static void note_lost(struct ls_journal *journal, double now_s, uint32_t worker,
                      enum ls_loss cause) {
  const struct ls_event event = {
      .kind = LS_EVENT_LOST, .now_s = now_s, .worker = worker, .lost = cause};
  ls_journal_event(journal, &event);
}

static struct ls_journal_worker make_worker(uint32_t number, uint32_t slot, const char *name) {
  return (struct ls_journal_worker){
      .worker = number, .slot = slot, .name = name, .left_s = (double)NAN, .price_per_s = 1};
}

/* As a master does: the row, then the event. */
static void note_joined(struct ls_journal *journal, double now_s,
                        const struct ls_journal_worker *worker) {
  const struct ls_event event = {
      .kind = LS_EVENT_JOINED,
      .now_s = now_s,
      .worker = worker->worker,
      .joined.has_lifeline = strncmp(worker->name, "local", strlen("local")) == 0};
  struct ls_journal_worker row = *worker;
  if (!(row.joined_s > 0)) row.joined_s = now_s;
  ls_journal_worker(journal, &row);
  ls_journal_event(journal, &event);
}

static void note_left(struct ls_journal *journal, double left_s,
                      const struct ls_journal_worker *worker) {
  struct ls_journal_worker row = *worker;
  row.left_s = left_s;
  ls_journal_worker(journal, &row);
}

static void read_places(const char *path, struct ls_places *places) {
  struct ls_error err = {0};
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_READ);
  enum ls_status status = ls_journal_read_places(journal, places, &err);
  if (status != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
}

/* Three of this machine and a job: one is released, one goes when told, one is lost while it is
 * away, one stays; and one of the two of the job never comes. */
static void write_run(const char *path) {
  const struct ls_journal_worker workers[] = {
      make_worker(0, 1, "local-1"), make_worker(1, 2, "local-2"), make_worker(2, 3, "n1-99-1"),
      make_worker(3, 5, "me")};
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_NEW);
  note_joined(journal, 0, &workers[0]);
  note_joined(journal, 0, &workers[1]);
  note_slot(journal, 1, 0, "pending");
  note_slot(journal, 2, 3, "granted");
  note_slot(journal, 2, 4, "granted");
  note_joined(journal, 3, &workers[2]);
  note_joined(journal, 4, &workers[3]);
  note_event(journal, 4, LS_EVENT_SUSPENDED, 0);
  note_event(journal, 4.5, LS_EVENT_RESUMED, 0);
  note_event(journal, 5, LS_EVENT_SUSPENDED, 2);
  note_left(journal, 6, &workers[2]);
  note_event(journal, 6.5, LS_EVENT_LEAVING, 1);
  note_left(journal, 7, &workers[1]);
  note_slot(journal, 7, 4, "ended");
  note_slot(journal, 8, 1, "released");
  note_left(journal, 8, &workers[0]);
  note_slot(journal, 8, 0, "denied");
  ls_journal_end(journal, "finished", 10);
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

static void places_follow_from_slots_workers_and_events(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {0};
  write_run(fixture->path);
  read_places(fixture->path, &places);
  assert_int_equal(places.pools_count, 3);
  assert_string_equal(places.pools[0], "slurm");
  assert_string_equal(places.pools[1], "local");
  assert_string_equal(places.pools[2], "guests");
  struct ls_places_counts counts = ls_places_at(&places, 0, 2);
  assert_int_equal(counts.wanted, 2);
  assert_int_equal(counts.coming, 2);
  counts = ls_places_at(&places, 0, 10);
  assert_int_equal(counts.pending + counts.coming + counts.working + counts.suspended, 0);
  assert_int_equal(counts.granted, 2);
  assert_int_equal(counts.joined, 1);
  assert_int_equal(counts.lost, 1);
  counts = ls_places_at(&places, 1, 10);
  assert_int_equal(counts.suspensions, 1);
  assert_int_equal(counts.left, 2);
  assert_int_equal(counts.lost, 0);
  assert_int_equal(ls_places_at(&places, 2, 10).working, 1);
  assert_int_equal(ls_places_at(&places, LS_PLACES_ALL, 5).working, 3);
  assert_int_equal(ls_places_at(&places, LS_PLACES_ALL, 5).suspended, 1);
  ls_places_close(&places);
}

/* The row tells of the last of them only: the first, of one pool, is lost; the second, of another
 * one, is there when a third one joins, so it was lost, too; and that one says that it goes. */
static void every_worker_with_a_number_counts(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {0};
  struct ls_journal_worker job = make_worker(0, 3, "n1-99-1"), guest = make_worker(0, 9, "me"),
                           local = make_worker(0, 1, "local-1");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  note_slot(journal, 1, 3, "granted");
  note_joined(journal, 2, &job);
  note_event(journal, 3, LS_EVENT_SUSPENDED, 0);
  note_lost(journal, 4, 0, LS_LOSS_CRASHED);
  guest.joined_s = local.joined_s = 2;
  note_joined(journal, 5, &guest);
  note_joined(journal, 6, &local);
  note_event(journal, 7, LS_EVENT_LEAVING, 0);
  note_lost(journal, 8, 0, LS_LOSS_LEFT);
  note_left(journal, 8, &local);
  ls_journal_end(journal, "finished", 10);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  read_places(fixture->path, &places);
  assert_int_equal(places.pools_count, 3);
  for (uint32_t pool = 0; pool < 3; ++pool) {
    struct ls_places_counts counts = ls_places_at(&places, pool, 10);
    bool is_local = strcmp(places.pools[pool], "local") == 0;
    assert_int_equal(counts.joined, 1);
    assert_int_equal(counts.lost, !is_local);
    assert_int_equal(counts.left, is_local);
    assert_int_equal(counts.working + counts.suspended + counts.coming, 0);
  }
  assert_int_equal(ls_places_at(&places, 0, 3.5).suspended, 1);
  assert_int_equal(ls_places_at(&places, LS_PLACES_ALL, 4.5).lost, 1);
  assert_int_equal(ls_places_at(&places, LS_PLACES_ALL, 5.5).working, 1);
  assert_int_equal(ls_places_at(&places, LS_PLACES_ALL, 6).lost, 2);
  ls_places_close(&places);
}

/* Nothing but the next one says that it has gone: as it said before. */
static void who_said_that_it_goes_was_not_lost(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {0};
  const struct ls_journal_worker worker = make_worker(0, 1, "local-1");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  note_joined(journal, 1, &worker);
  note_event(journal, 2, LS_EVENT_SUSPENDED, 0);
  note_event(journal, 3, LS_EVENT_LEAVING, 0);
  note_joined(journal, 4, &worker);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  read_places(fixture->path, &places);
  assert_int_equal(ls_places_at(&places, 0, 3).suspended, 0);
  assert_int_equal(ls_places_at(&places, 0, 4).left, 1);
  assert_int_equal(ls_places_at(&places, 0, 4).working, 1);
  ls_places_close(&places);
}

/* The pool hears of a job when its workers are there; a worker that was lost comes once more; and
 * the next job in its slot is awaited. */
static void who_comes_before_its_grant_is_not_awaited(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {0};
  const struct ls_journal_worker worker = make_worker(0, 3, "n1-99-1");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  note_joined(journal, 1, &worker);
  note_slot(journal, 2, 3, "granted");
  note_slot(journal, 3, 3, "lost");
  note_joined(journal, 4, &worker);
  note_lost(journal, 5, 0, LS_LOSS_RECLAIMED);
  note_slot(journal, 5, 3, "ended");
  note_slot(journal, 6, 3, "granted");
  ls_journal_end(journal, "finished", 10);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  read_places(fixture->path, &places);
  assert_int_equal(places.pools_count, 1);
  assert_int_equal(ls_places_at(&places, 0, 2.5).coming, 0);
  assert_int_equal(ls_places_at(&places, 0, 3).lost, 1);
  assert_int_equal(ls_places_at(&places, 0, 4).working, 1);
  struct ls_places_counts counts = ls_places_at(&places, 0, 10);
  assert_int_equal(counts.granted, 2);
  assert_int_equal(counts.coming, 1);
  assert_int_equal(counts.joined, 2);
  assert_int_equal(counts.lost, 2);
  ls_places_close(&places);
}

/* At the end of a run, or behind a stop, all are let go; a master that dies loses its workers. */
static void whoever_goes_behind_the_end_is_let_go(void **state) {
  struct fixture *fixture = *state;
  for (int i = 0; i < 3; ++i) {
    struct ls_places places = {0};
    const struct ls_journal_worker worker = make_worker(0, 1, "local-1");
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
    note_joined(journal, 1, &worker);
    note_event(journal, 2, LS_EVENT_SUSPENDED, 0);
    if (i < 2) note_event(journal, 3, i == 0 ? LS_EVENT_ITERATION : LS_EVENT_STOP, LS_WORKER_NONE);
    note_left(journal, 4, &worker);
    ls_journal_end(journal, "finished", 10);
    fixture_must_commit(journal);
    ls_journal_close(journal);
    read_places(fixture->path, &places);
    struct ls_places_counts counts = ls_places_at(&places, 0, 100);
    assert_int_equal(counts.left, i < 2);
    assert_int_equal(counts.lost, i == 2);
    assert_int_equal(counts.working + counts.suspended, 0);
    ls_places_close(&places);
    assert_int_equal(unlink(fixture->path), 0);
  }
}

static void a_journal_of_nobody_has_no_places(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {0};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_read_places(journal, &places, NULL), LS_OK);
  assert_int_equal(places.pools_count, 0);
  ls_places_close(&places);
  ls_journal_close(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(places_follow_from_slots_workers_and_events, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(every_worker_with_a_number_counts, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(who_said_that_it_goes_was_not_lost, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(who_comes_before_its_grant_is_not_awaited, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(whoever_goes_behind_the_end_is_let_go, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(a_journal_of_nobody_has_no_places, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
