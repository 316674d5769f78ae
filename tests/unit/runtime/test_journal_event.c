#include "journal_heard.h"

/* A worker that beats for days must not fill the disk; what is decided from its silence must still
 * come out the same. */
static void only_heartbeats_that_decide_are_recorded(void **state) {
  struct fixture *fixture = *state;
  static struct heard heard;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  for (int beat = 0; beat < 1000; beat++) add_event(journal, LS_EVENT_HEARTBEAT, 1, beat);
  add_event(journal, LS_EVENT_HEARTBEAT, 0, 1000);
  struct ls_event result = {
      .kind = LS_EVENT_RESULT, .worker = 0, .now_s = 1001, .result = {.units = {0, 1}}};
  ls_journal_event(journal, &result);
  add_event(journal, LS_EVENT_TIMER, 0, 1002);
  add_event(journal, LS_EVENT_HEARTBEAT, 1, 1003);
  fixture_send(journal, 1, 0, (struct ls_range){0, 1});
  add_event(journal, LS_EVENT_HEARTBEAT, 1, 1004);
  fixture_must_commit(journal);
  hear(journal, 0, &heard);
  const enum ls_event_kind kinds[] = {LS_EVENT_HEARTBEAT, LS_EVENT_RESULT, LS_EVENT_TIMER,
                                      LS_EVENT_HEARTBEAT};
  const double times_s[] = {999, 1001, 1002, 1003};
  assert_int_equal(heard.events_count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(heard.events[i].kind, kinds[i]);
    assert_memory_equal(&heard.events[i].now_s, &times_s[i], sizeof(double));
  }
  assert_int_equal(heard.sends_of[3], 1);
  ls_journal_close(journal);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(only_heartbeats_that_decide_are_recorded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
