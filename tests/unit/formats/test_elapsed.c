#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "formats/elapsed.h"

static void times_are_seconds(void **state) {
  (void)state;
  const struct {
    const char *text;
    double seconds;
  } cases[] = {{"00:00:00", 0}, {"01:02:03", 3723}, {"100:00:00", 360000}, {"4-01:00:00", 349200},
               {"02:03", 123},  {"59:59", 3599},    {"90:00", 5400},       {"00:01.250", 1.25}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double seconds = -1;
    assert_true(ls_elapsed_read(cases[i].text, strlen(cases[i].text), &seconds));
    assert_true(fabs(seconds - cases[i].seconds) <= 0);
  }
}

static void other_words_are_none(void **state) {
  (void)state;
  static const char *const cases[] = {"",        "1",         "1-2:3",  "1:2:60", "1:60:0",
                                      "-1:2:3",  "1-2-3:4:5", "1:2:3 ", "a:b:c",  "1:2:3:4",
                                      "INVALID", "1:2.",      "1:2.x",  "1.5"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double seconds;
    assert_false(ls_elapsed_read(cases[i], strlen(cases[i]), &seconds));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_seconds),
      cmocka_unit_test(other_words_are_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
