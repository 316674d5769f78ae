/* Who is back has what it says, and no more than it is to have. */
#include "harness.h"

static struct ls_event resume_with(double now_s, uint32_t worker, const struct ls_event_held *held,
                                   size_t count) {
  return (struct ls_event){.kind = LS_EVENT_RESUMED,
                           .now_s = now_s,
                           .worker = worker,
                           .resumed = {.held = held, .held_count = count, .is_told = true}};
}

static void what_others_have_by_now_is_cancelled_at_its_return(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 1);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, rig_suspended(10, 0, LS_AWAY_STOPPED));
  rig_at(&rig, 20, LS_EVENT_TIMER, 0);
  assert_string_equal(rig_step(&rig, rig_asking(20, 1, 1)), "send worker 1 chunk 1: 0+1");
  assert_string_equal(rig_at(&rig, 21, LS_EVENT_RESUMED, 0), "cancel worker 0 chunk 0");
  /* It was done all the same. */
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1),
                      "cancel worker 1 chunk 1; settle worker 0 chunk 0: 0+1 done; "
                      "iteration done 0");
  assert_int_equal(rig_totals(&rig).results_late, 1);
  rig_close(&rig);
}

/* What it asked for before, and while it was away, is answered when it is back. */
static void a_request_outlives_an_absence(void **state) {
  for (int is_asked_away = 0; is_asked_away < 2; is_asked_away++) {
    struct rig rig;
    (void)state;
    rig_open_pair(&rig, 1);
    rig_step(&rig, rig_asking(0, 1, 1));
    if (!is_asked_away) rig_step(&rig, rig_asking(0, 0, 1));
    rig_step(&rig, rig_suspended(1, 0, LS_AWAY_STOPPED));
    if (is_asked_away) assert_string_equal(rig_step(&rig, rig_asking(1, 0, 1)), "");
    rig_worker(&rig, LS_EVENT_LOST, 1);
    assert_string_equal(rig_at(&rig, 2, LS_EVENT_RESUMED, 0), "send worker 0 chunk 1: 0+1");
    rig_close(&rig);
  }
}

/* A new connection: the worker tells what it has. */
static void what_a_worker_does_not_know_goes_back(void **state) {
  for (int was_away = 0; was_away < 2; was_away++) {
    struct rig rig;
    (void)state;
    struct ls_coordinator_config config = rig_config(4);
    config.kills_max = 1;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 9);
    rig_step(&rig, rig_asking(0, 0, 4));
    rig_step(&rig, rig_asking(0, 1, 4));
    if (was_away) rig_step(&rig, rig_suspended(1, 1, LS_AWAY_CUT));
    /* Of chunk 0 the first unit is done, its result on its way; the last one never came. */
    const struct ls_event_held held[] = {{0, {1, 1}}, {0, {2, 1}}};
    assert_string_equal(rig_step(&rig, resume_with(2, 0, held, 2)), "");
    assert_int_equal(rig_totals(&rig).sent, was_away ? 3 : 6);
    /* A policy that counts what is left hears of those that come back now. */
    assert_int_equal(hearing.returned, 2);
    assert_int_equal(rig_totals(&rig).given_up, 0);
    assert_string_equal(rig_done(&rig, 0, 0, 0, 1), "settle worker 0 chunk 0: 0+1 done");
    assert_string_equal(rig_step(&rig, rig_asking(3, 0, 1)), "send worker 0 chunk 2: 3+1 8+1");
    rig_close(&rig);
  }
}

static void what_a_worker_must_not_have_is_taken_from_it(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 6);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_TOLD));
  const struct ls_event_held held[] = {{0, {0, 1}}, {1, {1, 1}}, {2, {2, 1}}};
  assert_string_equal(rig_step(&rig, resume_with(2, 0, held, 3)),
                      "cancel worker 0 chunk 1; cancel worker 0 chunk 2");
  assert_int_equal(rig_totals(&rig).sent, 1);
  rig_close(&rig);
  /* Of a chunk of which it keeps the first unit, the others are called back. */
  struct ls_coordinator_config config = rig_config(3);
  rig_open(&rig, &config);
  rig_start(&rig, 1, 6);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_TOLD));
  const struct ls_event_held whole = {0, {0, 3}};
  assert_string_equal(rig_step(&rig, resume_with(2, 0, &whole, 1)), "recall worker 0");
  rig_close(&rig);
}

