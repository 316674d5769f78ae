#include "journal_fixture.h"
#include "runtime/journal/journal_files.h"

static void files_stand_in_the_order_in_which_they_were_had(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  const struct ls_file_sent sent = {.name = {0xab}, .bytes = UINT64_C(1) << 40, .seconds = 2.5};
  ls_journal_file(journal, 3, "a\nb\xff", &sent);
  fixture_must_commit(journal);
  ls_journal_file(journal, 4, "d/e", &sent);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  sqlite3 *database = NULL;
  sqlite3_stmt *row = NULL;
  assert_int_equal(sqlite3_open(fixture->path, &database), SQLITE_OK);
  assert_int_equal(sqlite3_prepare_v2(database,
                                      "SELECT worker, path, content, bytes, seconds FROM files "
                                      "ORDER BY id",
                                      -1, &row, NULL),
                   SQLITE_OK);
  assert_int_equal(sqlite3_step(row), SQLITE_ROW);
  assert_int_equal(sqlite3_column_int(row, 0), 3);
  assert_int_equal(sqlite3_column_bytes(row, 1), 4);
  assert_memory_equal(sqlite3_column_blob(row, 1), "a\nb\xff", 4);
  assert_int_equal(strncmp((const char *)sqlite3_column_text(row, 2), "ab00", 4), 0);
  assert_true(sqlite3_column_int64(row, 3) == INT64_C(1) << 40);
  assert_near(sqlite3_column_double(row, 4), 2.5, 0);
  assert_int_equal(sqlite3_step(row), SQLITE_ROW);
  assert_int_equal(sqlite3_column_int(row, 0), 4);
  assert_int_equal(sqlite3_step(row), SQLITE_DONE);
  assert_int_equal(sqlite3_finalize(row), SQLITE_OK);
  assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(files_stand_in_the_order_in_which_they_were_had,
                                      fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
