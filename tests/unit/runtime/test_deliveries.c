/* test_deliveries.c: results reach the application once, with their outputs, after the commit. */
#include "journal_fixture.h"

#include <fcntl.h>

#include "runtime/master/sending/deliveries.h"
#include "runtime/os/temporary.h"

/* The application's state: what it was given. */
struct heap {
  char text[256];                /* "first:output;" of each result */
  uint64_t fails_at, told, left; /* units below `left` have left, those below `told` were told */
  int files, finished;
  bool is_behind;
};

static enum ls_status merge(void *context, const struct ls_unit_result *result,
                            struct ls_error *err) {
  struct heap *heap = context;
  char bytes[64] = "";
  if (result->units.first == heap->fails_at) return ls_fail(err, LS_EIO, "no more room");
  if (result->output.file >= 0) {
    ++heap->files;
    assert_int_equal(pread(result->output.file, bytes, sizeof bytes - 1, 0), result->output.length);
  } else if (result->output.length > 0) {
    memcpy(bytes, result->output.data, result->output.length);
  }
  size_t length = strlen(heap->text);
  (void)snprintf(heap->text + length, sizeof heap->text - length, "%llu:%s;",
                 (unsigned long long)result->units.first, bytes);
  return LS_OK;
}

static enum ls_status take_left(void *context, struct ls_units_left *left, struct ls_error *err) {
  struct heap *heap = context;
  (void)err;
  *left = (struct ls_units_left){0, {heap->told, heap->left - heap->told}};
  heap->told = heap->left;
  return LS_OK;
}

static int find_file(void *context) {
  (void)context;
  return 42;
}

static bool is_behind(void *context) {
  return ((struct heap *)context)->is_behind;
}

static enum ls_status finish(void *context, struct ls_error *err) {
  struct heap *heap = context;
  ++heap->finished;
  return heap->is_behind ? ls_fail(err, LS_EINTERRUPTED, "in a hurry") : LS_OK;
}

static const struct ls_app_outputs outputs = {take_left, find_file, is_behind, finish};
static const struct ls_app plain_app = {.name = "heap", .merge = merge, .runs_commands = true};
static const struct ls_app ordered_app = {
    .name = "heap", .merge = merge, .outputs = &outputs, .runs_commands = true};
static const struct ls_app computing_app = {.name = "heap", .merge = merge};

static enum ls_status skip_result(void *context, const struct ls_unit_result *result,
                                  struct ls_error *err) {
  (void)context, (void)result, (void)err;
  return LS_OK;
}

static struct ls_unit_result make_result(uint64_t unit, const char *output) {
  return (struct ls_unit_result){.units = {unit, 1},
                                 .outcome = LS_OUTCOME_DONE,
                                 .output = {output, strlen(output), -1},
                                 .error_output = {NULL, 0, -1}};
}

static void defer(struct ls_deliveries *deliveries, uint64_t unit, const char *output) {
  char bytes[64]; /* gone when merge comes */
  (void)snprintf(bytes, sizeof bytes, "%s", output);
  struct ls_unit_result result = make_result(unit, bytes);
  bool is_journalled = deliveries->journal != NULL;
  assert_int_equal(ls_deliveries_defer(deliveries, &result, is_journalled, NULL), LS_OK);
}

static void results_are_merged_once_in_order_with_their_bytes(void **state) {
  struct heap heap = {.fails_at = UINT64_MAX};
  struct ls_deliveries deliveries;
  (void)state;
  ls_deliveries_init(&deliveries, &plain_app, &heap, NULL);
  defer(&deliveries, 3, "three");
  defer(&deliveries, 1, "");
  defer(&deliveries, 2, "two");
  assert_string_equal(heap.text, "");
  assert_int_equal(ls_deliveries_merge(&deliveries, NULL), LS_OK);
  assert_string_equal(heap.text, "3:three;1:;2:two;");
  assert_int_equal(ls_deliveries_merge(&deliveries, NULL), LS_OK);
  assert_string_equal(heap.text, "3:three;1:;2:two;");
  ls_deliveries_close(&deliveries);
}

static struct ls_unit_result make_filed(uint64_t unit) {
  struct ls_unit_result result = make_result(unit, "");
  result.output.file = ls_temporary_file(NULL);
  result.output.length = 4;
  assert_int_equal(write(result.output.file, "file", 4), 4);
  return result;
}

