/* What the workers of a run are at, as its journal tells. */
#include "journal_fixture.h"

#include "runtime/journal/past/at_work.h"
#include "runtime/journal/past/history.h"

static void note_event(struct ls_journal *journal, double now_s, enum ls_event_kind kind,
                       uint32_t worker) {
  struct ls_event event = {.kind = kind, .now_s = now_s, .worker = worker};
  ls_journal_event(journal, &event);
}

static void note_end(struct ls_journal *journal, uint32_t worker, uint64_t chunk, uint64_t unit,
                     double end_s) {
  struct ls_journal_result result = fixture_result(unit);
  result.worker = worker;
  result.chunk = chunk;
  result.start_s = end_s - 0.5;
  ls_journal_result(journal, &result);
}

/* Worker 0 has three units, has done one and lost one, worker 1 has had one and lost it to a
 * cancellation, worker 2 has left with one, worker 3 has nothing. */
static struct ls_journal *write_run(const char *path) {
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_NEW);
  fixture_join(journal, 4);
  note_event(journal, 1, LS_EVENT_READY, 0);
  fixture_send(journal, 0, 0, (struct ls_range){0, 3});
  note_event(journal, 1.25, LS_EVENT_READY, 1);
  fixture_send(journal, 1, 1, (struct ls_range){3, 1});
  fixture_send(journal, 1, 2, (struct ls_range){4, 2});
  note_event(journal, 1.5, LS_EVENT_READY, 2);
  fixture_send(journal, 2, 3, (struct ls_range){6, 1});
  note_end(journal, 0, 0, 0, 2);
  note_end(journal, 3, 9, 3, 2.5); /* the unit of worker 1 was done elsewhere */
  /* The last unit of worker 0 is taken back while its second one runs. */
  struct ls_event back = {.kind = LS_EVENT_RESULT, .now_s = 2.5, .worker = 0};
  back.result.chunk = 0;
  back.result.units = (struct ls_range){2, 1};
  back.result.outcome = LS_OUTCOME_CANCELLED;
  ls_journal_event(journal, &back);
  ls_journal_worker(journal,
                    &(struct ls_journal_worker){
                        .worker = 2, .slot = 3, .name = "", .left_s = 3, .price_per_s = 1});
  fixture_must_commit(journal);
  return journal;
}

static void each_worker_is_at_the_first_unit_that_has_not_ended(void **state) {
  struct fixture *fixture = *state;
  struct ls_error err = {0};
  struct ls_journal *master = write_run(fixture->path);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  struct ls_at_work work;
  if (ls_at_work_read(journal, &work, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(work.count, 2);
  assert_int_equal(work.tasks[0].worker, 0);
  assert_int_equal(work.tasks[0].unit, 1);
  assert_int_equal(work.tasks[0].waiting, 0);
  assert_near(work.tasks[0].since_s, 2, 1e-9);
  assert_false(work.tasks[0].is_first);
  assert_int_equal(work.tasks[1].worker, 1);
  assert_int_equal(work.tasks[1].unit, 4);
  assert_int_equal(work.tasks[1].waiting, 1);
  assert_near(work.tasks[1].since_s, 1.25, 1e-9);
  assert_true(work.tasks[1].is_first);
  assert_true(work.now_s >= 2.5);
  ls_at_work_close(&work);
  ls_journal_close(journal);
  ls_journal_close(master);
}

static void a_reading_of_a_run_that_goes_on_shows_what_runs(void **state) {
  struct fixture *fixture = *state;
  struct ls_error err = {0};
  struct ls_journal *master = write_run(fixture->path);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  struct ls_history history;
  size_t running = 0;
  if (ls_history_read(journal, NULL, &history, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(history.timeline.spans_count, 2);
  if (ls_history_to_now(journal, &history, &err) != LS_OK) fail_msg("%s", err.text);
  assert_true(history.is_running);
  for (size_t i = 0; i < history.timeline.spans_count; i++) {
    const struct ls_span *span = &history.timeline.spans[i];
    running += span->is_running;
    assert_int_equal(span->task > 0, 1);
    if (span->is_running) assert_near(span->end_s, history.timeline.makespan_s, 1e-9);
  }
  assert_int_equal(running, 2);
  ls_history_close(&history);
  ls_journal_close(journal);
  ls_journal_close(master);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(each_worker_is_at_the_first_unit_that_has_not_ended,
                                      fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(a_reading_of_a_run_that_goes_on_shows_what_runs,
                                      fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
