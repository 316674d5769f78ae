/* Workers join, die, fall silent, are suspended; nothing that they held is lost. */
#include "harness.h"

static void a_lost_worker_is_replaced_and_its_chunk_sent_again(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 8);
  rig_ready(&rig, 0);
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 0), "request workers 1");
  assert_true(rig_noted(&rig, LS_NOTE_LOST));
  assert_true(rig_noted(&rig, LS_NOTE_WANTED));
  assert_int_equal(hearing.lost, 1);
  assert_int_equal(hearing.units_back, 4);
  assert_int_equal(rig_totals(&rig).workers_lost, 1);
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 0), "");
  assert_int_equal(hearing.joined, 1);
  /* What its predecessor still says of the chunk is of no use, if it is no result. */
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 4}, LS_OUTCOME_FAILED), "");
  assert_true(rig_noted(&rig, LS_NOTE_DROPPED));
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 1: 0+4");
  rig_close(&rig);
}

static void nobody_is_requested_while_enough_are_there_or_on_their_way(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 80);
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 0), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "request workers 1");
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_GRANTED, .granted = 1}),
                      "");
  /* Worker 3 is the granted one. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 3), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 3), "request workers 1");
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 2), "request workers 1");
  rig_close(&rig);
}

static size_t wish;

static size_t want_wish(const struct ls_sizing_view *view, size_t given) {
  assert_true(view->units > 0);
  return wish < given ? wish : given;
}
static const struct ls_sizing wishing = {
    .name = "wishing", .summary = "a wish", .reference = "none", .wanted = want_wish};

/* Four are wanted; two of them have come when an iteration is done that one of them did alone. */
static void open_wishing(struct rig *rig) {
  struct ls_coordinator_config config = rig_config(1);
  config.workers = 4;
  config.sizing = &wishing;
  wish = 4;
  rig_open(rig, &config);
  rig_start(rig, 2, 1);
  rig_ready(rig, 0);
  rig_done(rig, 0, 0, 0, 1);
}

/* It was asked for by an earlier wish; without a loss nobody is there above the present one. */
static void a_worker_that_is_not_wanted_any_more_goes_when_it_comes(void **state) {
  struct rig rig;
  (void)state;
  open_wishing(&rig);
  wish = 2;
  assert_string_equal(rig_iteration(&rig, 40), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 2), "release worker 2");
  assert_true(rig_noted(&rig, LS_NOTE_RELEASED));
  assert_string_equal(rig_ready(&rig, 2), "");
  assert_int_equal(rig_totals(&rig).workers_present, 2);
  assert_int_equal(rig_totals(&rig).workers_lost, 0);
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 2), "");
  /* The other one that is owed replaces a loss, and is not asked for twice. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 3), "");
  assert_int_equal(rig_totals(&rig).workers_present, 2);
  rig_close(&rig);
}

/* Who comes unasked was started by somebody who wants it here: until the iteration ends. */
static void who_comes_unasked_may_stay_for_the_iteration(void **state) {
  struct rig rig;
  (void)state;
  open_wishing(&rig);
  wish = 2;
  rig_iteration(&rig, 1);
  rig_worker(&rig, LS_EVENT_JOINED, 2);
  rig_worker(&rig, LS_EVENT_JOINED, 3);
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 4), "");
  assert_int_equal(rig_totals(&rig).workers_present, 3);
  rig_ready(&rig, 4);
  rig_done(&rig, 4, 1, 0, 1);
  assert_string_equal(rig_iteration(&rig, 1), "release worker 4");
  rig_close(&rig);
}

static void a_worker_that_resumes_above_the_wish_goes(void **state) {
  struct rig rig;
  (void)state;
  open_wishing(&rig);
  rig_vacate(&rig, 1);
  wish = 1;
  rig_iteration(&rig, 40);
  assert_string_equal(rig_worker(&rig, LS_EVENT_RESUMED, 1), "release worker 1");
  assert_int_equal(rig_totals(&rig).workers_present, 1);
  assert_string_equal(rig_worker(&rig, LS_EVENT_RESUMED, 1), "");
  rig_close(&rig);
}

