/* A result counts once, whenever it comes, while its units are not settled. */
#include "harness.h"

static void open_run(struct rig *rig, uint64_t size, uint64_t units) {
  struct ls_coordinator_config config = rig_config(size);
  rig_open(rig, &config);
  rig_start(rig, 2, units);
}

static const char *deliver(struct rig *rig, uint32_t worker, uint64_t chunk, struct ls_range units,
                           bool is_whole) {
  return rig_step(
      rig, (struct ls_event){
               .kind = LS_EVENT_RESULT,
               .worker = worker,
               .result = {.chunk = chunk, .units = units, .is_whole = is_whole, .seconds = 1}});
}

static void a_lost_worker_delivers_from_its_new_slot(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, 2, 6);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 2);
  /* While it waits. */
  assert_string_equal(deliver(&rig, 2, 0, (struct ls_range){0, 2}, true),
                      "settle worker 2 chunk 0: 0+2 done");
  assert_int_equal(rig_totals(&rig).waiting, 4);
  assert_int_equal(rig_totals(&rig).results_late, 2);
  assert_string_equal(deliver(&rig, 2, 0, (struct ls_range){0, 2}, true), "");
  assert_int_equal(rig_totals(&rig).results_dropped, 1);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 2+2");
  rig_close(&rig);
}

/* It is away, and a frame of its former connection comes all the same. */
static void what_waits_behind_all_others_is_settled_where_it_is(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, 3, 9);
  rig_ready(&rig, 0);
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
  assert_string_equal(deliver(&rig, 0, 0, (struct ls_range){1, 1}, false),
                      "settle worker 0 chunk 0: 1+1 done");
  assert_int_equal(rig_totals(&rig).results_late, 1);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 3+3");
  rig_done(&rig, 1, 1, 3, 3);
  rig_ready(&rig, 1);
  rig_done(&rig, 1, 2, 6, 3);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 3: 2+1");
  rig_close(&rig);
}

static void who_has_the_units_by_now_is_told_to_stop(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, 2, 4);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  rig_ready(&rig, 1);
  assert_string_equal(deliver(&rig, 0, 0, (struct ls_range){0, 2}, true),
                      "settle worker 0 chunk 0: 0+1 done; cancel worker 1 chunk 1; "
                      "settle worker 0 chunk 0: 1+1 done");
  rig_close(&rig);
}

/* One output for two units, of which one is settled: it cannot be divided, and the rest is done
 * again; results that can be are. */
static void a_whole_result_counts_whole_or_not_at_all(void **state) {
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    struct rig rig;
    (void)state;
    open_run(&rig, 2, 4);
    rig_ready(&rig, 0);
    rig_worker(&rig, LS_EVENT_LOST, 0);
    rig_ready(&rig, 1);
    rig_done(&rig, 1, 1, 0, 1);
    const char *text = deliver(&rig, 0, 0, (struct ls_range){0, 2}, is_whole);
    if (is_whole)
      assert_string_equal(text, "");
    else
      assert_string_equal(text, "cancel worker 1 chunk 1; settle worker 0 chunk 0: 1+1 done");
    rig_close(&rig);
  }
  /* So do the units that its worker still owes. */
  struct rig rig;
  open_run(&rig, 3, 3);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LEAVING, 0);
  rig_ready(&rig, 1);
  rig_done(&rig, 1, 1, 1, 1);
  assert_string_equal(deliver(&rig, 0, 0, (struct ls_range){0, 2}, true), "release worker 0");
  assert_int_equal(rig_totals(&rig).done, 1);
  assert_int_equal(rig_totals(&rig).waiting, 1);
  rig_close(&rig);
}

static void an_earlier_session_is_vouched_for_by_the_driver(void **state) {
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  (void)state;
  config.ordering = &backwards;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 6);
  /* 5 4 3 2 1 0 */
  assert_string_equal(deliver(&rig, 0, LS_CHUNK_NONE, (struct ls_range){3, 2}, true),
                      "settle worker 0 chunk 18446744073709551615: 3+2 done");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 5+1 2+1");
  rig_close(&rig);
  open_run(&rig, 2, 6);
  deliver(&rig, 0, LS_CHUNK_NONE, (struct ls_range){3, 1}, false);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+2");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 1: 2+1 4+1");
  rig_close(&rig);
}

static void what_was_never_sent_does_not_come(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, 2, 6);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  assert_string_equal(deliver(&rig, 1, 9, (struct ls_range){0, 2}, false), "");
  assert_string_equal(deliver(&rig, 1, 0, (struct ls_range){2, 2}, false), "");
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 2}, LS_OUTCOME_FAILED), "");
  assert_int_equal(rig_totals(&rig).results_dropped, 3);
  rig_close(&rig);
}

/* The numbers of units begin anew with each iteration. */
static void a_result_of_an_earlier_iteration_is_dropped(void **state) {
  struct rig rig;
  (void)state;
  open_run(&rig, 2, 2);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  rig_ready(&rig, 1);
  rig_done(&rig, 1, 1, 0, 2);
  rig_iteration(&rig, 2);
  assert_string_equal(deliver(&rig, 0, 0, (struct ls_range){0, 2}, false), "");
  assert_int_equal(rig_totals(&rig).done, 0);
  rig_close(&rig);
}

