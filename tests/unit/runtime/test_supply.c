/* test_supply.c: units that become known while the run goes on. */
#include <unistd.h>

#include "master_fixture.h"
#include "runtime/master/units/supply.h"

/* The application's units come in these portions; the third has to be written to the pipe first. */
static const uint64_t portions[] = {0, 3, 60, 0, 400, 0};
enum { PORTIONS = sizeof portions / sizeof *portions, WRITTEN = 2, FIRST = 5, UNITS = FIRST + 463 };
static size_t asked;
static int ends[2];

static enum ls_status count_known(void *state, uint32_t iteration, uint64_t *units,
                                  struct ls_error *err) {
  enum ls_status status = count_units(state, iteration, units, err);
  if (iteration == 0) *units = FIRST;
  return status;
}

static enum ls_status more(void *state, struct ls_more *given, struct ls_error *err) {
  (void)state, (void)err;
  assert_true(asked < PORTIONS);
  if (asked == WRITTEN) {
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
  }
  given->units = portions[asked++];
  given->is_last = asked == PORTIONS;
  given->file = asked == WRITTEN ? ends[0] : -1;
  return LS_OK;
}

static enum ls_status merge_and_write(void *state, const struct ls_unit_result *result,
                                      struct ls_error *err) {
  const struct tally *tally = state;
  uint64_t before = tally->settled;
  enum ls_status status = merge(state, result, err);
  /* The rest becomes known once all that was known is done: nobody ended the run by then. */
  if (before < FIRST + 3 && tally->settled >= FIRST + 3)
    assert_int_equal(write(ends[1], "x", 1), 1);
  return status;
}

static void every_unit_runs_whenever_it_comes(void **state) {
  (void)state;
  struct ls_app app = sound_app;
  app.units = count_known;
  app.more = more;
  app.merge = merge_and_write;
  for (size_t i = 0; ls_chunkings[i] != NULL; ++i) {
    if (ls_chunkings[i]->is_pushed) continue;
    struct tally tally = {.units = UNITS, .iterations = 2, .threads_count = 2};
    struct ls_master_options options = make_options(&tally, &app, ls_chunkings[i]->name);
    struct ls_master_report report;
    struct ls_error err = {0};
    asked = 0;
    assert_int_equal(pipe(ends), 0);
    if (run(&options, &tally, &report, &err) != LS_OK) fail_msg("%s", err.text);
    /* The second iteration has all units from its beginning. */
    expect_once(&tally, 2);
    assert_int_equal(asked, PORTIONS);
    ls_master_report_close(&report);
    close(ends[0]);
    close(ends[1]);
  }
}

static enum ls_status fail_to_read(void *state, struct ls_more *given, struct ls_error *err) {
  (void)state, (void)given;
  return ls_fail(err, LS_EINVAL, "input: no more");
}

static void a_failure_to_read_ends_the_run(void **state) {
  (void)state;
  struct ls_app app = sound_app;
  app.units = count_known;
  app.more = fail_to_read;
  struct tally tally = {.units = UNITS, .iterations = 1, .threads_count = 1};
  struct ls_master_options options = make_options(&tally, &app, "ss");
  struct ls_master_report report;
  struct ls_error err = {0};
  assert_int_equal(run(&options, &tally, &report, &err), LS_EINVAL);
  assert_string_equal(err.text, "input: no more");
  ls_master_report_close(&report);
}

static void enough_is_enough(void **state) {
  (void)state;
  struct ls_supply supply;
  struct ls_app app = sound_app;
  struct ls_coordinator_totals totals = {.waiting = 0};
  ls_supply_init(&supply, &app, NULL);
  assert_false(ls_supply_is_short(&supply, &totals));
  app.more = more;
  ls_supply_init(&supply, &app, NULL);
  assert_true(ls_supply_is_short(&supply, &totals));
  totals.is_stopping = true;
  assert_false(ls_supply_is_short(&supply, &totals));
  /* Whoever has not been asked may allow for any number. */
  totals = (struct ls_coordinator_totals){.waiting = 10000};
  struct ls_event_added added;
  asked = 0;
  assert_true(ls_supply_is_short(&supply, &totals));
  assert_int_equal(ls_supply_take(&supply, &added, NULL), LS_OK);
  assert_false(ls_supply_is_short(&supply, &totals));
  supply.ahead = 10001;
  assert_true(ls_supply_is_short(&supply, &totals));
  supply.ahead = 0;
  /* Many workers empty a queue sooner than it is filled. */
  totals.workers_present = 1000;
  assert_true(ls_supply_is_short(&supply, &totals));
  /* But units that take much room wait in small numbers only. */
  supply.most = 64;
  totals.waiting = 64;
  assert_false(ls_supply_is_short(&supply, &totals));
  totals.waiting = 63;
  assert_true(ls_supply_is_short(&supply, &totals));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_unit_runs_whenever_it_comes),
      cmocka_unit_test(a_failure_to_read_ends_the_run),
      cmocka_unit_test(enough_is_enough),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
