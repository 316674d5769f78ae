/* Who gets units, when, and what the policy hears before it answers. */
#include "harness.h"

static const char *ask_for(struct rig *rig, uint32_t worker, uint64_t units) {
  return rig_step(
      rig, (struct ls_event){.kind = LS_EVENT_READY, .worker = worker, .ready_units = units});
}

static void one_request_is_one_chunk(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 20);
  assert_string_equal(ask_for(&rig, 0, 0), "send worker 0 chunk 0: 0+2");
  assert_string_equal(ask_for(&rig, 0, 1), "send worker 0 chunk 1: 2+2");
  rig_close(&rig);
}

static void a_request_for_many_units_gets_chunks_until_it_has_them(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 8);
  assert_string_equal(ask_for(&rig, 0, 3),
                      "send worker 0 chunk 0: 0+2; send worker 0 chunk 1: 2+2");
  /* Fewer are left: all of them. */
  assert_string_equal(ask_for(&rig, 0, UINT64_MAX),
                      "send worker 0 chunk 2: 4+2; send worker 0 chunk 3: 6+2");
  assert_false(rig_noted(&rig, LS_NOTE_ASKED_NOTHING));
  rig_close(&rig);
}

static void one_request_gets_at_most_4096_chunks(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 10000);
  ask_for(&rig, 0, UINT64_MAX);
  assert_int_equal(rig.actions.count, 4096);
  assert_int_equal(rig_totals(&rig).sent, 4096);
  rig_close(&rig);
}

static void parked_requests_are_served_in_the_order_of_refusal(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 5, 3);
  for (uint32_t i = 0; i < 3; i++) rig_ready(&rig, i);
  assert_string_equal(rig_ready(&rig, 4), "");
  assert_true(rig_noted(&rig, LS_NOTE_ASKED_NOTHING));
  rig_ready(&rig, 3);
  rig_ready(&rig, 4); /* a worker waits once, in its first place */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "send worker 4 chunk 3: 1+1");
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 2), "send worker 3 chunk 4: 2+1");
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 0), "");
  rig_close(&rig);
}

static void a_parked_request_for_many_gets_many(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  ask_for(&rig, 0, 4);
  assert_string_equal(ask_for(&rig, 1, 3), "");
  assert_string_equal(rig_vacate(&rig, 0),
                      "cancel worker 0 chunk 0; cancel worker 0 chunk 1; cancel worker 0 chunk 2; "
                      "cancel worker 0 chunk 3; send worker 1 chunk 4: 0+1; "
                      "send worker 1 chunk 5: 1+1; send worker 1 chunk 6: 2+1");
  rig_close(&rig);
}

/* A policy may refuse one worker and still have units for another, as sc does. */
static void a_refused_worker_keeps_its_place_while_others_are_served(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.retries = 5;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 1);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_ready(&rig, 2);
  hearing.not_for = 2;
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_FAILED),
                      "send worker 2 chunk 1: 0+1");
  hearing.not_for = 0;
  assert_string_equal(rig_result(&rig, 2, 1, (struct ls_range){0, 1}, LS_OUTCOME_FAILED),
                      "send worker 1 chunk 2: 0+1");
  rig_close(&rig);
}

static void a_request_before_the_first_iteration_waits_for_it(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  assert_string_equal(rig_ready(&rig, 1), "");
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_int_equal(hearing.asked, 0);
  assert_string_equal(rig_iteration(&rig, 5),
                      "send worker 1 chunk 0: 0+1; send worker 0 chunk 1: 1+1");
  rig_close(&rig);
}

static struct ls_event make_done(uint64_t chunk, uint64_t count, double seconds, double now_s) {
  return (struct ls_event){
      .kind = LS_EVENT_RESULT,
      .now_s = now_s,
      .result = {.chunk = chunk, .units = {chunk * 4, count}, .seconds = seconds}};
}

