#include "journal_fixture.h"

static struct fixture_results results;

static void resuming_keeps_failures_and_resuming_failed_reopens_them(void **state) {
  struct fixture *fixture = *state;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 6, "finished");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 6);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME_FAILED);
  fixture_read(journal, &results);
  assert_int_equal(results.count, 4);
  for (size_t i = 0; i < 4; i++) assert_int_equal(results.items[i].outcome, LS_OUTCOME_DONE);
  results.count = 0;
  assert_int_equal(ls_journal_each_attempt(journal, fixture_keep, &results, NULL), LS_OK);
  assert_int_equal(results.count, 2);
  assert_true(results.items[0].units.first == 2 && results.items[1].units.first == 3);
  assert_int_equal(results.items[0].outcome, LS_OUTCOME_FAILED);
  assert_int_equal(results.items[1].outcome, LS_OUTCOME_LOST);
  ls_journal_close(journal);
}

/* Three iterations of three units each, of which those in `failed` (iteration * 3 + unit) failed.
 */
static void run_iterations(const char *path, unsigned failed, uint32_t checkpoint) {
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  struct ls_bytes bytes = {0};
  for (uint32_t iteration = 0; iteration < 3; iteration++) {
    if (iteration > 0 && iteration == checkpoint) ls_journal_checkpoint(journal, iteration, &bytes);
    ls_journal_iteration(journal, iteration, 3);
    for (uint64_t unit = 0; unit < 3; unit++) {
      struct ls_journal_result result = fixture_result(unit);
      result.iteration = iteration;
      if ((failed >> (iteration * 3 + unit) & 1) != 0) result.outcome = LS_OUTCOME_FAILED;
      ls_journal_result(journal, &result);
    }
  }
  ls_journal_iteration(journal, 3, 0);
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

/* What is left is what the first failure has not touched; whatever failed, and wherever the
 * checkpoint is. */
static void what_came_of_a_failure_is_made_anew(void **state) {
  struct fixture *fixture = *state;
  for (unsigned failed = 0; failed < 1 << 9; failed++)
    for (uint32_t checkpoint = 0; checkpoint < 3; checkpoint++) {
      run_iterations(fixture->path, failed, checkpoint);
      uint32_t first = checkpoint;
      while (first < 3 && (failed >> (first * 3) & 7) == 0) first++;
      struct ls_journal *journal = NULL;
      struct ls_error err = {0};
      enum ls_status status =
          fixture_open(fixture->path, LS_JOURNAL_RESUME_FAILED, &fixture_job, &journal, &err);
      if (first == 3 && failed > 0) {
        assert_int_equal(status, LS_EINVAL);
        assert_non_null(strstr(err.text, "cannot be repeated; --resume goes on without it"));
      } else {
        if (status != LS_OK) fail_msg("%s", err.text);
        size_t expected = 0;
        for (uint32_t i = 0; i < 9; i++)
          expected += i / 3 < first || (i / 3 == first && (failed >> i & 1) == 0);
        fixture_read(journal, &results);
        assert_int_equal(results.count, expected);
        struct ls_journal_summary summary;
        assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
        assert_int_equal(summary.opened, first);
      }
      ls_journal_close(journal);
      assert_int_equal(unlink(fixture->path), 0);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(resuming_keeps_failures_and_resuming_failed_reopens_them),
      TEST(what_came_of_a_failure_is_made_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