static void files_are_read_then_closed(void **state) {
  struct heap heap = {.fails_at = UINT64_MAX};
  struct ls_deliveries deliveries;
  (void)state;
  ls_deliveries_init(&deliveries, &plain_app, &heap, NULL);
  struct ls_unit_result result = make_filed(5);
  assert_int_equal(ls_deliveries_defer(&deliveries, &result, false, NULL), LS_OK);
  assert_int_equal(ls_deliveries_merge(&deliveries, NULL), LS_OK);
  assert_string_equal(heap.text, "5:file;");
  assert_int_equal(fcntl(result.output.file, F_GETFD), -1);
  ls_deliveries_close(&deliveries);
}

static void a_failure_of_the_application_drops_what_remains(void **state) {
  struct heap heap = {.fails_at = 2};
  struct ls_deliveries deliveries;
  struct ls_error err = {0};
  (void)state;
  ls_deliveries_init(&deliveries, &plain_app, &heap, NULL);
  defer(&deliveries, 1, "one");
  defer(&deliveries, 2, "two");
  struct ls_unit_result result = make_filed(3);
  assert_int_equal(ls_deliveries_defer(&deliveries, &result, false, NULL), LS_OK);
  assert_int_equal(ls_deliveries_merge(&deliveries, &err), LS_EIO);
  assert_string_equal(err.text, "no more room");
  assert_string_equal(heap.text, "1:one;");
  assert_int_equal(fcntl(result.output.file, F_GETFD), -1);
  assert_int_equal(deliveries.count, 0);
  ls_deliveries_close(&deliveries);
}

static void a_round_keeps_a_bounded_amount(void **state) {
  static char large[1 << 20];
  struct heap heap = {.fails_at = UINT64_MAX};
  struct ls_deliveries deliveries;
  (void)state;
  memset(large, 'x', sizeof large);
  ls_deliveries_init(&deliveries, &computing_app, &heap, NULL);
  size_t kept = 0;
  while (!ls_deliveries_is_full(&deliveries)) {
    struct ls_unit_result result = make_result(kept++, "");
    result.output = (struct ls_output){large, sizeof large, -1};
    assert_int_equal(ls_deliveries_defer(&deliveries, &result, false, NULL), LS_OK);
  }
  assert_in_range(kept, 2, 64);
  ls_deliveries_drop(&deliveries);
  assert_false(ls_deliveries_is_full(&deliveries));
  for (kept = 0; !ls_deliveries_is_full(&deliveries); ++kept) {
    struct ls_unit_result result = make_filed(kept);
    assert_int_equal(ls_deliveries_defer(&deliveries, &result, false, NULL), LS_OK);
  }
  assert_in_range(kept, 2, 64);
  ls_deliveries_close(&deliveries);
  assert_string_equal(heap.text, "");
}

/* Outputs that are pending in the journal, "unit ". */
static enum ls_status note_pending(void *context, const struct ls_journal_blob *blob) {
  char *text = context;
  size_t length = strlen(text);
  (void)snprintf(text + length, 64 - length, "%llu ", (unsigned long long)blob->unit);
  return LS_OK;
}

static void expect_pending(struct ls_journal *journal, const char *expected) {
  char pending[64] = "";
  fixture_must_commit(journal);
  assert_int_equal(ls_journal_each_pending(journal, note_pending, pending, NULL), LS_OK);
  assert_string_equal(pending, expected);
}

static void journal_output(struct ls_journal *journal, uint64_t unit) {
  struct ls_journal_result row = fixture_result(unit);
  row.output_bytes = 1;
  ls_journal_output(journal, &(struct ls_journal_blob){
                                 .unit = unit, .stream = 1, .data = "o", .length = 1, .file = -1});
  ls_journal_result(journal, &row);
}

static void the_journal_forgets_what_merge_delivers_at_once(void **state) {
  struct fixture *fixture = *state;
  struct heap heap = {.fails_at = UINT64_MAX};
  struct ls_deliveries deliveries;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  for (uint64_t unit = 0; unit < 3; ++unit) journal_output(journal, unit);
  expect_pending(journal, "0 1 2 ");
  ls_deliveries_init(&deliveries, &plain_app, &heap, journal);
  defer(&deliveries, 0, "o");
  defer(&deliveries, 2, "o");
  assert_int_equal(ls_deliveries_merge(&deliveries, NULL), LS_OK);
  expect_pending(journal, "1 ");
  ls_deliveries_close(&deliveries);
  ls_journal_close(journal);
}

static void the_journal_keeps_what_the_application_holds_back(void **state) {
  struct fixture *fixture = *state;
  struct heap heap = {.fails_at = UINT64_MAX, .left = 1};
  struct ls_deliveries deliveries;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  for (uint64_t unit = 0; unit < 3; ++unit) journal_output(journal, unit);
  ls_deliveries_init(&deliveries, &ordered_app, &heap, journal);
  defer(&deliveries, 0, "o");
  defer(&deliveries, 2, "o");
  assert_int_equal(ls_deliveries_merge(&deliveries, NULL), LS_OK);
  expect_pending(journal, "1 2 ");
  defer(&deliveries, 1, "o");
  heap.left = 3;
  assert_int_equal(ls_deliveries_merge(&deliveries, NULL), LS_OK);
  expect_pending(journal, "");
  ls_deliveries_close(&deliveries);
  ls_journal_close(journal);
}

