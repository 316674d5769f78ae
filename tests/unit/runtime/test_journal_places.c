/* Who was there, and when, as the events, workers and slots of a journal tell it. */
#include "journal_fixture.h"

#include "runtime/journal_places.h"
#include "runtime/journal_slots.h"

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

/* Three of this machine and a job: one is released, one goes when told, one is lost while it is
 * away, one stays; and one of the two of the job never comes. */
static void write_run(const char *path) {
  static const struct ls_journal_worker workers[] = {
      {.worker = 0, .slot = 1, .name = "local-1", .joined_s = 0, .left_s = 8, .price_per_s = 1},
      {.worker = 1, .slot = 2, .name = "local-2", .joined_s = 0, .left_s = 7, .price_per_s = 1},
      {.worker = 2, .slot = 3, .name = "n1-99-1", .joined_s = 3, .left_s = 6, .price_per_s = 1},
      {.worker = 3,
       .slot = 5,
       .name = "me",
       .joined_s = 4,
       .left_s = (double)NAN,
       .price_per_s = 1}};
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_NEW);
  for (size_t i = 0; i < sizeof workers / sizeof *workers; ++i)
    ls_journal_worker(journal, &workers[i]);
  note_slot(journal, 1, 0, "pending");
  note_slot(journal, 2, 3, "granted");
  note_slot(journal, 2, 4, "granted");
  note_event(journal, 4, LS_EVENT_SUSPENDED, 0);
  note_event(journal, 4.5, LS_EVENT_RESUMED, 0);
  note_event(journal, 5, LS_EVENT_SUSPENDED, 2);
  note_event(journal, 6.5, LS_EVENT_LEAVING, 1);
  note_slot(journal, 7, 4, "ended");
  note_slot(journal, 8, 1, "released");
  note_slot(journal, 8, 0, "denied");
  ls_journal_end(journal, "finished", 10);
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

static void places_follow_from_slots_workers_and_events(void **state) {
  struct fixture *fixture = *state;
  struct ls_places places = {0};
  struct ls_error err = {0};
  write_run(fixture->path);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  enum ls_status status = ls_journal_read_places(journal, &places, &err);
  if (status != LS_OK) fail_msg("%s", err.text);
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
  ls_journal_close(journal);
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
      cmocka_unit_test_setup_teardown(a_journal_of_nobody_has_no_places, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