static void results_reach_the_policy_before_the_next_chunk(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 20);
  rig_ready(&rig, 0);
  rig_step(&rig, make_done(0, 2, 6, 5));
  struct ls_event rest = make_done(0, 2, 2, 7);
  rest.result.units.first = 2;
  rig_step(&rig, rest);
  assert_int_equal(hearing.reports, 0);
  rig_at(&rig, 10, LS_EVENT_READY, 0);
  assert_int_equal(hearing.reports, 1);
  assert_int_equal(hearing.report.units, 4);
  assert_float_equal((float)hearing.report.seconds, 8, 1e-6f);
  assert_float_equal((float)hearing.report.squares, 20, 1e-6f); /* 2 * 3^2 + 2 * 1^2 */
  assert_int_equal(hearing.report.latest_count, 0);             /* it wants no history */
  assert_float_equal((float)hearing.report.elapsed_s, 10, 1e-6f);
  /* Nothing new: no report. The next elapsed time begins at the last one handled. */
  rig_at(&rig, 12, LS_EVENT_READY, 0);
  assert_int_equal(hearing.reports, 1);
  rig_step(&rig, make_done(1, 4, 4, 14));
  rig_at(&rig, 15, LS_EVENT_READY, 0);
  assert_float_equal((float)hearing.report.elapsed_s, 5, 1e-6f);
  rig_close(&rig);
}

/* A policy with the parameter report_every hears of results without waiting for a request. */
static void results_make_reports_of_their_own_when_the_policy_wants(void **state) {
  static const struct ls_parameter parameters[] = {
      {"report_every", "units", LS_PARAMETER_WHOLE, 2, 0, 100, NULL}, {0}};
  (void)state;
  struct ls_coordinator_config config = rig_config(6);
  struct ls_chunking reporting = *config.chunking;
  reporting.parameters = parameters;
  config.chunking = &reporting;
  ls_arguments_init(&config.arguments, parameters);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 20);
  rig_ready(&rig, 0);
  rig_step(&rig, make_done(0, 1, 3, 5));
  assert_int_equal(hearing.reports, 0);
  struct ls_event next = make_done(0, 1, 4, 7);
  next.result.units.first = 1;
  rig_step(&rig, next);
  assert_int_equal(hearing.reports, 1);
  assert_int_equal(hearing.report.units, 2);
  assert_float_equal((float)hearing.report.seconds, 7, 1e-6f);
  assert_float_equal((float)hearing.report.elapsed_s, 7, 1e-6f);
  rig_at(&rig, 8, LS_EVENT_READY, 0);
  assert_int_equal(hearing.reports, 1);
  /* Every second one by its own count, also when a request told of the one before. */
  next.result.units.first = 2;
  rig_step(&rig, next);
  rig_at(&rig, 9, LS_EVENT_READY, 0);
  assert_int_equal(hearing.reports, 2);
  next.result.units.first = 3;
  rig_step(&rig, next);
  assert_int_equal(hearing.reports, 3);
  assert_int_equal(hearing.report.units, 1);
  rig_close(&rig);
}

/* What a worker does not hold any more must not count as waiting there for ever. */
static void failed_units_are_reported_as_gone(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 20);
  rig_ready(&rig, 0);
  struct ls_event failed = make_done(0, 3, 6, 5);
  failed.result.outcome = LS_OUTCOME_FAILED;
  rig_step(&rig, failed);
  rig_at(&rig, 6, LS_EVENT_READY, 0);
  assert_int_equal(hearing.reports, 1);
  assert_int_equal(hearing.report.units, 0);
  assert_int_equal(hearing.report.units_gone, 3);
  rig_close(&rig);
}

/* What comes over a network may be any bits. */
static void durations_that_are_no_numbers_do_not_reach_the_policy(void **state) {
  (void)state;
  const double bad[] = {(double)NAN, (double)INFINITY, -1};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct ls_coordinator_config config = rig_config(4);
    struct rig rig;
    rig_open(&rig, &config);
    rig_start(&rig, 1, 20);
    rig_ready(&rig, 0);
    rig_step(&rig, make_done(0, 4, bad[i], 1));
    rig_ready(&rig, 0);
    assert_int_equal(hearing.reports, 0);
    rig_close(&rig);
  }
}

static void a_pushed_policy_sends_when_the_port_is_free_only(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  config.chunking = &pushing_policy;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 5);
  assert_string_equal(rig_ready(&rig, 0), "");
  struct ls_event is_free = {.kind = LS_EVENT_FREE};
  assert_string_equal(rig_step(&rig, is_free), "send worker 0 chunk 0: 0+2");
  assert_string_equal(rig_ready(&rig, 0), "");
  hearing.next_worker = 1;
  assert_string_equal(rig_step(&rig, is_free), "send worker 1 chunk 1: 2+2");
  assert_string_equal(rig_step(&rig, is_free), "send worker 1 chunk 2: 4+1");
  assert_string_equal(rig_step(&rig, is_free), "");
  /* The port is idle, so a loss is answered at once, with one chunk. */
  hearing.next_worker = 0;
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1),
                      "request workers 1; send worker 0 chunk 3: 2+2");
  assert_string_equal(rig_step(&rig, is_free), "send worker 0 chunk 4: 4+1");
  rig_close(&rig);
}