/* It was cut off, and went on: one unit is done, one runs, one waits, and one never came.  Over the
 * same connection, on which it was only silent, it has all that it was sent. */
static void what_a_worker_went_on_with_is_its_own(void **state) {
  for (int is_told = 0; is_told < 2; is_told++) {
    struct ls_coordinator_config config = rig_config(2);
    struct rig rig;
    (void)state;
    config.silence_s = is_told ? 0 : 4;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 6);
    rig_step(&rig, rig_asking(0, 0, 4));
    if (is_told)
      rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
    else
      for (int s = 2; s <= 4; s += 2) rig_at(&rig, s, LS_EVENT_TIMER, 0);
    assert_int_equal(rig_totals(&rig).sent, 1);
    assert_int_equal(rig_totals(&rig).units_returned, 3);
    const struct ls_event_held held[] = {{0, {0, 2}}, {1, {2, 1}}};
    assert_string_equal(is_told ? rig_step(&rig, resume_with(5, 0, held, 2))
                                : rig_at(&rig, 5, LS_EVENT_HEARTBEAT, 0),
                        is_told ? "" : "wake at 7");
    assert_int_equal(rig_totals(&rig).sent, is_told ? 3 : 4);
    assert_int_equal(rig_totals(&rig).units_returned, is_told ? 1 : 0);
    assert_string_equal(rig_done(&rig, 0, 0, 0, 2), "settle worker 0 chunk 0: 0+2 done");
    assert_int_equal(rig_totals(&rig).results_late, 0);
    /* It was told to give that back, and does; or that never came. */
    if (!is_told) rig_result(&rig, 0, 1, (struct ls_range){3, 1}, LS_OUTCOME_CANCELLED);
    assert_string_equal(rig_step(&rig, rig_asking(6, 1, 2)), "send worker 1 chunk 2: 3+2");
    assert_string_equal(rig_done(&rig, 0, 1, 2, 1), "settle worker 0 chunk 1: 2+1 done");
    rig_close(&rig);
  }
}

/* An idle worker took it, as there was nothing else; both have it now. */
static void what_another_one_took_meanwhile_is_not_its_own(void **state) {
  static const struct ls_event_held held[] = {{0, {0, 1}}, {1, {1, 1}}, {2, {2, 1}}};
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 3);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 3)), "send worker 1 chunk 3: 1+1");
  assert_string_equal(rig_step(&rig, resume_with(3, 0, held, 3)), "cancel worker 0 chunk 1");
  /* It had done it: the result counts. */
  assert_string_equal(rig_done(&rig, 0, 1, 1, 1),
                      "cancel worker 1 chunk 3; settle worker 0 chunk 1: 1+1 done");
  assert_int_equal(rig_totals(&rig).waiting, 0);
  rig_close(&rig);
}

/* Behind a stop nobody takes anything up. */
static void behind_a_stop_nothing_is_its_own_again(void **state) {
  static const struct ls_event_held held[] = {{0, {0, 1}}, {1, {1, 1}}};
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 3);
  rig_step(&rig, rig_asking(0, 0, 2));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
  rig_worker(&rig, LS_EVENT_STOP, 0);
  assert_string_equal(rig_step(&rig, resume_with(2, 0, held, 2)), "cancel worker 0 chunk 1");
  assert_int_equal(rig_totals(&rig).sent, 1);
  rig_close(&rig);
}

/* Somebody says that it is there, over a connection that is known to be gone: it does not have what
 * it was sent over that. */
static void who_was_cut_off_and_says_nothing_has_nothing(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 4);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
  rig_at(&rig, 2, LS_EVENT_RESUMED, 0);
  assert_int_equal(rig_totals(&rig).sent, 1);
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 1)), "send worker 1 chunk 3: 1+1");
  rig_close(&rig);
}

