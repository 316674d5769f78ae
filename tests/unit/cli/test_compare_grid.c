/* test_compare_grid.c: `loadstar compare --grid`: who takes part, and which options go together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <math.h>

#include "capture.h"

static struct capture capture;
static const char grid[] =
    "{\"load\": 100, \"workers\": [2, 5], \"rate\": [10, 30], \"transfer_latency\": 0.1,"
    " \"compute_latency\": {\"from\": 0, \"to\": 0.2, \"step\": 0.1}}";
/* One chunk for the first worker. */
#define ONE_CHUNK \
  "test -s {platform} && printf '{\"chunks\": [{\"worker\": 0, \"units\": %s}]}' {load}"

#define COMPARE(...) \
  CAPTURE(&capture, grid, (char *)"compare", (char *)"--grid", (char *)"-", __VA_ARGS__)

static json_t *load(void) {
  json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  if (document == NULL) fail_msg("no JSON: %s %s", capture.output, capture.error);
  return document;
}

static json_t *algorithm(json_t *document, size_t index) {
  return json_array_get(json_object_get(document, "algorithms"), index);
}

static double number(json_t *document, size_t index, const char *key) {
  return json_number_value(json_object_get(algorithm(document, index), key));
}

static const char *name(json_t *document, size_t index) {
  return json_string_value(json_object_get(algorithm(document, index), "algorithm"));
}

static void planners_and_programs_stand_in_one_table(void **state) {
  (void)state;
  COMPARE((char *)"-a", (char *)"umr,mi:2", (char *)"--command", (char *)ONE_CHUNK,
          (char *)"--json");
  json_t *document = load();
  assert_int_equal(json_integer_value(json_object_get(document, "platforms")), 12);
  assert_string_equal(name(document, 0), "umr");
  assert_int_equal(number(document, 0, "rank"), 0);
  assert_non_null(strstr(name(document, 2), "printf"));
  assert_int_equal(number(document, 2, "rank"), 2);
  assert_true(number(document, 2, "to_first") > 1.5);
  json_decref(document);
}

/* Under drawn times all play whole units; what follows no plan is there as well. */
static void policies_are_simulated_beside_plans(void **state) {
  (void)state;
  COMPARE((char *)"-a", (char *)"umr", (char *)"--policies", (char *)"gss,sc", (char *)"--command",
          (char *)ONE_CHUNK, (char *)"--error", (char *)"0.3", (char *)"--seeds", (char *)"3",
          (char *)"--json");
  json_t *document = load();
  assert_string_equal(name(document, 1), "gss");
  for (size_t i = 0; i < 4; i++) assert_int_equal(number(document, i, "applies"), 12);
  assert_true(number(document, 3, "rank") > 2.5);
  json_decref(document);
}

/* A plan alone under certain times is its exact replay: whole units cost a little. */
static void drawn_times_without_error_are_the_replay(void **state) {
  (void)state;
  COMPARE((char *)"-a", (char *)"one-round", (char *)"--whole-units", (char *)"--csv", (char *)"-");
  char exact[sizeof capture.output];
  strcpy(exact, capture.output);
  COMPARE((char *)"-a", (char *)"one-round", (char *)"--seed", (char *)"2", (char *)"--csv",
          (char *)"-");
  const char *left = exact, *right = capture.output;
  size_t rows = 0;
  while ((left = strstr(left, "\"one-round\",")) != NULL) {
    right = strstr(right, "\"one-round\",");
    assert_non_null(right);
    left += strlen("\"one-round\",");
    right += strlen("\"one-round\",");
    assert_true(fabs(strtod(left, NULL) / strtod(right, NULL) - 1) < 1e-9);
    rows++;
  }
  assert_int_equal(rows, 12);
}

static void the_result_does_not_depend_on_processes(void **state) {
  (void)state;
  COMPARE((char *)"-a", (char *)"umr,xmi", (char *)"--policies", (char *)"fac2", (char *)"--jobs",
          (char *)"1", (char *)"--json");
  char alone[sizeof capture.output];
  strcpy(alone, capture.output);
  COMPARE((char *)"-a", (char *)"umr,xmi", (char *)"--policies", (char *)"fac2", (char *)"--jobs",
          (char *)"3", (char *)"--json");
  assert_string_equal(alone, capture.output);
}

static void without_names_quick_planners_take_part(void **state) {
  (void)state;
  COMPARE((char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "\"umr\""));
  assert_null(strstr(capture.output, "\"algorithm\": \"best\""));
}

static void nothing_that_applies_is_exit_1(void **state) {
  (void)state;
  COMPARE((char *)"--command",
          (char *)"echo '{\"outcome\": \"not_applicable\", \"chunks\": []}' # {platform}");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.output, "applies to 0 platforms"));
}

static void a_failing_program_names_the_platform(void **state) {
  (void)state;
  COMPARE((char *)"-a", (char *)"umr", (char *)"--command", (char *)"rm {platform}; test -z x",
          (char *)"--jobs", (char *)"1");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error,
                         "standard input: platform (load 100, workers 2, speed 1, rate 10, "
                         "transfer_latency 0.1, compute_latency 0): --command"));
  assert_non_null(strstr(capture.error, "exit code 1, expected 0"));
}

static void options_that_exclude_each_other_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *words[4], *said;
  } rows[] = {{{"-p", "2x(compute=1x)"}, "--grid is given with --platform"},
              {{"-l", "5"}, "--grid is given with --load"},
              {{"--front"}, "--grid is given with time against price"},
              {{"--sites"}, "--grid is given with --sites"},
              {{"--workers", "1-2"}, "--grid is given with --workers"},
              {{"--plan", "x"}, "--grid is given with --plan"},
              {{"--budget", "1"}, "--grid is given with --budget"},
              {{"--ties", "last"}, "--ties is 'last', expected half or first"},
              {{"--by", "height"}, "--by is 'height', expected one of: load"},
              {{"-a", "umrr"}, "umrr"},
              {{"--policies", "gsss"}, "gsss"},
              {{"--command", "plan"}, "--command is 'plan', expected a command with {platform}"},
              {{"--policies", "ss", "--order", "fifo,lptf"}, "--grid goes with one order"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *const *words = rows[i].words;
    COMPARE((char *)words[0], (char *)words[1], (char *)words[2], (char *)words[3]);
    assert_int_equal(capture.exit_status, 2);
    if (strstr(capture.error, rows[i].said) == NULL)
      fail_msg("'%s' lacks '%s'", capture.error, rows[i].said);
  }
  CAPTURE(&capture, "", (char *)"compare", (char *)"-p", (char *)"2x(compute=1x)", (char *)"-l",
          (char *)"5", (char *)"--ties", (char *)"first");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "--ties is given without --grid"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planners_and_programs_stand_in_one_table),
      cmocka_unit_test(policies_are_simulated_beside_plans),
      cmocka_unit_test(drawn_times_without_error_are_the_replay),
      cmocka_unit_test(the_result_does_not_depend_on_processes),
      cmocka_unit_test(without_names_quick_planners_take_part),
      cmocka_unit_test(nothing_that_applies_is_exit_1),
      cmocka_unit_test(a_failing_program_names_the_platform),
      cmocka_unit_test(options_that_exclude_each_other_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
