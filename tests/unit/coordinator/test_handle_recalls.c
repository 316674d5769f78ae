/* No worker is idle while a unit waits behind another one's; and what is recalled is counted once.
 */
#include "harness.h"

/* Two workers, that have asked for nothing; chunks of `size`. */
static void open_two(struct rig *rig, uint64_t size, uint64_t units) {
  struct ls_coordinator_config config = rig_config(2);
  config.spares_newcomers = config.recalls = true;
  rig_open(rig, &config);
  rig_start(rig, 2, units);
  hearing.size = size;
}

static const char *step_at(struct rig *rig, double now_s, struct ls_event event) {
  event.now_s = now_s;
  return rig_step(rig, event);
}

/* What was cancelled had not begun. */
static struct ls_event result(uint32_t worker, uint64_t chunk, struct ls_range units, double now_s,
                              enum ls_outcome outcome) {
  return (struct ls_event){
      .kind = LS_EVENT_RESULT,
      .worker = worker,
      .now_s = now_s,
      .result = {.chunk = chunk,
                 .units = units,
                 .outcome = outcome,
                 .seconds = outcome != LS_OUTCOME_CANCELLED && units.count > 0 ? 1 : 0}};
}

/* Worker 0 runs unit 0, and unit 1 waits there; worker 1 has done unit 2 and asks. */
static void open_waiting(struct rig *rig) {
  open_two(rig, 1, 3);
  assert_string_equal(step_at(rig, 0, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 0+1");
  assert_string_equal(step_at(rig, 0, rig_asking(0, 1, 1)), "send worker 1 chunk 1: 1+1");
  assert_string_equal(step_at(rig, 0, rig_asking(0, 0, 1)), "send worker 0 chunk 2: 2+1");
  assert_string_equal(rig_step(rig, result(1, 1, (struct ls_range){1, 1}, 1.25, LS_OUTCOME_DONE)),
                      "settle worker 1 chunk 1: 1+1 done");
}

static void what_waits_is_taken_back_for_an_idle_worker(void **state) {
  struct rig rig;
  (void)state;
  open_waiting(&rig);
  /* What runs is expected to end now: worth it once a message's way has passed, 0.25 s. */
  const char *answer = step_at(&rig, 1.25, rig_asking(1.25, 1, 1));
  assert_string_equal(answer, "recall worker 0; wake at 2.25");
  assert_true(rig_noted(&rig, LS_NOTE_RECALLED));
  assert_int_equal(rig_totals(&rig).recalls, 1);
  /* Not again while the answer is on its way. */
  assert_string_equal(rig_at(&rig, 1.3, LS_EVENT_HEARTBEAT, 0), "");
  answer = rig_step(&rig, result(0, 2, (struct ls_range){2, 1}, 1.5, LS_OUTCOME_CANCELLED));
  assert_string_equal(answer, "send worker 1 chunk 3: 2+1");
  assert_int_equal(rig_totals(&rig).units_retried, 0);
  /* Three chunks of work, of which one went another way. */
  assert_int_equal(rig_totals(&rig).chunks, 3);
  assert_int_equal(rig_totals(&rig).units_unbegun, 1);
  /* Who gave it back asks, and waits for other things. */
  assert_string_equal(step_at(&rig, 1.5, rig_asking(1.5, 0, 1)), "");
  assert_string_equal(rig_step(&rig, result(1, 3, (struct ls_range){2, 1}, 2.6, LS_OUTCOME_DONE)),
                      "settle worker 1 chunk 3: 2+1 done");
  assert_int_equal(rig_totals(&rig).done, 2);
  rig_close(&rig);
}

/* It asked before it was stopped, and what it ran is settled meanwhile. */
static void what_waits_is_taken_back_for_one_that_goes_on(void **state) {
  struct rig rig;
  (void)state;
  open_two(&rig, 1, 4);
  for (uint32_t i = 0; i < 4; i++) step_at(&rig, 0, rig_asking(0, i % 2, 1));
  rig_step(&rig, result(1, 1, (struct ls_range){1, 1}, 1.25, LS_OUTCOME_DONE));
  assert_string_equal(step_at(&rig, 1.25, rig_asking(1.25, 1, 1)), "");
  rig_step(&rig, rig_suspended(1.5, 1, LS_AWAY_STOPPED));
  rig_at(&rig, 3, LS_EVENT_TIMER, 0);
  assert_true(rig_noted(&rig, LS_NOTE_BACK));
  assert_string_equal(rig_step(&rig, result(1, 3, (struct ls_range){3, 1}, 3, LS_OUTCOME_DONE)),
                      "settle worker 1 chunk 3: 3+1 done");
  assert_non_null(strstr(rig_at(&rig, 4, LS_EVENT_RESUMED, 1), "recall worker 0"));
  rig_close(&rig);
}

/* It did the unit all the same, and had got it again: that is no work any more. */
static void what_waits_is_taken_back_for_one_whose_unit_is_settled(void **state) {
  struct rig rig;
  (void)state;
  open_two(&rig, 1, 4);
  for (uint32_t i = 0; i < 4; i++) step_at(&rig, 0, rig_asking(0, i % 2, 1));
  rig_step(&rig, rig_suspended(0.25, 1, LS_AWAY_STOPPED));
  rig_at(&rig, 0.5, LS_EVENT_RESUMED, 1);
  rig_step(&rig, result(1, 1, (struct ls_range){1, 1}, 1.25, LS_OUTCOME_DONE));
  assert_string_equal(step_at(&rig, 1.25, rig_asking(1.25, 1, 1)), "send worker 1 chunk 4: 3+1");
  assert_string_equal(step_at(&rig, 1.25, rig_asking(1.25, 1, 1)), "");
  const char *words = rig_step(&rig, result(1, 3, (struct ls_range){3, 1}, 3, LS_OUTCOME_DONE));
  assert_non_null(strstr(words, "cancel worker 1 chunk 4"));
  assert_non_null(strstr(words, "recall worker 0"));
  rig_close(&rig);
}

/* The order came too late: the unit has begun, runs where it is, and is asked for no more. */
static void a_unit_that_has_begun_stays(void **state) {
  struct rig rig;
  (void)state;
  open_waiting(&rig);
  step_at(&rig, 1.25, rig_asking(1.25, 1, 1));
  assert_string_equal(rig_step(&rig, result(0, 0, (struct ls_range){0, 1}, 1.3, LS_OUTCOME_DONE)),
                      "settle worker 0 chunk 0: 0+1 done");
  assert_string_equal(rig_at(&rig, 2.25, LS_EVENT_TIMER, 0), "");
  assert_string_equal(rig_step(&rig, result(0, 2, (struct ls_range){2, 1}, 3, LS_OUTCOME_DONE)),
                      "settle worker 0 chunk 2: 2+1 done; iteration done 0");
  assert_int_equal(rig_totals(&rig).recalls, 1);
  assert_int_equal(rig_totals(&rig).chunks, 3);
  rig_close(&rig);
}

/* What ran until it was stopped was work; of a chunk of which a part came back the rest is one. */
static void only_a_chunk_that_never_began_is_none(void **state) {
  struct rig rig;
  (void)state;
  open_two(&rig, 3, 6);
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 0, 3)), "send worker 0 chunk 0: 0+3");
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 1, 3)), "send worker 1 chunk 1: 3+3");
  rig_step(&rig, result(0, 0, (struct ls_range){1, 2}, 0.5, LS_OUTCOME_CANCELLED));
  assert_int_equal(rig_totals(&rig).chunks, 2);
  struct ls_event stopped = result(1, 1, (struct ls_range){3, 3}, 1, LS_OUTCOME_CANCELLED);
  stopped.result.seconds = 0.5;
  rig_step(&rig, stopped);
  assert_int_equal(rig_totals(&rig).chunks, 2);
  assert_int_equal(rig_totals(&rig).units_unbegun, 0);
  rig_close(&rig);
}

