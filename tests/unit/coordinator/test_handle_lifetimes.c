/* What an end of a worker's time stops goes to those that live long enough, or to fresh ones; three
 * times. */
#include "harness.h"

static const char *join(struct rig *rig, double now_s, uint32_t slot, double lifetime_s) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_JOINED,
                                         .now_s = now_s,
                                         .worker = slot,
                                         .joined = {.lifetime_s = lifetime_s}});
}

static const char *stop(struct rig *rig, double now_s, uint32_t slot, uint64_t chunk, uint64_t unit,
                        double ran_s) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                         .now_s = now_s,
                                         .worker = slot,
                                         .result = {.chunk = chunk,
                                                    .units = {unit, 1},
                                                    .outcome = LS_OUTCOME_CANCELLED,
                                                    .seconds = ran_s}});
}

/* Worker `slot` comes at `now_s` for 10 s and asks; the chunk that it gets is stopped after 8 s. */
static const char *live_once(struct rig *rig, double now_s, uint32_t slot, uint64_t chunk) {
  join(rig, now_s, slot, 10);
  rig_step(rig, rig_asking(now_s, slot, 1));
  rig_at(rig, now_s + 9, LS_EVENT_LEAVING, slot);
  return stop(rig, now_s + 9, slot, chunk, 0, 8);
}

static const char *finish(struct rig *rig, double now_s, uint32_t slot, uint64_t chunk,
                          uint64_t unit) {
  return rig_step(rig,
                  (struct ls_event){.kind = LS_EVENT_RESULT,
                                    .now_s = now_s,
                                    .worker = slot,
                                    .result = {.chunk = chunk, .units = {unit, 1}, .seconds = 1}});
}

static void open_rig(struct rig *rig, uint64_t units) {
  struct ls_coordinator_config config = rig_config(1);
  rig_open(rig, &config);
  rig_iteration(rig, units);
}

static void it_goes_to_one_that_has_twice_as_long_left(void **state) {
  struct rig rig;
  (void)state;
  open_rig(&rig, 3);
  join(&rig, 0, 1, 0); /* lives for ever, and is busy */
  live_once(&rig, 0, 0, 0);
  assert_true(rig_noted(&rig, LS_NOTE_OUTLASTED));
  assert_false(rig_noted(&rig, LS_NOTE_NOBODY_LASTS));
  assert_true(rig_totals(&rig).expiries == 1 && rig_totals(&rig).expired_s == 8);
  /* Even a fresh one gets what is behind it. */
  join(&rig, 9, 2, 10);
  assert_string_equal(rig_step(&rig, rig_asking(9, 2, 1)), "send worker 2 chunk 1: 1+1");
  join(&rig, 9, 3, 16.5);
  assert_string_equal(rig_step(&rig, rig_asking(9, 3, 1)), "send worker 3 chunk 2: 2+1");
  join(&rig, 9, 4, 16.5); /* a second of it is margin */
  assert_string_equal(rig_step(&rig, rig_asking(9, 4, 1)), "");
  join(&rig, 9, 5, 17.5);
  assert_string_equal(rig_step(&rig, rig_asking(9, 5, 1)), "send worker 5 chunk 3: 0+1");
  rig_close(&rig);
}

/* It was sent on, to wait at one that is cut off: it keeps its place behind what nobody may have,
 * and goes to one that lives long enough; another one gets what stands behind it. */
static void one_that_may_be_done_by_now_keeps_its_place(void **state) {
  struct rig rig;
  (void)state;
  open_rig(&rig, 5);
  join(&rig, 0, 1, 0);
  rig_step(&rig, rig_asking(0, 1, 1));
  join(&rig, 0, 0, 10);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_at(&rig, 9, LS_EVENT_LEAVING, 0);
  stop(&rig, 9, 0, 1, 1, 8);
  assert_string_equal(rig_step(&rig, rig_asking(9, 1, 2)),
                      "send worker 1 chunk 2: 1+1; send worker 1 chunk 3: 2+1");
  rig_step(&rig, rig_suspended(10, 1, LS_AWAY_CUT));
  join(&rig, 10, 2, 16);
  static const uint64_t units[] = {3, 4, 2};
  static const char *const sent[] = {"send worker 2 chunk 4: 3+1", "send worker 2 chunk 5: 4+1",
                                     "send worker 2 chunk 6: 2+1"};
  for (uint64_t i = 0; i < 3; i++) {
    assert_string_equal(rig_step(&rig, rig_asking(10, 2, 1)), sent[i]);
    finish(&rig, 10, 2, 4 + i, units[i]);
  }
  join(&rig, 10, 3, 0);
  assert_string_equal(rig_step(&rig, rig_asking(10, 3, 1)), "send worker 3 chunk 7: 1+1");
  rig_close(&rig);
}

