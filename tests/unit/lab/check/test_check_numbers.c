#include "check_fixture.h"

#include <math.h>

#include "lab/check/check_numbers.h"

static enum ls_status read_list(const char *text, bool is_null_fine, double *numbers,
                                struct ls_error *err) {
  json_t *document = read_quoted(text);
  struct ls_json top = ls_json_top(document, "numbers");
  enum ls_status status = ls_check_numbers(&top, 3, is_null_fine, numbers, err);
  json_decref(document);
  return status;
}

static void a_list_of_the_right_length_is_read(void **state) {
  (void)state;
  double numbers[3];
  assert_int_equal(read_list("[1, 0.5, 0]", false, numbers, NULL), LS_OK);
  assert_true(numbers[0] > 0.9 && numbers[1] > 0.4 && numbers[1] < 0.6 && !(numbers[2] > 0));
}

static void null_is_unknown_where_that_is_fine(void **state) {
  (void)state;
  double numbers[3];
  assert_int_equal(read_list("[1, null, 2]", true, numbers, NULL), LS_OK);
  assert_true(isnan(numbers[1]));
  assert_int_equal(read_list("[1, null, 2]", false, numbers, NULL), LS_EINVAL);
}

static void anything_else_is_refused(void **state) {
  (void)state;
  static const char *const texts[] = {"[1, 2]", "[1, 2, 3, 4]", "[1, 2, -3]", "[1, 2, 'x']", "3",
                                      "{}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double numbers[3];
    struct ls_error err = {0};
    assert_int_equal(read_list(texts[i], true, numbers, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "numbers"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_list_of_the_right_length_is_read),
      cmocka_unit_test(null_is_unknown_where_that_is_fine),
      cmocka_unit_test(anything_else_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