/* What runs will end within a message's way: the unit that waits is as well off where it is, until
 * the other one takes longer than was expected. */
static void what_is_worth_less_than_a_message_is_left(void **state) {
  struct rig rig;
  (void)state;
  open_two(&rig, 1, 5);
  for (uint32_t i = 0; i < 2; i++) step_at(&rig, 0, rig_asking(0, i, 1));
  rig_step(&rig, result(1, 1, (struct ls_range){1, 1}, 1.5, LS_OUTCOME_DONE));
  rig_step(&rig, result(0, 0, (struct ls_range){0, 1}, 2, LS_OUTCOME_DONE));
  assert_string_equal(step_at(&rig, 2, rig_asking(2, 0, 1)), "send worker 0 chunk 2: 2+1");
  assert_string_equal(step_at(&rig, 2, rig_asking(2, 1, 1)), "send worker 1 chunk 3: 3+1");
  assert_string_equal(step_at(&rig, 2, rig_asking(2, 0, 1)), "send worker 0 chunk 4: 4+1");
  rig_step(&rig, result(1, 3, (struct ls_range){3, 1}, 2.75, LS_OUTCOME_DONE));
  /* It has run for 0.75 s of one, and a message takes half a second: at 3 s it is late. */
  assert_string_equal(step_at(&rig, 2.75, rig_asking(2.75, 1, 1)), "wake at 3");
  assert_string_equal(rig_at(&rig, 3, LS_EVENT_TIMER, 0), "recall worker 0; wake at 5");
  rig_close(&rig);
}