/* It was stopped, and then its machine was taken back: it comes back with nothing. */
static void what_is_gone_meanwhile_is_not_taken_up(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 1);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_STOPPED));
  rig_vacate(&rig, 0);
  assert_int_equal(rig_totals(&rig).waiting, 1);
  assert_string_equal(rig_at(&rig, 2, LS_EVENT_RESUMED, 0), "");
  assert_int_equal(rig_totals(&rig).waiting, 1);
  assert_string_equal(rig_step(&rig, rig_asking(3, 0, 1)), "send worker 0 chunk 1: 0+1");
  rig_close(&rig);
}

/* Back to the front after as long as it had run, at least four seconds; taken up again later. */
static void what_runs_is_given_back_and_taken_up_again(void **state) {
  for (int is_told = 0; is_told < 2; is_told++) {
    struct rig rig;
    (void)state;
    rig_open_pair(&rig, 2);
    rig_step(&rig, rig_asking(0, 0, 1));
    assert_string_equal(rig_step(&rig, rig_suspended(10, 0, LS_AWAY_STOPPED)), "wake at 20");
    assert_string_equal(rig_at(&rig, 20, LS_EVENT_TIMER, 0), "");
    assert_true(rig_noted(&rig, LS_NOTE_BACK));
    assert_int_equal(rig_totals(&rig).waiting, 2);
    const struct ls_event_held held = {0, {0, 1}};
    struct ls_event back = resume_with(21, 0, &held, 1);
    if (!is_told) back.resumed = (struct ls_event_resumed){0};
    assert_string_equal(rig_step(&rig, back), "");
    assert_int_equal(rig_totals(&rig).waiting, 1);
    assert_string_equal(rig_step(&rig, rig_asking(21, 1, 2)), "send worker 1 chunk 1: 1+1");
    assert_string_equal(rig_done(&rig, 0, 0, 0, 1), "settle worker 0 chunk 0: 0+1 done");
    rig_close(&rig);
  }
}

static struct ls_event return_with(double now_s, uint32_t worker, const struct ls_event_held *held,
                                   size_t count) {
  return (struct ls_event){.kind = LS_EVENT_JOINED,
                           .now_s = now_s,
                           .worker = worker,
                           .joined = {.held = held, .held_count = count}};
}

/* A lost worker comes back in another slot: it keeps the unit that ran, unless that is another's by
 * now, and nothing that waited. */
static void a_lost_worker_keeps_what_it_runs_if_nobody_else_has_it(void **state) {
  static const struct ls_event_held held[] = {{0, {0, 1}}, {1, {1, 1}}};
  for (int is_copied = 0; is_copied < 2; is_copied++) {
    struct rig rig;
    (void)state;
    rig_open_pair(&rig, 3);
    rig_step(&rig, rig_asking(0, 0, 2));
    rig_at(&rig, 5, LS_EVENT_LOST, 0);
    assert_int_equal(rig_totals(&rig).waiting, 3);
    if (is_copied) rig_step(&rig, rig_asking(6, 1, 1));
    assert_string_equal(
        rig_step(&rig, return_with(7, 2, held, 2)),
        is_copied ? "cancel worker 2 chunk 0; cancel worker 2 chunk 1" : "cancel worker 2 chunk 1");
    assert_int_equal(rig_totals(&rig).waiting, 2);
    if (!is_copied) {
      assert_string_equal(rig_done(&rig, 2, 0, 0, 1), "settle worker 2 chunk 0: 0+1 done");
      assert_int_equal(rig_totals(&rig).results_late, 0);
    }
    rig_close(&rig);
  }
}

/* Nobody knew that it lived; what it did not say that it has never came. */
static void a_worker_lost_in_a_cut_keeps_all_that_it_has(void **state) {
  static const struct ls_event_held held[] = {{0, {0, 1}}, {1, {1, 1}}, {2, {2, 1}}};
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 5);
  rig_step(&rig, rig_asking(0, 0, 4));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_LOST, .worker = 0, .now_s = 2, .lost = LS_LOSS_SILENT});
  assert_int_equal(rig_totals(&rig).waiting, 5);
  assert_string_equal(rig_step(&rig, return_with(3, 2, held, 3)), "");
  assert_int_equal(rig_totals(&rig).sent, 3);
  assert_string_equal(rig_done(&rig, 2, 1, 1, 1), "settle worker 2 chunk 1: 1+1 done");
  assert_string_equal(rig_step(&rig, rig_asking(4, 1, 1)), "send worker 1 chunk 4: 3+1");
  /* Another one that says so, too, has what is another's. */
  assert_string_equal(rig_step(&rig, return_with(5, 3, held, 3)),
                      "cancel worker 3 chunk 0; cancel worker 3 chunk 1; cancel worker 3 chunk 2");
  rig_close(&rig);
}