static void where_nobody_has_a_fresh_one_tries_three_times(void **state) {
  struct rig rig;
  (void)state;
  open_rig(&rig, 1);
  for (uint32_t i = 0; i < 2; i++) {
    live_once(&rig, 10 * i, i, i);
    assert_true(rig_noted(&rig, LS_NOTE_OUTLASTED) && rig_noted(&rig, LS_NOTE_NOBODY_LASTS));
    assert_int_equal(rig_totals(&rig).waiting, 1);
  }
  assert_string_equal(live_once(&rig, 20, 2, 2),
                      "settle worker 2 chunk 2: 0+1 given up; release worker 2; iteration done 0");
  assert_true(rig_noted(&rig, LS_NOTE_OUTLASTED_FINALLY));
  const struct ls_action_settle *settle = &rig.actions.items[0].settle;
  assert_true(settle->ends == 3 && settle->ran_s == 8 && settle->kills == 0);
  assert_true(rig_totals(&rig).given_up == 1 && rig_totals(&rig).lacking_s == 16);
  rig_close(&rig);
}

/* What was lacking for a while lacks no more in the end. */
static void whoever_does_it_in_the_end_had_the_time(void **state) {
  struct rig rig;
  (void)state;
  open_rig(&rig, 2);
  live_once(&rig, 0, 0, 0);
  assert_true(rig_totals(&rig).lacking_s == 16);
  join(&rig, 10, 1, 0);
  rig_step(&rig, rig_asking(10, 1, 1));
  finish(&rig, 40, 1, 1, 0);
  assert_int_equal(rig_totals(&rig).done, 1);
  assert_true(rig_totals(&rig).lacking_s == 0 && rig_totals(&rig).expired_s == 8);
  rig_close(&rig);
}

/* A command that a signal ended with its worker, long before the end of its time. */
static void who_is_told_to_go_earlier_stops_nothing(void **state) {
  struct rig rig;
  (void)state;
  open_rig(&rig, 1);
  join(&rig, 0, 0, 100);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_at(&rig, 5, LS_EVENT_LEAVING, 0);
  stop(&rig, 5, 0, 0, 0, 5);
  assert_int_equal(rig_totals(&rig).expiries, 0);
  assert_int_equal(rig_totals(&rig).waiting, 1);
  rig_close(&rig);
}

/* Nor minutes before the end, where a large output was sent: of its time there is one in a margin.
 */
static void the_time_of_an_output_widens_no_end(void **state) {
  for (int is_end = 0; is_end < 2; is_end++) {
    struct rig rig;
    (void)state;
    open_rig(&rig, 1);
    join(&rig, 0, 0, 300);
    rig_step(&rig, (struct ls_event){.kind = LS_EVENT_HEARTBEAT, .now_s = 1, .send_s = 60});
    rig_step(&rig, rig_asking(1, 0, 1));
    double now_s = is_end ? 300 - 61 : 300 - 100;
    rig_at(&rig, now_s, LS_EVENT_LEAVING, 0);
    stop(&rig, now_s, 0, 0, 0, 100);
    assert_int_equal(rig_totals(&rig).expiries, is_end);
    rig_close(&rig);
  }
}

/* Nor where silence is borne for long: ten seconds before the margin are none of it. */
static void a_long_silence_widens_no_end(void **state) {
  for (int is_end = 0; is_end < 2; is_end++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    (void)state;
    config.silence_s = 600;
    rig_open(&rig, &config);
    rig_iteration(&rig, 1);
    join(&rig, 0, 0, 3600);
    rig_step(&rig, rig_asking(1, 0, 1));
    double now_s = 3600 - 601 - (is_end ? 9.5 : 10.5);
    rig_at(&rig, now_s, LS_EVENT_LEAVING, 0);
    stop(&rig, now_s, 0, 0, 0, 100);
    assert_int_equal(rig_totals(&rig).expiries, is_end);
    rig_close(&rig);
  }
}

