/* Advice: another prefetch, another policy, another number of workers, in the midst of a run. */
#include "harness.h"

static struct ls_coordinator_config config_of_choices(uint64_t size) {
  static struct ls_coordinator_choice choices[2];
  struct ls_coordinator_config config = rig_config(size);
  choices[0] = (struct ls_coordinator_choice){.chunking = &single_policy};
  choices[1] = (struct ls_coordinator_choice){.chunking = &hearing_policy};
  config.choices = choices;
  config.choices_count = 2;
  return config;
}

static const char *advise_policy(struct rig *rig, uint64_t number) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_ADVICE, .advice = {.policy = number}});
}

static const char *advise_workers(struct rig *rig, uint64_t workers) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_ADVICE, .advice = {.workers = workers}});
}

static void finish(struct rig *rig, uint32_t worker, uint64_t chunk, struct ls_range units,
                   double seconds) {
  rig_step(rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                  .worker = worker,
                                  .result = {.chunk = chunk, .units = units, .seconds = seconds}});
}

static void prefetch_and_more_workers_are_asked_for(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  struct ls_event advice = {.kind = LS_EVENT_ADVICE, .advice = {.prefetch = 3}};
  assert_string_equal(rig_step(&rig, advice), "set prefetch 3");
  assert_true(rig_noted(&rig, LS_NOTE_ADVISED));
  assert_string_equal(advise_workers(&rig, 5), "request workers 3");
  assert_string_equal(advise_workers(&rig, 5), ""); /* they are on their way */
  advice = (struct ls_event){.kind = LS_EVENT_ADVICE, .advice = {.prefetch = 1, .workers = 1000}};
  assert_string_equal(rig_step(&rig, advice), "set prefetch 1; request workers 3");
  assert_string_equal(advise_workers(&rig, 0), "");
  rig_close(&rig);
}

static void the_new_policy_begins_with_what_waits(void **state) {
  (void)state;
  struct ls_coordinator_config config = config_of_choices(3);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 20);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+3");
  assert_string_equal(advise_policy(&rig, 1), "");
  assert_true(rig_noted(&rig, LS_NOTE_POLICY));
  assert_true(rig_totals(&rig).chunking == &single_policy);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 3+1");
  /* The old policy's chunk ends as it was sent. */
  rig_done(&rig, 0, 0, 0, 3);
  hearing = (struct hearing){.size = 5};
  advise_policy(&rig, 2);
  assert_int_equal(hearing.setup.units, 16);
  assert_int_equal(hearing.setup.slots, 2);
  assert_int_equal(hearing.joined + hearing.lost, 0);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 4+5");
  assert_int_equal(rig_totals(&rig).done, 3);
  rig_close(&rig);
}

static void the_new_policy_knows_the_measured_speeds(void **state) {
  (void)state;
  struct ls_coordinator_config config = config_of_choices(2);
  config.workers = 3;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 20);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  finish(&rig, 0, 0, (struct ls_range){0, 2}, 1);
  finish(&rig, 1, 1, (struct ls_range){2, 2}, 4);
  advise_policy(&rig, 2);
  const double *weights = hearing.setup.weights;
  assert_non_null(weights);
  /* 0.5 and 2 s a unit; of two units each, a third of the difference is more than chance. */
  assert_true(fabs(weights[0] - 1) < 1e-12 && fabs(weights[1] - 1 / 1.5) < 1e-12);
  /* Of the third nothing is known: it takes the mean. */
  assert_true(fabs(weights[2] - 1 / 1.25) < 1e-12);
  assert_true(fabs(hearing.setup.mean_seconds - 1.25) < 1e-12);
  rig_close(&rig);
}

