#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "capture.h"
#include "formats/platform_json.h"
#include "model/platform.h"

static struct capture capture;
static char folder[] = "/tmp/plan-test-XXXXXX";
static char file_path[64], other_path[64];

/* Two equal workers and one twice as fast. */
#define STAR \
  "2x(name=slow, compute=0.1+1x, transfer=0.1+0.05x); (name=fast, compute=0.5x, transfer=0.1x)"
#define PLAN(...) CAPTURE(&capture, "", (char *)"plan", __VA_ARGS__)
#define ONE_ROUND \
  (char *)"--platform", (char *)STAR, (char *)"--load=100", (char *)"--algorithm=one-round"

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(file_path, sizeof file_path, "%s/file", folder);
  snprintf(other_path, sizeof other_path, "%s/star.xml", folder);
  setenv("LC_ALL", "C.UTF-8", 1);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(file_path);
  unlink(other_path);
  return rmdir(folder);
}

static json_t *load_output(void) {
  json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  if (document == NULL) fail_msg("no JSON: %s %s", capture.output, capture.error);
  return document;
}

static void people_get_a_summary_with_a_certificate(void **state) {
  (void)state;
  PLAN(ONE_ROUND);
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.error, "");
  assert_non_null(strstr(capture.output, "algorithm    one-round\n"));
  assert_non_null(strstr(capture.output, "load         100 units\n"));
  assert_non_null(strstr(capture.output, "lower bound "));
  assert_non_null(strstr(capture.output, "\nslow-1 "));
  assert_non_null(strstr(capture.output, "\nfast "));
}

static void json_is_a_plan_that_simulate_reads(void **state) {
  (void)state;
  PLAN(ONE_ROUND, (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *plan = load_output();
  double makespan = json_number_value(json_object_get(plan, "makespan"));
  assert_true(makespan > 25);
  json_decref(plan);
  char text[sizeof capture.output];
  memcpy(text, capture.output, sizeof text);
  CAPTURE(&capture, text, (char *)"simulate", (char *)"--plan=-", (char *)"-p", (char *)STAR,
          (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *timeline = load_output();
  assert_true(json_number_value(json_object_get(timeline, "makespan")) == makespan);
  json_decref(timeline);
}

static void charts_go_to_files_and_text(void **state) {
  (void)state;
  char option[80];
  PLAN(ONE_ROUND, (char *)"--gantt", (char *)"--width=90");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "█"));
  snprintf(option, sizeof option, "--svg=%s", file_path);
  PLAN(ONE_ROUND, option, (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_decref(load_output());
  FILE *file = fopen(file_path, "r");
  assert_non_null(file);
  char begin[6] = "";
  assert_int_equal(fread(begin, 1, 5, file), 5);
  fclose(file);
  assert_string_equal(begin, "<svg ");
  PLAN(ONE_ROUND, (char *)"--json", (char *)"--gantt");
  assert_int_equal(capture.exit_status, 2);
  PLAN(ONE_ROUND, (char *)"--svg=/nowhere/x.svg");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "/nowhere/x.svg: cannot be written"));
}

static double sum_units(const json_t *plan, int *are_whole) {
  double sum = 0;
  size_t i;
  const json_t *chunk;
  *are_whole = 1;
  json_array_foreach(json_object_get(plan, "chunks"), i, chunk) {
    double units = json_number_value(json_object_get(chunk, "units"));
    sum += units;
    if ((double)(long)units < units) *are_whole = 0;
  }
  return sum;
}

static void whole_units_are_whole_by_option_argument_or_file(void **state) {
  (void)state;
  int are_whole = 0;
  FILE *file = fopen(file_path, "w");
  assert_non_null(file);
  fputs("{\"integer\": true}", file);
  fclose(file);
  char option[80];
  snprintf(option, sizeof option, "--arguments=%s", file_path);
  char *options[] = {(char *)"--whole-units", (char *)"--integer", (char *)"--set=whole_units=true",
                     option};
  for (size_t i = 0; i < 4; i++) {
    PLAN(ONE_ROUND, (char *)"--json", options[i]);
    json_t *plan = load_output();
    assert_true(sum_units(plan, &are_whole) == 100 && are_whole);
    json_decref(plan);
  }
  /* The command line overrides the file. */
  PLAN(ONE_ROUND, (char *)"--json", option, (char *)"--set=integer=false");
  json_t *plan = load_output();
  (void)sum_units(plan, &are_whole);
  assert_false(are_whole);
  json_decref(plan);
}

static void what_does_not_apply_exits_with_1_and_says_why(void **state) {
  (void)state;
  PLAN((char *)"-p", (char *)STAR, (char *)"-l", (char *)"100", (char *)"-a", (char *)"mi:3");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.output, "not applicable: "));
  PLAN((char *)"-p", (char *)STAR, (char *)"-l", (char *)"100", (char *)"-a", (char *)"mi:3",
       (char *)"--json");
  assert_int_equal(capture.exit_status, 1);
  json_t *plan = load_output();
  assert_string_equal(json_string_value(json_object_get(plan, "outcome")), "not_applicable");
  assert_true(json_string_length(json_object_get(plan, "why")) > 0);
  json_decref(plan);
}

static void load_0_is_an_empty_plan(void **state) {
  (void)state;
  PLAN((char *)"-p", (char *)STAR, (char *)"-l", (char *)"0", (char *)"-a", (char *)"umr",
       (char *)"--json");
  assert_int_equal(capture.exit_status, 0);
  json_t *plan = load_output();
  assert_int_equal(json_array_size(json_object_get(plan, "chunks")), 0);
  assert_true(json_number_value(json_object_get(plan, "makespan")) == 0);
  json_decref(plan);
}

