#include "journal_fixture.h"

static void expect(struct ls_journal *journal, uint32_t iteration, uint64_t unit,
                   const char *wanted) {
  struct ls_bytes reason = {0};
  assert_int_equal(ls_journal_read_reason(journal, iteration, unit, &reason, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&reason), wanted);
  ls_bytes_close(&reason);
}

static void the_latest_reason_of_a_unit_is_kept(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_journal_reason(journal, 0, 3, "first");
  ls_journal_reason(journal, 1, 3, "of another iteration");
  ls_journal_reason(journal, 0, 3, "last\xff");
  fixture_must_commit(journal);
  expect(journal, 0, 3, "last\xff");
  expect(journal, 1, 3, "of another iteration");
  expect(journal, 0, 4, "");
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, 0, 3, "last\xff");
  ls_journal_close(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_latest_reason_of_a_unit_is_kept, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
