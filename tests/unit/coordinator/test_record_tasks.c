/* What tasks took: for orders over iterations and runs, and for sizings. */
#include "coordinator/books/record.h"
#include "harness.h"

static struct ls_sizing_view seen;
static size_t sizing_wanted;

static size_t want(const struct ls_sizing_view *view, size_t given) {
  (void)given;
  seen = *view;
  return sizing_wanted;
}

static const struct ls_sizing curious = {
    .name = "curious", .summary = "looks", .reference = "none", .learns = true, .wanted = want};

static const char *finish_unit(struct rig *rig, uint32_t worker, uint64_t chunk, uint64_t unit,
                               double seconds) {
  return rig_step(
      rig, (struct ls_event){.kind = LS_EVENT_RESULT,
                             .worker = worker,
                             .result = {.chunk = chunk, .units = {unit, 1}, .seconds = seconds}});
}

static void measured_times_order_the_next_iteration(void **state) {
  static const double seconds[] = {2, 9, 5};
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.ordering = ls_ordering_find("average");
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_iteration(&rig, 3);
  for (uint64_t chunk = 0; chunk < 3; chunk++) {
    rig_ready(&rig, 0);
    uint64_t unit = rig.actions.ranges[0].first;
    finish_unit(&rig, 0, chunk, unit, seconds[unit]);
  }
  rig_iteration(&rig, 4);
  /* The new one first, then the largest. */
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 3: 3+1");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 4: 1+1");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 5: 2+1");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 6: 0+1");
  rig_close(&rig);
}

/* With exact speeds the order is that of equal workers. */
static void times_are_normalised_by_the_speed_of_the_worker(void **state) {
  static const double weights[8] = {1, 4, 1, 1, 1, 1, 1, 1};
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.ordering = ls_ordering_find("average");
  config.weights = weights;
  config.weights_count = 8;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_worker(&rig, LS_EVENT_JOINED, 1);
  rig_iteration(&rig, 2);
  rig_ready(&rig, 0);
  uint64_t first = rig.actions.ranges[0].first, second = 1 - first;
  rig_ready(&rig, 1);
  finish_unit(&rig, 0, 0, first, 3);  /* work 3 */
  finish_unit(&rig, 1, 1, second, 2); /* work 8 */
  rig_iteration(&rig, 2);
  rig_ready(&rig, 0);
  assert_int_equal(rig.actions.ranges[0].first, second);
  rig_close(&rig);
}

static void lessons_of_an_earlier_run_order_the_first_iteration(void **state) {
  const struct ls_coordinator_lesson lessons[] = {
      {0, {0, 2}, 1}, {0, {2, 1}, 7}, {1, {0, 1}, 4}, {1, {1, 1}, 1}};
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.ordering = ls_ordering_find("average");
  config.lessons = lessons;
  config.lessons_count = 4;
  rig_open(&rig, &config);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_iteration(&rig, 3);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 2+1");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 1: 0+1");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 1+1");
  rig_close(&rig);
}

static void declared_times_are_checked_and_orders_need_enough_of_them(void **state) {
  const double good[] = {1, 3, 2}, bad[] = {1, -3, 2};
  struct ls_coordinator_times times = {.expected = bad, .count = 3};
  struct ls_coordinator_config config = rig_config(1);
  struct ls_error err = {0};
  struct rig rig;
  (void)state;
  config.ordering = ls_ordering_find("lptf");
  rig_open(&rig, &config);
  assert_int_equal(ls_coordinator_declare(rig.coordinator, &times, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "task 1: expected time is -3"));
  times = (struct ls_coordinator_times){.expected = good, .actual = bad, .count = 3};
  assert_int_equal(ls_coordinator_declare(rig.coordinator, &times, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "task 1: actual time is -3"));
  times.actual = NULL;
  assert_int_equal(ls_coordinator_declare(rig.coordinator, &times, &err), LS_OK);
  struct ls_event larger = {.kind = LS_EVENT_ITERATION, .iteration_units = 4};
  assert_int_equal(rig_try(&rig, larger, &err), LS_EINVAL);
  rig_worker(&rig, LS_EVENT_JOINED, 0);
  rig_iteration(&rig, 3);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 1+1");
  rig_close(&rig);
}

static void assert_expected(const struct ls_record *record, uint64_t unit, double seconds) {
  double got = ls_record_expect(record, unit);
  if (!(fabs(got - seconds) < 1e-12))
    fail_msg("unit %d: %g expected, not %g", (int)unit, got, seconds);
}