static void a_pushed_chunk_waits_for_its_worker(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  config.chunking = &pushing_policy;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 2);
  hearing.next_worker = 1;
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_FREE}), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 1), "send worker 1 chunk 0: 0+2");
  rig_close(&rig);
}

/* Single units; `workers` are expected. */
static void open_sparing(struct rig *rig, size_t workers) {
  struct ls_coordinator_config config = rig_config(1);
  config.spares_newcomers = true;
  config.workers = workers;
  rig_open(rig, &config);
}

/* Two units and two workers, one of which is on its way: each gets one. */
static void a_unit_is_kept_for_a_worker_that_is_on_its_way(void **state) {
  (void)state;
  struct rig rig;
  open_sparing(&rig, 2);
  rig_start(&rig, 1, 2);
  struct ls_event ready = {.kind = LS_EVENT_READY, .ready_units = 2};
  assert_string_equal(rig_step(&rig, ready), "send worker 0 chunk 0: 0+1");
  assert_string_equal(rig_ready(&rig, 0), "");
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 1+1");
  rig_close(&rig);
}

/* What is kept is not kept for ever: who has nothing more to do gets it. */
static void who_is_idle_gets_what_was_kept(void **state) {
  (void)state;
  struct rig rig;
  open_sparing(&rig, 2);
  rig_start(&rig, 1, 2);
  rig_ready(&rig, 0);
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1),
                      "settle worker 0 chunk 0: 0+1 done; "
                      "send worker 0 chunk 1: 1+1");
  rig_close(&rig);
}

/* Each worker gets its first unit before any gets its second one, in the order of the units, so
 * long as nothing has ended: short units wait for nobody. */
static void the_first_units_begin_first(void **state) {
  (void)state;
  for (int has_ended = 0; has_ended < 2; has_ended++) {
    struct rig rig;
    open_sparing(&rig, 2);
    rig_start(&rig, 1, 8);
    struct ls_event ready = {.kind = LS_EVENT_READY, .ready_units = 2};
    assert_string_equal(rig_step(&rig, ready), "send worker 0 chunk 0: 0+1");
    assert_string_equal(rig_ready(&rig, 0), "");
    if (has_ended == 1) {
      assert_string_equal(rig_done(&rig, 0, 0, 0, 1),
                          "settle worker 0 chunk 0: 0+1 done; send worker 0 chunk 1: 1+1");
      assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 2+1");
    } else {
      rig_worker(&rig, LS_EVENT_JOINED, 1);
      ready.worker = 1;
      assert_string_equal(rig_step(&rig, ready),
                          "send worker 1 chunk 1: 1+1; send worker 1 chunk 2: 2+1; "
                          "send worker 0 chunk 3: 3+1");
    }
    rig_close(&rig);
  }
}

/* Who has come and not asked yet counts as being on its way; who will not come does not. */
static void what_is_kept_for_nobody_is_sent_ahead(void **state) {
  (void)state;
  struct rig rig;
  open_sparing(&rig, 3);
  rig_start(&rig, 1, 4);
  struct ls_event ready = {.kind = LS_EVENT_READY, .ready_units = 4};
  assert_string_equal(rig_step(&rig, ready), "send worker 0 chunk 0: 0+1");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1), "settle worker 0 chunk 0: 0+1 done");
  assert_string_equal(rig_step(&rig, ready), "send worker 0 chunk 1: 1+1");
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 1), "");
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 2: 2+1");
  /* The last one is lost before it came: a replacement is asked for, but may take its time. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 2),
                      "request workers 1; send worker 0 chunk 3: 3+1");
  rig_close(&rig);
}

/* At the begin of an iteration all have asked already: one unit for each, before a second one. */
static void idle_workers_come_first(void **state) {
  (void)state;
  struct rig rig;
  open_sparing(&rig, 2);
  struct ls_event ready = {.kind = LS_EVENT_READY, .ready_units = 2};
  for (ready.worker = 0; ready.worker < 2; ready.worker++) {
    rig_worker(&rig, LS_EVENT_JOINED, ready.worker);
    rig_step(&rig, ready);
  }
  assert_string_equal(rig_iteration(&rig, 2),
                      "send worker 0 chunk 0: 0+1; send worker 1 chunk 1: 1+1");
  rig_close(&rig);
  open_sparing(&rig, 2);
  for (ready.worker = 0; ready.worker < 2; ready.worker++) {
    rig_worker(&rig, LS_EVENT_JOINED, ready.worker);
    rig_step(&rig, ready);
  }
  assert_string_equal(rig_iteration(&rig, 8),
                      "send worker 0 chunk 0: 0+1; send worker 1 chunk 1: 1+1; "
                      "send worker 1 chunk 2: 2+1");
  rig_close(&rig);
}