static void nobody_is_requested_for_a_run_that_stops(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 80);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP});
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 0), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "finish");
  rig_close(&rig);
}

static void what_the_dead_say_is_ignored(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 80);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  const enum ls_event_kind kinds[] = {LS_EVENT_READY, LS_EVENT_LEAVING,   LS_EVENT_HEARTBEAT,
                                      LS_EVENT_LOST,  LS_EVENT_SUSPENDED, LS_EVENT_RESUMED};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    assert_string_equal(rig_worker(&rig, kinds[i], 0), "");
    assert_true(rig_noted(&rig, LS_NOTE_IGNORED));
    if (kinds[i] == LS_EVENT_LOST) continue;
    assert_string_equal(rig_worker(&rig, kinds[i], 5), "");
    assert_true(rig_noted(&rig, LS_NOTE_IGNORED));
  }
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 4}, LS_OUTCOME_FAILED), "");
  assert_int_equal(rig_totals(&rig).results_dropped, 1);
  assert_int_equal(rig_totals(&rig).workers_present, 1);
  rig_close(&rig);
}

static void a_worker_that_joins_twice_is_counted_once(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 80);
  rig_ready(&rig, 0);
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 0), "");
  assert_int_equal(rig_totals(&rig).workers_present, 1);
  assert_int_equal(rig_totals(&rig).sent, 4);
  rig_close(&rig);
}

/* The unit at the head of the oldest chunk ran when the worker died. */
static void a_unit_that_keeps_killing_is_given_up(void **state) {
  (void)state;
  for (uint32_t kills_max = 1; kills_max <= 3; kills_max++) {
    struct ls_coordinator_config config = rig_config(3);
    config.kills_max = kills_max;
    struct rig rig;
    rig_open(&rig, &config);
    rig_start(&rig, 4, 9);
    for (uint32_t i = 0; i < kills_max; i++) {
      assert_int_equal(rig_totals(&rig).given_up, 0);
      rig_ready(&rig, i);
      rig_worker(&rig, LS_EVENT_LOST, i);
    }
    assert_int_equal(rig.actions.items[0].kind, LS_ACTION_SETTLE);
    assert_int_equal(rig.actions.items[0].settle.outcome, LS_OUTCOME_GIVEN_UP);
    assert_int_equal(rig.actions.items[0].settle.units.first, 0);
    assert_int_equal(rig.actions.items[0].settle.units.count, 1);
    assert_int_equal(rig.actions.items[0].settle.kills, kills_max);
    assert_int_equal(rig.actions.items[0].settle.ends, 0);
    assert_true(rig_noted(&rig, LS_NOTE_GIVEN_UP));
    assert_int_equal(rig_totals(&rig).given_up, 1);
    assert_int_equal(hearing.units_back, 3 * kills_max - 1);
    rig_ready(&rig, 3);
    assert_int_equal(rig.actions.ranges[0].first, 1);
    rig_close(&rig);
  }
}

/* Units that are one task die together: all that it may have had, and nothing behind it. */
static void a_task_that_keeps_killing_is_given_up_as_a_whole(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(5);
  config.kills_max = 2;
  config.task_units_max = 3;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 9);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  assert_int_equal(rig_totals(&rig).given_up, 0);
  rig_ready(&rig, 1);
  assert_int_equal(rig.actions.ranges[0].count, 5);
  rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_int_equal(rig.actions.items[0].kind, LS_ACTION_SETTLE);
  assert_int_equal(rig.actions.items[0].settle.outcome, LS_OUTCOME_GIVEN_UP);
  assert_int_equal(rig.actions.items[0].settle.units.first, 0);
  assert_int_equal(rig.actions.items[0].settle.units.count, 3);
  assert_int_equal(rig.actions.items[0].settle.kills, 2);
  assert_int_equal(rig_totals(&rig).given_up, 3);
  assert_true(ls_coordinator_is_sound(rig.coordinator));
  rig_ready(&rig, 2);
  assert_int_equal(rig.actions.ranges[0].first, 3);
  rig_close(&rig);
}