/* It had not begun. */
static void what_did_not_run_was_not_stopped(void **state) {
  struct rig rig;
  (void)state;
  open_rig(&rig, 1);
  join(&rig, 0, 0, 10);
  rig_step(&rig, rig_asking(8.9, 0, 1));
  rig_at(&rig, 9, LS_EVENT_LEAVING, 0);
  stop(&rig, 9, 0, 0, 0, 0);
  assert_int_equal(rig_totals(&rig).expiries, 0);
  rig_close(&rig);
}

/* A machine whose time is over takes its process with it; that is no crash of the unit. */
static void a_loss_at_the_end_of_time_is_one_of_them_and_no_blame(void **state) {
  for (int is_over = 0; is_over < 2; is_over++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    (void)state;
    config.kills_max = 1;
    rig_open(&rig, &config);
    rig_iteration(&rig, 1);
    join(&rig, 0, 0, 10);
    rig_step(&rig, rig_asking(0, 0, 1));
    rig_at(&rig, is_over ? 10 : 5, LS_EVENT_LOST, 0);
    assert_int_equal(rig_totals(&rig).expiries, is_over ? 1 : 0);
    assert_int_equal(rig_totals(&rig).given_up, is_over ? 0 : 1);
    if (!is_over) assert_int_equal(rig.actions.items[0].settle.ends, 0);
    rig_close(&rig);
  }
}

/* One that cannot have what waits is of no use once it has worked; a fresh one is kept. */
static void who_has_worked_goes_and_a_fresh_one_stays(void **state) {
  struct rig rig;
  (void)state;
  open_rig(&rig, 2);
  join(&rig, 0, 1, 0); /* lives for ever, and is busy */
  live_once(&rig, 0, 0, 0);
  join(&rig, 9, 2, 10);
  rig_step(&rig, rig_asking(9, 2, 1));
  join(&rig, 9, 3, 10);
  assert_string_equal(rig_step(&rig, rig_asking(9, 3, 1)), "");
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                   .now_s = 10,
                                   .worker = 2,
                                   .result = {.chunk = 1, .units = {1, 1}, .seconds = 1}});
  assert_string_equal(rig_step(&rig, rig_asking(10, 2, 1)), "release worker 2");
  /* The one that has the time gets it; when that is gone, the fresh one does. */
  assert_string_equal(rig_at(&rig, 11, LS_EVENT_LOST, 1),
                      "request workers 1; send worker 3 chunk 2: 0+1");
  rig_close(&rig);
}

/* Worker 1 lives for ever, runs unit 1, and units 2 and 3 wait there; worker 2 has 22 s and runs
 * unit 4.  Unit 0 was stopped at 9 s, after 8 s, and waits. */
static void open_crowded(struct rig *rig) {
  struct ls_coordinator_config config = rig_config(1);
  config.spares_newcomers = config.recalls = true;
  rig_open(rig, &config);
  rig_iteration(rig, 5);
  join(rig, 0, 1, 0);
  join(rig, 0, 0, 10);
  rig_step(rig, rig_asking(0, 0, 1));
  rig_step(rig, rig_asking(0, 1, 3));
  join(rig, 0, 2, 22);
  assert_string_equal(rig_step(rig, rig_asking(0, 2, 1)), "send worker 2 chunk 4: 4+1");
  rig_at(rig, 9, LS_EVENT_LEAVING, 0);
  assert_string_equal(stop(rig, 9, 0, 0, 0, 8), "release worker 0");
}

/* What is not for it waits, and no policy refused it anything: it gets what waits elsewhere. */
static void beside_what_is_not_for_it_a_fresh_one_gets_what_is_recalled(void **state) {
  struct rig rig;
  (void)state;
  open_crowded(&rig);
  join(&rig, 9, 3, 10);
  assert_string_equal(rig_step(&rig, rig_asking(9, 3, 1)), "recall worker 1; wake at 9.001");
  stop(&rig, 9, 1, 3, 3, 0);
  assert_string_equal(stop(&rig, 9, 1, 2, 2, 0), "");
  rig_close(&rig);
}