/* Worker 0 is cut off with all units but one, in chunks of three. */
static void open_doubtful(struct rig *rig, bool is_paced) {
  struct ls_coordinator_config config = rig_config(3);
  config.is_paced = is_paced;
  rig_open(rig, &config);
  rig_start(rig, 2, 7);
  rig_step(rig, rig_asking(0, 0, 6));
  rig_step(rig, rig_suspended(1, 0, LS_AWAY_CUT));
}

/* It would wait there, and its result may come any time; whoever has nothing gets it at once. */
static void what_one_that_is_away_may_have_is_for_idle_ones(void **state) {
  (void)state;
  struct rig rig;
  open_doubtful(&rig, false);
  /* No chunk holds both. */
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 9)), "send worker 1 chunk 2: 6+1");
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 9)), "");
  assert_int_equal(rig_totals(&rig).waiting, 5);
  assert_string_equal(rig_done(&rig, 1, 2, 6, 1),
                      "settle worker 1 chunk 2: 6+1 done; send worker 1 chunk 3: 1+3");
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 9)), "");
  assert_string_equal(rig_done(&rig, 1, 3, 1, 1), "settle worker 1 chunk 3: 1+1 done");
  assert_string_equal(rig_done(&rig, 1, 3, 2, 2),
                      "settle worker 1 chunk 3: 2+2 done; send worker 1 chunk 4: 4+2");
  rig_close(&rig);
}

/* ... when the master is free for it. */
static void a_paced_master_keeps_it_for_idle_ones_too(void **state) {
  (void)state;
  struct rig rig;
  open_doubtful(&rig, true);
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 9)), "send worker 1 chunk 2: 6+1");
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 9)), "");
  assert_string_equal(rig_done(&rig, 1, 2, 6, 1),
                      "settle worker 1 chunk 2: 6+1 done; await free worker 1");
  assert_string_equal(rig_worker(&rig, LS_EVENT_FREE, 0), "send worker 1 chunk 3: 1+3");
  rig_close(&rig);
}

/* Somebody who is away but stands still comes back first: its units are for all. */
static void what_is_trusted_again_is_sent_ahead(void **state) {
  (void)state;
  struct rig rig;
  open_doubtful(&rig, false);
  rig_step(&rig, rig_asking(2, 1, 9));
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 4)), "");
  assert_string_equal(rig_step(&rig, rig_suspended(3, 0, LS_AWAY_STOPPED)),
                      "send worker 1 chunk 3: 1+3; send worker 1 chunk 4: 4+2");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_unit_is_kept_for_a_worker_that_is_on_its_way),
      cmocka_unit_test(who_is_idle_gets_what_was_kept),
      cmocka_unit_test(the_first_units_begin_first),
      cmocka_unit_test(what_is_kept_for_nobody_is_sent_ahead),
      cmocka_unit_test(idle_workers_come_first),
      cmocka_unit_test(what_one_that_is_away_may_have_is_for_idle_ones),
      cmocka_unit_test(a_paced_master_keeps_it_for_idle_ones_too),
      cmocka_unit_test(what_is_trusted_again_is_sent_ahead),
      cmocka_unit_test(one_request_is_one_chunk),
      cmocka_unit_test(a_request_for_many_units_gets_chunks_until_it_has_them),
      cmocka_unit_test(one_request_gets_at_most_4096_chunks),
      cmocka_unit_test(parked_requests_are_served_in_the_order_of_refusal),
      cmocka_unit_test(a_parked_request_for_many_gets_many),
      cmocka_unit_test(a_refused_worker_keeps_its_place_while_others_are_served),
      cmocka_unit_test(a_request_before_the_first_iteration_waits_for_it),
      cmocka_unit_test(results_reach_the_policy_before_the_next_chunk),
      cmocka_unit_test(results_make_reports_of_their_own_when_the_policy_wants),
      cmocka_unit_test(failed_units_are_reported_as_gone),
      cmocka_unit_test(durations_that_are_no_numbers_do_not_reach_the_policy),
      cmocka_unit_test(a_pushed_policy_sends_when_the_port_is_free_only),
      cmocka_unit_test(a_pushed_chunk_waits_for_its_worker),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