/* Each of them alone: who is innocent is run, and the guilty one is given up. */
static void units_of_a_task_that_died_go_one_by_one(void **state) {
  enum { UNITS = 9, GUILTY = 2 };
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  config.kills_max = 2;
  config.task_units_max = UINT64_MAX;
  config.isolates_lost = true;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, UNITS);
  rig_ready(&rig, 0);
  assert_int_equal(rig.actions.ranges[0].count, 4);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  for (uint64_t unit = 0; unit < 4; unit++) {
    uint32_t worker = unit > GUILTY ? 2 : 1;
    rig_ready(&rig, worker);
    assert_int_equal(rig.actions.items[0].kind, LS_ACTION_SEND);
    assert_int_equal(rig.actions.ranges[0].first, unit);
    assert_int_equal(rig.actions.ranges[0].count, 1);
    if (unit == GUILTY) {
      rig_worker(&rig, LS_EVENT_LOST, worker);
      assert_int_equal(rig_totals(&rig).given_up, 0);
      rig_worker(&rig, LS_EVENT_JOINED, worker);
      rig_ready(&rig, worker);
      assert_int_equal(rig.actions.ranges[0].first, unit);
      assert_int_equal(rig.actions.ranges[0].count, 1);
      rig_worker(&rig, LS_EVENT_LOST, worker);
      assert_int_equal(rig.actions.items[0].settle.outcome, LS_OUTCOME_GIVEN_UP);
      assert_int_equal(rig.actions.items[0].settle.units.first, GUILTY);
      assert_int_equal(rig.actions.items[0].settle.units.count, 1);
    } else {
      rig_done(&rig, worker, rig.actions.items[0].send.chunk, unit, 1);
    }
  }
  assert_int_equal(rig_totals(&rig).given_up, 1);
  rig_ready(&rig, 2);
  assert_int_equal(rig.actions.ranges[0].first, 4);
  assert_int_equal(rig.actions.ranges[0].count, 4);
  rig_close(&rig);
}

/* A unit finished before the loss is not blamed; the next one ran. */
static void the_first_unfinished_unit_is_blamed(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  config.kills_max = 1;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 9);
  rig_ready(&rig, 0);
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 0, 0, 1);
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 0), "settle worker 0 chunk 0: 1+1 given up");
  hearing.size = 2;
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 2: 2+2");
  rig_done(&rig, 1, 2, 2, 2);
  /* A worker without units blames nobody. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "request workers 1");
  rig_close(&rig);
}

static void without_a_limit_nothing_is_given_up(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  config.workers_max = 600;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 0, 3);
  for (uint32_t i = 0; i < 600; i++) {
    rig_worker(&rig, LS_EVENT_JOINED, i);
    rig_ready(&rig, i);
    rig_worker(&rig, LS_EVENT_LOST, i);
  }
  assert_int_equal(rig_totals(&rig).waiting, 3);
  assert_int_equal(rig_totals(&rig).units_returned, 1800);
  rig_close(&rig);
}

static void a_silent_worker_is_away_and_lost_in_the_end(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  config.silence_s = 8;
  struct rig rig;
  rig_open(&rig, &config);
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 0), "wake at 4");
  assert_string_equal(rig_at(&rig, 1, LS_EVENT_JOINED, 1), "");
  rig_iteration(&rig, 8);
  assert_string_equal(rig_at(&rig, 2, LS_EVENT_READY, 0), "send worker 0 chunk 0: 0+4");
  assert_string_equal(rig_at(&rig, 4, LS_EVENT_TIMER, 0), "wake at 8");
  assert_string_equal(rig_at(&rig, 7, LS_EVENT_HEARTBEAT, 1), "");
  /* Nothing is due before 10; a check every quarter to every half of the limit is enough. */
  assert_string_equal(rig_at(&rig, 8, LS_EVENT_TIMER, 0), "wake at 10");
  assert_string_equal(rig_at(&rig, 10, LS_EVENT_TIMER, 0), "recall worker 0; wake at 14");
  assert_true(rig_noted(&rig, LS_NOTE_SUSPENDED));
  /* It may go on with what it has: that is sent last. */
  assert_string_equal(rig_at(&rig, 11, LS_EVENT_READY, 1), "send worker 1 chunk 1: 4+4");
  assert_string_equal(rig_at(&rig, 14, LS_EVENT_TIMER, 0), "wake at 18");
  /* What ran there is given back after as long as it may take, and its worker up with it. */
  assert_string_equal(rig_at(&rig, 18, LS_EVENT_TIMER, 0),
                      "release worker 0; request workers 1; wake at 20");
  assert_true(rig_noted(&rig, LS_NOTE_LOST));
  assert_string_equal(rig_at(&rig, 18, LS_EVENT_READY, 1), "");
  assert_string_equal(rig_done(&rig, 1, 1, 4, 4),
                      "settle worker 1 chunk 1: 4+4 done; send worker 1 chunk 2: 0+4");
  rig_close(&rig);
}