/* The measured weight is the worker's, and goes with it; a told one is the slot's. */
static void a_new_worker_in_a_slot_has_the_weight_of_a_newcomer(void **state) {
  (void)state;
  static const double told[] = {4, 2};
  for (int is_told = 0; is_told < 2; is_told++) {
    struct ls_coordinator_config config = config_of_choices(2);
    config.weights = is_told ? told : NULL;
    config.weights_count = is_told ? 2 : 0;
    struct rig rig;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 20);
    rig_ready(&rig, 0);
    rig_ready(&rig, 1);
    finish(&rig, 0, 0, (struct ls_range){0, 2}, 1);
    finish(&rig, 1, 1, (struct ls_range){2, 2}, 4);
    advise_policy(&rig, 2);
    double old = hearing.weights[1], newcomer = is_told ? told[1] : (1 + 1 / 1.5) / 2;
    assert_true(fabs(old - (is_told ? told[1] : 1 / 1.5)) < 1e-12);
    rig_worker(&rig, LS_EVENT_LOST, 1);
    rig_worker(&rig, LS_EVENT_JOINED, 1);
    assert_true(fabs(hearing.view_weight - newcomer) < 1e-12);
    /* Who was only suspended is the same one. */
    rig_vacate(&rig, 0);
    rig_worker(&rig, LS_EVENT_RESUMED, 0);
    assert_true(fabs(hearing.view_weight - (is_told ? told[0] : 1)) < 1e-12);
    rig_close(&rig);
  }
}

/* The policy hears of every third unit, whichever it is: so the config says. */
static void advice_does_not_change_how_often_is_reported(void **state) {
  (void)state;
  struct ls_coordinator_config config = config_of_choices(6);
  config.report_every = 3;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 20);
  advise_policy(&rig, 2);
  rig_ready(&rig, 0);
  finish(&rig, 0, 0, (struct ls_range){0, 2}, 1);
  assert_int_equal(hearing.reports, 0);
  finish(&rig, 0, 0, (struct ls_range){2, 1}, 1);
  assert_int_equal(hearing.reports, 1);
  rig_close(&rig);
}

/* The new policy wants fewer times: also of a worker that is about to leave, in whose slot a longer
 * list may wait. */
static void the_reports_of_leaving_workers_are_void_too(void **state) {
  static const struct ls_parameter parameters[] = {
      {"history", "units", LS_PARAMETER_WHOLE, 20, 0, 100, NULL}, {0}};
  static const double times[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  struct ls_chunking looking_back = hearing_policy;
  (void)state;
  looking_back.parameters = parameters;
  for (int history = 0; history < 3; history += 2) {
    struct ls_coordinator_config config = rig_config(30);
    struct ls_coordinator_choice choice = {.chunking = &looking_back};
    struct rig rig;
    config.chunking = &looking_back;
    ls_arguments_init(&config.arguments, parameters);
    choice.arguments = config.arguments;
    choice.arguments.values[0] = history;
    config.choices = &choice;
    config.choices_count = 1;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 100);
    rig_ready(&rig, 0);
    rig_worker(&rig, LS_EVENT_LEAVING, 0);
    struct ls_event result = {
        .kind = LS_EVENT_RESULT,
        .result = {.units = {0, 10}, .seconds = 10, .latest = times, .latest_count = 10}};
    rig_step(&rig, result);
    advise_policy(&rig, 1); /* which looks whether all is sound */
    result.result.units.first = 10;
    rig_step(&rig, result);
    rig_close(&rig);
  }
}

static void declared_weights_stay(void **state) {
  (void)state;
  static const double weights[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  struct ls_coordinator_config config = config_of_choices(2);
  config.weights = weights;
  config.weights_count = 8;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 20);
  rig_ready(&rig, 0);
  finish(&rig, 0, 0, (struct ls_range){0, 2}, 1);
  advise_policy(&rig, 2);
  assert_int_equal(hearing.setup.slots, config.workers);
  assert_memory_equal(hearing.setup.weights, weights, config.workers * sizeof *weights);
  rig_close(&rig);
}

static void the_next_iteration_goes_on_with_the_new_policy(void **state) {
  (void)state;
  struct ls_coordinator_config config = config_of_choices(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 4);
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 0, 0, 4);
  assert_string_equal(advise_policy(&rig, 1), ""); /* no iteration is open */
  rig_iteration(&rig, 3);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 1: 0+1");
  rig_close(&rig);
}

