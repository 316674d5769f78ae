/* test_running.c: the unit that is lost when its worker is. */
#include "harness.h"

#include "coordinator/running.h"

static void the_first_unit_that_has_not_ended_runs(void **state) {
  struct ls_coordinator_config config = rig_config(3);
  struct ls_running running;
  struct rig rig;
  (void)state;
  config.kills_max = 3;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 6);
  assert_false(ls_coordinator_running(rig.coordinator, 0, &running));
  assert_false(ls_coordinator_running(rig.coordinator, 99, &running));
  rig_ready(&rig, 0);
  assert_true(ls_coordinator_running(rig.coordinator, 0, &running));
  assert_int_equal(running.unit, 0);
  assert_int_equal(running.attempt, 1);
  rig_done(&rig, 0, running.chunk, 0, 1);
  assert_true(ls_coordinator_running(rig.coordinator, 0, &running));
  assert_int_equal(running.unit, 1);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  assert_false(ls_coordinator_running(rig.coordinator, 0, &running));
  /* What comes back goes first, and for the second time. */
  rig_ready(&rig, 1);
  assert_true(ls_coordinator_running(rig.coordinator, 1, &running));
  assert_int_equal(running.unit, 1);
  assert_int_equal(running.attempt, 2);
  /* Of a range, the first ones that are of one attempt. */
  uint64_t attempt = 0;
  assert_int_equal(ls_coordinator_attempt(rig.coordinator, (struct ls_range){0, 6}, &attempt), 1);
  assert_int_equal(attempt, 1);
  assert_int_equal(ls_coordinator_attempt(rig.coordinator, (struct ls_range){1, 5}, &attempt), 1);
  assert_int_equal(attempt, 2);
  assert_int_equal(ls_coordinator_attempt(rig.coordinator, (struct ls_range){2, 4}, &attempt), 4);
  assert_int_equal(attempt, 1);
  rig_close(&rig);
}

static void a_chunk_keeps_the_size_that_was_sent(void **state) {
  struct ls_coordinator_config config = rig_config(3);
  struct ls_running running;
  struct rig rig;
  (void)state;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 6);
  assert_int_equal(ls_coordinator_units_sent(rig.coordinator, 0, 0), 0);
  rig_ready(&rig, 0);
  assert_true(ls_coordinator_running(rig.coordinator, 0, &running));
  assert_int_equal(ls_coordinator_units_sent(rig.coordinator, 0, running.chunk), 3);
  assert_true(ls_coordinator_has_unit(rig.coordinator, 0, running.chunk, 0));
  assert_false(ls_coordinator_has_unit(rig.coordinator, 0, running.chunk + 1, 0));
  assert_false(ls_coordinator_has_unit(rig.coordinator, 99, running.chunk, 0));
  rig_done(&rig, 0, running.chunk, 0, 1);
  assert_false(ls_coordinator_has_unit(rig.coordinator, 0, running.chunk, 0));
  assert_true(ls_coordinator_has_unit(rig.coordinator, 0, running.chunk, 1));
  assert_int_equal(ls_coordinator_units_sent(rig.coordinator, 0, running.chunk), 3);
  assert_int_equal(ls_coordinator_units_sent(rig.coordinator, 0, running.chunk + 1), 0);
  assert_int_equal(ls_coordinator_units_sent(rig.coordinator, 0, LS_CHUNK_NONE), 0);
  assert_int_equal(ls_coordinator_units_sent(rig.coordinator, 99, running.chunk), 0);
  rig_done(&rig, 0, running.chunk, 1, 2);
  assert_int_equal(ls_coordinator_units_sent(rig.coordinator, 0, running.chunk), 0);
  rig_close(&rig);
}

static void a_slot_remembers_how_long_its_workers_were_away(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 6);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 99, 5) == 0);
  rig_step(&rig, rig_suspended(2, 0, LS_AWAY_STOPPED));
  assert_false(ls_coordinator_is_unheard(rig.coordinator, 0));
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 5) == 3);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 1) == 0);
  rig_at(&rig, 6, LS_EVENT_RESUMED, 0);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 100) == 4);
  rig_step(&rig, rig_suspended(10, 0, LS_AWAY_CUT));
  assert_true(ls_coordinator_is_unheard(rig.coordinator, 0));
  assert_false(ls_coordinator_is_unheard(rig.coordinator, 99));
  rig_at(&rig, 11, LS_EVENT_LOST, 0);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 100) == 5);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 1, 100) == 0);
  rig_close(&rig);
}

/* The run is over with its last result, whoever is waited for behind it. */
static void what_comes_behind_the_last_result_is_not_of_the_run(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 6);
  rig_ready(&rig, 0);
  rig_step(&rig, rig_suspended(1, 1, LS_AWAY_CUT));
  const struct ls_event_result result = {.units = {0, 1}, .seconds = 3};
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT, .now_s = 3, .result = result});
  rig_step(&rig, rig_suspended(5, 0, LS_AWAY_CUT));
  rig_at(&rig, 7, LS_EVENT_RESUMED, 0);
  rig_step(&rig, rig_suspended(8, 0, LS_AWAY_CUT));
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 3) == 0);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 9) == 3);
  rig_at(&rig, 12, LS_EVENT_LOST, 0);
  rig_at(&rig, 12, LS_EVENT_LOST, 1);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 3) == 0);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 12) == 6);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 1, 3) == 2);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 1, 12) == 11);
  rig_close(&rig);
}

/* Nobody noticed, or they noticed late; what counts as suspended already does not count twice. */
static void a_worker_says_for_how_long_it_was_stopped(void **state) {
  struct rig rig;
  struct ls_event event = {.kind = LS_EVENT_RESUMED, .now_s = 8, .resumed = {.stood_s = 3}};
  (void)state;
  rig_open_pair(&rig, 6);
  rig_step(&rig, event);
  assert_false(rig_noted(&rig, LS_NOTE_IGNORED));
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 8) == 3);
  rig_step(&rig, rig_suspended(20, 0, LS_AWAY_SILENT));
  event.now_s = 25;
  event.resumed.stood_s = 9;
  rig_step(&rig, event);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 25) == 12);
  rig_step(&rig, rig_suspended(30, 0, LS_AWAY_STOPPED));
  rig_at(&rig, 32, LS_EVENT_RESUMED, 0);
  event.now_s = 32.5;
  event.resumed.stood_s = 2;
  rig_step(&rig, event);
  assert_true(ls_coordinator_suspended_s(rig.coordinator, 0, 33) == 14.5);
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_unit_that_has_not_ended_runs),
      cmocka_unit_test(a_chunk_keeps_the_size_that_was_sent),
      cmocka_unit_test(a_slot_remembers_how_long_its_workers_were_away),
      cmocka_unit_test(a_worker_says_for_how_long_it_was_stopped),
      cmocka_unit_test(what_comes_behind_the_last_result_is_not_of_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
