#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>

#include <string.h>

#include "formats/platform_json.h"
#include "lab/check/check.h"
#include "planners/planner.h"

/* The evaluator of a kind, on a platform and arguments given as text; NULL: it refuses. */
static json_t *evaluate(const struct ls_check_kind *kind, const char *algorithm, double load,
                        const char *platform, const char *arguments, struct ls_error *err) {
  struct ls_check_record record = {
      .id = "id", .kind = kind->name, .algorithm = algorithm, .load = load};
  json_t *document = json_loads(arguments, 0, NULL), *got = NULL;
  assert_non_null(document);
  record.arguments = ls_json_top(document, "v.json");
  if (platform != NULL) {
    assert_int_equal(
        ls_platform_read(&record.platform, (struct ls_text){platform, strlen(platform), "p"}, err),
        LS_OK);
    record.has_platform = true;
  }
  enum ls_status status = kind->evaluate(&record, &got, err);
  if (record.has_platform) ls_platform_close(&record.platform);
  json_decref(document);
  assert_true((status == LS_OK) == (got != NULL));
  return got;
}

#define STAR                                                      \
  "{\"workers\": [{\"count\": 3, \"compute\": {\"per_unit\": 1}," \
  " \"transfer\": {\"latency\": 0.1, \"per_unit\": 0.1}}]}"

static double number(const json_t *got, const char *name) {
  const json_t *value = json_object_get(got, name);
  return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* Whatever the planner is called: the first of the list serves, where it applies. */
static void a_plan_is_as_plan_prints_it_and_more(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_non_null(ls_planners[0]);
  json_t *got = evaluate(&ls_check_kind_plan, ls_planners[0]->name, 30, STAR,
                         "{\"whole_units\": true}", &err);
  if (got == NULL) fail_msg("%s", err.text);
  assert_string_equal(json_string_value(json_object_get(got, "outcome")), "ok");
  assert_true(number(got, "makespan") > 10);
  assert_int_equal(json_array_size(json_object_get(got, "units")), 3);
  assert_int_equal(json_array_size(json_object_get(got, "finish")), 3);
  double sum = 0;
  for (size_t i = 0; i < 3; i++) {
    double units = json_number_value(json_array_get(json_object_get(got, "units"), i));
    sum += units;
    assert_true(!(floor(units) < units));
  }
  assert_true(fabs(sum - 30) < 1e-9);
  assert_true(json_equal(json_object_get(got, "events"), json_object_get(got, "chunks")));
  assert_non_null(json_object_get(got, "send_order"));
  json_decref(got);
}

static void an_unknown_planner_or_argument_is_an_error(void **state) {
  (void)state;
  struct ls_error err = {0};
  assert_null(evaluate(&ls_check_kind_plan, "oracle", 30, STAR, "{}", &err));
  assert_non_null(strstr(err.text, "algorithm \"oracle\" is unknown"));
  assert_null(
      evaluate(&ls_check_kind_plan, ls_planners[0]->name, 30, STAR, "{\"shape\": 3}", &err));
  assert_non_null(strstr(err.text, "argument \"shape\" is unknown"));
  assert_null(
      evaluate(&ls_check_kind_plan, ls_planners[0]->name, 30, STAR, "{\"integer\": 3}", &err));
  assert_non_null(strstr(err.text, "integer is 3, expected true or false"));
  assert_null(evaluate(&ls_check_kind_plan, ls_planners[0]->name, 30, NULL, "{}", &err));
  assert_non_null(strstr(err.text, "has no platform"));
}

/* 1 unit on each of two workers after each other: 0.2 s of port each, then 1 s of work. */
static void a_replay_has_the_times_of_every_chunk(void **state) {
  (void)state;
  struct ls_error err = {0};
  json_t *got = evaluate(
      &ls_check_kind_replay, "replay", 2, STAR,
      "{\"chunks\": [{\"worker\": 2, \"units\": 1}, {\"worker\": 0, \"units\": 1}]}", &err);
  if (got == NULL) fail_msg("%s", err.text);
  assert_true(fabs(number(got, "makespan") - 1.4) < 1e-12);
  const json_t *events = json_object_get(got, "events");
  assert_true(fabs(number(json_array_get(events, 1), "transfer_end") - 0.4) < 1e-12);
  const json_t *finish = json_object_get(got, "finish");
  assert_true(fabs(json_number_value(json_array_get(finish, 0)) - 1.4) < 1e-12);
  assert_true(fabs(json_number_value(json_array_get(finish, 2)) - 1.2) < 1e-12);
  assert_true(!(json_number_value(json_array_get(finish, 1)) > 0));
  json_decref(got);
}

static void shares_are_rounded_with_their_sum(void **state) {
  (void)state;
  struct ls_error err = {0};
  json_t *got =
      evaluate(&ls_check_kind_largest_remainder, "x", 10, NULL, "{\"shares\": [1, 1, 1, 0]}", &err);
  json_t *expected = json_pack("{s:[i,i,i,i]}", "units", 4, 3, 3, 0);
  assert_true(json_equal(got, expected));
  json_decref(expected);
  json_decref(got);
  assert_null(evaluate(&ls_check_kind_largest_remainder, "x", 10, NULL, "{}", &err));
  assert_null(
      evaluate(&ls_check_kind_largest_remainder, "x", 10, NULL, "{\"shares\": [-1]}", &err));
  assert_null(
      evaluate(&ls_check_kind_largest_remainder, "x", 1e300, NULL, "{\"shares\": [1]}", &err));
  assert_non_null(strstr(err.text, "load is 1e+300"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_plan_is_as_plan_prints_it_and_more),
      cmocka_unit_test(an_unknown_planner_or_argument_is_an_error),
      cmocka_unit_test(a_replay_has_the_times_of_every_chunk),
      cmocka_unit_test(shares_are_rounded_with_their_sum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