static void whom_the_old_policy_refused_is_served_by_the_new(void **state) {
  (void)state;
  struct ls_coordinator_config config = config_of_choices(0);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  assert_string_equal(rig_ready(&rig, 1), "");
  assert_string_equal(advise_policy(&rig, 1), "send worker 1 chunk 0: 0+1");
  rig_close(&rig);
}

static void a_policy_that_refuses_changes_nothing(void **state) {
  (void)state;
  struct ls_coordinator_config config = config_of_choices(2);
  struct rig rig;
  struct ls_error err = {0};
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  struct ls_coordinator_totals before = rig_totals(&rig);
  hearing.refuses_setup = true;
  struct ls_event advice = {.kind = LS_EVENT_ADVICE,
                            .advice = {.policy = 2, .prefetch = 7, .workers = 4}};
  assert_int_equal(rig_try(&rig, advice, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "not to my liking"));
  advice.advice.policy = 3;
  assert_int_equal(rig_try(&rig, advice, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "number 3, expected 0 to 2"));
  assert_int_equal(rig.actions.count, 0);
  struct ls_coordinator_totals after = rig_totals(&rig);
  assert_same_totals(&before, &after);
  hearing.refuses_setup = false;
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+2");
  rig_close(&rig);
}

static void pushed_policies_are_no_choice(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct ls_coordinator_choice pushed = {.chunking = &pushing_policy};
  struct ls_coordinator *coordinator = NULL;
  struct ls_error err = {0};
  config.choices = &pushed;
  config.choices_count = 1;
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "choice 0: pushing"));
  pushed.chunking = &hearing_policy;
  config.chunking = &pushing_policy;
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "cannot change from pushing"));
}

/* Nothing that runs is thrown away: who is to go ends what it has first. */
static void the_slowest_drain_and_go(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  config.workers = 3;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 20);
  for (uint32_t i = 0; i < 3; i++) rig_ready(&rig, i);
  finish(&rig, 0, 0, (struct ls_range){0, 2}, 4);
  finish(&rig, 1, 1, (struct ls_range){2, 2}, 1);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 3: 6+2");
  /* Of 0, 1 and 2 one may stay: 1 is the fastest known. */
  assert_string_equal(advise_workers(&rig, 1), "");
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 4: 8+2");
  assert_string_equal(rig_done(&rig, 0, 3, 6, 2),
                      "settle worker 0 chunk 3: 6+2 done; "
                      "release worker 0");
  assert_string_equal(rig_done(&rig, 2, 2, 4, 2),
                      "settle worker 2 chunk 2: 4+2 done; "
                      "release worker 2");
  struct ls_coordinator_totals totals = rig_totals(&rig);
  assert_int_equal(totals.workers_present, 1);
  assert_int_equal(totals.workers_lost, 0);
  assert_int_equal(hearing.lost, 2);
  rig_close(&rig);
}

/* 20 units, and two workers that have their first chunk of so many. */
static struct rig open_busy(uint64_t chunk) {
  struct ls_coordinator_config config = rig_config(chunk);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 20);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  return rig;
}

static void who_is_to_go_follows_what_is_measured(void **state) {
  (void)state;
  struct rig rig = open_busy(2);
  advise_workers(&rig, 1);
  assert_string_equal(rig_ready(&rig, 1), "");
  finish(&rig, 1, 1, (struct ls_range){2, 1}, 0.5);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 2: 4+2");
  assert_string_equal(rig_ready(&rig, 0), "");
  finish(&rig, 0, 0, (struct ls_range){0, 1}, 0.25);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 3: 6+2");
  assert_string_equal(rig_ready(&rig, 1), "");
  rig_close(&rig);
}

static void idle_workers_go_at_once(void **state) {
  (void)state;
  struct rig rig = open_busy(20);
  assert_string_equal(advise_workers(&rig, 1), "release worker 1");
  rig_close(&rig);
}