/* It fell silent, and it is not known whether it is dead; or that is known. */
static void what_a_dead_worker_had_goes_first_and_what_a_lost_one_may_have_last(void **state) {
  static const enum ls_loss causes[] = {LS_LOSS_SILENT, LS_LOSS_CRASHED, LS_LOSS_RECLAIMED,
                                        LS_LOSS_LEFT};
  for (size_t i = 0; i < 4; i++) {
    struct rig rig;
    (void)state;
    rig_open_pair(&rig, 6);
    rig_step(&rig, rig_asking(0, 0, 3));
    rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
    rig_step(&rig,
             (struct ls_event){.kind = LS_EVENT_LOST, .worker = 0, .now_s = 2, .lost = causes[i]});
    assert_int_equal(rig_totals(&rig).waiting, 6);
    assert_string_equal(rig_step(&rig, rig_asking(2, 1, 1)), causes[i] == LS_LOSS_SILENT
                                                                 ? "send worker 1 chunk 3: 3+1"
                                                                 : "send worker 1 chunk 3: 0+1");
    rig_close(&rig);
  }
}

/* One that is there says nothing that anybody could doubt. */
static void what_a_worker_had_that_was_there_goes_first(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 6);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_LOST, .worker = 0, .lost = LS_LOSS_SILENT});
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 1)), "send worker 1 chunk 3: 0+1");
  rig_close(&rig);
}

/* Away since 1 with Q = 4, lost when another one costs no more: after 11 Q it has given up, too. */
static void a_lost_worker_that_gave_up_has_nothing_any_more(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.silence_s = 4;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 6);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
  for (double now_s = 2; now_s < 45; now_s++) {
    rig_at(&rig, now_s, LS_EVENT_HEARTBEAT, 1);
    rig_at(&rig, now_s, LS_EVENT_TIMER, 0);
  }
  assert_int_equal(rig_totals(&rig).workers_lost, 1);
  assert_string_equal(rig_step(&rig, rig_asking(44, 1, 1)), "send worker 1 chunk 3: 3+1");
  rig_at(&rig, 45, LS_EVENT_TIMER, 0);
  assert_string_equal(rig_step(&rig, rig_asking(45, 1, 1)), "send worker 1 chunk 4: 0+1");
  rig_close(&rig);
}

