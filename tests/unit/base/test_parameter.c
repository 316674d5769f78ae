#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/parameter.h"

static const char *const colours[] = {"red", "green", NULL};
static const struct ls_parameter parameters[] = {
    {"width", "in units", LS_PARAMETER_WHOLE, 3, 1, 100, NULL},
    {"ratio", "of something", LS_PARAMETER_REAL, 0.5, 0, 1, NULL},
    {"colour", "red or green", LS_PARAMETER_CHOICE, 1, 0, 1, colours},
    {0}};

static void defaults_are_those_of_the_list(void **state) {
  (void)state;
  struct ls_arguments arguments;
  ls_arguments_init(&arguments, parameters);
  assert_true(ls_arguments_get(&arguments, parameters, "width") == 3);
  assert_true(ls_arguments_get(&arguments, parameters, "ratio") == 0.5);
  assert_true(ls_arguments_get(&arguments, parameters, "colour") == 1);
}

static void a_value_is_set_by_name(void **state) {
  (void)state;
  struct ls_arguments arguments;
  ls_arguments_init(&arguments, parameters);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "width", "1e1", NULL), LS_OK);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "ratio", "0.25", NULL), LS_OK);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "colour", "red", NULL), LS_OK);
  assert_true(ls_arguments_get(&arguments, parameters, "width") == 10);
  assert_true(ls_arguments_get(&arguments, parameters, "ratio") == 0.25);
  assert_true(ls_arguments_get(&arguments, parameters, "colour") == 0);
}

/* -1 is no value that a number could have. */
static void a_number_may_be_left_to_the_algorithm(void **state) {
  (void)state;
  static const struct ls_parameter free_width[] = {
      {"width", "in units", LS_PARAMETER_WHOLE_OR_AUTO, 3, 0, 100, NULL}, {0}};
  static const char *const wrong[] = {"Auto", "auto ", "-1", "2.5", "101", ""};
  struct ls_arguments arguments;
  struct ls_error err = {0};
  ls_arguments_init(&arguments, free_width);
  assert_int_equal(ls_arguments_set(&arguments, free_width, "width", "auto", NULL), LS_OK);
  assert_true(ls_arguments_get(&arguments, free_width, "width") == LS_ARGUMENT_AUTO);
  assert_int_equal(ls_arguments_set(&arguments, free_width, "width", "7", NULL), LS_OK);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    assert_int_equal(ls_arguments_set(&arguments, free_width, "width", wrong[i], &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "auto or a whole number within [0, 100]"));
    assert_true(ls_arguments_get(&arguments, free_width, "width") == 7);
  }
  json_t *object = json_pack("{s:s, s:i, s:s}", "a", "auto", "b", 9, "c", "none");
  struct ls_json top = ls_json_top(object, "file"), member;
  member = ls_json_member(&top, "a");
  assert_int_equal(ls_arguments_read(&arguments, free_width, &member, "width", NULL), LS_OK);
  assert_true(ls_arguments_get(&arguments, free_width, "width") == LS_ARGUMENT_AUTO);
  member = ls_json_member(&top, "b");
  assert_int_equal(ls_arguments_read(&arguments, free_width, &member, "width", NULL), LS_OK);
  assert_true(ls_arguments_get(&arguments, free_width, "width") == 9);
  member = ls_json_member(&top, "c");
  assert_int_equal(ls_arguments_read(&arguments, free_width, &member, "width", &err), LS_EINVAL);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "width", "auto", NULL), LS_EINVAL);
  json_decref(object);
}

static void limits_themselves_are_allowed(void **state) {
  (void)state;
  struct ls_arguments arguments;
  ls_arguments_init(&arguments, parameters);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "width", "100", NULL), LS_OK);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "ratio", "0", NULL), LS_OK);
}

static void an_unknown_name_lists_the_known_ones(void **state) {
  (void)state;
  struct ls_arguments arguments;
  struct ls_error err = {0};
  ls_arguments_init(&arguments, parameters);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "height", "1", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "\"height\""));
  assert_non_null(strstr(err.text, "width, ratio, colour"));
}

static void an_algorithm_without_parameters_refuses_all(void **state) {
  (void)state;
  struct ls_arguments arguments;
  struct ls_error err = {0};
  ls_arguments_init(&arguments, NULL);
  assert_int_equal(ls_arguments_set(&arguments, NULL, "width", "1", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "takes none"));
}