/* Two workers that a task of the unit stopped, for so long that it waits again. */
static void open_stopped(struct rig *rig, uint32_t retries) {
  struct ls_coordinator_config config = rig_config(1);
  config.retries = retries;
  rig_open(rig, &config);
  rig_start(rig, 2, 2);
  rig_step(rig, rig_asking(0, 0, 1));
  rig_step(rig, rig_asking(0, 1, 1));
  rig_step(rig, rig_suspended(1, 0, LS_AWAY_STOPPED));
  rig_step(rig, rig_suspended(1, 1, LS_AWAY_STOPPED));
  rig_at(rig, 100, LS_EVENT_TIMER, 0);
  assert_int_equal(rig_totals(rig).waiting, 2);
}

/* Who watches the worker may say later than it that it goes on: it has the unit no more. */
static void what_has_ended_is_not_taken_up(void **state) {
  static const enum ls_outcome outcomes[] = {LS_OUTCOME_FAILED, LS_OUTCOME_TIMED_OUT,
                                             LS_OUTCOME_CANCELLED};
  for (size_t i = 0; i < 3; i++) {
    struct rig rig;
    (void)state;
    open_stopped(&rig, 1);
    rig_result(&rig, 0, 0, (struct ls_range){0, 1}, outcomes[i]);
    assert_string_equal(rig_worker(&rig, LS_EVENT_RESUMED, 0), "");
    assert_int_equal(rig_totals(&rig).waiting, 2);
    /* That one says it in time. */
    rig_worker(&rig, LS_EVENT_RESUMED, 1);
    assert_int_equal(rig_totals(&rig).waiting, 1);
    assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 0+1");
    rig_close(&rig);
  }
}

static void a_failure_that_comes_late_counts(void **state) {
  struct rig rig;
  (void)state;
  open_stopped(&rig, 0);
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_TIMED_OUT),
                      "settle worker 0 chunk 0: 0+1 failed");
  assert_string_equal(rig_result(&rig, 1, 1, (struct ls_range){1, 1}, LS_OUTCOME_TIMED_OUT),
                      "settle worker 1 chunk 1: 1+1 failed; iteration done 0");
  rig_close(&rig);
  /* Once, however often it comes. */
  open_stopped(&rig, 1);
  rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_FAILED);
  assert_true(rig_noted(&rig, LS_NOTE_FAILED));
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_FAILED), "");
  assert_true(rig_noted(&rig, LS_NOTE_DROPPED));
  assert_int_equal(rig_totals(&rig).waiting, 2);
  rig_close(&rig);
}

/* A unit that stops its workers is at another one when its result of the first comes: it does not
 * go round for ever. */
static void a_late_failure_leaves_the_unit_to_who_has_it(void **state) {
  struct rig rig;
  (void)state;
  open_stopped(&rig, 0);
  rig_worker(&rig, LS_EVENT_RESUMED, 1);
  rig_result(&rig, 1, 1, (struct ls_range){1, 1}, LS_OUTCOME_TIMED_OUT);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 2: 0+1");
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_TIMED_OUT), "");
  assert_true(rig_noted(&rig, LS_NOTE_LEFT));
  rig_worker(&rig, LS_EVENT_RESUMED, 0);
  assert_string_equal(rig_result(&rig, 1, 2, (struct ls_range){0, 1}, LS_OUTCOME_TIMED_OUT),
                      "settle worker 1 chunk 2: 0+1 failed; iteration done 0");
  rig_close(&rig);
}

static void a_late_failure_lengthens_no_pause(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.retries = 2;
  config.retry_delay_s = 50;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 1);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_STOPPED));
  rig_at(&rig, 100, LS_EVENT_TIMER, 0);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+1");
  rig_result(&rig, 1, 1, (struct ls_range){0, 1}, LS_OUTCOME_FAILED);
  rig.now_s = 120;
  rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_FAILED);
  assert_string_equal(rig_step(&rig, rig_asking(149, 1, 1)), "");
  assert_string_equal(rig_at(&rig, 150, LS_EVENT_TIMER, 1), "send worker 1 chunk 2: 0+1");
  assert_string_equal(rig_result(&rig, 1, 2, (struct ls_range){0, 1}, LS_OUTCOME_FAILED),
                      "settle worker 1 chunk 2: 0+1 failed; iteration done 0");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_lost_worker_delivers_from_its_new_slot),
      cmocka_unit_test(what_waits_behind_all_others_is_settled_where_it_is),
      cmocka_unit_test(who_has_the_units_by_now_is_told_to_stop),
      cmocka_unit_test(a_whole_result_counts_whole_or_not_at_all),
      cmocka_unit_test(an_earlier_session_is_vouched_for_by_the_driver),
      cmocka_unit_test(what_was_never_sent_does_not_come),
      cmocka_unit_test(a_result_of_an_earlier_iteration_is_dropped),
      cmocka_unit_test(what_has_ended_is_not_taken_up),
      cmocka_unit_test(a_failure_that_comes_late_counts),
      cmocka_unit_test(a_late_failure_leaves_the_unit_to_who_has_it),
      cmocka_unit_test(a_late_failure_lengthens_no_pause),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