static void every_event_is_a_sign_of_life(void **state) {
  (void)state;
  const enum ls_event_kind kinds[] = {LS_EVENT_READY, LS_EVENT_RESULT, LS_EVENT_HEARTBEAT};
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    struct ls_coordinator_config config = rig_config(4);
    config.silence_s = 8;
    struct rig rig;
    rig_open(&rig, &config);
    rig_start(&rig, 1, 8);
    rig_at(&rig, 4, LS_EVENT_TIMER, 0);
    rig_at(&rig, 5, kinds[i], 0);
    assert_string_equal(rig_at(&rig, 8, LS_EVENT_TIMER, 0), "wake at 12");
    assert_string_equal(rig_at(&rig, 12, LS_EVENT_TIMER, 0), "wake at 14");
    rig_at(&rig, 13, LS_EVENT_TIMER, 0);
    assert_true(rig_noted(&rig, LS_NOTE_SUSPENDED));
    rig_close(&rig);
  }
}

/* A wake-up per event would cost more than the events. */
static void waking_is_asked_for_rarely(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.silence_s = 4;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 2000);
  uint64_t wakes = 0;
  double wake_s = 4;
  for (uint64_t i = 0; i < 1000; i++) {
    double now_s = (double)i * 0.01;
    rig_at(&rig, now_s, LS_EVENT_READY, i % 2 == 0 ? 0 : 1);
    if (now_s < wake_s) continue;
    rig_at(&rig, now_s, LS_EVENT_TIMER, 0);
    assert_int_equal(rig.actions.count, 1);
    wake_s = rig.actions.items[0].time_s;
    wakes++;
  }
  assert_in_range(wakes, 1, 10);
  rig_close(&rig);
}

static void a_suspended_worker_gives_back_and_gets_nothing(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  config.kills_max = 1;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 8);
  rig_ready(&rig, 0);
  assert_string_equal(rig_vacate(&rig, 0), "cancel worker 0 chunk 0");
  assert_int_equal(rig_totals(&rig).workers_present, 2);
  assert_int_equal(rig_totals(&rig).waiting, 8);
  assert_int_equal(hearing.units_back, 4);
  assert_string_equal(rig_vacate(&rig, 0), "");
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 4}, LS_OUTCOME_CANCELLED), "");
  assert_int_equal(rig_totals(&rig).results_dropped, 1);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+4");
  /* It asked while it was away: that is answered now. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_RESUMED, 0), "send worker 0 chunk 2: 4+4");
  assert_true(rig_noted(&rig, LS_NOTE_RESUMED));
  assert_int_equal(hearing.joined, 0);
  assert_int_equal(hearing.resumed, 1);
  assert_string_equal(rig_worker(&rig, LS_EVENT_RESUMED, 0), "");
  rig_close(&rig);
}

static void a_suspended_worker_loses_its_place_in_the_queue(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 1);
  for (uint32_t i = 0; i < 3; i++) rig_ready(&rig, i);
  rig_vacate(&rig, 1);
  rig_worker(&rig, LS_EVENT_RESUMED, 1);
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 0), "send worker 2 chunk 1: 0+1");
  rig_close(&rig);
}

static void a_suspension_that_lasts_is_a_loss(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  config.patience_s = 5;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 8);
  assert_string_equal(rig_at(&rig, 2, LS_EVENT_SUSPENDED, 0), "wake at 7");
  assert_string_equal(rig_at(&rig, 3, LS_EVENT_SUSPENDED, 1), "");
  assert_string_equal(rig_at(&rig, 6, LS_EVENT_TIMER, 0), "wake at 7");
  assert_string_equal(rig_at(&rig, 7, LS_EVENT_TIMER, 0),
                      "release worker 0; request workers 1; wake at 8");
  rig_worker(&rig, LS_EVENT_RESUMED, 1);
  assert_string_equal(rig_at(&rig, 8, LS_EVENT_TIMER, 0), "");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 0: 0+4");
  assert_int_equal(rig_totals(&rig).workers_lost, 1);
  rig_close(&rig);
}

/* sc keeps a share for a worker that never comes, until it is declared lost; then it may come. */
static void a_worker_that_never_came_may_be_lost(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 8);
  hearing.size = 0;
  rig_ready(&rig, 0);
  hearing.size = 2;
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1),
                      "request workers 1; send worker 0 chunk 0: 0+2");
  assert_int_equal(hearing.lost, 1);
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 1), "");
  assert_int_equal(rig_totals(&rig).workers_present, 2);
  assert_int_equal(rig_totals(&rig).workers_lost, 1);
  rig_close(&rig);
}

