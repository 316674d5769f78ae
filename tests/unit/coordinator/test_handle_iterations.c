/* Iterations begin and end, and the run with them. */
#include "harness.h"

static size_t given_workers;
static struct ls_sizing_view sizing_views[8];
static size_t sizing_count;

static size_t want_more(const struct ls_sizing_view *view, size_t given) {
  given_workers = given;
  sizing_views[sizing_count++] = *view;
  return given + 1;
}
static const struct ls_sizing one_more = {
    .name = "one-more", .summary = "one more than given", .reference = "none", .wanted = want_more};

static void nothing_is_handed_out_before_the_first_iteration(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 0), "");
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_FREE}), "");
  assert_string_equal(rig_worker(&rig, LS_EVENT_TIMER, 0), "");
  rig_close(&rig);
}

static void no_units_at_the_start_is_the_end(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  assert_string_equal(rig_iteration(&rig, 0), "release worker 1; finish");
  assert_true(rig_totals(&rig).is_finished);
  rig_close(&rig);
}

static void iterations_follow_until_one_is_empty(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(5);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 5);
  rig_ready(&rig, 0);
  assert_string_equal(rig_ready(&rig, 1), "");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 5),
                      "settle worker 0 chunk 0: 0+5 done; iteration done 0");
  /* The request that waited is served by the new iteration. */
  assert_string_equal(rig_iteration(&rig, 7), "send worker 1 chunk 1: 0+5");
  assert_int_equal(rig_totals(&rig).iteration, 1);
  assert_int_equal(hearing.setup.units, 7);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 5+2");
  rig_done(&rig, 0, 2, 5, 2);
  assert_string_equal(rig_done(&rig, 1, 1, 0, 5),
                      "settle worker 1 chunk 1: 0+5 done; iteration done 1");
  assert_string_equal(rig_iteration(&rig, 0), "release worker 0; release worker 1; finish");
  /* The totals stay those of the last iteration. */
  assert_int_equal(rig_totals(&rig).iteration, 1);
  assert_int_equal(rig_totals(&rig).done, 7);
  rig_close(&rig);
}

static void an_iteration_too_early_is_refused_and_changes_nothing(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(5);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 8);
  rig_ready(&rig, 0);
  struct ls_coordinator_totals before = rig_totals(&rig);
  struct ls_error err = {0};
  struct ls_event event = {.kind = LS_EVENT_ITERATION, .iteration_units = 3};
  assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
  assert_string_equal(err.text, "ITERATION: iteration 0 has 8 unsettled units, expected 0");
  struct ls_coordinator_totals after = rig_totals(&rig);
  assert_same_totals(&before, &after);
  rig_close(&rig);
}

/* They have no result, and no policy and no sizing plans for them. */
static void idle_units_are_done_at_the_opening_and_never_sent(void **state) {
  (void)state;
  static const struct ls_range idle[] = {{0, 2}, {4, 3}};
  struct ls_coordinator_config config = rig_config(5);
  struct rig rig;
  rig_open(&rig, &config);
  struct ls_event event = {
      .kind = LS_EVENT_ITERATION, .iteration_units = 8, .idle = idle, .idle_count = 2};
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  (void)rig_step(&rig, event);
  assert_int_equal(hearing.setup.units, 3);
  assert_int_equal(rig_totals(&rig).done, 5);
  assert_int_equal(rig_totals(&rig).waiting, 3);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 2+2 7+1");
  rig_done(&rig, 0, 0, 2, 2);
  assert_string_equal(rig_done(&rig, 0, 0, 7, 1),
                      "settle worker 0 chunk 0: 7+1 done; iteration done 0");
  rig_close(&rig);
}

static void an_iteration_that_is_all_idle_is_done_at_once(void **state) {
  (void)state;
  static const struct ls_range idle[] = {{0, 8}};
  struct ls_coordinator_config config = rig_config(5);
  struct rig rig;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  struct ls_event event = {
      .kind = LS_EVENT_ITERATION, .iteration_units = 8, .idle = idle, .idle_count = 1};
  assert_string_equal(rig_step(&rig, event), "iteration done 0");
  rig_close(&rig);
}

