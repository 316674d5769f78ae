#include "journal_fixture.h"
#include "runtime/journal/journal_private.h"

static void put(struct ls_journal *journal, uint32_t iteration, const char *text, size_t length) {
  struct ls_journal_blob blob = {
      .iteration = iteration, .stream = 1, .data = text, .length = length, .file = -1};
  ls_journal_output(journal, &blob);
}

static enum ls_status count(void *context, const struct ls_journal_blob *blob) {
  (void)blob;
  ++*(size_t *)context;
  return LS_OK;
}

static void units_of_an_iteration_are_read_back(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  uint64_t units = 0;
  bool is_there = true;
  assert_int_equal(ls_journal_read_iteration(journal, 0, &units, &is_there, NULL), LS_OK);
  assert_false(is_there);
  ls_journal_iteration(journal, 0, 5);
  ls_journal_iteration(journal, 1, 1ull << 50);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  assert_int_equal(ls_journal_read_iteration(journal, 1, &units, &is_there, NULL), LS_OK);
  assert_true(is_there && units == 1ull << 50);
  struct ls_journal_summary summary;
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_true(summary.opened == 1 && summary.iteration == 0);
  ls_journal_close(journal);
}

static void the_last_checkpoint_stays_and_earlier_outputs_go(void **state) {
  struct fixture *fixture = *state;
  static char large[(1 << 20) + 1];
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_bytes bytes = {0}, read = {0};
  uint32_t iteration = 7;
  assert_int_equal(ls_journal_read_checkpoint(journal, &iteration, &read, NULL), LS_OK);
  assert_true(iteration == 0 && read.length == 0);
  put(journal, 0, large, sizeof large);
  put(journal, 1, "one", 3);
  put(journal, 2, "two", 3);
  fixture_must_commit(journal);
  ls_bytes_append(&bytes, "a\0b", 3);
  ls_journal_checkpoint(journal, 1, &bytes);
  ls_bytes_append(&bytes, "c", 1);
  ls_journal_checkpoint(journal, 2, &bytes);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  char name[128];
  snprintf(name, sizeof name, "%s.outputs/0-0-0-1", fixture->path);
  assert_int_not_equal(access(name, F_OK), 0);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  assert_int_equal(ls_journal_read_checkpoint(journal, &iteration, &read, NULL), LS_OK);
  assert_true(iteration == 2 && read.length == 4);
  assert_memory_equal(read.data, "a\0bc", 4);
  size_t outputs = 0;
  assert_int_equal(ls_journal_each_pending(journal, count, &outputs, NULL), LS_OK);
  assert_int_equal(outputs, 1);
  ls_bytes_close(&bytes);
  ls_bytes_close(&read);
  ls_journal_close(journal);
}

/* What came of the iterations before is still there, then. */
static void a_checkpoint_that_does_not_fit_is_refused_and_replaces_nothing(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  struct ls_bytes bytes = {0}, read = {0};
  struct ls_error err = {0};
  uint32_t iteration;
  put(journal, 1, "one", 3);
  ls_bytes_append(&bytes, "small", 5);
  ls_journal_checkpoint(journal, 1, &bytes);
  fixture_must_commit(journal);
  (void)sqlite3_limit(journal->database, SQLITE_LIMIT_LENGTH, 5000);
  for (int i = 0; i < 1000; i++) ls_bytes_append(&bytes, "large", 5);
  ls_journal_checkpoint(journal, 2, &bytes);
  assert_int_equal(ls_journal_commit(journal, &err), LS_EIO);
  assert_non_null(
      strstr(err.text, "the checkpoint of iteration 2 has 5005 bytes, at most 4900 fit"));
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  assert_int_equal(ls_journal_read_checkpoint(journal, &iteration, &read, NULL), LS_OK);
  assert_true(iteration == 1 && read.length == 5);
  size_t outputs = 0;
  assert_int_equal(ls_journal_each_pending(journal, count, &outputs, NULL), LS_OK);
  assert_int_equal(outputs, 1);
  ls_bytes_close(&bytes);
  ls_bytes_close(&read);
  ls_journal_close(journal);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(units_of_an_iteration_are_read_back),
      TEST(the_last_checkpoint_stays_and_earlier_outputs_go),
      TEST(a_checkpoint_that_does_not_fit_is_refused_and_replaces_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
