/* Refusals and workers that do not come are facts; nobody is asked for in vain. */
#include "harness.h"

static struct ls_event tell(double now_s, enum ls_event_kind kind, uint64_t workers) {
  struct ls_event event = {.kind = kind, .now_s = now_s};
  if (kind == LS_EVENT_GRANTED) event.granted = workers;
  if (kind == LS_EVENT_REFUSED) event.refused = workers;
  return event;
}

/* Two 6 s tasks, both workers killed: the first replacement leaves the second task to the other. */
static void what_a_granted_worker_is_to_have_is_not_sent_ahead(void **state) {
  for (int is_granted = 0; is_granted < 2; is_granted++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    (void)state;
    config.spares_newcomers = true;
    config.grant_s = 0.1;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 2);
    rig_ready(&rig, 0);
    rig_ready(&rig, 1);
    assert_string_equal(rig_at(&rig, 1.5, LS_EVENT_LOST, 0), "request workers 1");
    assert_string_equal(rig_at(&rig, 1.5, LS_EVENT_LOST, 1), "request workers 1");
    if (is_granted) rig_step(&rig, tell(1.5, LS_EVENT_GRANTED, 2));
    rig_at(&rig, 1.6, LS_EVENT_JOINED, 0);
    struct ls_event both = {.kind = LS_EVENT_READY, .now_s = 1.6, .ready_units = 2};
    assert_string_equal(rig_step(&rig, both), "send worker 0 chunk 2: 1+1");
    assert_string_equal(rig_step(&rig, both), "");
    rig_at(&rig, 1.7, LS_EVENT_JOINED, 1);
    both.worker = 1;
    assert_string_equal(rig_step(&rig, both), "send worker 1 chunk 3: 0+1");
    rig_close(&rig);
  }
}

static void refused_workers_are_asked_for_again(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.grant_s = 2;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  assert_string_equal(rig_at(&rig, 1, LS_EVENT_LOST, 1), "request workers 1");
  assert_string_equal(rig_step(&rig, tell(1, LS_EVENT_REFUSED, 1)), "wake at 3");
  /* Another loss waits with it. */
  assert_string_equal(rig_at(&rig, 2, LS_EVENT_LOST, 0), "");
  assert_string_equal(rig_at(&rig, 3, LS_EVENT_TIMER, 0), "request workers 2");
  assert_string_equal(rig_step(&rig, tell(3, LS_EVENT_REFUSED, 2)), "wake at 7");
  rig_close(&rig);
}

static void granted_workers_that_do_not_come_are_asked_for_again(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.heartbeat_s = 1;
  config.grant_s = 2;
  rig_open(&rig, &config);
  struct ls_event joined = {.kind = LS_EVENT_JOINED, .joined = {.has_lifeline = true}};
  rig_step(&rig, joined);
  joined.worker = 1;
  rig_step(&rig, joined);
  rig_iteration(&rig, 40);
  rig_at(&rig, 1, LS_EVENT_LOST, 1);
  assert_string_equal(rig_step(&rig, tell(2, LS_EVENT_GRANTED, 1)), "wake at 12");
  assert_string_equal(rig_at(&rig, 12, LS_EVENT_TIMER, 0), "request workers 1");
  assert_true(rig_noted(&rig, LS_NOTE_NEVER_CAME));
  assert_int_equal(rig_totals(&rig).workers_lost, 2);
  rig_close(&rig);
}

/* A worker may be faster than the news that its pool has started it. */
static void who_joins_before_it_is_granted_is_awaited_no_more(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.heartbeat_s = 1;
  config.grant_s = 2;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 40);
  assert_string_equal(rig_at(&rig, 1, LS_EVENT_LOST, 1), "request workers 1");
  rig_at(&rig, 1.1, LS_EVENT_JOINED, 1);
  assert_string_equal(rig_step(&rig, tell(1.2, LS_EVENT_GRANTED, 1)), "");
  /* Two are asked for; of these one is granted late, and the other one refused. */
  assert_string_equal(rig_at(&rig, 2, LS_EVENT_LOST, 1), "request workers 1");
  assert_string_equal(rig_at(&rig, 2, LS_EVENT_LOST, 0), "request workers 1");
  rig_at(&rig, 2.1, LS_EVENT_JOINED, 0);
  rig_step(&rig, tell(2.2, LS_EVENT_REFUSED, 1));
  assert_string_equal(rig_step(&rig, tell(2.3, LS_EVENT_GRANTED, 1)), "");
  assert_non_null(strstr(rig_at(&rig, 4.2, LS_EVENT_TIMER, 0), "request workers 1"));
  assert_false(rig_noted(&rig, LS_NOTE_NEVER_CAME));
  assert_int_equal(rig_totals(&rig).workers_lost, 3);
  rig_close(&rig);
}