static void idle_units_that_there_are_not_are_refused(void **state) {
  (void)state;
  static const struct ls_range idle[] = {{7, 2}};
  struct ls_coordinator_config config = rig_config(5);
  struct rig rig;
  rig_open(&rig, &config);
  struct ls_error err = {0};
  struct ls_event event = {
      .kind = LS_EVENT_ITERATION, .iteration_units = 8, .idle = idle, .idle_count = 1};
  assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "7+2"));
  rig_start(&rig, 1, 8);
  rig_close(&rig);
}

static void a_policy_may_refuse_the_setup(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(5);
  struct rig rig;
  rig_open(&rig, &config);
  hearing.refuses_setup = true;
  struct ls_error err = {0};
  struct ls_event event = {.kind = LS_EVENT_ITERATION, .iteration_units = 3};
  assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
  assert_string_equal(err.text, "the setup is not to my liking");
  assert_int_equal(rig_totals(&rig).units, 0);
  hearing.refuses_setup = false;
  rig_start(&rig, 1, 3);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+3");
  rig_close(&rig);
}

static bool order_refuses;

static enum ls_status arrange_if_liked(uint64_t *order, const struct ls_ordering_view *view,
                                       struct ls_error *err) {
  if (order_refuses) return ls_fail(err, LS_EINVAL, "no order");
  for (uint64_t i = 0; i < view->units; i++) order[i] = i;
  return LS_OK;
}

/* What the last iteration taught is there when the next one is tried again. */
static void a_refused_iteration_forgets_nothing(void **state) {
  static const struct ls_ordering choosy = {
      .name = "choosy", .summary = "refuses", .reference = "none", .arrange = arrange_if_liked};
  static const struct ls_sizing learning = {.name = "learning",
                                            .summary = "looks at tasks",
                                            .reference = "none",
                                            .learns = true,
                                            .wanted = want_more};
  static const double times[] = {1, 2, 3, 4, 5};
  (void)state;
  for (int refusals = 0; refusals < 4; refusals++) {
    struct ls_coordinator_config config = rig_config(5);
    struct rig rig;
    struct ls_error err = {0};
    config.sizing = &learning;
    config.ordering = &choosy;
    rig_open(&rig, &config);
    order_refuses = false;
    sizing_count = 0;
    rig_start(&rig, 2, 5);
    rig_ready(&rig, 0);
    rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                     .worker = 0,
                                     .result = {.units = {0, 5},
                                                .seconds = 15,
                                                .squares = 55,
                                                .latest = times,
                                                .latest_count = 5}});
    struct ls_event event = {.kind = LS_EVENT_ITERATION, .iteration_units = 5};
    order_refuses = refusals & 1;
    hearing.refuses_setup = refusals & 2;
    for (int i = 0; i < 2 && refusals > 0; i++)
      assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
    hearing.refuses_setup = order_refuses = false;
    rig_iteration(&rig, 5);
    assert_int_equal(sizing_count, 2);
    assert_int_equal(sizing_views[1].tasks.tasks, 5);
    assert_float_equal((float)hearing.setup.earlier[0].seconds, 15, 1e-6f);
    rig_close(&rig);
  }
}

/* A new policy expects a worker in every slot, and hears in which ones there is none. */
static void a_new_iteration_tells_of_the_slots_without_a_worker(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(5);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 5);
  rig_worker(&rig, LS_EVENT_LOST, 1);
  rig_worker(&rig, LS_EVENT_LOST, 2);
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 0, 0, 5);
  hearing.joined = hearing.lost = 0;
  rig_iteration(&rig, 5);
  assert_int_equal(hearing.setup.slots, 3);
  assert_int_equal(hearing.joined, 0);
  assert_int_equal(hearing.lost, 2);
  rig_close(&rig);
}