/* Who was to go and is wanted again must not be forgotten with its request. */
static void a_drained_worker_that_may_stay_is_served(void **state) {
  (void)state;
  struct rig rig = open_busy(2);
  advise_workers(&rig, 1);
  assert_string_equal(rig_ready(&rig, 1), "");
  assert_string_equal(advise_workers(&rig, 2), "send worker 1 chunk 2: 4+2");
  advise_workers(&rig, 1);
  assert_string_equal(rig_ready(&rig, 1), "");
  /* Now the other one is lost: its units and another worker's turn. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 0), "send worker 1 chunk 3: 0+2");
  rig_close(&rig);
}

static void a_run_that_stops_hears_no_advice(void **state) {
  (void)state;
  struct ls_coordinator_config config = config_of_choices(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 9);
  rig_ready(&rig, 0);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP});
  struct ls_event advice = {.kind = LS_EVENT_ADVICE,
                            .advice = {.policy = 1, .prefetch = 7, .workers = 4}};
  assert_string_equal(rig_step(&rig, advice), "");
  assert_true(rig_totals(&rig).chunking == &hearing_policy);
  rig_close(&rig);
}

static size_t want_given(const struct ls_sizing_view *view, size_t given) {
  assert_true(view->units > 0);
  return given;
}

/* Else each iteration asks for workers that the advice lets go again. */
static void a_sizing_wants_no_more_than_was_advised(void **state) {
  static const struct ls_sizing all = {
      .name = "all", .summary = "all", .reference = "none", .wanted = want_given};
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.workers = 3;
  config.sizing = &all;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 1);
  assert_string_equal(advise_workers(&rig, 2), "release worker 2");
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 0, 0, 1);
  assert_string_equal(rig_iteration(&rig, 10), "");
  assert_int_equal(rig_totals(&rig).workers_wanted, 2);
  rig_close(&rig);
}

static uint64_t replicate_all(const struct ls_replication_view *view) {
  return view->units;
}

static void a_worker_that_is_to_go_gets_no_replica_either(void **state) {
  static const struct ls_replication every = {
      .name = "every", .summary = "all units", .reference = "none", .replicas = replicate_all};
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.replication = &every;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 2);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 0: 0+1");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 1: 0+1");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 1+1");
  assert_string_equal(advise_workers(&rig, 1), "");
  assert_string_equal(rig_ready(&rig, 1), "");
  const char *actions = rig_done(&rig, 1, 0, 0, 1);
  assert_string_equal(
      actions, "settle worker 1 chunk 0: 0+1 done; cancel worker 0 chunk 1; release worker 1");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prefetch_and_more_workers_are_asked_for),
      cmocka_unit_test(the_new_policy_begins_with_what_waits),
      cmocka_unit_test(the_new_policy_knows_the_measured_speeds),
      cmocka_unit_test(a_new_worker_in_a_slot_has_the_weight_of_a_newcomer),
      cmocka_unit_test(advice_does_not_change_how_often_is_reported),
      cmocka_unit_test(the_reports_of_leaving_workers_are_void_too),
      cmocka_unit_test(declared_weights_stay),
      cmocka_unit_test(the_next_iteration_goes_on_with_the_new_policy),
      cmocka_unit_test(whom_the_old_policy_refused_is_served_by_the_new),
      cmocka_unit_test(a_policy_that_refuses_changes_nothing),
      cmocka_unit_test(pushed_policies_are_no_choice),
      cmocka_unit_test(the_slowest_drain_and_go),
      cmocka_unit_test(who_is_to_go_follows_what_is_measured),
      cmocka_unit_test(idle_workers_go_at_once),
      cmocka_unit_test(a_drained_worker_that_may_stay_is_served),
      cmocka_unit_test(a_run_that_stops_hears_no_advice),
      cmocka_unit_test(a_sizing_wants_no_more_than_was_advised),
      cmocka_unit_test(a_worker_that_is_to_go_gets_no_replica_either),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