/* Two units of a second each are left, and a worker comes after a minute. */
static void nobody_is_asked_for_when_the_run_is_about_to_end(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.grant_s = 60;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 3);
  rig_ready(&rig, 0);
  rig_at(&rig, 60, LS_EVENT_READY, 1);
  rig_step(&rig,
           (struct ls_event){
               .kind = LS_EVENT_RESULT, .now_s = 61, .result = {.units = {0, 1}, .seconds = 1}});
  assert_string_equal(rig_at(&rig, 61, LS_EVENT_LOST, 1), "wake at 121");
  /* But where nobody is left somebody is needed. */
  assert_string_equal(rig_at(&rig, 61, LS_EVENT_LOST, 0), "request workers 2");
  rig_close(&rig);
}

/* The units so far took a millisecond; the last ones take minutes. */
static void a_run_that_did_not_end_as_expected_gets_its_replacement(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.grant_s = 0.1;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_step(&rig,
           (struct ls_event){
               .kind = LS_EVENT_RESULT, .now_s = 1, .result = {.units = {0, 1}, .seconds = 0.001}});
  rig_at(&rig, 1, LS_EVENT_READY, 0);
  assert_string_equal(rig_at(&rig, 1, LS_EVENT_LOST, 1), "wake at 1.01");
  /* Another loss does not put it off further. */
  struct ls_event joined = {.kind = LS_EVENT_JOINED, .now_s = 1.005, .worker = 2};
  rig_step(&rig, joined);
  assert_string_equal(rig_at(&rig, 1.008, LS_EVENT_LOST, 2), "");
  assert_string_equal(rig_at(&rig, 1.01, LS_EVENT_TIMER, 0), "request workers 1");
  rig_close(&rig);
}

/* One of three comes by itself; the others are missing still. */
static void who_comes_unasked_does_not_stop_the_asking(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.grant_s = 2;
  config.workers = 3;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 9);
  rig_at(&rig, 1, LS_EVENT_LOST, 1);
  rig_at(&rig, 1, LS_EVENT_LOST, 2);
  assert_string_equal(rig_step(&rig, tell(1, LS_EVENT_REFUSED, 2)), "wake at 3");
  struct ls_event joined = {.kind = LS_EVENT_JOINED, .now_s = 2, .worker = 1};
  rig_step(&rig, joined);
  assert_string_equal(rig_at(&rig, 3, LS_EVENT_TIMER, 0), "request workers 1");
  rig_close(&rig);
}

/* Once they were there, the others go on when one leaves. */
static void nothing_is_handed_out_before_enough_workers_are_there(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.workers_min = 2;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 4);
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 1), "send worker 0 chunk 0: 0+1");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 1+1");
  rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 1+1");
  rig_close(&rig);
}

/* Also where the run is about to end; but not when nobody else is left. */
static void who_is_lost_is_replaced_in_the_next_iteration(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.grant_s = 60;
  config.replacing = LS_REPLACING_BETWEEN;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 1);
  rig_ready(&rig, 0);
  assert_string_equal(rig_at(&rig, 1, LS_EVENT_LOST, 1), "");
  rig_step(&rig,
           (struct ls_event){
               .kind = LS_EVENT_RESULT, .now_s = 2, .result = {.units = {0, 1}, .seconds = 2}});
  struct ls_event next = {.kind = LS_EVENT_ITERATION, .now_s = 2, .iteration_units = 1};
  assert_non_null(strstr(rig_step(&rig, next), "request workers 1"));
  rig_at(&rig, 3, LS_EVENT_READY, 0);
  assert_non_null(strstr(rig_at(&rig, 4, LS_EVENT_LOST, 0), "request workers 1"));
  rig_close(&rig);
}

static size_t wish;

static size_t want_wish(const struct ls_sizing_view *view, size_t given) {
  (void)view;
  return wish < given ? wish : given;
}
static const struct ls_sizing wishing = {
    .name = "wishing", .summary = "a wish", .reference = "none", .wanted = want_wish};

/* Neither while it is away nor when it is lost, in no iteration, nor when nobody is left; but what
 * a sizing wants more than before comes beside the empty place. */
