#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/range_words.h"

static void units_are_counted_from_1(void **state) {
  (void)state;
  char words[LS_RANGE_WORDS_BYTES];
  assert_string_equal(ls_range_words((struct ls_range){0, 1}, words), "unit 1");
  assert_string_equal(ls_range_words((struct ls_range){2, 3}, words), "units 3 to 5");
  assert_string_equal(ls_range_words((struct ls_range){UINT64_MAX - 2, 2}, words),
                      "units 18446744073709551614 to 18446744073709551615");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(units_are_counted_from_1)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
