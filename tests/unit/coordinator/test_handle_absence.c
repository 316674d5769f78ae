/* Who is away keeps nobody waiting, and loses nothing that it may still do. */
#include "harness.h"

static void what_waits_goes_back_at_once_and_what_runs_stays(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 5);
  rig_step(&rig, rig_asking(0, 0, 3));
  assert_string_equal(rig_step(&rig, rig_suspended(1, 0, LS_AWAY_STOPPED)),
                      "recall worker 0; wake at 5");
  assert_int_equal(rig_totals(&rig).waiting, 4);
  assert_int_equal(rig_totals(&rig).sent, 1);
  assert_int_equal(hearing.units_back, 2);
  assert_string_equal(rig_step(&rig, rig_asking(1, 1, 1)), "send worker 1 chunk 3: 1+1");
  /* It runs on, and its result counts. */
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1), "settle worker 0 chunk 0: 0+1 done");
  rig_close(&rig);
}

/* Who was told to stand still, or stopped, does nothing meanwhile; who fell silent, or was cut off,
 * does, until it notices. */
static void what_waits_at_one_that_goes_on_is_sent_last(void **state) {
  for (int reason = 0; reason < LS_AWAY_COUNT; reason++) {
    bool goes_on = reason >= LS_AWAY_SILENT;
    struct rig rig;
    (void)state;
    rig_open_pair(&rig, 5);
    rig_step(&rig, rig_asking(0, 0, 3));
    rig_step(&rig, rig_suspended(1, 0, (enum ls_away)reason));
    assert_int_equal(rig_totals(&rig).waiting, 4);
    assert_int_equal(hearing.units_back, 2);
    assert_string_equal(rig_step(&rig, rig_asking(1, 1, 2)),
                        goes_on ? "send worker 1 chunk 3: 3+1; send worker 1 chunk 4: 4+1"
                                : "send worker 1 chunk 3: 1+1; send worker 1 chunk 4: 2+1");
    rig_close(&rig);
  }
}

/* It was silent since its machine stands still, or it is gone with all it had. */
static void who_stands_still_does_not_go_on(void **state) {
  for (int is_vacated = 0; is_vacated < 2; is_vacated++) {
    struct rig rig;
    (void)state;
    rig_open_pair(&rig, 5);
    rig_step(&rig, rig_asking(0, 0, 3));
    rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
    struct ls_event change = rig_suspended(2, 0, is_vacated ? LS_AWAY_CUT : LS_AWAY_TOLD);
    change.suspended.is_vacated = is_vacated;
    rig_step(&rig, change);
    assert_string_equal(rig_step(&rig, rig_asking(2, 1, 1)),
                        is_vacated ? "send worker 1 chunk 3: 0+1" : "send worker 1 chunk 3: 1+1");
    rig_close(&rig);
  }
}

/* It does not come back for what waited there. */
static void who_leaves_out_of_a_cut_does_not_go_on(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 5);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
  rig_at(&rig, 2, LS_EVENT_LEAVING, 0);
  assert_string_equal(rig_step(&rig, rig_asking(2, 1, 1)), "send worker 1 chunk 3: 1+1");
  rig_close(&rig);
}

/* Of those that go on, what the first that went away may have is asked for first: that has had the
 * most time to come back; of one, what ran and was given back is the first that is done. */
static void what_may_be_done_goes_in_the_order_of_absence(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.workers = 3;
  config.silence_s = 50;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 6);
  rig_step(&rig, rig_asking(0, 0, 3));
  rig_step(&rig, rig_asking(0, 1, 3));
  rig_step(&rig, rig_suspended(10, 1, LS_AWAY_CUT));
  rig_step(&rig, rig_suspended(11, 0, LS_AWAY_CUT));
  rig_at(&rig, 12.5, LS_EVENT_HEARTBEAT, 2);
  rig_at(&rig, 60, LS_EVENT_TIMER, 0);
  rig_at(&rig, 61, LS_EVENT_HEARTBEAT, 2);
  static const char *const expected[] = {"send worker 2 chunk 6: 3+1", "send worker 2 chunk 7: 4+1",
                                         "send worker 2 chunk 8: 5+1", "send worker 2 chunk 9: 1+1",
                                         "send worker 2 chunk 10: 2+1"};
  for (uint64_t i = 0; i < 5; i++) {
    static const uint64_t units[] = {3, 4, 5, 1, 2};
    assert_string_equal(rig_step(&rig, rig_asking(60, 2, 1)), expected[i]);
    rig_done(&rig, 2, 6 + i, units[i], 1);
  }
  rig_close(&rig);
}