/* A policy that gives the idle one nothing is not asked by recalls again and again. */
static void a_refusal_is_no_idleness(void **state) {
  struct rig rig;
  (void)state;
  open_waiting(&rig);
  step_at(&rig, 1.25, rig_asking(1.25, 1, 1));
  hearing.not_for = 2;
  rig_step(&rig, result(0, 2, (struct ls_range){2, 1}, 1.5, LS_OUTCOME_CANCELLED));
  assert_string_equal(step_at(&rig, 1.5, rig_asking(1.5, 0, 1)), "send worker 0 chunk 3: 2+1");
  assert_string_equal(rig_at(&rig, 9, LS_EVENT_TIMER, 0), "");
  assert_int_equal(rig_totals(&rig).recalls, 1);
  rig_close(&rig);
}

/* What was kept for another one that was still to come, as static chunking does, is refused once:
 * when it waits behind that one's first unit, it is recalled all the same. */
static void what_was_kept_for_another_one_is_recalled(void **state) {
  struct rig rig;
  (void)state;
  open_two(&rig, 9, 9);
  hearing.not_for = 2;
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 1, 1)), "");
  hearing.not_for = 0;
  assert_string_equal(step_at(&rig, 1, rig_asking(1, 0, 1)),
                      "send worker 0 chunk 0: 0+9; recall worker 0; wake at 1.001");
  rig_close(&rig);
}

/* Static chunking keeps a share for worker 2, which does not come yet: what waits at worker 0 is
 * recalled all the same, and is nobody's share. */
static void beside_what_is_kept_for_one_to_come_the_rest_is_recalled(void **state) {
  struct ls_coordinator_config config = rig_config(0);
  struct rig rig;
  (void)state;
  config.chunking = ls_chunking_find("sc");
  config.workers = 3;
  config.spares_newcomers = config.recalls = true;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 0+3");
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 1, 1)), "send worker 1 chunk 1: 3+3");
  rig_step(&rig, result(1, 1, (struct ls_range){3, 3}, 1, LS_OUTCOME_DONE));
  assert_string_equal(step_at(&rig, 1, rig_asking(1, 1, 1)), "recall worker 0; wake at 1.001");
  assert_string_equal(
      rig_step(&rig, result(0, 0, (struct ls_range){1, 2}, 1, LS_OUTCOME_CANCELLED)),
      "send worker 1 chunk 2: 1+1");
  assert_int_equal(rig_totals(&rig).waiting, 4);
  rig_worker(&rig, LS_EVENT_JOINED, 2);
  assert_string_equal(step_at(&rig, 1, rig_asking(1, 2, 1)), "send worker 2 chunk 3: 2+1 6+2");
  rig_close(&rig);
}

/* Of a large chunk the idle one gets half: the other half is for who gave it back. */
static void a_large_chunk_is_shared(void **state) {
  struct rig rig;
  (void)state;
  open_two(&rig, 9, 9);
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 0+9");
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 1, 1)), "recall worker 0; wake at 0.001");
  assert_string_equal(
      rig_step(&rig, result(0, 0, (struct ls_range){1, 8}, 0.5, LS_OUTCOME_CANCELLED)),
      "send worker 1 chunk 1: 1+4");
  assert_string_equal(step_at(&rig, 0.5, rig_asking(0.5, 0, 1)), "send worker 0 chunk 2: 5+4");
  rig_close(&rig);
}

/* The order may be lost with a connection: over the next one it is given again. */
static void a_new_connection_hears_it_again(void **state) {
  struct rig rig;
  const struct ls_event_held held[] = {{0, {0, 1}}, {2, {2, 1}}};
  (void)state;
  open_waiting(&rig);
  step_at(&rig, 1.25, rig_asking(1.25, 1, 1));
  struct ls_event resumed = {.kind = LS_EVENT_RESUMED,
                             .worker = 0,
                             .now_s = 3,
                             .resumed = {.held = held, .held_count = 2, .is_told = true}};
  assert_string_equal(rig_step(&rig, resumed), "recall worker 0");
  assert_int_equal(rig_totals(&rig).recalls, 2);
  rig_close(&rig);
}