/* It outlasts all but the one that waits. */
static void who_has_worked_stays_while_more_may_be_recalled(void **state) {
  struct rig rig;
  (void)state;
  open_crowded(&rig);
  finish(&rig, 10, 2, 4, 4);
  assert_string_equal(rig_step(&rig, rig_asking(10, 2, 1)), "recall worker 1");
  finish(&rig, 10, 1, 1, 1);
  /* The order came too late: nothing more is to be had. */
  assert_string_equal(finish(&rig, 11, 1, 2, 2),
                      "settle worker 1 chunk 2: 2+1 done; release worker 2; request workers 1");
  rig_close(&rig);
}

/* It is back, or replaced, soon; until then the unit waits for it. A fresh one, for which nothing
 * else waits, gets a replica of what the other one runs. */
static void one_that_is_away_for_a_while_lasts(void **state) {
  static const char *const answers[] = {"request workers 1; wake at 16", "request workers 1"};
  (void)state;
  for (int is_lost = 0; is_lost < 2; is_lost++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.grant_s = 5;
    config.patience_s = 50;
    rig_open(&rig, &config);
    rig_iteration(&rig, 2);
    join(&rig, 0, 0, 10);
    join(&rig, 0, 1, 0);
    rig_step(&rig, rig_asking(0, 0, 1));
    rig_step(&rig, rig_asking(0, 1, 1));
    rig_step(&rig, rig_suspended(8, 1, LS_AWAY_STOPPED));
    rig_at(&rig, 9, LS_EVENT_LEAVING, 0);
    stop(&rig, 9, 0, 0, 0, 8);
    assert_false(rig_noted(&rig, LS_NOTE_NOBODY_LASTS));
    join(&rig, 9, 2, 10);
    assert_string_equal(rig_step(&rig, rig_asking(9, 2, 1)), "send worker 2 chunk 2: 1+1");
    assert_string_equal(
        is_lost ? rig_at(&rig, 10, LS_EVENT_LOST, 1) : rig_at(&rig, 13, LS_EVENT_TIMER, 0),
        answers[is_lost]);
    join(&rig, 13, 3, 10);
    assert_string_equal(rig_step(&rig, rig_asking(13, 3, 1)), "send worker 3 chunk 3: 0+1");
    rig_close(&rig);
  }
}

/* The units take so long, as everybody knows beforehand. */
static void open_declared(struct rig *rig, const double *seconds, uint64_t units,
                          const struct ls_coordinator_config *config) {
  struct ls_coordinator_times times = {.expected = seconds, .count = units};
  rig_open(rig, config);
  assert_int_equal(ls_coordinator_declare(rig->coordinator, &times, NULL), LS_OK);
  rig_iteration(rig, units);
}

/* The longest stand in front: a worker that has no time for them gets a shorter one, and of those
 * alone, however many the policy would give. */
static void one_without_the_time_for_the_next_unit_gets_a_later_one(void **state) {
  static const double seconds[] = {30, 30, 30, 5, 5};
  struct ls_coordinator_config config = rig_config(3);
  struct rig rig;
  (void)state;
  open_declared(&rig, seconds, 5, &config);
  join(&rig, 0, 1, 0);
  join(&rig, 0, 0, 20);
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 3+1");
  finish(&rig, 5, 0, 0, 3);
  assert_string_equal(rig_step(&rig, rig_asking(5, 0, 1)), "send worker 0 chunk 1: 4+1");
  finish(&rig, 10, 0, 1, 4);
  assert_string_equal(rig_step(&rig, rig_asking(10, 0, 1)), "release worker 0; request workers 1");
  assert_string_equal(rig_step(&rig, rig_asking(10, 1, 1)), "send worker 1 chunk 2: 0+3");
  rig_close(&rig);
}