static void an_idle_worker_gets_a_replica_of_what_runs_there(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 1);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, rig_asking(0, 1, 1));
  assert_string_equal(rig_step(&rig, rig_suspended(1, 0, LS_AWAY_STOPPED)),
                      "wake at 5; send worker 1 chunk 1: 0+1");
  assert_int_equal(rig_totals(&rig).replicas, 1);
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1),
                      "settle worker 0 chunk 0: 0+1 done; cancel worker 1 chunk 1; "
                      "iteration done 0");
  rig_close(&rig);
}

/* Its last result, though nobody wants it any more, keeps it waiting for a word. */
static void who_leaves_hears_of_the_end_too(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 1);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, rig_asking(0, 1, 1));
  rig_at(&rig, 1, LS_EVENT_LEAVING, 0);
  assert_int_equal(rig_totals(&rig).replicas, 1);
  rig_done(&rig, 1, 1, 0, 1);
  assert_string_equal(rig_iteration(&rig, 0), "release worker 0; release worker 1; finish");
  rig_close(&rig);
}

static void who_holds_a_lifeline_is_never_silent(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.heartbeat_s = 1;
  rig_open(&rig, &config);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_JOINED, .joined = {.has_lifeline = true}});
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_JOINED, .worker = 1}),
                      "wake at 2");
  rig_iteration(&rig, 4);
  rig_step(&rig, rig_asking(0, 0, 1));
  assert_string_equal(rig_at(&rig, 2, LS_EVENT_TIMER, 0), "wake at 4");
  assert_string_equal(rig_at(&rig, 4, LS_EVENT_TIMER, 0), "wake at 8");
  assert_true(rig_noted(&rig, LS_NOTE_SUSPENDED));
  assert_int_equal(rig.actions.notes[0].worker, 1);
  assert_int_equal(rig_totals(&rig).sent, 1);
  rig_close(&rig);
}

/* Its workers left a driver that stood still, and are on their way back: what waits at them is
 * theirs until their silence says more. */
static void a_cut_behind_a_stall_is_judged_by_silence(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.silence_s = 4;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  rig_step(&rig, rig_asking(0, 0, 2));
  assert_int_equal(rig_totals(&rig).sent, 2);
  rig_at(&rig, 20, LS_EVENT_HEARTBEAT, 1);
  rig_at(&rig, 20, LS_EVENT_TIMER, 0);
  rig_step(&rig, rig_suspended(20, 0, LS_AWAY_CUT));
  assert_true(rig_noted(&rig, LS_NOTE_IGNORED));
  assert_int_equal(rig_totals(&rig).sent, 2);
  rig_at(&rig, 23, LS_EVENT_HEARTBEAT, 1);
  rig_at(&rig, 24, LS_EVENT_TIMER, 0);
  assert_true(rig_noted(&rig, LS_NOTE_SUSPENDED));
  assert_int_equal(rig_totals(&rig).sent, 1);
  /* Without a stall a cut is one at once. */
  rig_step(&rig, rig_suspended(24.5, 1, LS_AWAY_CUT));
  assert_true(rig_noted(&rig, LS_NOTE_SUSPENDED));
  rig_close(&rig);
}

/* Workers give up on a driver whom they did not hear for a little longer than the limit; so short a
 * stall is known only where the driver is to look more often than that. */
static void a_stall_little_longer_than_the_limit_is_one(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.silence_s = 4;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 4);
  rig_step(&rig, rig_asking(0, 0, 2));
  rig_at(&rig, 2, LS_EVENT_HEARTBEAT, 0);
  rig_at(&rig, 2, LS_EVENT_HEARTBEAT, 1);
  rig_at(&rig, 2, LS_EVENT_TIMER, 0);
  rig_step(&rig, rig_suspended(6.1, 0, LS_AWAY_CUT));
  assert_true(rig_noted(&rig, LS_NOTE_IGNORED));
  assert_int_equal(rig_totals(&rig).sent, 2);
  rig_close(&rig);
}

