#include "journal_fixture.h"

#include "runtime/journal/journal_private.h"

static void what_sqlite_says_is_one_of_our_failures(void **state) {
  (void)state;
  static const struct {
    int code;
    enum ls_status status;
  } codes[] = {{SQLITE_NOTADB, LS_EINVAL},    {SQLITE_CANTOPEN, LS_EINVAL},
               {SQLITE_PERM, LS_EINVAL},      {SQLITE_READONLY_DIRECTORY, LS_EINVAL},
               {SQLITE_CORRUPT, LS_ECORRUPT}, {SQLITE_CORRUPT_INDEX, LS_ECORRUPT},
               {SQLITE_NOMEM, LS_ENOMEM},     {SQLITE_BUSY, LS_EBUSY},
               {SQLITE_LOCKED, LS_EBUSY},     {SQLITE_FULL, LS_EIO},
               {SQLITE_IOERR_WRITE, LS_EIO},  {SQLITE_ERROR, LS_EIO}};
  struct ls_journal journal = {.path = (char *)"some/journal", .lock_file = -1};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_journal_refuse(&journal, codes[i].code, "cannot be read", &err),
                     codes[i].status);
    assert_non_null(strstr(err.text, "some/journal: "));
  }
}

static void one_number_is_read_and_nothing_counts_as_zero(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_error err = {0};
  int64_t number = 7;
  assert_int_equal(ls_journal_number(journal, "SELECT 40 + 2", &number, NULL), LS_OK);
  assert_int_equal(number, 42);
  assert_int_equal(ls_journal_number(journal, "SELECT NULL", &number, NULL), LS_OK);
  assert_int_equal(number, 0);
  number = 7;
  assert_int_equal(ls_journal_number(journal, "SELECT 1 WHERE 0", &number, NULL), LS_OK);
  assert_int_equal(number, 0);
  number = 7;
  assert_int_equal(ls_journal_number(journal, "SELECT x FROM nowhere", &number, &err), LS_EIO);
  assert_int_equal(number, 7);
  assert_non_null(strstr(err.text, fixture->path));
  assert_int_equal(ls_journal_execute(journal, "no SQL", &err), LS_EIO);
  ls_journal_close(journal);
}

static void a_statement_is_prepared_once_and_begins_what_is_committed(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  assert_false(journal->is_open);
  sqlite3_stmt *first = ls_journal_statement(journal, LS_JOURNAL_DROP_OUTPUT);
  assert_non_null(first);
  assert_true(journal->is_open);
  assert_ptr_equal(ls_journal_statement(journal, LS_JOURNAL_DROP_OUTPUT), first);
  assert_int_equal(sqlite3_get_autocommit(journal->database), 0);
  fixture_must_commit(journal);
  assert_false(journal->is_open);
  ls_journal_close(journal);
}

static void the_first_failure_stays_and_undoes_what_is_open(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_error first = {0}, second = {0}, told = {0};
  (void)ls_fail(&first, LS_EIO, "the disk is gone");
  (void)ls_fail(&second, LS_ENOMEM, "something else");
  assert_non_null(ls_journal_statement(journal, LS_JOURNAL_DROP_OUTPUT));
  ls_journal_stick(journal, &first);
  ls_journal_stick(journal, &second);
  assert_false(journal->is_open);
  assert_int_equal(sqlite3_get_autocommit(journal->database), 1);
  assert_null(ls_journal_statement(journal, LS_JOURNAL_DROP_OUTPUT));
  assert_int_equal(ls_journal_commit(journal, &told), LS_EIO);
  assert_string_equal(told.text, "the disk is gone");
  ls_journal_close(journal);
}

/* The same failure before the run would be the user's to mend. */
static void what_can_no_longer_be_written_is_no_bad_input(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  assert_int_equal(ls_journal_execute(journal, "PRAGMA query_only = 1", NULL), LS_OK);
  ls_journal_end(journal, "finished", 1);
  assert_int_equal(ls_journal_commit(journal, NULL), LS_EIO);
  ls_journal_close(journal);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_sqlite_says_is_one_of_our_failures),
      TEST(one_number_is_read_and_nothing_counts_as_zero),
      TEST(a_statement_is_prepared_once_and_begins_what_is_committed),
      TEST(the_first_failure_stays_and_undoes_what_is_open),
      TEST(what_can_no_longer_be_written_is_no_bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
