#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/execute/command_place.h"

static void commands_are_read_in_order_and_found_again(void **state) {
  (void)state;
  struct ls_bytes input = {0};
  struct ls_command command = {0};
  struct ls_command_place place = {0};
  for (int i = 0; i < 10; ++i) {
    char word[8];
    (void)snprintf(word, sizeof word, "c%d", i);
    const char *const argv[] = {word};
    ls_command_encode(argv, 1, NULL, &input);
  }
  static const uint64_t order[] = {20, 21, 25, 22, 29, 20};
  for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
    char expected[8];
    const struct ls_work work = {
        .units = {order[i], 1}, .packed = {20, 10}, .input = input.data, .length = input.length};
    (void)snprintf(expected, sizeof expected, "c%d", (int)(order[i] - 20));
    assert_int_equal(ls_command_place_seek(&place, &work, &command, NULL), LS_OK);
    struct ls_command_place copy = place;
    assert_int_equal(ls_command_place_read(&copy, &work, &command, NULL), LS_OK);
    assert_string_equal(command.argv[0], expected);
    assert_true(place.unit == order[i] && copy.unit == order[i] + 1);
  }
  ls_command_close(&command);
  ls_bytes_close(&input);
}

static void what_is_no_command_is_named_by_its_unit(void **state) {
  (void)state;
  struct ls_command command = {0};
  struct ls_command_place place = {0};
  struct ls_error err = {0};
  const struct ls_work work = {.units = {7, 1}, .packed = {5, 3}, .input = "\xc0\xc0", .length = 2};
  assert_int_equal(ls_command_place_seek(&place, &work, &command, &err), LS_ECORRUPT);
  assert_non_null(strstr(err.text, "command of unit 6"));
  assert_null(place.input);
  ls_command_close(&command);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(commands_are_read_in_order_and_found_again),
      cmocka_unit_test(what_is_no_command_is_named_by_its_unit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
