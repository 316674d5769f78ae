#include "journal_heard.h"
#include "runtime/journal/journal_private.h"

static struct fixture_results results;

static void what_is_committed_is_read_back_exactly(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 6);
  struct ls_journal_result one = fixture_result(7);
  one = (struct ls_journal_result){.iteration = 3,
                                   .units = {.first = 1ull << 40, .count = 12},
                                   .outcome = LS_OUTCOME_FAILED,
                                   .worker = 5,
                                   .slot = 6,
                                   .attempt = 4,
                                   .chunk = 99,
                                   .has_timed_out = true,
                                   .exit_code = 255,
                                   .signal = 15,
                                   .usage = {0.1, 0.2 + 0.1, 1ull << 40},
                                   .start_s = 0.1 + 0.2,
                                   .seconds = 1e-17,
                                   .compute_s = 1.0 / 3,
                                   .stage_s = 0.1,
                                   .lead_s = 0.3,
                                   .exposed_s = 0.1 + 0.7,
                                   .output_bytes = 1ull << 33,
                                   .error_bytes = 2};
  ls_journal_result(journal, &one);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 1);
  const struct ls_journal_result *got = &results.items[0];
  assert_int_equal(got->iteration, 3);
  assert_true(got->units.first == 1ull << 40 && got->units.count == 12);
  assert_int_equal(got->outcome, LS_OUTCOME_FAILED);
  assert_true(got->worker == 5 && got->slot == 6 && got->attempt == 4 && got->chunk == 99);
  assert_true(got->has_timed_out && got->exit_code == 255 && got->signal == 15);
  assert_memory_equal(&got->usage, &one.usage, sizeof one.usage);
  assert_memory_equal(&got->start_s, &one.start_s, sizeof(double));
  assert_memory_equal(&got->seconds, &one.seconds, sizeof(double));
  assert_memory_equal(&got->compute_s, &one.compute_s, sizeof(double));
  assert_memory_equal(&got->stage_s, &one.stage_s, sizeof(double));
  assert_memory_equal(&got->lead_s, &one.lead_s, sizeof(double));
  assert_memory_equal(&got->exposed_s, &one.exposed_s, sizeof(double));
  assert_true(got->output_bytes == 1ull << 33 && got->error_bytes == 2);
  ls_journal_close(journal);
}

static void a_result_of_nobody_stays_of_nobody(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_journal_result result = fixture_result(0);
  result.worker = UINT32_MAX;
  result.outcome = LS_OUTCOME_GIVEN_UP;
  result.start_s = (double)NAN;
  ls_journal_result(journal, &result);
  fixture_must_commit(journal);
  fixture_read(journal, &results);
  assert_int_equal(results.items[0].worker, UINT32_MAX);
  assert_true(isnan(results.items[0].start_s));
  ls_journal_close(journal);
}

/* One end of work: the row that both an event and a result or attempt become; the worker by its
 * number in the run. */
static struct ls_journal_result end_one(struct ls_journal *journal, const struct ls_event *event,
                                        uint32_t worker, bool is_settled) {
  const struct ls_event_result *end = &event->result;
  struct ls_journal_result row = {
      .units = end->units,
      .outcome = end->outcome == LS_OUTCOME_DONE ? LS_OUTCOME_DONE : LS_OUTCOME_FAILED,
      .worker = worker,
      .slot = event->worker + 1,
      .attempt = 1,
      .chunk = end->chunk,
      .has_timed_out = end->outcome == LS_OUTCOME_TIMED_OUT,
      .start_s = event->now_s - end->seconds,
      .seconds = end->seconds,
      .compute_s = end->latest_count > 0 ? end->latest[0] : end->seconds};
  ls_journal_event(journal, event);
  if (is_settled)
    ls_journal_result(journal, &row);
  else
    ls_journal_attempt(journal, &row);
  return row;
}

