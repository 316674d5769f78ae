#include "journal_heard.h"

static void assert_same_real(const double *got, const double *put) {
  assert_memory_equal(got, put, sizeof *got);
}

static void assert_same_needs(const struct ls_event_need *got, const struct ls_event_need *put,
                              size_t count) {
  for (size_t i = 0; i < count; i++) {
    assert_memory_equal(&got[i].units, &put[i].units, sizeof put[i].units);
    assert_string_equal(got[i].label, put[i].label);
  }
}

/* What the event says by its kind. */
static void assert_same_content(const struct ls_event *got, const struct ls_event *put) {
  const struct ls_event_result *got_result = &got->result, *put_result = &put->result;
  switch (put->kind) {
    case LS_EVENT_READY:
      assert_int_equal(got->ready_units, put->ready_units);
      break;
    case LS_EVENT_RESULT:
      assert_int_equal(got_result->chunk, put_result->chunk);
      assert_int_equal(got_result->units.first, put_result->units.first);
      assert_int_equal(got_result->units.count, put_result->units.count);
      assert_int_equal(got_result->outcome, put_result->outcome);
      assert_true(got_result->is_whole == put_result->is_whole);
      assert_same_real(&got_result->seconds, &put_result->seconds);
      assert_same_real(&got_result->squares, &put_result->squares);
      assert_int_equal(got_result->latest_count, put_result->latest_count);
      for (size_t i = 0; i < put_result->latest_count; i++)
        assert_same_real(&got_result->latest[i], &put_result->latest[i]);
      break;
    case LS_EVENT_JOINED:
      assert_same_real(&got->joined.lifetime_s, &put->joined.lifetime_s);
      assert_int_equal(got->joined.place, put->joined.place);
      assert_true(got->joined.has_lifeline == put->joined.has_lifeline);
      assert_true(got->joined.lease == put->joined.lease);
      assert_string_equal(got->joined.labels != NULL ? got->joined.labels : "",
                          put->joined.labels != NULL ? put->joined.labels : "");
      assert_int_equal(got->joined.held_count, put->joined.held_count);
      assert_memory_equal(got->joined.held, put->joined.held,
                          put->joined.held_count * sizeof *put->joined.held);
      break;
    case LS_EVENT_HEARTBEAT:
      assert_same_real(&got->answer_s, &put->answer_s);
      assert_same_real(&got->send_s, &put->send_s);
      break;
    case LS_EVENT_SUSPENDED:
      assert_true(got->suspended.reason == put->suspended.reason);
      assert_true(got->suspended.is_vacated == put->suspended.is_vacated);
      break;
    case LS_EVENT_RESUMED:
      assert_true(got->resumed.is_told == put->resumed.is_told);
      assert_int_equal(got->resumed.held_count, put->resumed.held_count);
      for (size_t i = 0; i < put->resumed.held_count; i++)
        assert_memory_equal(&got->resumed.held[i], &put->resumed.held[i],
                            sizeof *put->resumed.held);
      break;
    case LS_EVENT_ADDED:
      assert_int_equal(got->added.units, put->added.units);
      assert_true(got->added.is_last == put->added.is_last);
      assert_int_equal(got->added.needs_count, put->added.needs_count);
      assert_same_needs(got->added.needs, put->added.needs, put->added.needs_count);
      break;
    case LS_EVENT_LOST:
      assert_int_equal(got->lost, put->lost);
      break;
    case LS_EVENT_GRANTED:
      assert_int_equal(got->granted, put->granted);
      break;
    case LS_EVENT_ADVICE:
      assert_int_equal(got->advice.policy, put->advice.policy);
      assert_int_equal(got->advice.prefetch, put->advice.prefetch);
      assert_int_equal(got->advice.workers, put->advice.workers);
      assert_same_real(&got->advice.heartbeat_s, &put->advice.heartbeat_s);
      break;
    case LS_EVENT_ITERATION:
      assert_int_equal(got->iteration_units, put->iteration_units);
      assert_true(got->is_incomplete == put->is_incomplete);
      assert_int_equal(got->needs_count, put->needs_count);
      assert_same_needs(got->needs, put->needs, put->needs_count);
      assert_int_equal(got->idle_count, put->idle_count);
      for (size_t i = 0; i < put->idle_count; i++)
        assert_memory_equal(&got->idle[i], &put->idle[i], sizeof *put->idle);
      break;
    case LS_EVENT_STOP:
      assert_true(got->is_hard == put->is_hard);
      break;
    default:
      break;
  }
}

