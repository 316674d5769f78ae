/* test_journal_sum.c: what is not as it was written is repeated, or the journal refused. */
#include "coordinator/coordinator.h"
#include "journal_fixture.h"

static void add_result(struct ls_journal *journal, uint64_t unit) {
  struct ls_journal_result result = {.units = {unit, 1},
                                     .outcome = LS_OUTCOME_DONE,
                                     .worker = LS_WORKER_NONE,
                                     .attempt = 1,
                                     .seconds = 0.25,
                                     .compute_s = 0.25,
                                     .output_bytes = 5};
  struct ls_journal_blob blob = {
      .unit = unit, .stream = 1, .data = "whole", .length = 5, .file = -1};
  ls_journal_output(journal, &blob);
  ls_journal_result(journal, &result);
}

static void fill(const char *path) {
  struct ls_journal *journal = fixture_must_open(path, LS_JOURNAL_NEW);
  static const char *const words[] = {"-N2", "-k"};
  ls_journal_words(journal, LS_JOURNAL_OPTION, words, 2);
  ls_journal_inputs(journal, &(struct ls_journal_inputs){.count = 2, .text = "a\0b", .length = 4});
  for (uint64_t unit = 0; unit < 3; unit++) add_result(journal, unit);
  fixture_must_commit(journal);
  ls_journal_close(journal);
}

static enum ls_status count_row(void *context, const struct ls_journal_result *result) {
  *(uint64_t *)context += result->units.count;
  return LS_OK;
}

static enum ls_status count_output(void *context, const struct ls_journal_blob *blob) {
  (void)blob;
  ++*(uint64_t *)context;
  return LS_OK;
}

/* As written; one thing changed after the other; what is then left, or the refusal. */
static void changed_values_repeat_their_units_or_are_refused(void **state) {
  static const struct {
    const char *sql;
    enum ls_status expected;
    uint64_t results, outputs, rows, units;
  } cases[] = {
      {"SELECT 1", LS_OK, 3, 3, 0, 0},
      {"UPDATE outputs SET data = x'77686f6c64' WHERE unit = 1", LS_OK, 2, 2, 0, 1},
      {"UPDATE outputs SET bytes = 4 WHERE unit = 1", LS_OK, 2, 2, 0, 1},
      {"UPDATE outputs SET sum = sum + 1 WHERE unit = 2", LS_OK, 2, 2, 0, 1},
      {"UPDATE outputs SET unit = 9 WHERE unit = 1", LS_ECORRUPT, 0, 0, 0, 0},
      {"UPDATE outputs SET stream = 2 WHERE unit = 1", LS_ECORRUPT, 0, 0, 0, 0},
      {"UPDATE ended SET first = 5 WHERE first = 1", LS_OK, 2, 2, 1, 0},
      {"UPDATE ended SET units = 3 WHERE first = 0", LS_OK, 2, 2, 1, 0},
      {"UPDATE ended SET outcome = 1 WHERE first = 0", LS_OK, 2, 2, 1, 0},
      {"UPDATE ended SET settled = 0 WHERE first = 0", LS_OK, 2, 2, 1, 0},
      {"UPDATE ended SET exit_code = 8", LS_OK, 0, 0, 3, 0},
      {"UPDATE ended SET seconds = seconds * 2 WHERE first = 2", LS_OK, 2, 2, 1, 0},
      {"UPDATE inputs SET text = x'61006200' || x'00'", LS_ECORRUPT, 0, 0, 0, 0},
      {"UPDATE inputs SET text = x'61006300'", LS_ECORRUPT, 0, 0, 0, 0},
      {"UPDATE words SET word = x'2d4e33' WHERE word = x'2d4e32'", LS_ECORRUPT, 0, 0, 0, 0},
      {"UPDATE words SET kind = 1", LS_ECORRUPT, 0, 0, 0, 0},
      {"UPDATE job SET open = 1", LS_ECORRUPT, 0, 0, 0, 0},
      {"INSERT INTO checkpoints VALUES (1, x'00', 7)", LS_ECORRUPT, 0, 0, 0, 0},
      {"INSERT INTO iterations VALUES (1, 10, 7)", LS_ECORRUPT, 0, 0, 0, 0},
  };
  struct fixture *fixture = *state;
  fill(fixture->path);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char copy[128], command[320];
    struct ls_journal *journal = NULL;
    struct ls_error err = {0};
    struct ls_journal_summary summary;
    (void)snprintf(copy, sizeof copy, "%s.%zu", fixture->path, i);
    (void)snprintf(command, sizeof command, "cp %s %s", fixture->path, copy);
    assert_int_equal(system(command), 0);
    fixture_run_sql(copy, cases[i].sql);
    enum ls_status status = fixture_open(copy, LS_JOURNAL_RESUME, &fixture_job, &journal, &err);
    if (status != cases[i].expected) fail_msg("%s: %s", cases[i].sql, err.text);
    if (status != LS_OK) {
      assert_non_null(strstr(err.text, "damaged"));
      continue;
    }
    uint64_t results = 0, outputs = 0;
    assert_int_equal(ls_journal_summary(journal, &summary, &err), LS_OK);
    assert_int_equal(ls_journal_each_result(journal, count_row, &results, &err), LS_OK);
    assert_int_equal(ls_journal_each_pending(journal, count_output, &outputs, &err), LS_OK);
    if (results != cases[i].results || outputs != cases[i].outputs)
      fail_msg("%s: %d results, %d outputs", cases[i].sql, (int)results, (int)outputs);
    assert_int_equal(summary.rows_repeated, cases[i].rows);
    assert_int_equal(summary.units_repeated, cases[i].units);
    ls_journal_close(journal);
  }
}

/* Rows that the journal itself changes have new sums. */
static void what_a_resume_changes_holds(void **state) {
  struct fixture *fixture = *state;
  struct ls_journal_summary summary;
  fill(fixture->path);
  fixture_run_sql(fixture->path, "UPDATE outputs SET data = x'00' WHERE unit = 1");
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  ls_journal_units(journal, 100, true);
  fixture_must_commit(journal);
  ls_journal_close(journal);
  journal = fixture_must_open(fixture->path, LS_JOURNAL_RESUME);
  assert_int_equal(ls_journal_summary(journal, &summary, NULL), LS_OK);
  assert_int_equal(summary.rows_repeated + summary.units_repeated, 0);
  ls_journal_close(journal);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
  const struct CMUnitTest tests[] = {
      TEST(changed_values_repeat_their_units_or_are_refused),
      TEST(what_a_resume_changes_holds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