/* More units than are looked at stand before it. */
static void where_the_longest_go_first_the_last_one_is_found(void **state) {
  enum { UNITS = 9000 };
  struct ls_coordinator_config config = rig_config(1);
  double *seconds = malloc(UNITS * sizeof *seconds);
  struct rig rig;
  (void)state;
  assert_non_null(seconds);
  for (size_t i = 0; i < UNITS; i++) seconds[i] = (double)(i + 1);
  config.ordering = ls_ordering_find("lptf");
  config.is_exact = false;
  open_declared(&rig, seconds, UNITS, &config);
  join(&rig, 0, 1, 0);
  join(&rig, 0, 0, 3);
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 0+1");
  rig_close(&rig);
  free(seconds);
}

/* As long as one is there that has the time, and no longer. */
static void a_fresh_one_tries_when_nobody_lasts_any_more(void **state) {
  static const double seconds[] = {30, 8, 2};
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  open_declared(&rig, seconds, 3, &config);
  join(&rig, 0, 1, 40); /* until 9 it has the time for unit 0, and one of 1 s is margin */
  assert_string_equal(rig_step(&rig, rig_asking(0, 1, 1)), "send worker 1 chunk 0: 0+1");
  rig_at(&rig, 1, LS_EVENT_LEAVING, 1);
  rig_at(&rig, 1, LS_EVENT_LOST, 1);
  join(&rig, 1, 0, 40);
  join(&rig, 1, 2, 10);
  assert_string_equal(rig_step(&rig, rig_asking(1, 2, 1)), "send worker 2 chunk 1: 1+1");
  join(&rig, 1, 3, 4);
  assert_string_equal(rig_step(&rig, rig_asking(1, 3, 1)), "send worker 3 chunk 2: 2+1");
  join(&rig, 1, 4, 20);
  /* Worker 0, which asks for nothing yet, has the time until 41 - 1 - 30. */
  assert_string_equal(rig_step(&rig, rig_asking(1, 4, 1)), "wake at 10.001");
  assert_string_equal(rig_at(&rig, 10.001, LS_EVENT_TIMER, 0), "send worker 4 chunk 3: 0+1");
  rig_close(&rig);
}

/* Others come that it has the time for; one that has not goes. */
static void while_units_may_be_added_who_has_time_for_one_stays(void **state) {
  for (int has_time = 0; has_time < 2; has_time++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    (void)state;
    rig_open(&rig, &config);
    rig_step(&rig, (struct ls_event){
                       .kind = LS_EVENT_ITERATION, .iteration_units = 2, .is_incomplete = true});
    join(&rig, 0, 1, 0);
    live_once(&rig, 0, 0, 0);
    join(&rig, 9, 2, has_time ? 10 : 2.5);
    assert_string_equal(rig_step(&rig, rig_asking(9, 2, 1)), "send worker 2 chunk 1: 1+1");
    finish(&rig, 10, 2, 1, 1);
    assert_string_equal(rig_step(&rig, rig_asking(10, 2, 1)),
                        has_time ? "" : "release worker 2; request workers 1");
    rig_close(&rig);
  }
}

static struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 1},
                                        {.worker = 1, .units = 1},
                                        {.worker = 1, .units = 6},
                                        {.worker = 0, .units = 2},
                                        {.worker = 1, .units = 1}};
static const struct ls_plan plan = {.chunks = chunks, .chunks_count = 5};

static struct ls_coordinator_config plan_config(void) {
  struct ls_coordinator_config config = rig_config(0);
  config.chunking = ls_chunking_find("follow-plan");
  config.plan = &plan;
  return config;
}

static const char *set_free(struct rig *rig, double now_s) {
  return rig_step(rig, (struct ls_event){.kind = LS_EVENT_FREE, .now_s = now_s});
}

/* Units take a second, as both have shown. The large chunk is planned anew on the other one; a
 * small one still goes to the worker that it was meant for. */