static void wrong_values_are_refused_and_change_nothing(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
  } wrong[] = {{"width", "0"},    {"width", "101"}, {"width", "2.5"},   {"width", ""},
               {"width", "abc"},  {"width", "3x"},  {"width", " 3"},    {"width", "3 "},
               {"width", "nan"},  {"width", "inf"}, {"width", "-3"},    {"ratio", "1.001"},
               {"ratio", "-0.1"}, {"ratio", "nan"}, {"ratio", "1e400"}, {"colour", "blue"},
               {"colour", ""},    {"colour", "0"},  {"colour", "Red"}};
  struct ls_arguments arguments;
  ls_arguments_init(&arguments, parameters);
  struct ls_arguments before = arguments;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_error err = {0};
    assert_int_equal(ls_arguments_set(&arguments, parameters, wrong[i].name, wrong[i].text, &err),
                     LS_EINVAL);
    assert_non_null(strstr(err.text, wrong[i].name));
    assert_non_null(strstr(err.text, "expected"));
    assert_memory_equal(&before, &arguments, sizeof before);
  }
}

static void a_refusal_may_go_without_a_text(void **state) {
  (void)state;
  struct ls_arguments arguments;
  ls_arguments_init(&arguments, parameters);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "colour", "blue", NULL), LS_EINVAL);
  assert_int_equal(ls_arguments_set(&arguments, parameters, "none", "blue", NULL), LS_EINVAL);
}

static const struct ls_parameter lists[] = {
    {"order", "of workers", LS_PARAMETER_LIST, 0, 0, 9, NULL},
    {"units", "by worker", LS_PARAMETER_NUMBERS, 0, 0, 100, NULL},
    {"window", "of units", LS_PARAMETER_RANGE, 0, 0, 1000, NULL},
    {0}};

static void lists_and_ranges_are_read(void **state) {
  (void)state;
  struct ls_arguments arguments;
  ls_arguments_init(&arguments, lists);
  assert_int_equal(ls_arguments_list(&arguments, lists, "window")->count, 0);
  assert_int_equal(ls_arguments_set(&arguments, lists, "order", "[2, 0]", NULL), LS_OK);
  assert_int_equal(ls_arguments_set(&arguments, lists, "units", "[7.5, 3]", NULL), LS_OK);
  assert_int_equal(ls_arguments_set(&arguments, lists, "window", "2.5-450", NULL), LS_OK);
  const struct ls_argument_list *window = ls_arguments_list(&arguments, lists, "window");
  assert_true(ls_arguments_list(&arguments, lists, "units")->items[0] == 7.5);
  assert_true(window->count == 2 && window->items[0] == 2.5 && window->items[1] == 450);
  assert_int_equal(ls_arguments_set(&arguments, lists, "window", "[25, 30]", NULL), LS_OK);
  assert_true(window->items[0] == 25 && window->items[1] == 30);
  ls_arguments_close(&arguments);
}

static void wrong_lists_and_ranges_are_refused(void **state) {
  (void)state;
  static const struct {
    const char *name, *text;
  } wrong[] = {{"order", "[0.5]"},   {"units", "[101]"},   {"units", "7"},
               {"window", "5"},      {"window", "9-5"},    {"window", "5-1001"},
               {"window", "-5-9"},   {"window", "5-9x"},   {"window", "5--9"},
               {"window", "[5]"},    {"window", "[9, 5]"}, {"window", "5-inf"},
               {"window", "[1,2,3]"}};
  struct ls_arguments arguments;
  ls_arguments_init(&arguments, lists);
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_error err = {0};
    if (ls_arguments_set(&arguments, lists, wrong[i].name, wrong[i].text, &err) != LS_EINVAL)
      fail_msg("%s=%s is taken", wrong[i].name, wrong[i].text);
    assert_non_null(strstr(err.text, wrong[i].name));
    assert_int_equal(ls_arguments_list(&arguments, lists, wrong[i].name)->count, 0);
  }
  ls_arguments_close(&arguments);
}

static void pieces_end_at_commas_outside_brackets(void **state) {
  (void)state;
  assert_int_equal(ls_parameter_piece(""), 0);
  assert_int_equal(ls_parameter_piece(",x"), 0);
  assert_int_equal(ls_parameter_piece("gss"), 3);
  assert_int_equal(ls_parameter_piece("gss,ss"), 3);
  assert_int_equal(ls_parameter_piece("a:[1, [2,3],4],b"), 14);
  assert_int_equal(ls_parameter_piece("a:[1,2"), 6);
  assert_int_equal(ls_parameter_piece("a],b"), 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_end_at_commas_outside_brackets),
      cmocka_unit_test(defaults_are_those_of_the_list),
      cmocka_unit_test(a_value_is_set_by_name),
      cmocka_unit_test(a_number_may_be_left_to_the_algorithm),
      cmocka_unit_test(limits_themselves_are_allowed),
      cmocka_unit_test(an_unknown_name_lists_the_known_ones),
      cmocka_unit_test(an_algorithm_without_parameters_refuses_all),
      cmocka_unit_test(wrong_values_are_refused_and_change_nothing),
      cmocka_unit_test(a_refusal_may_go_without_a_text),
      cmocka_unit_test(lists_and_ranges_are_read),
      cmocka_unit_test(wrong_lists_and_ranges_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