static void a_run_without_workers_waits(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(4);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 8);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_false(rig_totals(&rig).is_finished);
  assert_int_equal(rig_totals(&rig).waiting, 8);
  rig_worker(&rig, LS_EVENT_JOINED, 2);
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 1: 0+4");
  rig_close(&rig);
}

/* Only a crash says something of the unit that ran. */
static void only_a_crash_blames_the_unit_that_ran(void **state) {
  (void)state;
  for (int cause = 0; cause < LS_LOSS_COUNT; cause++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.kills_max = 1;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 3);
    rig_ready(&rig, 0);
    rig_step(&rig, (struct ls_event){.kind = LS_EVENT_LOST, .lost = (enum ls_loss)cause});
    assert_int_equal(rig_totals(&rig).given_up, cause == LS_LOSS_CRASHED ? 1 : 0);
    rig_close(&rig);
  }
}

/* What runs at a worker that leaves may end; it gets nothing more, and goes when it has nothing. */
static void a_leaving_worker_ends_what_it_has(void **state) {
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  (void)state;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 5);
  rig_ready(&rig, 0);
  hearing.lost = 0;
  /* What waits there waits for the others at once; what runs is awaited for a while. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LEAVING, 0), "wake at 4; request workers 1");
  assert_int_equal(rig_totals(&rig).waiting, 4);
  assert_int_equal(hearing.lost, 1);
  rig_ready(&rig, 0);
  assert_true(rig_noted(&rig, LS_NOTE_IGNORED));
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1),
                      "settle worker 0 chunk 0: 0+1 done; release worker 0");
  assert_int_equal(rig_totals(&rig).waiting, 4);
  /* Its slot is free for another one. */
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  assert_true(rig_noted(&rig, LS_NOTE_JOINED));
  rig_close(&rig);
}

/* Its machine was taken back before it had ended: nobody knows for how long. */
static void a_leaving_worker_that_is_suspended_is_gone(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LEAVING, 0);
  const char *words = rig_vacate(&rig, 0);
  assert_null(strstr(words, "cancel"));
  assert_non_null(strstr(rig_ready(&rig, 1), "send worker 1"));
  struct ls_coordinator_totals totals;
  ls_coordinator_totals(rig.coordinator, &totals);
  assert_int_equal(totals.workers_lost, 1);
  assert_int_equal(totals.waiting, 2);
  rig_worker(&rig, LS_EVENT_RESUMED, 0);
  assert_int_equal(rig.actions.notes[0].kind, LS_NOTE_IGNORED);
  rig_close(&rig);
}

static void a_leaving_worker_may_be_lost_with_what_it_has(void **state) {
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  (void)state;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LEAVING, 0);
  hearing.lost = 0;
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_LOST, .lost = LS_LOSS_RECLAIMED});
  assert_int_equal(hearing.lost, 0);     /* the policy knows */
  assert_int_equal(hearing.returned, 1); /* and hears of the unit that it had */
  assert_int_equal(rig_totals(&rig).waiting, 4);
  rig_close(&rig);
}

/* Its estimate of the units that are open is the same whether the worker said good-bye or not. */
static void bold_counts_the_units_of_a_leaving_worker_that_is_lost(void **state) {
  char sent[2][64];
  (void)state;
  for (int is_leaving = 0; is_leaving < 2; is_leaving++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.chunking = ls_chunking_find("bold");
    config.workers = 4;
    config.mean_seconds = 1;
    config.deviation_seconds = 0.5;
    config.overhead_seconds = 0.1;
    rig_open(&rig, &config);
    rig_start(&rig, 4, 4096);
    for (uint32_t i = 0; i < 4; i++) rig_ready(&rig, i);
    for (uint32_t i = 0; i < 3; i++) {
      if (is_leaving) rig_worker(&rig, LS_EVENT_LEAVING, i);
      rig_worker(&rig, LS_EVENT_LOST, i);
      rig_worker(&rig, LS_EVENT_JOINED, i);
    }
    const char *text = rig_ready(&rig, 0);
    assert_true(strlen(text) < sizeof sent[0]);
    memcpy(sent[is_leaving], text, strlen(text) + 1);
    rig_close(&rig);
  }
  assert_string_equal(sent[0], sent[1]);
}

