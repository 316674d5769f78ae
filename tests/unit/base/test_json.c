#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/json.h"

/* Parses a text that must be good. */
static json_t *parse(const char *text) {
  json_t *document = NULL;
  struct ls_error err;
  assert_int_equal(ls_json_parse((struct ls_text){text, strlen(text), "t.json"}, &document, &err),
                   LS_OK);
  return document;
}

static void bad_texts_are_refused_with_their_place(void **state) {
  (void)state;
  const char *const texts[] = {
      "",           "{",       "{} x",      "{\"a\": 1, \"a\": 2}", "[1,]", "nul", "[NaN]",
      "[Infinity]", "[1e999]", "{\"a\" 1}", "[\"\xff\"]",           "[01]", "7",   "[\"\\u0000"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    json_t *document = NULL;
    struct ls_error err;
    assert_int_equal(
        ls_json_parse((struct ls_text){texts[i], strlen(texts[i]), "t.json"}, &document, &err),
        LS_EINVAL);
    assert_null(document);
    assert_true(strncmp(err.text, "t.json: line ", 13) == 0);
  }
}

static void nesting_without_end_is_refused(void **state) {
  (void)state;
  char text[100000];
  memset(text, '[', sizeof text);
  json_t *document = NULL;
  assert_int_equal(ls_json_parse((struct ls_text){text, sizeof text, "t.json"}, &document, NULL),
                   LS_EINVAL);
}

static void unknown_fields_are_named(void **state) {
  (void)state;
  const char *const known[] = {"latency", NULL};
  json_t *document = parse("{\"workers\": [{}, {\"compute\": {\"latenzy\": 1}}]}");
  struct ls_json top = ls_json_top(document, "t.json");
  struct ls_json workers = ls_json_member(&top, "workers");
  struct ls_json worker = ls_json_item(&workers, 1);
  struct ls_json compute = ls_json_member(&worker, "compute");
  struct ls_error err;
  assert_int_equal(ls_json_object(&compute, known, &err), LS_EINVAL);
  assert_string_equal(
      err.text, "t.json: workers[1].compute.latenzy is not a known field, did you mean 'latency'?");
  assert_int_equal(ls_json_object(&workers, known, &err), LS_EINVAL);
  assert_string_equal(err.text, "t.json: workers is an array, expected an object");
  struct ls_json first = ls_json_item(&workers, 0);
  assert_int_equal(ls_json_object(&first, known, &err), LS_OK);
  json_decref(document);
}

static void missing_and_null_members_are_absent(void **state) {
  (void)state;
  json_t *document = parse("{\"a\": null}");
  struct ls_json top = ls_json_top(document, "t.json");
  assert_null(ls_json_member(&top, "a").value);
  struct ls_json missing = ls_json_member(&top, "b");
  assert_null(missing.value);
  struct ls_error err;
  double number = 5;
  assert_int_equal(ls_json_real(&missing, 0, (double)INFINITY, &number, &err), LS_EINVAL);
  assert_string_equal(err.text, "t.json: b is missing, expected a number >= 0");
  assert_true(number == 5.0);
  struct ls_json below = ls_json_member(&missing, "c");
  assert_null(below.value);
  assert_string_equal(below.path, "b.c");
  json_decref(document);
}

static void reals_hold_their_limits(void **state) {
  (void)state;
  json_t *document = parse("[-1, 0.5, 2, \"1\", true, 1e300]");
  struct ls_json top = ls_json_top(document, "t.json");
  struct ls_error err;
  double number = 0;
  const enum ls_status expected[] = {LS_EINVAL, LS_OK, LS_EINVAL, LS_EINVAL, LS_EINVAL, LS_EINVAL};
  for (size_t i = 0; i < 6; i++) {
    struct ls_json item = ls_json_item(&top, i);
    assert_int_equal(ls_json_real(&item, 0, 1, &number, &err), expected[i]);
  }
  assert_true(number == 0.5);
  struct ls_json first = ls_json_item(&top, 0);
  assert_int_equal(ls_json_real(&first, 0, 1, &number, &err), LS_EINVAL);
  assert_string_equal(err.text, "t.json: [0] is -1, expected a number from 0 to 1");
  assert_int_equal(ls_json_real(&first, -(double)INFINITY, (double)INFINITY, &number, &err), LS_OK);
  json_decref(document);
}

static void whole_numbers_are_whole(void **state) {
  (void)state;
  json_t *document = parse("[3, 3.0, 3.5, -1, -1.0, 1e300, 9007199254740993, \"3\", 0]");
  struct ls_json top = ls_json_top(document, "t.json");
  const enum ls_status expected[] = {LS_OK,     LS_OK,     LS_EINVAL, LS_EINVAL, LS_EINVAL,
                                     LS_EINVAL, LS_EINVAL, LS_EINVAL, LS_EINVAL};
  for (size_t i = 0; i < 9; i++) {
    struct ls_json item = ls_json_item(&top, i);
    uint64_t number = 77;
    assert_int_equal(ls_json_whole(&item, 1, UINT64_MAX, &number, NULL), expected[i]);
    assert_int_equal(number, expected[i] == LS_OK ? 3 : 77);
  }
  struct ls_json last = ls_json_item(&top, 8);
  struct ls_error err;
  uint64_t number;
  assert_int_equal(ls_json_whole(&last, 1, 10, &number, &err), LS_EINVAL);
  assert_string_equal(err.text, "t.json: [8] is 0, expected a whole number from 1 to 10");
  json_decref(document);
}

