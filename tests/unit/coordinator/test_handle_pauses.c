/* Time between two starts, and between a failure and the next attempt, in virtual time. */
#include "harness.h"

enum { WORKERS = 3, EVENTS_MOST = 200 };

/* Workers that run each unit for `unit_s`, on a clock that goes from event to event. */
struct course {
  struct rig rig;
  double unit_s, wake_s;
  double ends_s[WORKERS]; /* infinite: idle */
  uint64_t chunks[WORKERS], units[WORKERS];
  double starts_s[EVENTS_MOST];
  uint64_t started[EVENTS_MOST]; /* the units */
  size_t starts, timers;
  bool is_finished;
};

static void act(struct course *course) {
  struct rig *rig = &course->rig;
  for (size_t i = 0; i < rig->actions.count; i++) {
    const struct ls_action *action = &rig->actions.items[i];
    if (action->kind == LS_ACTION_WAKE_AT) course->wake_s = action->time_s;
    if (action->kind == LS_ACTION_ITERATION_DONE) course->is_finished = true;
    if (action->kind == LS_ACTION_CANCEL) course->ends_s[action->worker] = rig->now_s;
    if (action->kind != LS_ACTION_SEND) continue;
    assert_int_equal(action->send.units, 1);
    assert_true(isinf(course->ends_s[action->worker]) && course->starts < EVENTS_MOST);
    course->chunks[action->worker] = action->send.chunk;
    course->units[action->worker] = rig->actions.ranges[action->send.first_range].first;
    course->started[course->starts] = course->units[action->worker];
    course->starts_s[course->starts++] = rig->now_s;
    course->ends_s[action->worker] = rig->now_s + course->unit_s;
  }
}

static void tell(struct course *course, const struct ls_event *event) {
  rig_step(&course->rig, *event);
  act(course);
}

static void begin(struct course *course, const struct ls_coordinator_config *config, double unit_s,
                  uint64_t units) {
  *course = (struct course){.unit_s = unit_s, .wake_s = (double)INFINITY};
  rig_open(&course->rig, config);
  for (uint32_t i = 0; i < WORKERS; i++) course->ends_s[i] = (double)INFINITY;
  rig_start(&course->rig, WORKERS, units);
  for (uint32_t i = 0; i < WORKERS; i++)
    tell(course, &(struct ls_event){.kind = LS_EVENT_READY, .worker = i});
}

/* The next thing that happens; units below `failing` fail, as long as there are attempts. */
static void go_on(struct course *course, uint64_t failing) {
  uint32_t first = 0;
  for (uint32_t i = 1; i < WORKERS; i++)
    if (course->ends_s[i] < course->ends_s[first]) first = i;
  if (course->wake_s < course->ends_s[first]) {
    struct ls_event timer = {.kind = LS_EVENT_TIMER, .now_s = course->wake_s};
    course->wake_s = (double)INFINITY;
    course->timers++;
    tell(course, &timer);
    return;
  }
  assert_true(isfinite(course->ends_s[first]));
  double now_s = course->ends_s[first];
  course->ends_s[first] = (double)INFINITY;
  bool fails = course->units[first] < failing;
  tell(course, &(struct ls_event){.kind = LS_EVENT_RESULT,
                                  .worker = first,
                                  .now_s = now_s,
                                  .result = {.chunk = course->chunks[first],
                                             .units = {course->units[first], 1},
                                             .outcome = fails ? LS_OUTCOME_FAILED : LS_OUTCOME_DONE,
                                             .seconds = course->unit_s}});
  tell(course, &(struct ls_event){.kind = LS_EVENT_READY, .worker = first, .now_s = now_s});
}

static void finish(struct course *course, uint64_t failing) {
  for (int i = 0; i < EVENTS_MOST && !course->is_finished; i++) go_on(course, failing);
  assert_true(course->is_finished);
}

static void assert_spaced(const struct course *course, double least_s) {
  for (size_t i = 1; i < course->starts; i++)
    assert_true(course->starts_s[i] - course->starts_s[i - 1] >= least_s);
}

/* Of workers that could do more, the starts are exactly the delay apart. */
static void starts_are_apart_over_all_workers(void **state) {
  struct course course;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.workers = WORKERS;
  config.start_delay_s = 2;
  begin(&course, &config, 5, 10);
  finish(&course, 0);
  assert_int_equal(course.starts, 10);
  for (size_t i = 0; i < course.starts; i++) assert_true(course.starts_s[i] == 2 * (double)i);
  /* One for each start but the first, and none while nobody may be served. */
  assert_true(course.timers <= 10);
  rig_close(&course.rig);
}

/* The delay costs nothing where tasks begin more rarely than that. */
static void slow_tasks_are_not_delayed(void **state) {
  struct course course;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.workers = WORKERS;
  config.start_delay_s = 0.5;
  begin(&course, &config, 9, 6);
  finish(&course, 0);
  const double expected[] = {0, 0.5, 1, 9, 9.5, 10};
  assert_int_equal(course.starts, 6);
  for (size_t i = 0; i < 6; i++) assert_true(course.starts_s[i] == expected[i]);
  rig_close(&course.rig);
}

/* A second attempt is a start as any other. */
static void retries_are_starts(void **state) {
  struct course course;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.workers = WORKERS;
  config.start_delay_s = 2;
  config.retries = 3;
  begin(&course, &config, 0.25, 4);
  finish(&course, 2);
  assert_int_equal(course.starts, 2 * 4 + 2);
  assert_spaced(&course, 2);
  assert_int_equal(rig_totals(&course.rig).failed, 2);
  rig_close(&course.rig);
}

