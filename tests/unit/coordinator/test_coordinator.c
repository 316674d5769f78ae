/* Creating, the limits of the configuration, events that no correct driver sends, totals. */
#include "harness.h"

static void expect_refused(const struct ls_coordinator_config *config, const char *words) {
  struct ls_coordinator *coordinator = NULL;
  struct ls_error err = {0};
  assert_int_equal(ls_coordinator_create(config, &coordinator, &err), LS_EINVAL);
  assert_null(coordinator);
  assert_non_null(strstr(err.text, words));
}

static void a_bad_configuration_is_refused_by_name_and_value(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.workers = 0;
  expect_refused(&config, "workers is 0, must be 1 to workers_max (8)");
  config = rig_config(1);
  config.workers = 9;
  expect_refused(&config, "workers is 9");
  config = rig_config(1);
  config.workers_max = (size_t)1 << 40;
  expect_refused(&config, "workers_max is 1099511627776");
  config = rig_config(1);
  config.retries = 65534;
  expect_refused(&config, "retries is 65534, must be <= 65533");
  config = rig_config(1);
  config.kills_max = 256;
  expect_refused(&config, "kills_max is 256");
  const double bad[] = {-1, (double)NAN, (double)INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    config = rig_config(1);
    config.silence_s = bad[i];
    expect_refused(&config, "silence_s is");
    config = rig_config(1);
    config.patience_s = bad[i];
    expect_refused(&config, "patience_s is");
    config = rig_config(1);
    config.deadline_s = bad[i];
    expect_refused(&config, "deadline_s is");
    config = rig_config(1);
    double weights[8] = {1, 1, 1, 1, 1, 1, 1, bad[i]};
    config.weights = weights;
    config.weights_count = 8;
    expect_refused(&config, "worker 7: weight is");
  }
  config = rig_config(1);
  struct ls_plan_chunk chunks[] = {{.worker = 1, .units = 1}, {.worker = 2, .units = 1}};
  const struct ls_plan plan = {.chunks = chunks, .chunks_count = 2};
  config.plan = &plan;
  expect_refused(&config, "chunk 1 of the plan: worker is 2, must be < 2");
}

static void what_the_configuration_points_to_is_copied(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  double weights[8] = {1, 2, 3};
  struct ls_plan_chunk chunks[] = {{.worker = 1, .units = 5}};
  struct ls_plan plan = {.chunks = chunks, .chunks_count = 1};
  struct ls_range done[] = {{0, 1}};
  config.weights = weights;
  config.weights_count = 8;
  config.plan = &plan;
  struct ls_coordinator_past past = {.done = done, .done_count = 1};
  struct rig rig;
  rig_open(&rig, &config);
  assert_int_equal(ls_coordinator_restore(rig.coordinator, &past, NULL), LS_OK);
  memset(weights, 0, sizeof weights);
  memset(chunks, 0, sizeof chunks);
  memset(&plan, 0, sizeof plan);
  memset(done, 0, sizeof done);
  rig_start(&rig, 1, 5);
  assert_true(hearing.setup.weights[1] > 1.5);
  assert_true(hearing.setup.plan->chunks[0].units == 5);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 1+1");
  rig_close(&rig);
}

static void destroying_nothing_is_fine(void **state) {
  (void)state;
  ls_coordinator_destroy(NULL);
}

