/* A table that is made when it is needed: without rows until then, and its failures are the
 * journal's. */
#include "journal_fixture.h"

#include "runtime/journal/journal_private.h"

static void bind_number(const struct ls_journal *journal, const void *item, sqlite3_stmt *row) {
  (void)journal;
  ls_journal_bind(row, 1, *(const uint64_t *)item);
}

static const struct ls_journal_side numbers = {
    .make_sql = "CREATE TABLE IF NOT EXISTS numbers (number INTEGER)",
    .find_sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'numbers'",
    .add_sql = "INSERT INTO numbers VALUES (?1)",
    .read_sql = "SELECT number FROM numbers ORDER BY number",
    .bind = bind_number};

/* Adds the numbers up, and refuses 7. */
static enum ls_status add_up(struct ls_journal *journal, sqlite3_stmt *row, void *context,
                             struct ls_error *err) {
  int64_t number = sqlite3_column_int64(row, 0);
  if (number == 7) return ls_fail(err, LS_ECORRUPT, "%s: 7", journal->path);
  *(int64_t *)context += number;
  return LS_OK;
}

static void rows_are_visited_until_one_is_refused(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_error err = {0};
  int64_t sum = 0;
  assert_int_equal(ls_journal_side_each(journal, &numbers, add_up, &sum, &err), LS_OK);
  assert_int_equal(sum, 0);
  for (uint64_t number = 5; number < 9; number++) ls_journal_side_add(journal, &numbers, &number);
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_side_each(journal, &numbers, add_up, &sum, &err), LS_ECORRUPT);
  assert_int_equal(sum, 5 + 6);
  assert_non_null(strstr(err.text, fixture->path));
  ls_journal_close(journal);
}

static void a_row_that_cannot_be_added_fails_the_commit(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_journal_side broken = numbers;
  struct ls_error err = {0};
  const uint64_t number = 1;
  broken.add_sql = "INSERT INTO nowhere VALUES (?1)";
  ls_journal_side_add(journal, &broken, &number);
  assert_int_not_equal(ls_journal_commit(journal, &err), LS_OK);
  assert_non_null(strstr(err.text, fixture->path));
  ls_journal_close(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(rows_are_visited_until_one_is_refused, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(a_row_that_cannot_be_added_fails_the_commit, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