/* A policy with larger chunks gives one after the other, and none more for a larger request. */
static void one_chunk_goes_at_a_time(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  config.start_delay_s = 2;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  assert_string_equal(rig_step(&rig, rig_asking(0, 0, 100)), "send worker 0 chunk 0: 0+3");
  assert_string_equal(rig_ready(&rig, 1), "wake at 2");
  assert_string_equal(rig_at(&rig, 1, LS_EVENT_HEARTBEAT, 1), "");
  assert_string_equal(rig_at(&rig, 2, LS_EVENT_TIMER, LS_WORKER_NONE),
                      "send worker 1 chunk 1: 3+3");
  rig_close(&rig);
}

static void a_policy_that_pushes_is_refused(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct ls_coordinator *coordinator = NULL;
  struct ls_error err = {0};
  config.start_delay_s = 2;
  config.chunking = &pushing_policy;
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "start_delay_s is 2, and pushing"));
  config.start_delay_s = 0;
  config.retry_delay_s = -1;
  assert_int_equal(ls_coordinator_create(&config, &coordinator, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "retry_delay_s is -1"));
}

/* Others do what there is meanwhile, and nothing happens while only pauses are left. */
static void a_failed_unit_is_not_tried_again_before_its_time(void **state) {
  struct course course;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.workers = WORKERS;
  config.retries = 2;
  config.retry_delay_s = 10;
  begin(&course, &config, 1, 6);
  finish(&course, 1);
  /* Unit 0 runs at 0, 11 and 22; the others at once. */
  const double expected[] = {0, 0, 0, 1, 1, 1, 11, 22};
  const uint64_t units[] = {0, 1, 2, 3, 4, 5, 0, 0};
  assert_int_equal(course.starts, 8);
  for (size_t i = 0; i < 8; i++) {
    assert_true(course.starts_s[i] == expected[i]);
    assert_int_equal(course.started[i], units[i]);
  }
  assert_int_equal(course.timers, 2);
  struct ls_coordinator_totals totals = rig_totals(&course.rig);
  assert_true(totals.failed == 1 && totals.done == 5 && totals.units_retried == 2);
  rig_close(&course.rig);
}

/* Both: what comes back waits for its turn among the starts. */
static void pauses_and_delays_go_together(void **state) {
  struct course course;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.workers = WORKERS;
  config.retries = 1;
  config.retry_delay_s = 1;
  config.start_delay_s = 3;
  begin(&course, &config, 0.5, 5);
  finish(&course, 5);
  assert_int_equal(course.starts, 10);
  assert_spaced(&course, 3);
  assert_int_equal(rig_totals(&course.rig).failed, 5);
  rig_close(&course.rig);
}

/* It is counted among those that wait; a run that is stopped does not wait for its pause. */
static void a_stopped_run_ends_within_a_pause(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.retries = 2;
  config.retry_delay_s = 10;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 1);
  rig_ready(&rig, 0);
  assert_string_equal(rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_FAILED),
                      "wake at 10");
  struct ls_coordinator_totals totals = rig_totals(&rig);
  assert_true(totals.waiting == 1 && totals.sent == 0 && totals.units_retried == 1);
  assert_string_equal(rig_ready(&rig, 0), "");
  assert_string_equal(rig_step(&rig, (struct ls_event){.kind = LS_EVENT_STOP}),
                      "release worker 0; finish");
  assert_int_equal(rig_totals(&rig).waiting, 1);
  rig_close(&rig);
}

/* Its result from an earlier session comes while the unit pauses. */
static void a_late_result_ends_a_pause(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.retries = 2;
  config.retry_delay_s = 10;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 1);
  rig_ready(&rig, 0);
  rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_FAILED);
  assert_int_equal(rig_totals(&rig).waiting, 1);
  assert_non_null(strstr(rig_done(&rig, 0, LS_CHUNK_NONE, 0, 1), "iteration done 0"));
  assert_int_equal(rig_totals(&rig).done, 1);
  /* What is left of the pause is of no unit any more. */
  assert_string_equal(rig_at(&rig, 10, LS_EVENT_TIMER, LS_WORKER_NONE), "");
  rig_iteration(&rig, 3);
  assert_string_equal(rig_at(&rig, 11, LS_EVENT_TIMER, LS_WORKER_NONE), "");
  rig_close(&rig);
}

/* Workers that cost stay while somebody may still have to try again. */
static void who_costs_stays_for_a_pause(void **state) {
  struct rig rig;
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  config.is_single = true;
  config.retries = 1;
  config.retry_delay_s = 10;
  rig_open(&rig, &config);
  rig_iteration(&rig, 2);
  for (uint32_t i = 0; i < 2; i++)
    rig_step(&rig,
             (struct ls_event){.kind = LS_EVENT_JOINED, .worker = i, .joined = {.lease = i + 1}});
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_result(&rig, 0, 0, (struct ls_range){0, 1}, LS_OUTCOME_FAILED);
  assert_null(strstr(rig_ready(&rig, 0), "release"));
  assert_string_equal(rig_at(&rig, 10, LS_EVENT_TIMER, LS_WORKER_NONE),
                      "send worker 0 chunk 2: 0+1");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_are_apart_over_all_workers),
      cmocka_unit_test(slow_tasks_are_not_delayed),
      cmocka_unit_test(retries_are_starts),
      cmocka_unit_test(one_chunk_goes_at_a_time),
      cmocka_unit_test(a_policy_that_pushes_is_refused),
      cmocka_unit_test(a_failed_unit_is_not_tried_again_before_its_time),
      cmocka_unit_test(pauses_and_delays_go_together),
      cmocka_unit_test(a_stopped_run_ends_within_a_pause),
      cmocka_unit_test(a_late_result_ends_a_pause),
      cmocka_unit_test(who_costs_stays_for_a_pause)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