static void events_of_no_correct_driver_change_nothing(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 5);
  rig_ready(&rig, 0);
  struct ls_coordinator_totals before = rig_totals(&rig);
  const struct {
    struct ls_event event;
    const char *words;
  } cases[] = {
      {{.kind = LS_EVENT_COUNT}, "event kind is 16, must be < 16"},
      {{.kind = LS_EVENT_READY, .worker = 8}, "READY: worker is 8, must be < 8"},
      {{.kind = LS_EVENT_JOINED, .worker = LS_WORKER_NONE}, "JOINED: worker is"},
      {{.kind = LS_EVENT_RESULT, .result = {.outcome = LS_OUTCOME_COUNT}},
       "RESULT: outcome is 6, which is no result"},
      {{.kind = LS_EVENT_RESULT, .result = {.outcome = LS_OUTCOME_GIVEN_UP}},
       "RESULT: outcome is 2, which is no result"},
      {{.kind = LS_EVENT_RESULT, .result = {.outcome = LS_OUTCOME_LOST}},
       "RESULT: outcome is 3, which is no result"},
      {{.kind = LS_EVENT_TIMER, .now_s = (double)NAN}, "TIMER: now_s is"},
      {{.kind = LS_EVENT_JOINED, .joined = {.lifetime_s = -1}}, "JOINED: lifetime_s is -1"},
      {{.kind = LS_EVENT_HEARTBEAT, .answer_s = (double)INFINITY}, "HEARTBEAT: answer_s is inf"},
      {{.kind = LS_EVENT_HEARTBEAT, .send_s = -1}, "HEARTBEAT: send_s is -1"},
      {{.kind = LS_EVENT_HEARTBEAT, .speed = -1}, "HEARTBEAT: speed is -1"},
      {{.kind = LS_EVENT_HEARTBEAT, .speed = 5e-324}, "HEARTBEAT: speed is 4.94066e-324"},
      {{.kind = LS_EVENT_HEARTBEAT, .speed = 1e308}, "HEARTBEAT: speed is 1e+308"},
      {{.kind = LS_EVENT_HEARTBEAT, .speed = (double)NAN}, "HEARTBEAT: speed is "},
      {{.kind = LS_EVENT_SUSPENDED, .suspended = {.reason = LS_AWAY_COUNT}},
       "SUSPENDED: reason is 4, must be < 4"},
      {{.kind = LS_EVENT_ADDED, .added = {.units = 1}}, "ADDED: 1 units for an iteration"},
      {{.kind = LS_EVENT_TIMER, .now_s = (double)INFINITY}, "TIMER: now_s is inf"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    struct ls_error err = {0};
    assert_int_equal(rig_try(&rig, cases[i].event, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, cases[i].words));
    assert_int_equal(rig.actions.count, 0);
    assert_int_equal(rig_try(&rig, cases[i].event, NULL), LS_EINVAL);
  }
  struct ls_coordinator_totals after = rig_totals(&rig);
  assert_same_totals(&before, &after);
  rig_close(&rig);
}

static void the_past_must_be_told_first(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct ls_coordinator_past past = {0};
  struct rig rig;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  struct ls_error err = {0};
  assert_int_equal(ls_coordinator_restore(rig.coordinator, &past, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "before its first event"));
  rig_close(&rig);
}

static void time_never_goes_back(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 9);
  rig_at(&rig, 10, LS_EVENT_HEARTBEAT, 0);
  struct ls_event earlier = {.kind = LS_EVENT_READY, .now_s = 3};
  assert_int_equal(rig_try(&rig, earlier, NULL), LS_OK);
  assert_true(rig.actions.notes[0].now_s > 9.9);
  rig_close(&rig);
}

static void a_policy_without_state_or_ears_will_do(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(0);
  config.chunking = &single_policy;
  config.retries = 1;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 2);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+1");
  rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_FAILED);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+1");
  rig_close(&rig);
}

static void totals_add_up_at_every_step(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 10);
  for (uint64_t chunk = 0; chunk < 4; chunk++) {
    rig_ready(&rig, chunk % 2 == 0 ? 0 : 1);
    struct ls_coordinator_totals totals = rig_totals(&rig);
    assert_int_equal(totals.units, 10);
    assert_int_equal(totals.waiting + totals.sent, 10);
    assert_int_equal(totals.chunks, chunk + 1);
    assert_int_equal(totals.requests, chunk + 1);
  }
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_bad_configuration_is_refused_by_name_and_value),
      cmocka_unit_test(what_the_configuration_points_to_is_copied),
      cmocka_unit_test(destroying_nothing_is_fine),
      cmocka_unit_test(events_of_no_correct_driver_change_nothing),
      cmocka_unit_test(the_past_must_be_told_first),
      cmocka_unit_test(time_never_goes_back),
      cmocka_unit_test(a_policy_without_state_or_ears_will_do),
      cmocka_unit_test(totals_add_up_at_every_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