static void types_are_checked(void **state) {
  (void)state;
  json_t *document = parse("[true, \"x\", [], 1]");
  struct ls_json top = ls_json_top(document, "t.json");
  for (size_t i = 0; i < 4; i++) {
    struct ls_json item = ls_json_item(&top, i);
    bool flag = false;
    const char *text = NULL;
    size_t count = 9;
    assert_int_equal(ls_json_bool(&item, &flag, NULL), i == 0 ? LS_OK : LS_EINVAL);
    assert_int_equal(ls_json_string(&item, &text, NULL), i == 1 ? LS_OK : LS_EINVAL);
    assert_int_equal(ls_json_array(&item, &count, NULL), i == 2 ? LS_OK : LS_EINVAL);
    assert_int_equal(flag, i == 0);
    assert_int_equal(text != NULL, i == 1);
    assert_int_equal(count, i == 2 ? 0 : 9);
  }
  assert_null(ls_json_item(&top, 4).value);
  json_decref(document);
}

static void long_paths_and_values_are_cut(void **state) {
  (void)state;
  char text[1100] = "{\"";
  memset(text + 2, 'k', 400);
  strcpy(text + 402, "\": \"");
  memset(text + 406, 'v', 400);
  strcpy(text + 806, "\"}");
  char key[401];
  memset(key, 'k', 400);
  key[400] = '\0';
  json_t *document = parse(text);
  struct ls_json top = ls_json_top(document, "t.json");
  struct ls_json member = ls_json_member(&top, key);
  assert_non_null(member.value);
  assert_string_equal(member.path + LS_JSON_PATH_BYTES - 4, "...");
  bool flag;
  struct ls_error err;
  assert_int_equal(ls_json_bool(&member, &flag, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "vvv..., expected true or false"));
  assert_int_equal(ls_json_refuse(&top, "a list", &err), LS_EINVAL);
  assert_string_equal(err.text, "t.json: the document is an object, expected a list");
  json_decref(document);
}

/* Every text that is UTF-8 comes back as it was; every other one comes back as good JSON. */
static void written_strings_can_be_read(void **state) {
  (void)state;
  const char *const good[] = {"", "plain", "a\"b\\c\n\t\x01\x7f",
                              "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"};
  const char *const bad[] = {"\xff",
                             "\xc3",
                             "\xc0\x80",
                             "\xe0\x80\x80",
                             "\xed\xa0\x80",
                             "\xe2\x82",
                             "\xf5\x80\x80\x80",
                             "\x80x",
                             "\xf4\x90\x80\x80"};
  for (size_t i = 0; i < 4 + 9; i++) {
    const char *text = i < 4 ? good[i] : bad[i - 4];
    struct ls_bytes out = {0};
    ls_bytes_append_char(&out, '[');
    ls_json_write_string(&out, text);
    ls_bytes_append_char(&out, ']');
    json_t *document = parse(ls_bytes_text(&out));
    const char *read = json_string_value(json_array_get(document, 0));
    assert_non_null(read);
    if (i < 4) assert_string_equal(read, text);
    if (i >= 4) assert_non_null(strstr(read, "\xef\xbf\xbd"));
    json_decref(document);
    ls_bytes_close(&out);
  }
}

static void written_numbers_keep_every_digit(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_json_write_number(&out, 0.1);
  ls_bytes_append_char(&out, ' ');
  ls_json_write_number(&out, (double)NAN);
  ls_bytes_append_char(&out, ' ');
  ls_json_write_number(&out, (double)INFINITY);
  assert_string_equal(ls_bytes_text(&out), "0.10000000000000001 null null");
  ls_bytes_close(&out);
}

static void a_field_is_a_name_and_a_number(void **state) {
  (void)state;
  struct ls_bytes out = {0};
  ls_json_write_field(&out, "", "first", 0.5);
  ls_json_write_field(&out, ", ", "second", (double)NAN);
  assert_string_equal(ls_bytes_text(&out), "\"first\": 0.5, \"second\": null");
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_texts_are_refused_with_their_place),
      cmocka_unit_test(nesting_without_end_is_refused),
      cmocka_unit_test(unknown_fields_are_named),
      cmocka_unit_test(missing_and_null_members_are_absent),
      cmocka_unit_test(reals_hold_their_limits),
      cmocka_unit_test(whole_numbers_are_whole),
      cmocka_unit_test(types_are_checked),
      cmocka_unit_test(long_paths_and_values_are_cut),
      cmocka_unit_test(written_strings_can_be_read),
      cmocka_unit_test(written_numbers_keep_every_digit),
      cmocka_unit_test(a_field_is_a_name_and_a_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
