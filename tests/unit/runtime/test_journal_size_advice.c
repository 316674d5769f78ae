#include "journal_fixture.h"

#include "runtime/journal/journal_size_advice.h"

static void append(struct ls_journal *journal, const char *words, double losses) {
  struct ls_journal_size_advice advice = {
      .grant_s = 3, .grant_first_s = 60, .losses = losses, .up_s = 100};
  ls_bytes_append_text(&advice.words, words);
  ls_journal_size_advice(journal, &advice);
  ls_bytes_close(&advice.words);
}

static void expect(struct ls_journal *journal, const char *wanted, double losses, double up_s) {
  struct ls_journal_size_advice advice = {.grant_s = 0};
  assert_int_equal(ls_journal_read_size_advice(journal, &advice, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&advice.words), wanted);
  assert_true(advice.losses == losses && advice.up_s == up_s);
  assert_true(advice.grant_s == (up_s > 0 ? 3 : 0));
  assert_true(advice.grant_first_s == (up_s > 0 ? 60 : 0));
  ls_bytes_close(&advice.words);
}

/* As one that was made before there was any advice. */
static void a_journal_without_advice_has_none(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  expect(journal, "", 0, 0);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, "", 0, 0);
  ls_journal_close(journal);
}

/* Each session saw other losses. */
static void the_last_words_count_and_the_losses_of_all(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  append(journal, "4 workers", 7);
  append(journal, "5 workers", 1);
  fixture_must_commit(journal);
  expect(journal, "5 workers", 1, 100);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  append(journal, "6 workers", 2);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, "6 workers", 3, 200);
  ls_journal_close(journal);
}

static void what_is_not_committed_is_gone(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  append(journal, "4 workers", 1);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, "", 0, 0);
  ls_journal_close(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_journal_without_advice_has_none, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(the_last_words_count_and_the_losses_of_all, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(what_is_not_committed_is_gone, fixture_setup,
                                      fixture_teardown)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
