#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"
#include "planners/planner.h"

static struct capture capture;

#define EQUAL   "4x(compute=0.1+1x, transfer=0.1+0.1x)"
#define UNEQUAL "2x(compute=1x, transfer=0.1x); 1x(compute=2x, transfer=0.1x)"
#define COMPARE(platform, ...)                                                             \
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)(platform), (char *)"-l", \
          (char *)"100", __VA_ARGS__)

static json_t *load_rows(json_t **document) {
  *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  if (*document == NULL) fail_msg("no JSON: %s %s", capture.output, capture.error);
  return json_object_get(*document, "planners");
}

static const char *text_of(const json_t *rows, size_t index, const char *key) {
  return json_string_value(json_object_get(json_array_get(rows, index), key));
}

static double number_of(const json_t *rows, size_t index, const char *key) {
  return json_number_value(json_object_get(json_array_get(rows, index), key));
}

static void the_shortest_plan_comes_first(void **state) {
  (void)state;
  COMPARE(EQUAL, (char *)"--json", (char *)"-a", (char *)"one-round,umr,mi:2,umr:4");
  assert_int_equal(capture.exit_status, 0);
  json_t *document, *rows = load_rows(&document);
  assert_int_equal(json_array_size(rows), 4);
  for (size_t i = 1; i < 4; i++)
    assert_true(number_of(rows, i - 1, "makespan") <= number_of(rows, i, "makespan"));
  assert_string_equal(text_of(rows, 3, "algorithm"), "one-round");
  assert_int_equal(number_of(rows, 3, "rounds"), 1);
  assert_int_equal(number_of(rows, 3, "messages"), 4);
  assert_int_equal(number_of(rows, 3, "workers_used"), 4);
  assert_true(number_of(rows, 3, "gap") > number_of(rows, 0, "gap"));
  assert_true(number_of(rows, 3, "idle") > 0);
  json_decref(document);
}

static void what_does_not_apply_comes_last_with_its_reason(void **state) {
  (void)state;
  COMPARE(UNEQUAL, (char *)"--json", (char *)"-a", (char *)"mi:3,one-round");
  assert_int_equal(capture.exit_status, 0);
  json_t *document, *rows = load_rows(&document);
  assert_string_equal(text_of(rows, 0, "algorithm"), "one-round");
  assert_string_equal(text_of(rows, 1, "outcome"), "not_applicable");
  assert_true(strlen(text_of(rows, 1, "why")) > 0);
  json_decref(document);
  COMPARE(UNEQUAL, (char *)"-a", (char *)"mi:3,one-round");
  assert_non_null(strstr(capture.output, "\nmi:3      not applicable: "));
}

static void nobody_applies_is_exit_1(void **state) {
  (void)state;
  COMPARE(UNEQUAL, (char *)"-a", (char *)"mi:3,mi:4");
  assert_int_equal(capture.exit_status, 1);
}

/* A piece NAME=VALUE belongs to the planner before it. */
static void arguments_stay_with_their_planner(void **state) {
  (void)state;
  COMPARE(EQUAL, (char *)"--json", (char *)"-a", (char *)"umr:3,selection=none,one-round");
  assert_int_equal(capture.exit_status, 0);
  json_t *document, *rows = load_rows(&document);
  assert_int_equal(json_array_size(rows), 2);
  assert_string_equal(text_of(rows, 0, "algorithm"), "umr:3,selection=none");
  assert_int_equal(number_of(rows, 0, "rounds"), 3);
  json_decref(document);
}

static void without_a_list_all_planners_are_compared(void **state) {
  (void)state;
  COMPARE(EQUAL, (char *)"--json", (char *)"--work=50");
  assert_int_equal(capture.exit_status, 0);
  json_t *document, *rows = load_rows(&document);
  size_t count = 0;
  while (ls_planners[count] != NULL) count++;
  assert_int_equal(json_array_size(rows), count);
  json_decref(document);
}

static void bad_usage_exits_with_2(void **state) {
  (void)state;
  static const char *const lists[] = {"", "umr,", ",umr", "umr,,mi:3", "oracle", "umr,oracle:3"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    COMPARE(EQUAL, (char *)"-a", (char *)lists[i]);
    assert_int_equal(capture.exit_status, 2);
    assert_string_equal(capture.output, "");
  }
  CAPTURE(&capture, "", (char *)"compare", (char *)"-l", (char *)"3");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--platform is missing"));
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)EQUAL);
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--load is missing"));
}

static void prices_are_shown_where_a_worker_has_one(void **state) {
  (void)state;
  COMPARE("2x(compute=1x, transfer=0.1x, cost=3)", (char *)"--json", (char *)"-a",
          (char *)"one-round");
  json_t *document, *rows = load_rows(&document);
  double price = number_of(rows, 0, "price"), makespan_s = number_of(rows, 0, "makespan");
  assert_true(price > 0 && price < 6 * makespan_s * (1 + 1e-9) &&
              price > 6 * makespan_s * (1 - 1e-9));
  json_decref(document);
  COMPARE("2x(compute=1x, transfer=0.1x, cost=3)", (char *)"-a", (char *)"one-round");
  assert_non_null(strstr(capture.output, "idle s      price\n"));
  COMPARE(EQUAL, (char *)"-a", (char *)"one-round");
  assert_null(strstr(capture.output, "price"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_shortest_plan_comes_first),
      cmocka_unit_test(what_does_not_apply_comes_last_with_its_reason),
      cmocka_unit_test(nobody_applies_is_exit_1),
      cmocka_unit_test(arguments_stay_with_their_planner),
      cmocka_unit_test(without_a_list_all_planners_are_compared),
      cmocka_unit_test(bad_usage_exits_with_2),
      cmocka_unit_test(prices_are_shown_where_a_worker_has_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