static void every_field_of_an_event_comes_back_exactly(void **state) {
  struct fixture *fixture = *state;
  static struct heard heard;
  static const double times[] = {5e-324, 0.1, 1.0 / 3};
  static const struct ls_range idle[] = {{0, 7}, {1ull << 49, 1ull << 40}};
  static const struct ls_event_need needs[] = {
      {{7, 1}, "gpu"}, {{9, 1ull << 40}, "gpu"}, {{1ull << 41, 2}, "0-3"}};
  static const struct ls_event_held held[] = {{17, {5, 6}}, {UINT64_MAX - 1, {1ull << 60, 1}}};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  const struct ls_event events[] = {
      {.kind = LS_EVENT_JOINED,
       .worker = 1,
       .now_s = 0.1,
       .joined = {.lifetime_s = 3600.1,
                  .place = UINT64_MAX,
                  .lease = 7,
                  .has_lifeline = true,
                  .labels = "a100,gpu",
                  .held = held + 1,
                  .held_count = 1}},
      {.kind = LS_EVENT_JOINED, .worker = 2, .now_s = 0.1, .joined = {.lifetime_s = HUGE_VAL}},
      {.kind = LS_EVENT_READY, .worker = 1, .now_s = 0.2, .ready_units = 9},
      {.kind = LS_EVENT_RESULT,
       .worker = 1,
       .now_s = 1.0 / 3,
       .result = {.chunk = 17,
                  .units = {5, 6},
                  .outcome = LS_OUTCOME_TIMED_OUT,
                  .seconds = 0.1,
                  .squares = 0.7e-300,
                  .latest = times,
                  .latest_count = 3}},
      {.kind = LS_EVENT_ADVICE,
       .worker = UINT32_MAX,
       .now_s = 2,
       .advice = {.policy = 2, .prefetch = 4, .workers = 8}},
      {.kind = LS_EVENT_ADVICE,
       .worker = UINT32_MAX,
       .now_s = 2.25,
       .advice = {.heartbeat_s = 3.125}},
      {.kind = LS_EVENT_GRANTED, .now_s = 2.5, .granted = 6},
      {.kind = LS_EVENT_ITERATION, .now_s = 3, .iteration_units = 1ull << 50},
      {.kind = LS_EVENT_ITERATION, .now_s = 3, .iteration_units = 0, .is_incomplete = true},
      {.kind = LS_EVENT_ITERATION,
       .now_s = 3,
       .iteration_units = 1ull << 50,
       .idle = idle,
       .idle_count = 2,
       .needs = needs,
       .needs_count = 3},
      {.kind = LS_EVENT_ADDED,
       .now_s = 3,
       .added = {.units = 5, .needs = needs + 2, .needs_count = 1}},
      {.kind = LS_EVENT_ADDED, .now_s = 3, .added = {.is_last = true}},
      {.kind = LS_EVENT_HEARTBEAT, .worker = 1, .now_s = 3.1, .answer_s = 0.1, .send_s = 7.5},
      {.kind = LS_EVENT_HEARTBEAT, .worker = 1, .now_s = 3.1, .speed = 1.0 / 3},
      {.kind = LS_EVENT_HEARTBEAT, .worker = 1, .now_s = 3.1, .speed = 2},
      {.kind = LS_EVENT_SUSPENDED, .worker = 1, .now_s = 3.2, .suspended = {LS_AWAY_CUT, true}},
      {.kind = LS_EVENT_RESUMED,
       .worker = 1,
       .now_s = 3.3,
       .resumed = {.held = held, .held_count = 2, .is_told = true}},
      {.kind = LS_EVENT_RESUMED, .worker = 1, .now_s = 3.4},
      {.kind = LS_EVENT_RESULT,
       .worker = 1,
       .now_s = 3.5,
       .result = {.chunk = LS_CHUNK_NONE, .units = {5, 6}, .is_whole = true}},
      {.kind = LS_EVENT_LOST, .worker = 1, .now_s = 3.6, .lost = LS_LOSS_NEVER_CAME},
      {.kind = LS_EVENT_STOP, .is_hard = true, .now_s = 4},
  };
  size_t count = sizeof events / sizeof *events;
  for (size_t i = 0; i < count; i++) ls_journal_event(journal, &events[i]);
  fixture_must_commit(journal);
  hear(journal, 0, &heard);
  assert_int_equal(heard.events_count, count);
  for (size_t i = 0; i < count; i++) {
    const struct ls_event *got = &heard.events[i], *put = &events[i];
    assert_true(got->kind == put->kind && got->worker == put->worker);
    assert_memory_equal(&got->now_s, &put->now_s, sizeof(double));
    assert_same_content(got, put);
  }
  ls_journal_close(journal);
}

static void decisions_come_with_the_event_that_caused_them(void **state) {
  struct fixture *fixture = *state;
  static struct heard heard;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  add_event(journal, LS_EVENT_ITERATION, 0, 0);
  add_event(journal, LS_EVENT_READY, 0, 1);
  struct ls_range ranges[] = {{0, 2}, {4, 1}, {9, 3}};
  struct ls_actions actions = {.ranges = ranges, .ranges_count = 3};
  struct ls_action scattered = {
      .kind = LS_ACTION_SEND, .worker = 0, .send = {.chunk = 0, .ranges_count = 3}};
  ls_journal_decision(journal, &actions, &scattered);
  fixture_send(journal, 1, 1, (struct ls_range){20, 5});
  add_event(journal, LS_EVENT_TIMER, 0, 2);
  add_event(journal, LS_EVENT_READY, 1, 3);
  fixture_send(journal, 1, 2, (struct ls_range){30, 1});
  fixture_must_commit(journal);
  hear(journal, 0, &heard);
  const size_t expected[] = {0, 2, 0, 1};
  assert_int_equal(heard.events_count, 4);
  assert_memory_equal(heard.sends_of, expected, sizeof expected);
  assert_int_equal(heard.sends[0].send.ranges_count, 3);
  assert_true(heard.sends[1].worker == 1 && heard.sends[1].send.chunk == 1);
  assert_true(heard.sends[2].send.chunk == 2);
  assert_memory_equal(heard.ranges, ranges, sizeof ranges);
  assert_true(heard.ranges[4].first == 30 && heard.ranges[4].count == 1);
  ls_journal_close(journal);
}

