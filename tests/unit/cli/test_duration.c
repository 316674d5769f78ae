#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/duration.h"

static void parts_are_added(void **state) {
  static const struct {
    const char *text;
    double seconds;
  } cases[] = {{"90", 90},          {"2.5", 2.5},    {"1e-3", 1e-3},
               {"2m", 120},         {"1h30m", 5400}, {"1d", 86400},
               {"1d2h3m4s", 93784}, {"0.5h", 1800},  {"30m1h", 5400},
               {"1.5m0.5s", 90.5},  {"0s", 0}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double seconds = -1;
    assert_true(ls_duration_parse(cases[i].text, &seconds));
    assert_true(seconds >= cases[i].seconds && seconds <= cases[i].seconds);
  }
}

static void what_is_none_is_refused_by_name(void **state) {
  static const char *const wrong[] = {"",      "m",    "1h30", "2x",  "1m 2s", "-1m", "1mm",
                                      "1..5m", "1e3m", "0x1m", " 2m", "2m ",   "nan", "2m30"};
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    struct ls_error err = {0};
    double seconds = 7;
    assert_int_equal(ls_duration_read_positive("--timeout", wrong[i], &seconds, &err), LS_EINVAL);
    assert_non_null(strstr(err.text, "--timeout is '"));
    assert_non_null(strstr(err.text, "expected seconds > 0, or a duration such as 2m"));
    assert_true(seconds == 7);
  }
}

static void limits_hold(void **state) {
  (void)state;
  struct ls_error err = {0};
  double seconds = 7;
  assert_int_equal(ls_duration_read_positive("--wait", "0", &seconds, NULL), LS_EINVAL);
  assert_int_equal(ls_duration_read_positive("--wait", "20000d", &seconds, NULL), LS_EINVAL);
  assert_int_equal(ls_duration_read("--slot", "2m", (struct ls_real_range){1, 100}, &seconds, &err),
                   LS_EINVAL);
  assert_non_null(strstr(err.text, "--slot is '2m', expected seconds from 1 to 100"));
  assert_true(seconds == 7);
  assert_int_equal(ls_duration_read("--slot", "1m", (struct ls_real_range){1, 100}, &seconds, &err),
                   LS_OK);
  assert_true(seconds == 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parts_are_added),
      cmocka_unit_test(what_is_none_is_refused_by_name),
      cmocka_unit_test(limits_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