static void failures_are_forgotten_with_their_iteration(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.retries = 1;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 1);
  for (uint64_t iteration = 0; iteration < 3; iteration++) {
    rig_ready(&rig, 0);
    assert_string_equal(
        rig_result(&rig, 0, 2 * iteration, (struct ls_range){0, 1}, LS_OUTCOME_FAILED), "");
    rig_ready(&rig, 0);
    rig_done(&rig, 0, 2 * iteration + 1, 0, 1);
    assert_int_equal(rig_totals(&rig).failed, 0);
    assert_int_equal(rig_totals(&rig).done, 1);
    rig_iteration(&rig, 1);
  }
  rig_close(&rig);
}

static void sizing_is_asked_at_the_start_and_after_each_iteration(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(10);
  config.sizing = &one_more;
  sizing_count = 0;
  struct rig rig;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  assert_string_equal(rig_iteration(&rig, 10), "request workers 1");
  assert_int_equal(given_workers, 2);
  assert_true(sizing_views[0].is_start);
  rig_ready(&rig, 0);
  struct ls_event done = {
      .kind = LS_EVENT_RESULT, .now_s = 10, .result = {.units = {0, 10}, .seconds = 6}};
  rig_step(&rig, done);
  rig_iteration(&rig, 20);
  assert_int_equal(sizing_count, 2);
  assert_false(sizing_views[1].is_start);
  assert_int_equal(sizing_views[1].iteration, 0);
  assert_int_equal(sizing_views[1].units, 20);
  assert_int_equal(sizing_views[1].current, 2);
  assert_float_equal((float)sizing_views[1].iteration_seconds, 10, 1e-6f);
  assert_float_equal((float)sizing_views[1].efficiency, 0.3f, 1e-6f); /* 6 of 2 * 10 seconds */
  rig_close(&rig);
}

/* Each iteration by its own time, of however long ones it is behind, and the run by all of it. */
static void efficiency_is_that_of_the_iteration_that_ends(void **state) {
  static const double lengths[] = {10, 30, 5, 20}, busy[] = {6, 60, 1, 20};
  (void)state;
  struct ls_coordinator_config config = rig_config(10);
  config.sizing = &one_more;
  sizing_count = 0;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 10);
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    rig_ready(&rig, 0);
    rig_step(&rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                                     .now_s = rig.now_s + lengths[i],
                                     .result = {.chunk = i, .units = {0, 10}, .seconds = busy[i]}});
    rig_iteration(&rig, 10);
    assert_int_equal(sizing_count, i + 2);
    const struct ls_sizing_view *view = &sizing_views[i + 1];
    assert_float_equal((float)view->iteration_seconds, (float)lengths[i], 1e-6f);
    assert_float_equal((float)view->efficiency, (float)(busy[i] / (2 * lengths[i])), 1e-6f);
    assert_float_equal((float)rig_totals(&rig).up_s, (float)(2 * rig.now_s), 1e-6f);
  }
  rig_close(&rig);
}

static void a_soft_stop_lets_finish_what_runs(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  config.retries = 1;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP}), "");
  assert_true(rig_noted(&rig, LS_NOTE_STOPPING));
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 2), "settle worker 0 chunk 0: 0+2 done");
  /* What fails now goes back and is not tried again. */
  assert_string_equal(rig_result(&rig, 1, 1, (struct ls_range){2, 2}, LS_OUTCOME_FAILED),
                      "release worker 0; release worker 1; finish");
  assert_int_equal(rig_totals(&rig).waiting, 7);
  rig_close(&rig);
}

static void a_stop_with_nothing_out_is_the_end(void **state) {
  (void)state;
  for (int is_started = 0; is_started < 2; is_started++) {
    struct ls_coordinator_config config = rig_config(2);
    struct rig rig;
    rig_open(&rig, &config);
    rig_worker(&rig, LS_EVENT_JOINED, 0);
    if (is_started) rig_iteration(&rig, 5);
    assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP}),
                        "release worker 0; finish");
    rig_close(&rig);
  }
}

static void a_hard_stop_waits_for_the_answers_or_the_loss(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 9);
  for (uint32_t i = 0; i < 3; i++) rig_ready(&rig, i);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP});
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP, .is_hard = true}),
                      "cancel worker 0 chunk 0; cancel worker 1 chunk 1; cancel worker 2 chunk 2");
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 2}, LS_OUTCOME_CANCELLED), "");
  assert_string_equal(rig_done(&rig, 1, 1, 2, 2), "settle worker 1 chunk 1: 2+2 done");
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 2),
                      "release worker 0; release worker 1; finish");
  rig_close(&rig);
}