static void a_chunk_of_a_plan_goes_to_one_that_can_do_it(void **state) {
  for (int is_long = 0; is_long < 2; is_long++) {
    struct ls_coordinator_config config = plan_config();
    struct rig rig;
    (void)state;
    rig_open(&rig, &config);
    rig_iteration(&rig, 11);
    join(&rig, 0, 0, 0);
    join(&rig, 0, 1, is_long ? 8 : 7.9);
    assert_string_equal(set_free(&rig, 0), "send worker 0 chunk 0: 0+1");
    assert_string_equal(set_free(&rig, 0), "send worker 1 chunk 1: 1+1");
    finish(&rig, 1, 0, 0, 0);
    finish(&rig, 1, 1, 1, 1);
    /* A second of its time is margin: from 1 to 7 it can do six. */
    assert_string_equal(set_free(&rig, 1),
                        is_long ? "send worker 1 chunk 2: 2+6" : "send worker 0 chunk 2: 2+6");
    assert_string_equal(set_free(&rig, 1), "send worker 0 chunk 3: 8+2");
    /* Behind the six there is no time for another one. */
    assert_string_equal(set_free(&rig, 1),
                        is_long ? "send worker 0 chunk 4: 10+1" : "send worker 1 chunk 4: 10+1");
    rig_close(&rig);
  }
}

/* Nobody can do all of it: whoever has time for a part gets that, and one without time for any
 * goes. */
static void where_nobody_can_do_it_whole_a_part_is_sent(void **state) {
  struct ls_coordinator_config config = plan_config();
  struct rig rig;
  (void)state;
  rig_open(&rig, &config);
  rig_iteration(&rig, 11);
  join(&rig, 0, 0, 4.5);
  join(&rig, 0, 1, 2.5);
  set_free(&rig, 0);
  set_free(&rig, 0);
  finish(&rig, 1, 0, 0, 0);
  finish(&rig, 1, 1, 1, 1);
  assert_string_equal(set_free(&rig, 1), "send worker 0 chunk 2: 2+2");
  assert_string_equal(set_free(&rig, 1), "release worker 1; request workers 1");
  rig_close(&rig);
}

/* What an end of time stopped is passed over for one that has not twice as long. */
static void a_plan_is_followed_beside_what_is_not_for_its_worker(void **state) {
  struct ls_coordinator_config config = plan_config();
  struct rig rig;
  (void)state;
  rig_open(&rig, &config);
  rig_iteration(&rig, 11);
  join(&rig, 0, 0, 10);
  assert_string_equal(set_free(&rig, 0), "send worker 0 chunk 0: 0+1");
  rig_at(&rig, 9, LS_EVENT_LEAVING, 0);
  stop(&rig, 9, 0, 0, 0, 8);
  join(&rig, 9, 1, 10);
  join(&rig, 9, 0, 0);
  assert_string_equal(set_free(&rig, 9), "send worker 1 chunk 1: 1+1");
  assert_string_equal(set_free(&rig, 9), "send worker 1 chunk 2: 2+6");
  assert_string_equal(set_free(&rig, 9), "send worker 0 chunk 3: 0+1 8+1");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_goes_to_one_that_has_twice_as_long_left),
      cmocka_unit_test(one_that_may_be_done_by_now_keeps_its_place),
      cmocka_unit_test(where_nobody_has_a_fresh_one_tries_three_times),
      cmocka_unit_test(whoever_does_it_in_the_end_had_the_time),
      cmocka_unit_test(who_is_told_to_go_earlier_stops_nothing),
      cmocka_unit_test(the_time_of_an_output_widens_no_end),
      cmocka_unit_test(a_long_silence_widens_no_end),
      cmocka_unit_test(what_did_not_run_was_not_stopped),
      cmocka_unit_test(a_loss_at_the_end_of_time_is_one_of_them_and_no_blame),
      cmocka_unit_test(who_has_worked_goes_and_a_fresh_one_stays),
      cmocka_unit_test(beside_what_is_not_for_it_a_fresh_one_gets_what_is_recalled),
      cmocka_unit_test(who_has_worked_stays_while_more_may_be_recalled),
      cmocka_unit_test(one_that_is_away_for_a_while_lasts),
      cmocka_unit_test(a_chunk_of_a_plan_goes_to_one_that_can_do_it),
      cmocka_unit_test(where_nobody_can_do_it_whole_a_part_is_sent),
      cmocka_unit_test(a_plan_is_followed_beside_what_is_not_for_its_worker),
      cmocka_unit_test(one_without_the_time_for_the_next_unit_gets_a_later_one),
      cmocka_unit_test(where_the_longest_go_first_the_last_one_is_found),
      cmocka_unit_test(a_fresh_one_tries_when_nobody_lasts_any_more),
      cmocka_unit_test(while_units_may_be_added_who_has_time_for_one_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
