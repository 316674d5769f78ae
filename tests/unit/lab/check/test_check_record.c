#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include <stdio.h>
#include <string.h>

#include "lab/check/check_record.h"

#define PLATFORM "\"platform\": {\"workers\": [{\"count\": 2, \"compute\": {\"per_unit\": 1}}]}"
#define REPLAY                                                       \
  "\"id\": \"r\", \"algorithm\": \"replay\", \"load\": 4, " PLATFORM \
  ", \"arguments\": {\"chunks\": [{\"worker\": 0, \"units\": 3}, {\"worker\": 1, \"units\": 1}]}"

/* Judges a record given as text: the number of its faults; -1 when it is malformed. */
static int judge(const char *text, struct ls_error *err, char *fault, size_t fault_bytes) {
  json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(document);
  struct ls_json place = ls_json_top(document, "v.json");
  struct ls_check_result result;
  int faults = -1;
  fault[0] = '\0';
  if (ls_check_record_judge(&place, &result, err) == LS_OK) {
    faults = (int)json_array_size(result.faults);
    if (faults > 0)
      snprintf(fault, fault_bytes, "%s", json_string_value(json_array_get(result.faults, 0)));
    ls_check_result_close(&result);
  }
  json_decref(document);
  return faults;
}

static void expect_malformed(const char *text, const char *message) {
  struct ls_error err = {0};
  char fault[256];
  assert_int_equal(judge(text, &err, fault, sizeof fault), -1);
  assert_int_equal(err.status, LS_EINVAL);
  if (strstr(err.text, message) == NULL) fail_msg("'%s' does not say '%s'", err.text, message);
}

static void expect_faults(const char *text, int count, const char *words) {
  struct ls_error err = {0};
  char fault[256];
  int faults = judge(text, &err, fault, sizeof fault);
  if (faults != count || strstr(fault, words) == NULL)
    fail_msg("%d faults, the first is '%s', expected '%s' (%s)", faults, fault, words, err.text);
}

static void a_record_without_a_kind_is_known_by_its_algorithm(void **state) {
  (void)state;
  expect_faults(
      "{" REPLAY ", \"expect\": {\"makespan\": 3, \"finish\": [3, 1], \"units\": [3, 1]}}", 0, "");
  expect_faults("{" REPLAY ", \"expect\": {\"makespan\": 3.1}}", 1, "makespan is 3, expected 3.1");
  expect_faults(
      "{\"id\": \"r\", \"kind\": \"largest-remainder\", \"algorithm\": \"x\", \"load\": 4,"
      " \"arguments\": {\"shares\": [1, 1]}, \"expect\": {\"units\": [2, 2]}}",
      0, "");
  expect_faults("{\"id\": \"r\", \"algorithm\": \"nothing\", " PLATFORM ", \"expect\": {}}", 1,
                "algorithm \"nothing\" is unknown");
}

static void what_an_evaluator_refuses_is_a_fault(void **state) {
  (void)state;
  expect_faults("{\"id\": \"r\", \"kind\": \"seance\", \"algorithm\": \"x\", \"expect\": {}}", 1,
                "no evaluator");
  expect_faults("{\"id\": \"r\", \"algorithm\": \"replay\", \"expect\": {}}", 1, "no platform");
  expect_faults("{\"id\": \"r\", \"algorithm\": \"replay\", " PLATFORM ", \"expect\": {}}", 1,
                "arguments are missing");
  expect_faults("{\"id\": \"r\", \"algorithm\": \"replay\", " PLATFORM
                ", \"arguments\": {\"chunks\": [{\"worker\": 9, \"units\": 1}]}, \"expect\": {}}",
                1, "chunks[0].worker is 9");
}

static void the_tolerance_is_the_records_own(void **state) {
  (void)state;
  expect_faults("{" REPLAY ", \"expect\": {\"makespan\": 3.1}, \"tolerance\": 0.1}", 0, "");
  expect_faults("{" REPLAY ", \"expect\": {\"makespan\": 3.1}, \"compare\": \"at_most\"}", 0, "");
  expect_faults("{" REPLAY ", \"expect\": {\"makespan\": 3.1}, \"compare\": \"at_least\"}", 1,
                "at least 3.1");
  expect_faults("{" REPLAY ", \"expect\": {\"units\": [2, 2]}, \"free\": [\"units\"]}", 0, "");
}

static void a_malformed_record_names_the_field(void **state) {
  (void)state;
  expect_malformed("{}", "v.json: id is missing");
  expect_malformed("{\"id\": \"r\"}", "algorithm is missing");
  expect_malformed("{\"id\": \"r\", \"algorithm\": \"replay\"}", "expect is missing");
  expect_malformed("{" REPLAY ", \"expect\": []}", "expect is an array, expected an object");
  expect_malformed("{" REPLAY ", \"expect\": {}, \"colour\": 1}", "colour is not a known field");
  expect_malformed("{" REPLAY ", \"expect\": {}, \"compare\": \"roughly\"}",
                   "compare is \"roughly\"");
  expect_malformed("{" REPLAY ", \"expect\": {}, \"tolerance\": -1}", "tolerance is -1");
  expect_malformed("{" REPLAY ", \"expect\": {}, \"free\": 3}", "free is 3");
  expect_malformed("{\"id\": \"r\", \"algorithm\": \"replay\", \"load\": -1, \"expect\": {}}",
                   "load is -1");
  expect_malformed(
      "{\"id\": \"r\", \"algorithm\": \"replay\", \"expect\": {},"
      " \"platform\": {\"workers\": []}}",
      "workers is an array, expected a list of 1 to 1000000");
}

static void a_file_says_its_format(void **state) {
  (void)state;
  static const char *const texts[] = {"{\"format\": \"loadstar-vectors-2\", \"vectors\": []}",
                                      "{\"vectors\": []}", "{\"format\": \"loadstar-vectors-1\"}",
                                      "[]"};
  static const char *const messages[] = {"format is \"loadstar-vectors-2\"", "format is missing",
                                         "vectors is missing", "expected an object"};
  for (size_t i = 0; i < 4; i++) {
    json_t *document = json_loads(texts[i], 0, NULL);
    struct ls_json top = ls_json_top(document, "v.json"), records;
    struct ls_error err = {0};
    assert_int_equal(ls_check_file_open(&top, &records, &err), LS_EINVAL);
    if (strstr(err.text, messages[i]) == NULL) fail_msg("'%s' does not say so", err.text);
    json_decref(document);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_record_without_a_kind_is_known_by_its_algorithm),
      cmocka_unit_test(what_an_evaluator_refuses_is_a_fault),
      cmocka_unit_test(the_tolerance_is_the_records_own),
      cmocka_unit_test(a_malformed_record_names_the_field),
      cmocka_unit_test(a_file_says_its_format),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