/* It was away first, so that what waited there had gone back before; and units of one chunk. */
static void a_lost_worker_keeps_no_more_than_what_ran(void **state) {
  static const struct ls_event_held held = {0, {0, 3}};
  struct ls_coordinator_config config = rig_config(3);
  struct rig rig;
  (void)state;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 6);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
  rig_at(&rig, 5, LS_EVENT_LOST, 0);
  assert_string_equal(rig_step(&rig, return_with(7, 1, &held, 1)), "recall worker 1");
  assert_int_equal(rig_totals(&rig).sent, 1);
  assert_string_equal(rig_done(&rig, 1, 0, 0, 1), "settle worker 1 chunk 0: 0+1 done");
  /* What nobody ever gave is nobody's. */
  static const struct ls_event_held strange = {7, {4, 1}};
  assert_string_equal(rig_step(&rig, return_with(8, 2, &strange, 1)), "cancel worker 2 chunk 7");
  rig_close(&rig);
}

/* A replacement is asked for after g; who comes back then ends what it runs, and goes. */
/* However many units it says that it has: only those that were given count, and no time is lost. */
static void what_a_lost_worker_boasts_of_costs_nothing(void **state) {
  static const struct ls_event_held held[] = {{9, {0, UINT64_MAX}}, {0, {0, UINT64_MAX}}};
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 3);
  rig_step(&rig, rig_asking(0, 0, 2));
  rig_at(&rig, 5, LS_EVENT_LOST, 0);
  assert_string_equal(rig_step(&rig, return_with(7, 2, held, 1)), "cancel worker 2 chunk 9");
  assert_string_equal(rig_step(&rig, return_with(8, 3, held, 2)),
                      "cancel worker 3 chunk 9; recall worker 3");
  assert_int_equal(rig_totals(&rig).waiting, 2);
  rig_close(&rig);
}

/* Two are wanted and three came: nobody else takes the place of the third one. */
static void a_guest_beyond_those_wanted_stays_when_it_is_back(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.grant_s = 3;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 8);
  rig_step(&rig, rig_suspended(1, 2, LS_AWAY_CUT));
  rig_at(&rig, 9, LS_EVENT_TIMER, 0);
  rig_at(&rig, 10, LS_EVENT_RESUMED, 2);
  assert_true(rig_noted(&rig, LS_NOTE_RESUMED));
  rig_close(&rig);
}

/* Worker 0, which has units, is away, and worker 2 has come in its place. */
static void replace_first(struct rig *rig) {
  struct ls_coordinator_config config = rig_config(1);
  config.grant_s = 3;
  config.mean_seconds = 100;
  rig_open(rig, &config);
  rig_start(rig, 2, 50);
  rig_step(rig, rig_asking(2, 0, 2));
  rig_step(rig, rig_asking(2, 1, 1));
  assert_string_equal(rig_step(rig, rig_suspended(10, 0, LS_AWAY_TOLD)),
                      "recall worker 0; wake at 12");
  assert_string_equal(rig_at(rig, 12, LS_EVENT_TIMER, 0), "request workers 1; wake at 18");
  rig_at(rig, 13, LS_EVENT_JOINED, 2);
}

static void a_worker_that_was_replaced_is_not_wanted_any_more(void **state) {
  struct rig rig;
  (void)state;
  replace_first(&rig);
  assert_string_equal(rig_at(&rig, 14, LS_EVENT_RESUMED, 0), "");
  assert_true(rig_noted(&rig, LS_NOTE_LEAVING));
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1),
                      "settle worker 0 chunk 0: 0+1 done; release worker 0");
  rig_close(&rig);
}