static void a_platform_is_written_beside_a_plan(void **state) {
  (void)state;
  PLAN((char *)"--platform", (char *)STAR, (char *)"-l", (char *)"30",
       (char *)"--platform-out=/dev/null");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "makespan"));
}

static void a_platform_is_converted_without_a_plan(void **state) {
  (void)state;
  char option[80];
  snprintf(option, sizeof option, "--platform-out=%s", other_path);
  PLAN((char *)"--platform", (char *)STAR, option);
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output, "");
  PLAN((char *)"--platform", other_path, (char *)"--platform-out=-");
  assert_int_equal(capture.exit_status, 0);
  struct ls_platform platform;
  assert_int_equal(
      ls_platform_read(&platform, (struct ls_text){capture.output, strlen(capture.output), "out"},
                       NULL),
      LS_OK);
  assert_int_equal(platform.workers_count, 3);
  assert_string_equal(platform.workers[2].name, "fast");
  assert_true(platform.workers[1].costs[LS_OPERATION_COMPUTE].latency_s == 0.1);
  ls_platform_close(&platform);
}

static void expect_refused(const char *words) {
  assert_int_equal(capture.exit_status, 2);
  assert_string_equal(capture.output, "");
  if (strstr(capture.error, words) == NULL)
    fail_msg("'%s' does not say '%s'", capture.error, words);
}

#define TRY(platform, load, algorithm)                                               \
  PLAN((char *)"-p", (char *)(platform), (char *)"-l", (char *)(load), (char *)"-a", \
       (char *)(algorithm))

static void bad_input_is_named(void **state) {
  (void)state;
  TRY("4x(compute=-1x)", "10", "umr");
  expect_refused("--platform: column 12: found '-1x)'");
  TRY("4x(compute=nanx)", "10", "umr");
  expect_refused("column 12: found 'nanx)'");
  TRY("0x(compute=1x)", "10", "umr");
  expect_refused("a whole number of workers from 1");
  TRY(STAR, "-5", "umr");
  expect_refused("--load is '-5', expected a number >= 0");
  TRY(STAR, "nan", "umr");
  expect_refused("--load is 'nan'");
  TRY(STAR, "10", "oracle");
  expect_refused("algorithm \"oracle\" is unknown, expected one of: one-round");
  TRY(STAR, "10", "umr:many");
  expect_refused("argument rounds is \"many\", expected a whole number");
  TRY("/nowhere/platform.json", "10", "umr");
  expect_refused("/nowhere/platform.json: No such file");
  PLAN(ONE_ROUND, (char *)"--set=shape=3");
  expect_refused("argument \"shape\" is unknown");
  PLAN(ONE_ROUND, (char *)"--set=shape");
  expect_refused("--set is 'shape', expected NAME=VALUE");
  PLAN(ONE_ROUND, (char *)"--arguments=/nowhere/a.json");
  expect_refused("/nowhere/a.json");
  PLAN(ONE_ROUND, (char *)"--work=0");
  expect_refused("--work is '0'");
  PLAN(ONE_ROUND, (char *)"--budget=0");
  expect_refused("--budget is '0'");
  PLAN(ONE_ROUND, (char *)"word");
  expect_refused("'word' is no option");
}

static void bad_files_are_named_with_their_place(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"workers\": [{\"compute\": {\"per_unit\": -1}}]}",
                                      "{\"workers\": []}",
                                      "{\"workers\": [{\"compute\": {\"per_unit\": NaN}}]}",
                                      "<platform><zone>",
                                      "<html/>",
                                      "",
                                      "{\"workers\": [{\"speed\": 3}]}"};
  static const char *const words[] = {"standard input: workers[0].compute.per_unit is -1",
                                      "workers is an array, expected a list of 1",
                                      "standard input: line 1",
                                      "standard input: line 1, column 17: malformed XML",
                                      "line 1: <html> is not read here",
                                      "standard input: column 1: the text ends",
                                      "workers[0].speed is not a known field"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    CAPTURE(&capture, texts[i], (char *)"plan", (char *)"-p", (char *)"-", (char *)"-l",
            (char *)"10", (char *)"-a", (char *)"umr");
    expect_refused(words[i]);
  }
}

static void without_an_algorithm_it_is_the_best(void **state) {
  (void)state;
  struct capture named;
  CAPTURE(&named, "", (char *)"plan", (char *)"-p", (char *)STAR, (char *)"-l", (char *)"30",
          (char *)"-a", (char *)"best");
  PLAN((char *)"-p", (char *)STAR, (char *)"-l", (char *)"30");
  assert_int_equal(capture.exit_status, 0);
  assert_string_equal(capture.output, named.output);
}

static void what_is_missing_is_said(void **state) {
  (void)state;
  PLAN((char *)"--load=3", (char *)"-a", (char *)"umr");
  expect_refused("--platform is missing");
  PLAN((char *)"-p", (char *)STAR, (char *)"-a", (char *)"umr");
  expect_refused("--load is missing");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(people_get_a_summary_with_a_certificate),
      cmocka_unit_test(json_is_a_plan_that_simulate_reads),
      cmocka_unit_test(charts_go_to_files_and_text),
      cmocka_unit_test(whole_units_are_whole_by_option_argument_or_file),
      cmocka_unit_test(what_does_not_apply_exits_with_1_and_says_why),
      cmocka_unit_test(load_0_is_an_empty_plan),
      cmocka_unit_test(a_platform_is_written_beside_a_plan),
      cmocka_unit_test(a_platform_is_converted_without_a_plan),
      cmocka_unit_test(bad_input_is_named),
      cmocka_unit_test(bad_files_are_named_with_their_place),
      cmocka_unit_test(without_an_algorithm_it_is_the_best),
      cmocka_unit_test(what_is_missing_is_said),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