static void refused_workers_are_not_waited_for(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "request workers 1");
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_REFUSED, .refused = 1});
  /* Nobody is on the way any more: the next loss asks for both. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 0), "request workers 2");
  rig_close(&rig);
}

/* The driver announces when the master can send: one parked request is asked for each FREE, in the
 * order of refusal. */
static void parked_requests_wait_for_a_free_master(void **state) {
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  (void)state;
  config.workers = 3;
  config.is_paced = true;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 4);
  rig_ready(&rig, 0);
  rig_ready(&rig, 0);
  rig_ready(&rig, 2);
  rig_ready(&rig, 1);
  assert_string_equal(rig_at(&rig, 7, LS_EVENT_LOST, 0), "request workers 1; await free worker 2");
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_FREE}),
                      "send worker 2 chunk 2: 0+2; await free worker 1");
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_FREE}),
                      "send worker 1 chunk 3: 2+2");
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_FREE}), "");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_a_crash_blames_the_unit_that_ran),
      cmocka_unit_test(a_leaving_worker_ends_what_it_has),
      cmocka_unit_test(a_leaving_worker_that_is_suspended_is_gone),
      cmocka_unit_test(a_leaving_worker_may_be_lost_with_what_it_has),
      cmocka_unit_test(bold_counts_the_units_of_a_leaving_worker_that_is_lost),
      cmocka_unit_test(refused_workers_are_not_waited_for),
      cmocka_unit_test(parked_requests_wait_for_a_free_master),
      cmocka_unit_test(a_lost_worker_is_replaced_and_its_chunk_sent_again),
      cmocka_unit_test(nobody_is_requested_while_enough_are_there_or_on_their_way),
      cmocka_unit_test(nobody_is_requested_for_a_run_that_stops),
      cmocka_unit_test(a_worker_that_is_not_wanted_any_more_goes_when_it_comes),
      cmocka_unit_test(who_comes_unasked_may_stay_for_the_iteration),
      cmocka_unit_test(a_worker_that_resumes_above_the_wish_goes),
      cmocka_unit_test(what_the_dead_say_is_ignored),
      cmocka_unit_test(a_worker_that_joins_twice_is_counted_once),
      cmocka_unit_test(a_unit_that_keeps_killing_is_given_up),
      cmocka_unit_test(a_task_that_keeps_killing_is_given_up_as_a_whole),
      cmocka_unit_test(units_of_a_task_that_died_go_one_by_one),
      cmocka_unit_test(the_first_unfinished_unit_is_blamed),
      cmocka_unit_test(without_a_limit_nothing_is_given_up),
      cmocka_unit_test(a_silent_worker_is_away_and_lost_in_the_end),
      cmocka_unit_test(what_a_dead_worker_had_goes_first_and_what_a_lost_one_may_have_last),
      cmocka_unit_test(what_a_worker_had_that_was_there_goes_first),
      cmocka_unit_test(a_lost_worker_that_gave_up_has_nothing_any_more),
      cmocka_unit_test(every_event_is_a_sign_of_life),
      cmocka_unit_test(waking_is_asked_for_rarely),
      cmocka_unit_test(a_suspended_worker_gives_back_and_gets_nothing),
      cmocka_unit_test(a_suspended_worker_loses_its_place_in_the_queue),
      cmocka_unit_test(a_suspension_that_lasts_is_a_loss),
      cmocka_unit_test(a_worker_that_never_came_may_be_lost),
      cmocka_unit_test(a_run_without_workers_waits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
