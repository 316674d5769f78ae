#include "journal_fixture.h"
#include "runtime/journal/past/history_records.h"

static void end_some(struct ls_journal *journal, uint64_t first, uint64_t count) {
  for (uint64_t unit = first; unit < first + count; unit++) {
    struct ls_journal_result result = fixture_result(unit);
    fixture_send(journal, (uint32_t)(unit % 2), unit / 2, (struct ls_range){unit, 1});
    if (unit % 5 == 4) result.outcome = LS_OUTCOME_FAILED;
    if (unit % 20 == 19) result.outcome = LS_OUTCOME_GIVEN_UP;
    if (unit % 10 == 3) result.outcome = LS_OUTCOME_LOST; /* an attempt */
    if (unit % 5 == 3)
      ls_journal_attempt(journal, &result);
    else
      ls_journal_result(journal, &result);
  }
  fixture_must_commit(journal);
}

static void read_on(struct ls_history_records *records, const char *path) {
  struct ls_error err = {0};
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_READ);
  if (ls_history_records_read(records, journal, &err) != LS_OK) fail_msg("%s", err.text);
  ls_journal_close(journal);
}

static void assert_same(const struct ls_history_records *a, const struct ls_history_records *b) {
  assert_true(a->units_done == b->units_done && a->units_failed == b->units_failed &&
              a->units_given_up == b->units_given_up && a->units_lost == b->units_lost &&
              a->units_failed_once == b->units_failed_once);
  assert_true(a->spans_count == b->spans_count && a->decisions_count == b->decisions_count &&
              a->failures_count == b->failures_count);
  assert_memory_equal(a->spans, b->spans, a->spans_count * sizeof *a->spans);
  assert_memory_equal(a->decisions, b->decisions, a->decisions_count * sizeof *a->decisions);
  for (size_t i = 0; i < a->failures_count; i++)
    assert_int_equal(a->failures[i].units.first, b->failures[i].units.first);
}

static void what_is_kept_is_read_on_and_a_new_session_begins_anew(void **state) {
  struct fixture *fixture = *state;
  struct ls_history_records kept = {0}, whole = {0};
  char file[128];
  snprintf(file, sizeof file, "%s/kept", fixture->folder);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  end_some(journal, 0, 101);
  read_on(&kept, fixture->path);
  ls_history_records_save(&kept, file);
  ls_history_records_close(&kept);
  end_some(journal, 101, 50); /* goes on with a chunk that was read */
  ls_history_records_load(&kept, file);
  assert_int_equal(kept.units_done, 61);
  uint64_t before = kept.ended;
  read_on(&kept, fixture->path);
  assert_true(kept.ended > before && before > 0);
  read_on(&whole, fixture->path);
  assert_same(&kept, &whole);
  assert_true(kept.units_lost > 0 && kept.units_given_up > 0 && kept.units_failed_once > 0);
  assert_int_equal(kept.decisions_count, 76);
  /* What was given up was lost in the end. */
  size_t ends[LS_OUTCOME_COUNT] = {0};
  for (size_t i = 0; i < kept.spans_count; i++) ends[kept.spans[i].outcome]++;
  assert_true(ends[LS_OUTCOME_DONE] > 0 && ends[LS_OUTCOME_FAILED] > 0 &&
              ends[LS_OUTCOME_LOST] > 0);
  assert_int_equal(ends[LS_OUTCOME_GIVEN_UP], 0);
  ls_journal_close(journal);
  /* Rows that were read may change when a session is begun. */
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME_FAILED);
  fixture_must_commit(journal);
  read_on(&kept, fixture->path);
  assert_int_equal(kept.units_failed, 0);
  ls_journal_close(journal);
  ls_history_records_close(&kept);
  ls_history_records_close(&whole);
}

static void a_damaged_or_missing_file_keeps_nothing(void **state) {
  struct fixture *fixture = *state;
  struct ls_history_records records = {0};
  char file[128];
  snprintf(file, sizeof file, "%s/kept", fixture->folder);
  ls_history_records_load(&records, file);
  assert_int_equal(records.identity, 0);
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  fixture_join(journal, 2);
  end_some(journal, 0, 20);
  ls_journal_close(journal);
  read_on(&records, fixture->path);
  ls_history_records_save(&records, file);
  ls_history_records_close(&records);
  assert_int_equal(truncate(file, 400), 0);
  ls_history_records_load(&records, file);
  assert_true(records.identity == 0 && records.spans_count == 0);
  FILE *noise = fopen(file, "w");
  assert_non_null(noise);
  for (int i = 0; i < 5000; i++) putc(0xff, noise);
  fclose(noise);
  ls_history_records_load(&records, file);
  assert_true(records.identity == 0 && records.spans_count == 0);
  ls_history_records_save(&records, "/nowhere/at/all");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(what_is_kept_is_read_on_and_a_new_session_begins_anew),
      TEST(a_damaged_or_missing_file_keeps_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