static void after_the_end_nothing_happens(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  config.silence_s = 1;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP});
  for (int i = 0; i < LS_EVENT_COUNT; i++) {
    if (i == LS_EVENT_JOINED) continue;
    struct ls_event event = {.kind = (enum ls_event_kind)i, .now_s = 99};
    if (i == LS_EVENT_READY) event.ready_units = 3;
    if (i == LS_EVENT_ITERATION) event.iteration_units = 3;
    if (i == LS_EVENT_RESULT) event.result.units.count = 3;
    if (i == LS_EVENT_ADVICE) event.advice.prefetch = 3;
    assert_string_equal(rig_step(&rig, event), "");
  }
  /* Who comes too late is sent home. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_JOINED, 5), "release worker 5");
  rig_close(&rig);
}

static void the_deadline_stops_softly(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  config.deadline_s = 60;
  struct rig rig;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  assert_string_equal(rig_iteration(&rig, 9), "wake at 60");
  rig_ready(&rig, 0);
  assert_string_equal(rig_at(&rig, 59, LS_EVENT_TIMER, 0), "wake at 60");
  assert_string_equal(rig_at(&rig, 60, LS_EVENT_TIMER, 0), "");
  assert_true(rig_totals(&rig).is_stopping);
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 2),
                      "settle worker 0 chunk 0: 0+2 done; release worker 0; finish");
  rig_close(&rig);
}

static void restore(struct rig *rig, const struct ls_coordinator_past *past) {
  struct ls_error err = {0};
  assert_int_equal(ls_coordinator_restore(rig->coordinator, past, &err), LS_OK);
}

static void what_was_settled_before_is_not_sent(void **state) {
  (void)state;
  const struct ls_range done[] = {{2, 3}, {4, 2}, {9, 1}}, failed[] = {{5, 2}};
  struct ls_coordinator_past past = {
      .iteration = 4, .done = done, .done_count = 3, .failed = failed, .failed_count = 1};
  for (int is_ordered = 0; is_ordered < 2; is_ordered++) {
    struct ls_coordinator_config config = rig_config(3);
    if (is_ordered) config.ordering = &backwards;
    struct rig rig;
    rig_open(&rig, &config);
    restore(&rig, &past);
    rig_start(&rig, 1, 10);
    struct ls_coordinator_totals totals = rig_totals(&rig);
    assert_int_equal(totals.iteration, 4);
    assert_int_equal(totals.done, 5); /* 2 to 5 and 9 */
    assert_int_equal(totals.failed, 1);
    assert_int_equal(totals.waiting, 4);
    assert_int_equal(hearing.setup.units, 4);
    assert_string_equal(rig_ready(&rig, 0), is_ordered ? "send worker 0 chunk 0: 8+1 7+1 1+1"
                                                       : "send worker 0 chunk 0: 0+2 7+1");
    assert_string_equal(rig_ready(&rig, 0),
                        is_ordered ? "send worker 0 chunk 1: 0+1" : "send worker 0 chunk 1: 8+1");
    rig_close(&rig);
  }
}

static void an_iteration_settled_before_is_done_at_once(void **state) {
  (void)state;
  const struct ls_range done[] = {{0, 6}};
  struct ls_coordinator_past past = {.iteration = 2, .done = done, .done_count = 1};
  struct ls_coordinator_config config = rig_config(3);
  struct rig rig;
  rig_open(&rig, &config);
  restore(&rig, &past);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_ready(&rig, 0);
  assert_string_equal(rig_iteration(&rig, 6), "iteration done 2");
  /* The past is that of one iteration. */
  assert_string_equal(rig_iteration(&rig, 6), "send worker 0 chunk 0: 0+3");
  assert_int_equal(rig_totals(&rig).iteration, 3);
  rig_close(&rig);
}