static void the_end_waits_for_outputs_and_forgets_them(void **state) {
  struct fixture *fixture = *state;
  struct heap heap = {.fails_at = UINT64_MAX};
  struct ls_deliveries deliveries;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  journal_output(journal, 0);
  journal_output(journal, 1);
  ls_deliveries_init(&deliveries, &ordered_app, &heap, journal);
  assert_int_equal(ls_deliveries_file(&deliveries), 42);
  defer(&deliveries, 0, "o");
  defer(&deliveries, 1, "o");
  assert_int_equal(ls_deliveries_merge(&deliveries, NULL), LS_OK);
  heap.left = 1;
  heap.is_behind = true;
  assert_true(ls_deliveries_is_behind(&deliveries));
  assert_int_equal(ls_deliveries_finish(&deliveries, NULL), LS_EINTERRUPTED);
  expect_pending(journal, "1 ");
  heap.left = 2;
  heap.is_behind = false;
  assert_int_equal(ls_deliveries_finish(&deliveries, NULL), LS_OK);
  assert_int_equal(heap.finished, 2);
  expect_pending(journal, "");
  ls_deliveries_close(&deliveries);
  ls_journal_close(journal);
}

static void who_delivers_at_once_has_nothing_to_wait_for(void **state) {
  struct heap heap = {.fails_at = UINT64_MAX};
  struct ls_deliveries deliveries;
  (void)state;
  ls_deliveries_init(&deliveries, &plain_app, &heap, NULL);
  assert_int_equal(ls_deliveries_file(&deliveries), -1);
  assert_false(ls_deliveries_is_behind(&deliveries));
  assert_int_equal(ls_deliveries_finish(&deliveries, NULL), LS_OK);
  ls_deliveries_close(&deliveries);
}

/* Its state is built from them again. */
static void outputs_of_a_computing_application_stay_in_the_journal(void **state) {
  struct fixture *fixture = *state;
  struct heap heap = {.fails_at = UINT64_MAX};
  struct ls_deliveries deliveries;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  journal_output(journal, 0);
  ls_deliveries_init(&deliveries, &computing_app, &heap, journal);
  struct ls_unit_result result = make_result(0, "o");
  assert_int_equal(ls_deliveries_merge_one(&deliveries, &result, true, NULL), LS_OK);
  assert_string_equal(heap.text, "0:o;");
  expect_pending(journal, "0 ");
  ls_deliveries_close(&deliveries);
  ls_journal_close(journal);
}

static void outputs_that_it_keeps_by_itself_do_not(void **state) {
  struct fixture *fixture = *state;
  struct heap heap = {.fails_at = 1};
  struct ls_deliveries deliveries;
  struct ls_app keeping_app = computing_app;
  struct ls_journal *journal = fixture_must_open(fixture->path, LS_JOURNAL_NEW);
  keeping_app.skip = skip_result;
  for (uint64_t unit = 0; unit < 2; ++unit) journal_output(journal, unit);
  ls_deliveries_init(&deliveries, &keeping_app, &heap, journal);
  defer(&deliveries, 0, "o");
  defer(&deliveries, 1, "o");
  assert_int_equal(ls_deliveries_merge(&deliveries, NULL), LS_EIO);
  assert_string_equal(heap.text, "0:o;");
  expect_pending(journal, "1 ");
  ls_deliveries_close(&deliveries);
  ls_journal_close(journal);
}

#define WITH_JOURNAL(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_are_merged_once_in_order_with_their_bytes),
      cmocka_unit_test(files_are_read_then_closed),
      cmocka_unit_test(a_failure_of_the_application_drops_what_remains),
      cmocka_unit_test(a_round_keeps_a_bounded_amount),
      WITH_JOURNAL(the_journal_forgets_what_merge_delivers_at_once),
      WITH_JOURNAL(the_journal_keeps_what_the_application_holds_back),
      WITH_JOURNAL(the_end_waits_for_outputs_and_forgets_them),
      cmocka_unit_test(who_delivers_at_once_has_nothing_to_wait_for),
      WITH_JOURNAL(outputs_of_a_computing_application_stay_in_the_journal),
      WITH_JOURNAL(outputs_that_it_keeps_by_itself_do_not),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