static void the_place_of_who_is_lost_may_stay_empty(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.workers = 3;
  config.grant_s = 1;
  config.sizing = &wishing;
  config.replacing = LS_REPLACING_NEVER;
  wish = 2;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 1);
  rig_ready(&rig, 0);
  rig_at(&rig, 1, LS_EVENT_SUSPENDED, 1);
  assert_null(strstr(rig_at(&rig, 40, LS_EVENT_TIMER, 0), "request"));
  assert_string_equal(rig_at(&rig, 41, LS_EVENT_LOST, 1), "");
  const struct ls_event_result result = {.units = {0, 1}, .seconds = 41};
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT, .now_s = 41, .result = result});
  assert_null(strstr(rig_iteration(&rig, 1), "request"));
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 1, 0, 1);
  wish = 3;
  assert_non_null(strstr(rig_iteration(&rig, 1), "request workers 1"));
  rig_step(&rig, tell(42, LS_EVENT_GRANTED, 1));
  rig_at(&rig, 42, LS_EVENT_JOINED, 2);
  assert_null(strstr(rig_at(&rig, 43, LS_EVENT_LOST, 0), "request"));
  assert_null(strstr(rig_at(&rig, 44, LS_EVENT_LOST, 2), "request"));
  assert_null(strstr(rig_at(&rig, 100, LS_EVENT_TIMER, 0), "request"));
  rig_close(&rig);
}

/* ---- who is released between iterations ---- */

static size_t sized;

static size_t want_sized(const struct ls_sizing_view *view, size_t most) {
  (void)view;
  return sized < most ? sized : most;
}

static const struct ls_sizing to_size = {
    .name = "to-size", .summary = "as told", .reference = "none", .wanted = want_sized};

/* Six workers have done an iteration; the next one wants `wanted`. */
static const char *size_down(struct rig *rig, const struct ls_event_joined *facts, size_t wanted) {
  struct ls_coordinator_config config = rig_config(1);
  config.sizing = &to_size;
  config.workers = 6;
  sized = 6;
  rig_open(rig, &config);
  for (uint32_t i = 0; i < 6; i++)
    rig_step(rig, (struct ls_event){.kind = LS_EVENT_JOINED, .worker = i, .joined = facts[i]});
  rig_iteration(rig, 1);
  rig_ready(rig, 0);
  rig_done(rig, 0, 0, 0, 1);
  sized = wanted;
  return rig_iteration(rig, 6);
}

/* Slots 1 and 4 live shortest; the last slot goes first of equals. */
static void who_lives_shortest_is_released_first(void **state) {
  const struct ls_event_joined facts[6] = {{.lifetime_s = 0},   {.lifetime_s = 50},
                                           {.lifetime_s = 900}, {.lifetime_s = 900},
                                           {.lifetime_s = 60},  {.lifetime_s = 0}};
  struct rig rig;
  (void)state;
  assert_string_equal(size_down(&rig, facts, 3),
                      "release worker 1; release worker 4; release worker 3");
  rig_close(&rig);
}

/* A job of two and one of three beside a worker that costs nothing: of two that go the job of two
 * goes, of four the free worker stays longest. */
static void whole_leases_are_released_first(void **state) {
  const struct ls_event_joined facts[6] = {{.lease = 7}, {.lease = 0}, {.lease = 8},
                                           {.lease = 7}, {.lease = 8}, {.lease = 8}};
  struct rig rig;
  (void)state;
  assert_string_equal(size_down(&rig, facts, 4), "release worker 3; release worker 0");
  rig_close(&rig);
  assert_string_equal(size_down(&rig, facts, 1),
                      "release worker 3; release worker 0; release worker 5; release worker 4; "
                      "release worker 2");
  rig_close(&rig);
  /* None can go whole: then any. */
  assert_string_equal(size_down(&rig, facts, 5), "release worker 5");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_lives_shortest_is_released_first),
      cmocka_unit_test(whole_leases_are_released_first),
      cmocka_unit_test(what_a_granted_worker_is_to_have_is_not_sent_ahead),
      cmocka_unit_test(refused_workers_are_asked_for_again),
      cmocka_unit_test(granted_workers_that_do_not_come_are_asked_for_again),
      cmocka_unit_test(who_joins_before_it_is_granted_is_awaited_no_more),
      cmocka_unit_test(nobody_is_asked_for_when_the_run_is_about_to_end),
      cmocka_unit_test(a_run_that_did_not_end_as_expected_gets_its_replacement),
      cmocka_unit_test(who_comes_unasked_does_not_stop_the_asking),
      cmocka_unit_test(nothing_is_handed_out_before_enough_workers_are_there),
      cmocka_unit_test(who_is_lost_is_replaced_in_the_next_iteration),
      cmocka_unit_test(the_place_of_who_is_lost_may_stay_empty),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