static void without_the_setting_it_stays_there(void **state) {
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  struct ls_error err = {0};
  struct ls_coordinator *coordinator;
  (void)state;
  config.spares_newcomers = true;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 2);
  hearing.size = 1;
  step_at(&rig, 0, rig_asking(0, 0, 1));
  step_at(&rig, 0, rig_asking(0, 1, 1));
  assert_string_equal(rig_step(&rig, result(1, 1, (struct ls_range){1, 1}, 9, LS_OUTCOME_DONE)),
                      "settle worker 1 chunk 1: 1+1 done");
  assert_string_equal(step_at(&rig, 9, rig_asking(9, 1, 1)), "");
  rig_close(&rig);
  config.recalls = true;
  config.spares_newcomers = false;
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "spares_newcomers"));
}

/* It would not live to the end of the unit; a slower one will, and gets it. */
static void nothing_is_recalled_for_one_that_has_no_time_for_it(void **state) {
  static const double weights[] = {1, 2, 1};
  for (int is_other_there = 0; is_other_there < 2; is_other_there++) {
    struct ls_coordinator_config config = rig_config(2);
    struct rig rig;
    (void)state;
    config.spares_newcomers = config.recalls = true;
    config.weights = weights;
    config.weights_count = 3;
    rig_open(&rig, &config);
    rig_worker(&rig, LS_EVENT_JOINED, 0);
    rig_step(&rig, (struct ls_event){
                       .kind = LS_EVENT_JOINED, .worker = 1, .joined = {.lifetime_s = 2.5}});
    rig_iteration(&rig, 3);
    assert_string_equal(step_at(&rig, 0, rig_asking(0, 0, 2)), "send worker 0 chunk 0: 0+2");
    assert_string_equal(step_at(&rig, 0, rig_asking(0, 1, 1)), "send worker 1 chunk 1: 2+1");
    rig_step(&rig, result(1, 1, (struct ls_range){2, 1}, 1, LS_OUTCOME_DONE));
    /* It has 0.25 s left, and its units take a second. */
    assert_string_equal(step_at(&rig, 1.25, rig_asking(1.25, 1, 1)), "");
    assert_string_equal(rig_at(&rig, 1.3, LS_EVENT_TIMER, 0), "");
    if (is_other_there) {
      rig_worker(&rig, LS_EVENT_JOINED, 2);
      assert_string_equal(step_at(&rig, 1.3, rig_asking(1.3, 2, 1)), "wake at 2");
      assert_string_equal(rig_at(&rig, 2, LS_EVENT_TIMER, 0), "recall worker 0; wake at 2.001");
    }
    assert_int_equal(rig_totals(&rig).recalls, is_other_there);
    rig_close(&rig);
  }
}

/* The end of worker 0's time stopped unit 0, which now stands last at worker 1, behind one that the
 * idle worker has the time for. */
static void a_unit_that_is_not_for_it_hides_none_that_is(void **state) {
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  (void)state;
  config.spares_newcomers = config.recalls = true;
  rig_open(&rig, &config);
  hearing.size = 1;
  rig_step(&rig,
           (struct ls_event){.kind = LS_EVENT_JOINED, .worker = 0, .joined = {.lifetime_s = 10}});
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  rig_iteration(&rig, 3);
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 0, 1)), "send worker 0 chunk 0: 0+1");
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 1, 2)),
                      "send worker 1 chunk 1: 1+1; send worker 1 chunk 2: 2+1");
  rig_at(&rig, 9, LS_EVENT_LEAVING, 0);
  struct ls_event stopped = result(0, 0, (struct ls_range){0, 1}, 9, LS_OUTCOME_CANCELLED);
  stopped.result.seconds = 8;
  rig_step(&rig, stopped);
  assert_int_equal(rig_totals(&rig).expiries, 1);
  assert_string_equal(step_at(&rig, 9, rig_asking(9, 1, 1)), "send worker 1 chunk 3: 0+1");
  rig_step(&rig,
           (struct ls_event){
               .kind = LS_EVENT_JOINED, .now_s = 9, .worker = 2, .joined = {.lifetime_s = 10}});
  assert_string_equal(step_at(&rig, 9, rig_asking(9, 2, 1)), "recall worker 1; wake at 9.001");
  rig_close(&rig);
}

/* The running unit, of a chunk of several, is the only one that the idle worker has the time for:
 * it cannot come back. */
