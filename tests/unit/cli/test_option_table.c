#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cli/option_table.h"

static const struct argp_option own[] = {{NULL, 0, NULL, 0, "Rare", 3},
                                         {"policy", 300, "NAME", 0, "A policy", 3},
                                         {NULL, 0, NULL, 0, "Usual", 1},
                                         {"json", 'j', "FILE", OPTION_ARG_OPTIONAL, "JSON", 1},
                                         {"as-json", 'J', NULL, OPTION_ALIAS, NULL, 1},
                                         {"machine", 0, NULL, OPTION_ALIAS, NULL, 1},
                                         {0}};
static const struct argp_option others[] = {
    {"quiet", 'q', NULL, 0, "Nothing", 1}, {"odd", 301, "N", 0, "A number", 0}, {0}};
static const struct argp child = {.options = others};
static const struct argp_child children[] = {{.argp = &child}, {0}};
static const struct argp parser = {.options = own, .children = children, .args_doc = "FILE"};

/* An option in a few words. */
static void expect(const json_t *table, size_t index, const char *expected) {
  char *text = json_dumps(json_array_get(json_object_get(table, "options"), index), JSON_SORT_KEYS);
  assert_string_equal(text, expected);
  free(text);
}

static void options_stand_by_group_with_all_that_argp_is_told(void **state) {
  (void)state;
  json_t *table = ls_option_table_make(&parser, "loadstar run");
  assert_string_equal(json_string_value(json_object_get(table, "program")), "loadstar run");
  assert_string_equal(json_string_value(json_object_get(table, "usage")), "FILE");
  assert_int_equal(json_array_size(json_object_get(table, "options")), 7);
  expect(table, 0,
         "{\"argument\": \"FILE\", \"argument_optional\": true, \"group\": \"Usual\", "
         "\"help\": \"JSON\", \"long\": \"json\", \"short\": \"j\", "
         "\"synonyms\": [{\"long\": \"as-json\", \"short\": \"J\"}, "
         "{\"long\": \"machine\", \"short\": null}], \"words\": null}");
  expect(table, 1,
         "{\"argument\": null, \"argument_optional\": false, \"group\": \"Usual\", "
         "\"help\": \"Nothing\", \"long\": \"quiet\", \"short\": \"q\", \"synonyms\": [], "
         "\"words\": null}");
  const json_t *policy = json_array_get(json_object_get(table, "options"), 3);
  assert_string_equal(json_string_value(json_object_get(policy, "group")), "Rare");
  assert_true(json_array_size(json_object_get(policy, "words")) > 5);
  json_decref(table);
}

static void an_option_without_a_group_is_in_that_of_the_one_before(void **state) {
  (void)state;
  json_t *table = ls_option_table_make(&parser, "loadstar run");
  const json_t *odd = json_array_get(json_object_get(table, "options"), 2);
  assert_string_equal(json_string_value(json_object_get(odd, "long")), "odd");
  assert_string_equal(json_string_value(json_object_get(odd, "group")), "Usual");
  json_decref(table);
}

static void the_options_of_all_programs_come_last(void **state) {
  (void)state;
  json_t *table = ls_option_table_make(&parser, "loadstar run");
  static const char *const names[] = {"help", "usage", "version"};
  for (size_t i = 0; i < 3; i++) {
    const json_t *option = json_array_get(json_object_get(table, "options"), 4 + i);
    assert_string_equal(json_string_value(json_object_get(option, "long")), names[i]);
    assert_true(json_is_null(json_object_get(option, "group")));
  }
  json_decref(table);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_stand_by_group_with_all_that_argp_is_told),
      cmocka_unit_test(an_option_without_a_group_is_in_that_of_the_one_before),
      cmocka_unit_test(the_options_of_all_programs_come_last)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
