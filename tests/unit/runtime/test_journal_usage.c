/* What the commands of a run used, as its journal tells it. */
#include "journal_fixture.h"

#include "runtime/journal/journal_usage.h"

static void note_end(struct ls_journal *journal, uint64_t unit, struct ls_usage usage,
                     bool is_settled) {
  struct ls_journal_result result = fixture_result(unit);
  result.usage = usage;
  if (is_settled)
    ls_journal_result(journal, &result);
  else
    ls_journal_attempt(journal, &result);
}

static void read_usage(struct ls_journal *journal, struct ls_journal_usage *usage) {
  struct ls_error err = {0};
  if (ls_journal_read_usage(journal, usage, &err) != LS_OK) fail_msg("%s", err.text);
}

/* Unit 7 failed once before, and that attempt was the largest; unit 2 was no command. */
static void attempts_count_and_the_peak_has_its_unit(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal_usage usage;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  note_end(journal, 1, (struct ls_usage){1.5, 0.25, 3 << 20}, true);
  note_end(journal, 7, (struct ls_usage){0.5, 0.5, 9 << 20}, false);
  note_end(journal, 2, (struct ls_usage){0}, true);
  note_end(journal, 7, (struct ls_usage){2, 0, 4 << 20}, true);
  fixture_must_commit(journal);
  read_usage(journal, &usage);
  assert_int_equal(usage.known, 3);
  assert_near(usage.sum.user_s, 4, 1e-12);
  assert_near(usage.sum.system_s, 0.75, 1e-12);
  assert_int_equal(usage.sum.peak_bytes, 9 << 20);
  assert_int_equal(usage.unit, 7);
  ls_journal_close(journal);
}

static void a_run_without_commands_has_used_nothing_that_is_known(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal_usage usage;
  fixture_run_session(fixture->path, LS_JOURNAL_NEW, 3, "finished");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  read_usage(journal, &usage);
  assert_int_equal(usage.known, 0);
  assert_false(ls_usage_is_known(&usage.sum));
  ls_journal_close(journal);
}

static void what_no_process_uses_is_refused(void **state) {
  static const char *const spoilt[] = {"user_s = -1", "system_s = 9e999", "peak_bytes = -4"};
  struct fixture *fixture = *state;
  for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
    struct ls_journal_usage usage = {.known = 99};
    struct ls_error err = {0};
    char sql[100];
    unlink(fixture->path);
    struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
    fixture_join(journal, 2);
    note_end(journal, 1, (struct ls_usage){1, 1, 1 << 20}, true);
    fixture_must_commit(journal);
    ls_journal_close(journal);
    snprintf(sql, sizeof sql, "UPDATE ended SET %s", spoilt[i]);
    fixture_run_sql(fixture->path, sql);
    journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
    assert_int_equal(ls_journal_read_usage(journal, &usage, &err), LS_ECORRUPT);
    assert_non_null(strstr(err.text, "expected seconds >= 0 and bytes > 0"));
    assert_int_equal(usage.known, 99);
    ls_journal_close(journal);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(attempts_count_and_the_peak_has_its_unit, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(a_run_without_commands_has_used_nothing_that_is_known,
                                      fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(what_no_process_uses_is_refused, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