static void a_past_that_does_not_fit_is_refused(void **state) {
  (void)state;
  const struct ls_range beyond[] = {{0, 2}, {5, 6}};
  struct ls_coordinator_past past = {.failed = beyond, .failed_count = 2};
  struct ls_coordinator_config config = rig_config(3);
  struct rig rig;
  rig_open(&rig, &config);
  restore(&rig, &past);
  struct ls_error err = {0};
  struct ls_event event = {.kind = LS_EVENT_ITERATION, .iteration_units = 10};
  assert_int_equal(rig_try(&rig, event, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "settled range 1 is 5+6, expected within the 10 units of the iteration");
  assert_int_equal(rig_totals(&rig).units, 0);
  rig_close(&rig);
}

static size_t want_two(const struct ls_sizing_view *view, size_t given) {
  return view->units > 0 && given > 2 ? 2 : 1;
}
static const struct ls_sizing two = {
    .name = "two", .summary = "two", .reference = "none", .wanted = want_two};

/* Who was not started need not be waited for: one that is lost is replaced. */
static void a_complete_iteration_does_not_keep_workers_expected(void **state) {
  (void)state;
  const struct ls_range done[] = {{0, 10}};
  struct ls_coordinator_past past = {.done = done, .done_count = 1};
  struct ls_coordinator_config config = rig_config(4);
  config.workers = 4;
  config.sizing = &two;
  struct rig rig;
  rig_open(&rig, &config);
  restore(&rig, &past);
  rig_iteration(&rig, 10);
  rig_iteration(&rig, 10);
  assert_int_equal(rig_totals(&rig).workers_wanted, 2);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "request workers 1");
  rig_close(&rig);
}

/* Far more chunks than workers are out. */
static void a_hard_stop_cancels_thousands_of_chunks(void **state) {
  enum { CHUNKS = 5000 };
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  config.is_exact = false;
  rig_open(&rig, &config);
  rig_start(&rig, 2, CHUNKS);
  for (uint32_t i = 0; i < CHUNKS; i++)
    rig_step(&rig, (struct ls_event){.kind = LS_EVENT_READY, .worker = i % 2});
  rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP, .is_hard = true});
  assert_int_equal(rig.actions.count, CHUNKS);
  for (size_t i = 0; i < CHUNKS; i++) assert_int_equal(rig.actions.items[i].kind, LS_ACTION_CANCEL);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_true(rig_totals(&rig).is_finished);
  assert_int_equal(rig_totals(&rig).waiting, CHUNKS);
  rig_close(&rig);
}

static struct ls_event added(uint64_t units, bool is_last) {
  const struct ls_event_added more = {.units = units, .is_last = is_last};
  return (struct ls_event){.kind = LS_EVENT_ADDED, .added = more};
}

static const struct ls_event opening = {.kind = LS_EVENT_ITERATION, .is_incomplete = true};

/* As of `tail -f | loadstar run`: who asked before there was anything gets the first unit. */
static void units_are_added_while_workers_wait(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  assert_string_equal(rig_step(&rig, opening), "");
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_ready(&rig, 1), "");
  assert_string_equal(rig_step(&rig, added(1, false)), "send worker 0 chunk 0: 0+1");
  assert_true(rig_noted(&rig, LS_NOTE_ADDED));
  assert_string_equal(rig_step(&rig, added(2, false)), "send worker 1 chunk 1: 1+1");
  assert_string_equal(rig_done(&rig, 0, 0, 0, 1), "settle worker 0 chunk 0: 0+1 done");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 2+1");
  assert_string_equal(rig_done(&rig, 1, 1, 1, 1), "settle worker 1 chunk 1: 1+1 done");
  /* All that is there is done, and more may come. */
  assert_string_equal(rig_done(&rig, 0, 2, 2, 1), "settle worker 0 chunk 2: 2+1 done");
  assert_string_equal(rig_step(&rig, added(0, true)), "iteration done 0");
  assert_int_equal(rig_totals(&rig).units, 3);
  assert_string_equal(rig_iteration(&rig, 0), "release worker 0; release worker 1; finish");
  rig_close(&rig);
}

