#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <math.h>
#include <string.h>

#include "cli/planner_options.h"

static const struct ls_parameter parameters[] = {
    {.name = "rounds", .summary = "", .kind = LS_PARAMETER_WHOLE, .least = 1, .most = 50},
    {.name = "share", .summary = "", .kind = LS_PARAMETER_REAL, .least = 0, .most = 1},
    {.name = "time_limit",
     .summary = "",
     .kind = LS_PARAMETER_REAL,
     .otherwise = (double)NAN,
     .least = 0,
     .most = 1e9},
    {.name = NULL}};
static const struct ls_planner planner = {.name = "test", .parameters = parameters};

static struct ls_planner_setup make_setup(void) {
  struct ls_planner_setup setup = {.load = 1};
  ls_arguments_init(&setup.arguments, parameters);
  return setup;
}

static void names_are_the_planners_own_or_everybodys(void **state) {
  (void)state;
  struct ls_planner_setup setup = make_setup();
  assert_int_equal(ls_planner_options_set(&planner, &setup, "rounds", "7", NULL), LS_OK);
  assert_int_equal(ls_planner_options_set(&planner, &setup, "whole_units", "true", NULL), LS_OK);
  assert_int_equal(ls_planner_options_set(&planner, &setup, "work", "500", NULL), LS_OK);
  assert_true(ls_arguments_get(&setup.arguments, parameters, "rounds") == 7);
  assert_true(setup.is_whole && setup.budget.work_max == 500);
  assert_int_equal(ls_planner_options_set(&planner, &setup, "integer", "0", NULL), LS_OK);
  assert_false(setup.is_whole);
}

static void an_object_sets_all_its_members(void **state) {
  (void)state;
  struct ls_planner_setup setup = make_setup();
  json_t *document =
      json_loads("{\"rounds\": 3, \"share\": 0.5, \"integer\": true, \"work\": 9}", 0, NULL);
  struct ls_json top = ls_json_top(document, "a.json");
  assert_int_equal(ls_planner_options_read(&planner, &setup, &top, NULL), LS_OK);
  assert_true(ls_arguments_get(&setup.arguments, parameters, "share") == 0.5);
  assert_true(setup.is_whole && setup.budget.work_max == 9);
  json_decref(document);
}

static void a_refusal_names_planner_argument_and_value(void **state) {
  (void)state;
  struct ls_planner_setup setup = make_setup();
  struct ls_error err = {0};
  assert_int_equal(ls_planner_options_set(&planner, &setup, "colour", "3", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "algorithm test: argument \"colour\" is unknown"));
  assert_int_equal(ls_planner_options_set(&planner, &setup, "rounds", "51", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "argument rounds is \"51\""));
  assert_int_equal(ls_planner_options_set(&planner, &setup, "integer", "maybe", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "expected true or false"));
  assert_int_equal(ls_planner_options_set(&planner, &setup, "work", "0", &err), LS_EINVAL);
  static const char *const texts[] = {"{\"rounds\": 0}", "{\"integer\": 1}", "{\"work\": 0.5}",
                                      "[]", "{\"colour\": 1}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    json_t *document = json_loads(texts[i], 0, NULL);
    struct ls_json top = ls_json_top(document, "a.json");
    assert_int_equal(ls_planner_options_read(&planner, &setup, &top, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "a.json"));
    json_decref(document);
  }
}

static void limits_are_put_into_a_setup(void **state) {
  (void)state;
  struct ls_planner_setup setup = make_setup();
  struct ls_planner_clock clock;
  struct ls_planner_limits limits = {.has_load = true, .load = 40, .is_whole = true, .work_max = 3};
  ls_planner_limits_apply(&limits, &planner, &clock, &setup);
  assert_true(setup.load == 40 && setup.is_whole && setup.budget.work_max == 3);
  assert_null(setup.budget.stop);
}

/* A budget of a nanosecond is spent, one of a year is not. */
static void a_budget_stops_by_the_clock(void **state) {
  (void)state;
  struct ls_planner_setup setup = make_setup();
  struct ls_planner_clock clock;
  struct ls_planner_limits limits = {.budget_s = 1e-9};
  ls_planner_limits_apply(&limits, &planner, &clock, &setup);
  assert_non_null(setup.budget.stop);
  while (!setup.budget.stop(setup.budget.stop_context)) continue;
  limits.budget_s = 3e7;
  ls_planner_limits_apply(&limits, &planner, &clock, &setup);
  assert_false(setup.budget.stop(setup.budget.stop_context));
  /* The planner's own limit is shorter. */
  assert_int_equal(ls_planner_options_set(&planner, &setup, "time_limit", "1e-9", NULL), LS_OK);
  ls_planner_limits_apply(&limits, &planner, &clock, &setup);
  while (!setup.budget.stop(setup.budget.stop_context)) continue;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_the_planners_own_or_everybodys),
      cmocka_unit_test(an_object_sets_all_its_members),
      cmocka_unit_test(a_refusal_names_planner_argument_and_value),
      cmocka_unit_test(limits_are_put_into_a_setup),
      cmocka_unit_test(a_budget_stops_by_the_clock),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
