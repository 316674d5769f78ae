#include "journal_fixture.h"

#include "runtime/journal/journal_sent.h"

static void send(struct ls_journal *journal, struct ls_range *ranges, size_t count,
                 uint64_t chunk) {
  struct ls_action send = {.kind = LS_ACTION_SEND,
                           .worker = 0,
                           .send = {.chunk = chunk, .first_range = 0, .ranges_count = count}};
  const struct ls_actions actions = {
      .items = &send, .count = 1, .ranges = ranges, .ranges_count = count};
  for (size_t i = 0; i < count; ++i) send.send.units += ranges[i].count;
  ls_journal_decision(journal, &actions, &send);
}

/* Sent in any order, in parts, and again. */
static void what_was_sent_is_known(void **state) {
  const struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_range first[] = {{10, 5}}, second[] = {{0, 4}, {30, 1}}, third[] = {{12, 8}};
  struct ls_ranges sent = {0};
  send(journal, first, 1, 0);
  send(journal, second, 2, 1);
  send(journal, third, 1, 2);
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_read_sent(journal, &sent, NULL), LS_OK);
  ls_journal_close(journal);
  for (uint64_t unit = 0; unit < 40; ++unit) {
    bool was_sent = unit < 4 || (unit >= 10 && unit < 20) || unit == 30;
    assert_int_equal(ls_journal_was_sent(&sent, (struct ls_range){unit, 1}), was_sent);
  }
  assert_true(ls_journal_was_sent(&sent, (struct ls_range){10, 10}));
  assert_false(ls_journal_was_sent(&sent, (struct ls_range){10, 11}));
  assert_false(ls_journal_was_sent(&sent, (struct ls_range){3, 2}));
  assert_false(ls_journal_was_sent(&sent, (struct ls_range){11, UINT64_MAX - 11}));
  ls_ranges_close(&sent);
}

static void nothing_was_sent_by_a_new_journal(void **state) {
  const struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_ranges sent = {0};
  assert_int_equal(ls_journal_read_sent(journal, &sent, NULL), LS_OK);
  ls_journal_close(journal);
  assert_int_equal(sent.count, 0);
  assert_false(ls_journal_was_sent(&sent, (struct ls_range){0, 1}));
}

/* What is there cannot be told from what is not. */
static void a_row_that_cannot_be_read_is_no_end(void **state) {
  const struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_range range[] = {{1, 5}};
  struct ls_ranges sent = {0};
  struct ls_error err = {0};
  send(journal, range, 1, 0);
  fixture_must_commit(journal);
  fixture_run_sql(fixture->path,
                  "DROP TABLE sent; CREATE VIEW sent AS "
                  "SELECT abs(-9223372036854775807 - session) AS first, 1 AS units FROM sessions");
  assert_int_not_equal(ls_journal_read_sent(journal, &sent, &err), LS_OK);
  assert_non_null(strstr(err.text, "cannot be read"));
  ls_journal_close(journal);
  ls_ranges_close(&sent);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(what_was_sent_is_known, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(nothing_was_sent_by_a_new_journal, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(a_row_that_cannot_be_read_is_no_end, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests_name("journal_sent", tests, NULL, NULL);
}