/* It gets nothing while it is silent; whatever it says, it is back. */
static void a_silent_worker_is_back_with_its_first_word(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.silence_s = 4;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 3);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_at(&rig, 3, LS_EVENT_HEARTBEAT, 1);
  rig_at(&rig, 4, LS_EVENT_TIMER, 0);
  assert_true(rig_noted(&rig, LS_NOTE_SUSPENDED));
  rig_at(&rig, 5, LS_EVENT_HEARTBEAT, 0);
  assert_true(rig_noted(&rig, LS_NOTE_RESUMED));
  assert_int_equal(rig_totals(&rig).sent, 1);
  rig_close(&rig);
}

/* Where beats are fewer, who is not heard is silent later; also behind a stop. */
static void silence_follows_the_heartbeat(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  const struct ls_event_advice slower = {.heartbeat_s = 3};
  const double wrong[] = {-1, HUGE_VAL, (double)NAN};
  struct rig rig;
  (void)state;
  config.heartbeat_s = 1;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 3);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP});
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_ADVICE, .advice = slower});
  rig_at(&rig, 4, LS_EVENT_TIMER, 0);
  rig_at(&rig, 9.9, LS_EVENT_TIMER, 0);
  assert_false(rig_noted(&rig, LS_NOTE_SUSPENDED));
  rig_at(&rig, 10, LS_EVENT_TIMER, 0);
  assert_true(rig_noted(&rig, LS_NOTE_SUSPENDED));
  for (size_t i = 0; i < 3; i++) {
    const struct ls_event event = {
        .kind = LS_EVENT_ADVICE, .now_s = 10, .advice.heartbeat_s = wrong[i]};
    assert_int_equal(ls_coordinator_step(rig.coordinator, &event, &rig.actions, NULL), LS_EINVAL);
  }
  rig_close(&rig);
}

/* One that was told a limit, or has none, derives none. */
static void what_is_not_derived_stays(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  const struct ls_event_advice slower = {.heartbeat_s = 30};
  struct rig rig;
  (void)state;
  config.silence_s = 4;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 3);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_ADVICE, .advice = slower});
  rig_at(&rig, 4, LS_EVENT_TIMER, 0);
  assert_true(rig_noted(&rig, LS_NOTE_SUSPENDED));
  rig_close(&rig);
}

static void a_stop_does_not_wait_for_who_is_away(void **state) {
  for (int is_hard = 0; is_hard < 2; is_hard++) {
    struct rig rig;
    (void)state;
    rig_open_pair(&rig, 2);
    rig_step(&rig, rig_asking(0, 0, 1));
    rig_step(&rig, rig_suspended(1, 0, LS_AWAY_TOLD));
    const char *text = rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP, .is_hard = is_hard});
    if (is_hard) {
      assert_string_equal(text,
                          "cancel worker 0 chunk 0; release worker 0; release worker 1; "
                          "finish");
    } else {
      assert_string_equal(text, "");
      assert_string_equal(rig_at(&rig, 5, LS_EVENT_TIMER, 0),
                          "release worker 0; release worker 1; finish");
    }
    rig_close(&rig);
  }
}

static void a_unit_is_sent_to_a_worker_that_lives_long_enough(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.workers = 1;
  rig_open(&rig, &config);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_JOINED, .joined = {.lifetime_s = 10}});
  rig_iteration(&rig, 5);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig,
           (struct ls_event){
               .kind = LS_EVENT_RESULT, .now_s = 4, .result = {.units = {0, 1}, .seconds = 4}});
  assert_string_equal(rig_step(&rig, rig_asking(4, 0, 1)), "send worker 0 chunk 1: 1+1");
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                   .now_s = 8,
                                   .result = {.chunk = 1, .units = {1, 1}, .seconds = 4}});
  assert_string_equal(rig_step(&rig, rig_asking(8, 0, 1)), "release worker 0; request workers 1");
  rig_close(&rig);
}

/* Its output takes so long to leave that the result of the next unit would come too late. */
static void a_large_output_leaves_less_of_a_lifetime(void **state) {
  (void)state;
  for (int is_large = 0; is_large < 2; is_large++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.workers = 1;
    rig_open(&rig, &config);
    rig_step(&rig, (struct ls_event){.kind = LS_EVENT_JOINED, .joined = {.lifetime_s = 10}});
    rig_iteration(&rig, 5);
    rig_step(&rig, rig_asking(0, 0, 1));
    rig_step(&rig,
             (struct ls_event){
                 .kind = LS_EVENT_RESULT, .now_s = 4, .result = {.units = {0, 1}, .seconds = 4}});
    rig_step(&rig, (struct ls_event){
                       .kind = LS_EVENT_HEARTBEAT, .now_s = 4, .send_s = is_large ? 1.5 : 0.5});
    assert_string_equal(
        rig_step(&rig, rig_asking(4, 0, 1)),
        is_large ? "release worker 0; request workers 1" : "send worker 0 chunk 1: 1+1");
    rig_close(&rig);
  }
}