/* It leaves by the coordinator's will, and says nothing that would tell that it has gone. */
static void one_that_must_leave_and_has_nothing_is_let_go(void **state) {
  struct rig rig;
  (void)state;
  replace_first(&rig);
  assert_string_equal(rig_at(&rig, 14, LS_EVENT_RESUMED, 0), "");
  assert_true(rig_noted(&rig, LS_NOTE_LEAVING));
  assert_string_equal(rig_step(&rig, resume_with(15, 0, NULL, 0)), "release worker 0");
  rig_close(&rig);
}

/* One wanted, one there, and one more that came by itself: nobody was asked for in its place. */
static void who_came_by_itself_stays_after_an_absence(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.workers = 1;
  config.grant_s = 1;
  config.sizing = ls_sizing_find("fixed");
  rig_open(&rig, &config);
  rig_start(&rig, 1, 50);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, rig_asking(0, 1, 1));
  rig_step(&rig, rig_suspended(1, 1, LS_AWAY_TOLD));
  rig_at(&rig, 2, LS_EVENT_TIMER, 0);
  rig_at(&rig, 3, LS_EVENT_RESUMED, 1);
  assert_true(rig_noted(&rig, LS_NOTE_RESUMED));
  assert_false(rig_noted(&rig, LS_NOTE_LEAVING));
  rig_close(&rig);
}

/* A cut connection takes the words with it that were on their way. */
static void what_was_cancelled_before_a_cut_is_cancelled_again(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 6);
  rig_step(&rig, rig_asking(0, 0, 2));
  assert_string_equal(
      rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP, .now_s = 1, .is_hard = true}),
      "cancel worker 0 chunk 0; cancel worker 0 chunk 1");
  const struct ls_event_held held[] = {{0, {0, 1}}, {1, {1, 1}}};
  assert_string_equal(rig_step(&rig, resume_with(2, 0, held, 2)),
                      "cancel worker 0 chunk 0; cancel worker 0 chunk 1");
  rig_close(&rig);
}

static void one_that_leaves_is_told_again_too(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 6);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_worker(&rig, LS_EVENT_LEAVING, 0);
  assert_string_equal(
      rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP, .now_s = 1, .is_hard = true}),
      "cancel worker 0 chunk 0");
  const struct ls_event_held held[] = {{0, {0, 1}}};
  assert_string_equal(rig_step(&rig, resume_with(2, 0, held, 1)), "cancel worker 0 chunk 0");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_others_have_by_now_is_cancelled_at_its_return),
      cmocka_unit_test(a_request_outlives_an_absence),
      cmocka_unit_test(what_a_worker_does_not_know_goes_back),
      cmocka_unit_test(what_a_worker_must_not_have_is_taken_from_it),
      cmocka_unit_test(what_was_cancelled_before_a_cut_is_cancelled_again),
      cmocka_unit_test(one_that_leaves_is_told_again_too),
      cmocka_unit_test(one_that_must_leave_and_has_nothing_is_let_go),
      cmocka_unit_test(what_a_worker_went_on_with_is_its_own),
      cmocka_unit_test(what_another_one_took_meanwhile_is_not_its_own),
      cmocka_unit_test(behind_a_stop_nothing_is_its_own_again),
      cmocka_unit_test(who_was_cut_off_and_says_nothing_has_nothing),
      cmocka_unit_test(a_worker_lost_in_a_cut_keeps_all_that_it_has),
      cmocka_unit_test(what_is_gone_meanwhile_is_not_taken_up),
      cmocka_unit_test(what_runs_is_given_back_and_taken_up_again),
      cmocka_unit_test(a_guest_beyond_those_wanted_stays_when_it_is_back),
      cmocka_unit_test(a_lost_worker_keeps_what_it_runs_if_nobody_else_has_it),
      cmocka_unit_test(a_lost_worker_keeps_no_more_than_what_ran),
      cmocka_unit_test(what_a_lost_worker_boasts_of_costs_nothing),
      cmocka_unit_test(a_worker_that_was_replaced_is_not_wanted_any_more),
      cmocka_unit_test(who_came_by_itself_stays_after_an_absence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
