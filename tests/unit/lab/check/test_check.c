#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "lab_capture.h"

static struct capture capture;

#define RECORD(id, makespan)                                          \
  "{\"id\": \"" id                                                    \
  "\", \"algorithm\": \"replay\", \"load\": 4,"                       \
  " \"platform\": {\"workers\": [{\"compute\": {\"per_unit\": 1}}]}," \
  " \"arguments\": {\"chunks\": [{\"worker\": 0, \"units\": 4}]},"    \
  " \"expect\": {\"makespan\": " makespan "}}"
#define FILE_OF(records) \
  "{\"format\": \"loadstar-vectors-1\", \"note\": \"\", \"vectors\": [" records "]}"

#define CHECK(input, ...) CAPTURE_LAB(&capture, input, (char *)"check", __VA_ARGS__)

static void the_exit_status_says_whether_all_are_met(void **state) {
  (void)state;
  CHECK(FILE_OF(RECORD("a", "4") "," RECORD("b", "4.0")), (char *)"-");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "met    a  replay  makespan 4\n"));
  assert_non_null(strstr(capture.output, "2 records: 2 met, 0 unmet\n"));
  CHECK(FILE_OF(RECORD("a", "4") "," RECORD("b", "5")), (char *)"-");
  assert_int_equal(capture.exit_status, 1);
  assert_non_null(strstr(capture.output,
                         "UNMET  b  replay  makespan 4\n"
                         "         makespan is 4, expected 5 within"));
  assert_non_null(strstr(capture.output, "2 records: 1 met, 1 unmet\n"));
  assert_string_equal(capture.error, "");
}

static void only_chooses_by_id(void **state) {
  (void)state;
  const char *file = FILE_OF(RECORD("umr-1", "4") "," RECORD("umr-2", "5") "," RECORD("mi-1", "4"));
  CHECK(file, (char *)"-", (char *)"--only", (char *)"umr-1", (char *)"--only=mi-*");
  assert_int_equal(capture.exit_status, 0);
  assert_non_null(strstr(capture.output, "2 records: 2 met"));
  CHECK(file, (char *)"-", (char *)"--only=umr-?");
  assert_int_equal(capture.exit_status, 1);
  CHECK(file, (char *)"-", (char *)"--only=nothing");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "there is no record that --only names"));
}

static void json_holds_what_was_got(void **state) {
  (void)state;
  CHECK(FILE_OF(RECORD("a", "4") "," RECORD("b", "5")), (char *)"-", (char *)"--json");
  assert_int_equal(capture.exit_status, 1);
  json_t *document = json_loads(capture.output, JSON_REJECT_DUPLICATES, NULL);
  assert_non_null(document);
  assert_int_equal(json_integer_value(json_object_get(document, "met")), 1);
  assert_int_equal(json_integer_value(json_object_get(document, "unmet")), 1);
  const json_t *record = json_array_get(json_object_get(document, "records"), 1);
  assert_string_equal(json_string_value(json_object_get(record, "id")), "b");
  assert_string_equal(json_string_value(json_object_get(record, "kind")), "replay");
  assert_true(json_is_false(json_object_get(record, "met")));
  const json_t *got = json_object_get(record, "got");
  assert_true(json_number_value(json_object_get(got, "makespan")) == 4);
  assert_int_equal(json_array_size(json_object_get(record, "faults")), 1);
  json_decref(document);
}

static void a_bad_file_exits_with_2(void **state) {
  (void)state;
  static const char *const files[] = {
      "", "{", "[]", FILE_OF(""), FILE_OF("{}"), "{\"format\": \"x\", \"vectors\": []}"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    CHECK(files[i], (char *)"-");
    assert_int_equal(capture.exit_status, 2);
    assert_string_equal(capture.output, "");
    assert_true(capture.error[0] != '\0');
  }
  CHECK("", (char *)"/nowhere/v.json");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "/nowhere/v.json"));
  CHECK("", (char *)"a", (char *)"b");
  assert_int_equal(capture.exit_status, 2);
  CAPTURE_LAB(&capture, "", (char *)"check");
  assert_int_equal(capture.exit_status, 2);
  assert_non_null(strstr(capture.error, "FILE is missing"));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_exit_status_says_whether_all_are_met),
                                     cmocka_unit_test(only_chooses_by_id),
                                     cmocka_unit_test(json_holds_what_was_got),
                                     cmocka_unit_test(a_bad_file_exits_with_2)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