static const struct ls_action_release *find_release(const struct rig *rig) {
  for (size_t i = 0; i < rig->actions.count; i++)
    if (rig->actions.items[i].kind == LS_ACTION_RELEASE) return &rig->actions.items[i].release;
  fail_msg("nobody is released");
  return NULL;
}

/* Nobody else can say it, since what ran may have gone back to the others before. */
static void who_is_given_up_leaves_word_of_what_it_ran(void **state) {
  for (int is_first = 0; is_first < 2; is_first++) {
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    (void)state;
    config.heartbeat_s = 1;
    config.patience_s = is_first ? 1 : 100;
    config.mean_seconds = 10;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 5);
    rig_step(&rig, rig_asking(0, 0, 1));
    rig_step(&rig, rig_suspended(1, 0, LS_AWAY_CUT));
    for (int s = 2; s < 6 && !is_first; s++) rig_at(&rig, s, LS_EVENT_TIMER, 0);
    rig_at(&rig, is_first ? 2 : 101, LS_EVENT_TIMER, 0);
    const struct ls_action_release *release = find_release(&rig);
    assert_true(release->was_silent && release->has_run);
    assert_int_equal(release->running.unit, 0);
    assert_int_equal(release->running.chunk, 0);
    assert_int_equal(release->running.attempt, 1);
    rig_close(&rig);
  }
}

/* Nobody tells how long a unit takes: what runs goes back after as long as it had run. */
static void what_runs_began_with_the_last_result(void **state) {
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 3);
  rig_step(&rig, rig_asking(0, 0, 2));
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                   .now_s = 50,
                                   .result = {.chunk = 0, .units = {0, 1}, .seconds = -1}});
  assert_string_equal(rig_step(&rig, rig_suspended(60, 0, LS_AWAY_STOPPED)), "wake at 70");
  rig_close(&rig);
}

/* A unit takes as long as others took there; where none did, as long as anywhere. */
static void what_runs_takes_as_long_as_others_took_there(void **state) {
  static const char *const answers[] = {"wake at 13", "wake at 12"};
  (void)state;
  for (uint32_t away = 0; away < 3; away += 2) {
    struct rig rig;
    rig_open_pair(&rig, 6);
    rig_worker(&rig, LS_EVENT_JOINED, 2);
    for (uint32_t i = 0; i < 3; i++) rig_step(&rig, rig_asking(0, i, 2));
    for (uint32_t i = 0; i < 2; i++)
      rig_step(&rig,
               (struct ls_event){
                   .kind = LS_EVENT_RESULT,
                   .now_s = 3,
                   .worker = i,
                   .result = {.chunk = 2 * i, .units = {2 * i, 1}, .seconds = i == 0 ? 3 : 1}});
    assert_int_equal(rig_totals(&rig).done, 2);
    const char *text = rig_step(&rig, rig_suspended(10, away, LS_AWAY_STOPPED));
    assert_non_null(strstr(text, answers[away / 2]));
    rig_close(&rig);
  }
}

/* What it was told to drop when it came back is not its own when it comes back once more. */
static void each_absence_gives_back_what_ran_then(void **state) {
  const struct ls_event resumed = {.kind = LS_EVENT_RESUMED};
  struct rig rig;
  (void)state;
  rig_open_pair(&rig, 2);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, rig_asking(0, 1, 1));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_STOPPED));
  rig_at(&rig, 5, LS_EVENT_TIMER, 0);
  assert_string_equal(rig_step(&rig, rig_asking(5, 1, 1)), "send worker 1 chunk 2: 0+1");
  assert_string_equal(rig_step(&rig, resumed), "cancel worker 0 chunk 0");
  rig_step(&rig, rig_suspended(6, 0, LS_AWAY_STOPPED));
  rig_at(&rig, 7, LS_EVENT_LOST, 1);
  assert_int_equal(rig_totals(&rig).waiting, 2);
  rig_step(&rig, resumed);
  assert_int_equal(rig_totals(&rig).waiting, 2);
  rig_close(&rig);
}