static void added_units_stand_behind_the_others_of_any_order(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  struct rig rig;
  config.ordering = &backwards;
  config.retries = 1;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_step(&rig, (struct ls_event){
                     .kind = LS_EVENT_ITERATION, .iteration_units = 2, .is_incomplete = true});
  rig_step(&rig, added(2, false));
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 1+1 0+1 2+1");
  rig_result(&rig, 0, 0, (struct ls_range){2, 1}, LS_OUTCOME_FAILED);
  rig_step(&rig, added(5, true));
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 1: 2+3");
  /* What was counted of a unit before is kept. */
  assert_string_equal(rig_result(&rig, 0, 1, (struct ls_range){2, 1}, LS_OUTCOME_FAILED),
                      "settle worker 0 chunk 1: 2+1 failed");
  rig_close(&rig);
}

static void units_are_added_to_an_open_incomplete_iteration_only(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  struct ls_error err = {0};
  rig_open(&rig, &config);
  assert_int_equal(rig_try(&rig, added(1, false), &err), LS_EINVAL);
  rig_start(&rig, 1, 2);
  assert_int_equal(rig_try(&rig, added(1, false), &err), LS_EINVAL);
  assert_string_equal(err.text, "ADDED: 1 units for an iteration that is complete");
  assert_int_equal(rig_totals(&rig).units, 2);
  rig_close(&rig);
}

static void a_plan_is_of_all_units(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  struct ls_error err = {0};
  config.chunking = &pushing_policy;
  rig_open(&rig, &config);
  assert_int_equal(rig_try(&rig, opening, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "ITERATION: is incomplete, and pushing sends what was planned for all of it");
  rig_close(&rig);
}

static void a_stop_ends_an_incomplete_iteration(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_step(&rig, opening);
  assert_string_equal(rig_worker(&rig, LS_EVENT_STOP, 0), "release worker 0; finish");
  assert_string_equal(rig_step(&rig, added(1, true)), "");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_hard_stop_cancels_thousands_of_chunks),
      cmocka_unit_test(units_are_added_while_workers_wait),
      cmocka_unit_test(added_units_stand_behind_the_others_of_any_order),
      cmocka_unit_test(units_are_added_to_an_open_incomplete_iteration_only),
      cmocka_unit_test(a_plan_is_of_all_units),
      cmocka_unit_test(a_stop_ends_an_incomplete_iteration),
      cmocka_unit_test(nothing_is_handed_out_before_the_first_iteration),
      cmocka_unit_test(no_units_at_the_start_is_the_end),
      cmocka_unit_test(iterations_follow_until_one_is_empty),
      cmocka_unit_test(an_iteration_too_early_is_refused_and_changes_nothing),
      cmocka_unit_test(idle_units_are_done_at_the_opening_and_never_sent),
      cmocka_unit_test(an_iteration_that_is_all_idle_is_done_at_once),
      cmocka_unit_test(idle_units_that_there_are_not_are_refused),
      cmocka_unit_test(a_policy_may_refuse_the_setup),
      cmocka_unit_test(a_refused_iteration_forgets_nothing),
      cmocka_unit_test(a_new_iteration_tells_of_the_slots_without_a_worker),
      cmocka_unit_test(failures_are_forgotten_with_their_iteration),
      cmocka_unit_test(sizing_is_asked_at_the_start_and_after_each_iteration),
      cmocka_unit_test(a_complete_iteration_does_not_keep_workers_expected),
      cmocka_unit_test(efficiency_is_that_of_the_iteration_that_ends),
      cmocka_unit_test(a_soft_stop_lets_finish_what_runs),
      cmocka_unit_test(a_stop_with_nothing_out_is_the_end),
      cmocka_unit_test(a_hard_stop_waits_for_the_answers_or_the_loss),
      cmocka_unit_test(after_the_end_nothing_happens),
      cmocka_unit_test(the_deadline_stops_softly),
      cmocka_unit_test(what_was_settled_before_is_not_sent),
      cmocka_unit_test(an_iteration_settled_before_is_done_at_once),
      cmocka_unit_test(a_past_that_does_not_fit_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
