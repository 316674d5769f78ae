/* When inputs were packed: kept in their order, over all sessions. */
#include "journal_fixture.h"

#include "runtime/journal/journal_packs.h"

static enum ls_status list(void *context, const struct ls_journal_pack *pack) {
  ls_bytes_printf(context, "%u %llu %llu %g %g\n", pack->worker, (unsigned long long)pack->chunk,
                  (unsigned long long)pack->units, pack->start_s, pack->seconds);
  return LS_OK;
}

static void expect(struct ls_journal *journal, const char *expected) {
  struct ls_bytes out = {0};
  assert_int_equal(ls_journal_each_pack(journal, list, &out, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void packs_are_kept_in_their_order(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  expect(journal, "");
  ls_journal_pack(journal, &(struct ls_journal_pack){1, 0, 20, 0.5, 0.25});
  ls_journal_pack(journal, &(struct ls_journal_pack){0, 1, 10, 0.75, 0.125});
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, "1 0 20 0.5 0.25\n0 1 10 0.75 0.125\n");
  ls_journal_close(journal);
}

static void times_that_are_none_are_damage(void **state) {
  struct fixture *fixture = *state;
  static const char *const bad[] = {"start_s = -1", "seconds = -1", "seconds = 9e999"};
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_journal_pack(journal, &(struct ls_journal_pack){0, 0, 1, 0, 1});
  fixture_must_commit(journal);
  ls_journal_close(journal);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char sql[96];
    (void)snprintf(sql, sizeof sql,
                   "UPDATE packs SET start_s = 0, seconds = 1; UPDATE packs SET %s", bad[i]);
    fixture_run_sql(fixture->path, sql);
    journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
    struct ls_bytes out = {0};
    struct ls_error err = {0};
    assert_int_equal(ls_journal_each_pack(journal, list, &out, &err), LS_ECORRUPT);
    assert_non_null(strstr(err.text, "a row of packs"));
    ls_bytes_close(&out);
    ls_journal_close(journal);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(packs_are_kept_in_their_order, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(times_that_are_none_are_damage, fixture_setup,
                                      fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