/* A replay sees a session's own numbers, whatever went before it. */
static void each_session_replays_in_its_own_numbers(void **state) {
  struct fixture *fixture = *state;
  static struct heard heard;
  for (unsigned session = 0; session < 3; session++) {
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
    add_event(journal, LS_EVENT_JOINED, 0, 0.5);
    add_event(journal, LS_EVENT_JOINED, 1, 0.5);
    fixture_send(journal, 1, 0, (struct ls_range){session, 1});
    struct ls_event result = {
        .kind = LS_EVENT_RESULT, .worker = 1, .now_s = 2, .result = {.units = {0, 1}}};
    ls_journal_event(journal, &result);
    fixture_must_commit(journal);
    ls_journal_close(journal);
  }
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  for (uint32_t session = 0; session < 3; session++) {
    hear(journal, session, &heard);
    assert_int_equal(heard.events_count, 3);
    assert_int_equal(heard.events[1].worker, 1);
    assert_int_equal(heard.events[2].result.chunk, 0);
    assert_int_equal(heard.sends_count, 1);
    assert_true(heard.sends[0].worker == 1 && heard.sends[0].send.chunk == 0);
    assert_int_equal(heard.ranges[0].first, session);
  }
  struct ls_error err = {0};
  assert_int_equal(ls_journal_each_event(journal, 3, on_event, &heard, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "no session 3"));
  ls_journal_close(journal);
}

/* Numbers that no kind of event has, and lists of half an item; found by a fuzzer. */
static void an_event_that_makes_no_sense_is_damage(void **state) {
  struct fixture *fixture = *state;
  static const char *const damages[] = {"UPDATE heard SET outcome = 5 WHERE kind = 5",
                                        "UPDATE heard SET outcome = 4 WHERE kind = 6",
                                        "UPDATE heard SET outcome = -1 WHERE kind = 5",
                                        "UPDATE heard SET kind = 16 WHERE kind = 5",
                                        "UPDATE heard SET latest = zeroblob(23) WHERE kind = 0",
                                        "UPDATE heard SET latest = zeroblob(24) WHERE kind = 7",
                                        "UPDATE heard SET latest = x'ffffffffffffffff' || "
                                        "x'ffffffffffffffff' || x'0200000000000000' "
                                        "WHERE kind = 7",
                                        "UPDATE heard SET latest = zeroblob(17) WHERE kind = 12",
                                        "UPDATE heard SET latest = zeroblob(9) WHERE kind = 11",
                                        "UPDATE heard SET labels = 'gpu' WHERE kind = 12",
                                        "UPDATE heard SET labels = 'gpu big' WHERE kind = 12",
                                        "UPDATE heard SET labels = '0+3' WHERE kind = 12",
                                        "UPDATE heard SET labels = 'gpu 3+0' WHERE kind = 12"};
  static const struct ls_event_held held[] = {{17, {5, 6}}};
  static const struct ls_range idle[] = {{0, 7}};
  const struct ls_event events[] = {
      {.kind = LS_EVENT_ITERATION, .iteration_units = 9, .idle = idle, .idle_count = 1},
      {.kind = LS_EVENT_JOINED, .joined = {.held = held, .held_count = 1}},
      {.kind = LS_EVENT_SUSPENDED, .suspended = {LS_AWAY_CUT, true}},
      {.kind = LS_EVENT_RESUMED, .resumed = {.held = held, .held_count = 1}},
      {.kind = LS_EVENT_TIMER},
      {.kind = LS_EVENT_LOST, .lost = LS_LOSS_NEVER_CAME}};
  for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
    static struct heard heard;
    struct ls_error err = {0};
    (void)unlink(fixture->path);
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
      ls_journal_event(journal, &events[k]);
    fixture_must_commit(journal);
    ls_journal_close(journal);
    fixture_run_sql(fixture->path, damages[i]);
    assert_int_equal(fixture_open(fixture->path, LS_JOURNAL_READ, NULL, &journal, &err), LS_OK);
    heard = (struct heard){0};
    if (ls_journal_each_event(journal, 0, on_event, &heard, &err) != LS_ECORRUPT)
      fail_msg("%s: is taken", damages[i]);
    assert_non_null(strstr(err.text, fixture->path));
    ls_journal_close(journal);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(every_field_of_an_event_comes_back_exactly),
      TEST(an_event_that_makes_no_sense_is_damage),
      TEST(decisions_come_with_the_event_that_caused_them),
      TEST(each_session_replays_in_its_own_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