/* Another one was asked for in its place, and came when it was back already: it stays, also when it
 * is away for a moment later. */
static void who_was_replaced_once_is_replaced_no_longer(void **state) {
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.grant_s = 5;
  config.patience_s = 100;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  rig_step(&rig, rig_asking(0, 0, 1));
  rig_step(&rig, rig_suspended(1, 0, LS_AWAY_STOPPED));
  const char *text = rig_at(&rig, 6, LS_EVENT_TIMER, 0);
  assert_non_null(strstr(text, "request workers 1"));
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESUMED, .now_s = 7});
  rig_at(&rig, 8, LS_EVENT_JOINED, 2);
  rig_step(&rig, rig_suspended(9, 0, LS_AWAY_STOPPED));
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESUMED, .now_s = 10});
  assert_true(rig_noted(&rig, LS_NOTE_RESUMED) && !rig_noted(&rig, LS_NOTE_LEAVING));
  rig_close(&rig);
}

/* Why it is lost: LS_LOSS_COUNT where it is not. */
static enum ls_loss find_loss(const struct rig *rig) {
  for (size_t i = 0; i < rig->actions.notes_count; i++)
    if (rig->actions.notes[i].kind == LS_NOTE_LOST)
      return (enum ls_loss)rig->actions.notes[i].extra;
  return LS_LOSS_COUNT;
}

/* Who said that it stands still, or was stopped, is taken away; of all others, and of one that was
 * on its way out, nothing was heard. */
static void why_one_that_is_away_too_long_is_lost(void **state) {
  (void)state;
  for (int i = 0; i < 2 * LS_AWAY_COUNT; i++) {
    enum ls_away reason = (enum ls_away)(i / 2);
    bool is_leaving = i % 2 == 1, is_told = reason <= LS_AWAY_STOPPED && !is_leaving;
    struct ls_coordinator_config config = rig_config(1);
    struct rig rig;
    config.patience_s = 10;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 5);
    rig_step(&rig, rig_asking(0, 0, 1));
    rig_step(&rig, rig_suspended(1, 0, reason));
    if (is_leaving) rig_at(&rig, 1, LS_EVENT_LEAVING, 0);
    rig_at(&rig, 10.5, LS_EVENT_TIMER, 0);
    assert_int_equal(find_loss(&rig), LS_LOSS_COUNT);
    rig_at(&rig, 11.5, LS_EVENT_TIMER, 0);
    assert_int_equal(find_loss(&rig), is_told ? LS_LOSS_RECLAIMED : LS_LOSS_SILENT);
    rig_close(&rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_runs_began_with_the_last_result),
      cmocka_unit_test(what_runs_takes_as_long_as_others_took_there),
      cmocka_unit_test(each_absence_gives_back_what_ran_then),
      cmocka_unit_test(who_was_replaced_once_is_replaced_no_longer),
      cmocka_unit_test(why_one_that_is_away_too_long_is_lost),
      cmocka_unit_test(what_waits_goes_back_at_once_and_what_runs_stays),
      cmocka_unit_test(what_waits_at_one_that_goes_on_is_sent_last),
      cmocka_unit_test(who_stands_still_does_not_go_on),
      cmocka_unit_test(who_leaves_out_of_a_cut_does_not_go_on),
      cmocka_unit_test(what_may_be_done_goes_in_the_order_of_absence),
      cmocka_unit_test(an_idle_worker_gets_a_replica_of_what_runs_there),
      cmocka_unit_test(who_leaves_hears_of_the_end_too),
      cmocka_unit_test(who_holds_a_lifeline_is_never_silent),
      cmocka_unit_test(a_cut_behind_a_stall_is_judged_by_silence),
      cmocka_unit_test(a_stall_little_longer_than_the_limit_is_one),
      cmocka_unit_test(silence_follows_the_heartbeat),
      cmocka_unit_test(what_is_not_derived_stays),
      cmocka_unit_test(a_silent_worker_is_back_with_its_first_word),
      cmocka_unit_test(a_stop_does_not_wait_for_who_is_away),
      cmocka_unit_test(a_unit_is_sent_to_a_worker_that_lives_long_enough),
      cmocka_unit_test(a_large_output_leaves_less_of_a_lifetime),
      cmocka_unit_test(who_is_given_up_leaves_word_of_what_it_ran),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