/* What was measured is better known than what was declared. */
static void declared_times_fill_the_gaps_of_the_history(void **state) {
  static const double declared[] = {10, 20, 30};
  struct ls_record record = {.tasks.is_learning = true};
  (void)state;
  assert_int_equal(ls_record_keep_history(&record, NULL), LS_OK);
  assert_int_equal(ls_record_declare(&record, declared, NULL, 3, NULL), LS_OK);
  assert_int_equal(ls_record_learn(&record, (struct ls_range){1, 1}, 4, NULL), LS_OK);
  assert_int_equal(ls_record_end_tasks(&record), LS_OK);
  assert_int_equal(ls_record_open_tasks(&record, 3, NULL), LS_OK);
  assert_expected(&record, 0, 10);
  assert_expected(&record, 1, 4);
  assert_expected(&record, 2, 30);
  assert_true(isnan(ls_record_expect(&record, 3)));
  ls_record_close(&record);
}

/* Of five units the last three have times of their own, the first two the mean of all. */
static void each_unit_of_a_range_has_its_own_time(void **state) {
  static const double latest[] = {3, 5, 9};
  const struct ls_record_entry entry = {
      .units = {2, 5}, .seconds = 20, .latest = latest, .latest_count = 3, .speed = 2};
  static const double seconds[] = {4, 4, 3, 5, 9};
  struct ls_record record = {.tasks.is_learning = true};
  (void)state;
  assert_int_equal(ls_record_keep_history(&record, NULL), LS_OK);
  assert_int_equal(ls_record_open_tasks(&record, 8, NULL), LS_OK);
  /* In two parts, as where a unit between them is settled already. */
  ls_record_time(&record, &entry, (struct ls_range){2, 3});
  ls_record_time(&record, &entry, (struct ls_range){6, 1});
  for (uint64_t i = 0; i < 8; i++) {
    bool is_timed = i >= 2 && i < 7 && i != 5;
    double got = record.tasks.seconds[i];
    assert_true(is_timed ? fabs(got - seconds[i - 2]) < 1e-12 : isnan(got));
  }
  /* The history has them for a worker of speed 1. */
  assert_int_equal(ls_record_end_tasks(&record), LS_OK);
  assert_int_equal(ls_record_open_tasks(&record, 8, NULL), LS_OK);
  for (uint64_t i = 2; i < 7; i++)
    if (i != 5) assert_expected(&record, i, 2 * seconds[i - 2]);
  assert_true(isnan(ls_record_expect(&record, 5)));
  ls_record_close(&record);
}

static void sizings_see_the_tasks_and_surplus_workers_are_released(void **state) {
  static const double weights[8] = {1, 0.5, 2, 1, 1, 1, 1, 1};
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  (void)state;
  config.sizing = &curious;
  config.workers = 3;
  config.weights = weights;
  config.weights_count = 8;
  sizing_wanted = 3;
  rig_open(&rig, &config);
  for (uint32_t i = 0; i < 3; i++) rig_worker(&rig, LS_EVENT_JOINED, i);
  rig_iteration(&rig, 2);
  assert_true(seen.is_start);
  rig_ready(&rig, 0);
  rig_ready(&rig, 2);
  finish_unit(&rig, 0, 0, 0, 6);
  finish_unit(&rig, 2, 1, 1, 2);
  sizing_wanted = 2;
  /* The slowest one goes. */
  assert_string_equal(rig_iteration(&rig, 2), "release worker 1");
  assert_true(rig_noted(&rig, LS_NOTE_RELEASED));
  assert_int_equal(seen.tasks.tasks, 2);
  assert_true(fabs(seen.tasks.largest_s - 6) < 1e-12 && fabs(seen.tasks.asp - 8.0 / 6) < 1e-12);
  assert_int_equal(seen.current, 3);
  assert_int_equal(rig_totals(&rig).workers_present, 2);
  assert_int_equal(rig_totals(&rig).workers_lost, 0);
  /* Its connection breaks afterwards: that is no loss. */
  assert_string_equal(rig_worker(&rig, LS_EVENT_LOST, 1), "");
  assert_int_equal(rig_totals(&rig).workers_lost, 0);
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measured_times_order_the_next_iteration),
      cmocka_unit_test(times_are_normalised_by_the_speed_of_the_worker),
      cmocka_unit_test(lessons_of_an_earlier_run_order_the_first_iteration),
      cmocka_unit_test(declared_times_are_checked_and_orders_need_enough_of_them),
      cmocka_unit_test(declared_times_fill_the_gaps_of_the_history),
      cmocka_unit_test(each_unit_of_a_range_has_its_own_time),
      cmocka_unit_test(sizings_see_the_tasks_and_surplus_workers_are_released),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
