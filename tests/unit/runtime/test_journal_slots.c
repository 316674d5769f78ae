/* What became of workers of pools elsewhere: kept in their order, over all sessions. */
#include "journal_fixture.h"

#include "runtime/journal/journal_slots.h"

static enum ls_status list(void *context, const struct ls_journal_slot *slot) {
  ls_bytes_printf(context, "%.0f %s %u %llu %s: %s\n", slot->time_s, slot->pool, slot->slot,
                  (unsigned long long)slot->workers, slot->kind, slot->why);
  return LS_OK;
}

static void expect(struct ls_journal *journal, const char *expected) {
  struct ls_bytes out = {0};
  assert_int_equal(ls_journal_each_slot(journal, list, &out, NULL), LS_OK);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void slots_are_kept_in_their_order(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  expect(journal, "");
  ls_journal_slot(journal, &(struct ls_journal_slot){.time_s = 1,
                                                     .pool = "slurm",
                                                     .workers = 4,
                                                     .kind = "pending",
                                                     .why = "job 7: 2 of 2 workers"});
  ls_journal_slot(
      journal,
      &(struct ls_journal_slot){
          .time_s = 2, .pool = "slurm", .slot = 3, .workers = 1, .kind = "granted", .why = ""});
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_READ);
  expect(journal, "1 slurm 0 4 pending: job 7: 2 of 2 workers\n2 slurm 3 1 granted: \n");
  ls_journal_close(journal);
}

static enum ls_status refuse(void *context, const struct ls_journal_slot *slot) {
  (void)context;
  (void)slot;
  return LS_EBUSY;
}

static void who_refuses_ends_the_walk(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  ls_journal_slot(journal, &(struct ls_journal_slot){.pool = "", .kind = "ended", .why = ""});
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_each_slot(journal, refuse, NULL, NULL), LS_EBUSY);
  ls_journal_close(journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(slots_are_kept_in_their_order, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(who_refuses_ends_the_walk, fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
