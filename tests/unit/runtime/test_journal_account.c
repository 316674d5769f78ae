#include "journal_fixture.h"

#include "runtime/journal/journal_account.h"

static void expect(struct ls_journal *journal, const char *wanted) {
  struct ls_bytes document = {0};
  assert_int_equal(ls_journal_read_account(journal, &document, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&document), wanted);
  ls_bytes_close(&document);
}

/* As one that was made before there were any documents. */
static void a_journal_without_a_document_has_none(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  expect(journal, "");
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, "");
  ls_journal_close(journal);
}

static void the_last_document_of_the_last_session_counts(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_journal_account(journal, "{\"a\": 1}");
  ls_journal_account(journal, "{\"a\": 2}");
  fixture_must_commit(journal);
  expect(journal, "{\"a\": 2}");
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  expect(journal, "{\"a\": 2}");
  ls_journal_account(journal, "{\"a\": 3}");
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, "{\"a\": 3}");
  ls_journal_close(journal);
}

static void what_is_not_committed_is_gone(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_journal_account(journal, "{\"a\": 1}");
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, "");
  ls_journal_close(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_journal_without_a_document_has_none, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(the_last_document_of_the_last_session_counts, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(what_is_not_committed_is_gone, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