static void the_unit_that_runs_is_no_reason_to_recall(void **state) {
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  (void)state;
  config.spares_newcomers = config.recalls = true;
  rig_open(&rig, &config);
  hearing.size = 2;
  static const double seconds[] = {1, 30};
  const struct ls_coordinator_times times = {seconds, seconds, 2};
  assert_int_equal(ls_coordinator_declare(rig.coordinator, &times, NULL), LS_OK);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_iteration(&rig, 2);
  assert_string_equal(step_at(&rig, 0, rig_asking(0, 0, 2)), "send worker 0 chunk 0: 0+2");
  rig_step(&rig,
           (struct ls_event){.kind = LS_EVENT_JOINED, .worker = 1, .joined = {.lifetime_s = 10}});
  step_at(&rig, 0, rig_asking(0, 1, 1));
  for (int i = 1; i < 8; i++) (void)rig_at(&rig, i, LS_EVENT_TIMER, 0);
  assert_int_equal(rig_totals(&rig).recalls, 0);
  rig_close(&rig);
}

static struct ls_plan_chunk chunks[] = {{.worker = 0, .units = 4}, {.worker = 1, .units = 4}};

/* A plan's worker became slow: behind the plan's last chunk what waits there goes to who is idle, a
 * share each time, and counts once.  Where results come in an order it stays. */
static void what_a_plan_left_at_a_slow_worker_is_planned_again(void **state) {
  (void)state;
  const size_t order[] = {1, 0};
  for (int has_returns = 0; has_returns < 2; has_returns++) {
    const struct ls_plan plan = {.chunks = chunks,
                                 .chunks_count = 2,
                                 .has_returns = has_returns != 0,
                                 .returns = (size_t *)order,
                                 .returns_count = has_returns != 0 ? 2 : 0};
    struct ls_coordinator_config config = rig_config(2);
    struct rig rig;
    config.spares_newcomers = config.recalls = true;
    config.chunking = ls_chunking_find("follow-plan");
    config.plan = &plan;
    rig_open(&rig, &config);
    rig_start(&rig, 2, 8);
    for (int i = 0; i < 3; i++) (void)rig_at(&rig, 0, LS_EVENT_FREE, 0);
    rig_step(&rig, result(0, 0, (struct ls_range){0, 1}, 3, LS_OUTCOME_DONE));
    const char *answer = rig_step(&rig, result(1, 1, (struct ls_range){4, 4}, 4, LS_OUTCOME_DONE));
    bool is_asked = strstr(answer, "recall worker 0") != NULL;
    if (!is_asked)
      is_asked = strstr(rig_at(&rig, 30, LS_EVENT_TIMER, 0), "recall worker 0") != NULL;
    assert_int_equal(is_asked, has_returns == 0);
    if (is_asked) {
      answer = rig_step(&rig, result(0, 0, (struct ls_range){2, 2}, 30, LS_OUTCOME_CANCELLED));
      assert_string_equal(answer, "send worker 1 chunk 2: 2+1");
      (void)rig_at(&rig, 30, LS_EVENT_FREE, 0);
      answer = rig_step(&rig, result(1, 2, (struct ls_range){2, 1}, 31, LS_OUTCOME_DONE));
      assert_string_equal(answer, "settle worker 1 chunk 2: 2+1 done; send worker 1 chunk 3: 3+1");
      rig_step(&rig, result(1, 3, (struct ls_range){3, 1}, 32, LS_OUTCOME_DONE));
      rig_step(&rig, result(0, 0, (struct ls_range){1, 1}, 33, LS_OUTCOME_DONE));
      assert_int_equal(rig_totals(&rig).done, 8);
      assert_int_equal(rig_totals(&rig).recalls, 1);
    }
    rig_close(&rig);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_waits_is_taken_back_for_an_idle_worker),
      cmocka_unit_test(what_waits_is_taken_back_for_one_that_goes_on),
      cmocka_unit_test(what_waits_is_taken_back_for_one_whose_unit_is_settled),
      cmocka_unit_test(a_unit_that_has_begun_stays),
      cmocka_unit_test(only_a_chunk_that_never_began_is_none),
      cmocka_unit_test(what_is_worth_less_than_a_message_is_left),
      cmocka_unit_test(a_refusal_is_no_idleness),
      cmocka_unit_test(what_was_kept_for_another_one_is_recalled),
      cmocka_unit_test(a_large_chunk_is_shared),
      cmocka_unit_test(beside_what_is_kept_for_one_to_come_the_rest_is_recalled),
      cmocka_unit_test(a_new_connection_hears_it_again),
      cmocka_unit_test(without_the_setting_it_stays_there),
      cmocka_unit_test(nothing_is_recalled_for_one_that_has_no_time_for_it),
      cmocka_unit_test(a_unit_that_is_not_for_it_hides_none_that_is),
      cmocka_unit_test(the_unit_that_runs_is_no_reason_to_recall),
      cmocka_unit_test(what_a_plan_left_at_a_slow_worker_is_planned_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
