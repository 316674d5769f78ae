#include "check_fixture.h"

static struct evaluation solve(double load, size_t workers, const char *arguments) {
  return evaluate(&ls_check_kind_monitor, "monitor", load, workers, arguments);
}

static void a_phase_is_half_of_what_is_left(void **state) {
  (void)state;
  struct evaluation evaluation =
      solve(63, 4, "{'seconds_per_task': [0.9, 0.48, 0.24, 0.5], 'waiting': [0, 0, 0, 0]}");
  expect_field(&evaluation, "batches", "[4, 7, 14, 6]");
  json_decref(evaluation.got);
}

static void the_last_units_are_one_phase(void **state) {
  (void)state;
  struct evaluation evaluation = solve(7, 4, "{'seconds_per_task': [1, 1, 1, 1]}");
  expect_field(&evaluation, "batches", "[2, 2, 2, 1]");
  json_decref(evaluation.got);
}

static void an_allotment_replaces_the_half(void **state) {
  (void)state;
  struct evaluation evaluation =
      solve(12, 3, "{'seconds_per_task': [1.0, 1.0, 0.5], 'waiting': [30, 0, 2], 'allot': 12}");
  assert_non_null(evaluation.got);
  const json_t *shares = json_object_get(evaluation.got, "shares");
  assert_float_equal((float)json_number_value(json_array_get(shares, 0)), 0, 1e-6f);
  assert_float_equal((float)json_number_value(json_array_get(shares, 1)), 14.0f / 3, 1e-6f);
  assert_float_equal((float)json_number_value(json_array_get(shares, 2)), 22.0f / 3, 1e-6f);
  json_decref(evaluation.got);
}

static void an_unknown_time_gets_nothing(void **state) {
  (void)state;
  struct evaluation evaluation = solve(20, 3, "{'seconds_per_task': [1, null, 1]}");
  expect_field(&evaluation, "batches", "[5, 0, 5]");
  json_decref(evaluation.got);
}

static void phases_follow_the_columns_after_single_units(void **state) {
  (void)state;
  struct evaluation evaluation =
      solve(20, 2, "{'benchmark_tasks': 1, 'seconds_per_task_by_phase': [[1, 2], [2, 1]]}");
  expect_field(&evaluation, "batches_by_worker", "[[1, 6, 1, 1, 1], [1, 3, 3, 1, 2]]");
  json_decref(evaluation.got);
}

/* A single unit is a phase, too: the faster worker does it. */
static void the_very_last_unit_is_not_forgotten(void **state) {
  (void)state;
  struct evaluation evaluation = solve(3, 2, "{'seconds_per_task_by_phase': [[1, 2]]}");
  expect_field(&evaluation, "batches_by_worker", "[[1, 1], [1]]");
  json_decref(evaluation.got);
  evaluation = solve(1, 1, "{'benchmark_tasks': 0, 'seconds_per_task_by_phase': [[1]]}");
  expect_field(&evaluation, "batches_by_worker", "[[1]]");
  json_decref(evaluation.got);
  evaluation = solve(2, 2, "{'seconds_per_task_by_phase': [[1, 2]]}");
  expect_field(&evaluation, "batches_by_worker", "[[1], [1]]");
  json_decref(evaluation.got);
}

static void what_cannot_be_is_refused_by_name(void **state) {
  (void)state;
  const struct {
    double load;
    size_t workers;
    const char *arguments, *words;
  } cases[] = {
      {12, 0, "{'seconds_per_task': [1, 1]}", "no platform"},
      {1.5, 2, "{'seconds_per_task': [1, 1]}", "load is 1.5"},
      {12, 2, "{}", "seconds_per_task"},
      {12, 2, "{'seconds_per_task': [1]}", "expected 2"},
      {12, 2, "{'seconds_per_task': [null, null]}", "a known time"},
      {12, 2, "{'seconds_per_task': [1, -1]}", "seconds_per_task[1]"},
      {12, 2, "{'seconds_per_task': [1, 1], 'waiting': [null, 0]}", "waiting"},
      {12, 2, "{'seconds_per_task': [1, 1], 'allot': 1.5}", "allot"},
      {12, 2, "{'seconds': [1, 1]}", "seconds"},
      {1, 2, "{'seconds_per_task_by_phase': [[1, 1]]}", "expected at least the 2 units"},
      {9, 2, "{'seconds_per_task_by_phase': []}", "seconds_per_task_by_phase"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct evaluation evaluation = solve(cases[i].load, cases[i].workers, cases[i].arguments);
    expect_refusal(&evaluation, cases[i].words);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_phase_is_half_of_what_is_left),
      cmocka_unit_test(the_last_units_are_one_phase),
      cmocka_unit_test(an_allotment_replaces_the_half),
      cmocka_unit_test(an_unknown_time_gets_nothing),
      cmocka_unit_test(phases_follow_the_columns_after_single_units),
      cmocka_unit_test(the_very_last_unit_is_not_forgotten),
      cmocka_unit_test(what_cannot_be_is_refused_by_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