/* What a replay and a report read of one row is what the two were, to the last bit. */
static void an_end_is_one_row_and_comes_back_as_both(void **state) {
  struct fixture *fixture = *state;
  static struct heard heard;
  static const double times[] = {0.1, 1.0 / 3};
  const struct ls_event_result ends[] = {
      {.chunk = 4,
       .units = {7, 1},
       .seconds = 0.1,
       .squares = 0.1 * 0.1,
       .latest = times,
       .latest_count = 1},
      {.chunk = 5,
       .units = {8, 1},
       .seconds = 0.3,
       .squares = 0.1 * 0.1,
       .latest = times,
       .latest_count = 1,
       .is_whole = true},
      {.chunk = 6,
       .units = {9, 5},
       .seconds = 0.7,
       .squares = 0.2,
       .latest = times,
       .latest_count = 2},
      {.chunk = 7, .units = {14, 5}, .seconds = 0.7},
      {.chunk = 8, .units = {19, 1}, .seconds = 5, .outcome = LS_OUTCOME_TIMED_OUT},
      {.chunk = 9, .units = {20, 1}, .seconds = 5, .outcome = LS_OUTCOME_FAILED}};
  enum { COUNT = sizeof ends / sizeof *ends };
  for (unsigned session = 0; session < 2; session++) {
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
    fixture_join(journal, 4 * (session + 1));
    struct ls_journal_result rows[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
      struct ls_event event = {
          .kind = LS_EVENT_RESULT, .worker = 3, .now_s = 10.1 + (double)i, .result = ends[i]};
      rows[i] = end_one(journal, &event, 3 + 4 * session, i + 1 < COUNT);
      fixture_send(journal, 3, 50 + i, (struct ls_range){i, 1});
    }
    ls_journal_end(journal, "stopped", 100);
    fixture_must_commit(journal);
    int64_t others = 1;
    assert_int_equal(ls_journal_number(journal, "SELECT count(*) FROM heard", &others, NULL),
                     LS_OK);
    assert_int_equal(others, 0);
    hear(journal, session, &heard);
    assert_int_equal(heard.events_count, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
      const struct ls_event_result *got = &heard.events[i].result, *put = &ends[i];
      double now_s = 10.1 + (double)i;
      assert_memory_equal(&heard.events[i].now_s, &now_s, sizeof now_s);
      assert_true(got->chunk == put->chunk && got->units.first == put->units.first &&
                  got->units.count == put->units.count && got->outcome == put->outcome);
      assert_true(got->is_whole == put->is_whole && got->latest_count == put->latest_count);
      assert_memory_equal(&got->seconds, &put->seconds, sizeof got->seconds);
      assert_memory_equal(&got->squares, &put->squares, sizeof got->squares);
      if (put->latest_count > 0)
        assert_memory_equal(got->latest, put->latest, put->latest_count * sizeof *put->latest);
      assert_int_equal(heard.sends_of[i], 1);
    }
    fixture_read(journal, &results);
    assert_int_equal(results.count, (session + 1) * (COUNT - 1));
    const struct ls_journal_result *last = &results.items[session * (COUNT - 1)];
    assert_int_equal(last->chunk, 4 + session * 56);
    double start_s = rows[0].start_s + 100.0 * session;
    assert_memory_equal(&last->start_s, &start_s, sizeof start_s);
    ls_journal_close(journal);
  }
}

/* A RESULT that settles nothing, a part of itself, or that is dropped stays an event. */
static void an_end_that_is_not_its_result_is_two_rows(void **state) {
  struct fixture *fixture = *state;
  static struct heard heard;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  struct ls_event event = {.kind = LS_EVENT_RESULT,
                           .worker = 1,
                           .now_s = 2,
                           .result = {.chunk = 3, .units = {0, 4}, .seconds = 1}};
  struct ls_journal_result row = {.units = {0, 2}, .worker = 1, .chunk = 3, .seconds = 1};
  ls_journal_event(journal, &event);
  ls_journal_result(journal, &row);
  row.units.first = 2;
  ls_journal_result(journal, &row);
  event.result.outcome = LS_OUTCOME_CANCELLED;
  ls_journal_event(journal, &event);
  event.result.chunk = LS_CHUNK_NONE;
  event.result.outcome = LS_OUTCOME_DONE;
  ls_journal_event(journal, &event);
  row = (struct ls_journal_result){
      .units = {0, 4}, .worker = 1, .chunk = LS_CHUNK_NONE, .seconds = 1};
  ls_journal_result(journal, &row);
  fixture_must_commit(journal);
  hear(journal, 0, &heard);
  assert_int_equal(heard.events_count, 3);
  assert_int_equal(heard.events[0].result.units.count, 4);
  assert_int_equal(heard.events[1].result.outcome, LS_OUTCOME_CANCELLED);
  assert_true(heard.events[2].result.chunk == LS_CHUNK_NONE);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 3);
  assert_true(results.items[0].units.first == 0 && results.items[1].units.first == 2);
  assert_true(results.items[2].chunk == LS_CHUNK_NONE);
  ls_journal_close(journal);
}

/* A repeated unit leaves the event of its first end to replays. */
static void a_reopened_result_is_still_heard(void **state) {
  struct fixture *fixture = *state;
  static struct heard heard;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_event event = {
      .kind = LS_EVENT_RESULT,
      .worker = 1,
      .now_s = 2,
      .result = {.chunk = 3, .units = {0, 1}, .outcome = LS_OUTCOME_FAILED, .seconds = 1}};
  end_one(journal, &event, 1, true);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME_FAILED);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 0);
  hear(journal, 0, &heard);
  assert_int_equal(heard.events_count, 1);
  assert_int_equal(heard.events[0].result.outcome, LS_OUTCOME_FAILED);
  ls_journal_close(journal);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(what_is_committed_is_read_back_exactly),
      TEST(a_result_of_nobody_stays_of_nobody),
      TEST(an_end_is_one_row_and_comes_back_as_both),
      TEST(an_end_that_is_not_its_result_is_two_rows),
      TEST(a_reopened_result_is_still_heard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
