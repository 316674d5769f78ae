#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/status.h"

static void failure_keeps_status_and_text(void **state) {
  (void)state;
  struct ls_error err;
  assert_int_equal(ls_fail(&err, LS_EIO, "cannot read %s: %d", "x", 5), LS_EIO);
  assert_int_equal(err.status, LS_EIO);
  assert_string_equal(err.text, "cannot read x: 5");
}

static void nobody_needs_to_listen(void **state) {
  (void)state;
  assert_int_equal(ls_fail(NULL, LS_EINVAL, "x"), LS_EINVAL);
  assert_int_equal(ls_fail_while(NULL, LS_EINVAL, "x"), LS_EINVAL);
}

static void context_goes_in_front(void **state) {
  (void)state;
  struct ls_error err;
  assert_int_equal(ls_fail(&err, LS_EINVAL, "units is 0"), LS_EINVAL);
  assert_int_equal(ls_fail_while(&err, LS_EINVAL, "reading %s", "p.json"), LS_EINVAL);
  assert_string_equal(err.text, "reading p.json: units is 0");
}

static void old_text_may_be_an_argument(void **state) {
  (void)state;
  struct ls_error err;
  (void)ls_fail(&err, LS_EINVAL, "inner");
  (void)ls_fail(&err, LS_EINVAL, "outer(%s)", err.text);
  assert_string_equal(err.text, "outer(inner)");
  (void)ls_fail_while(&err, LS_EINVAL, "again %s", err.text);
  assert_string_equal(err.text, "again outer(inner): outer(inner)");
}

static void long_texts_are_cut_visibly(void **state) {
  (void)state;
  char filler[2 * LS_ERROR_TEXT_BYTES];
  memset(filler, 'x', sizeof filler);
  filler[sizeof filler - 1] = '\0';
  struct ls_error err;
  (void)ls_fail(&err, LS_EINVAL, "%s", filler);
  assert_int_equal(strlen(err.text), LS_ERROR_TEXT_BYTES - 1);
  assert_string_equal(err.text + LS_ERROR_TEXT_BYTES - 4, "...");
  (void)ls_fail(&err, LS_EINVAL, "short");
  (void)ls_fail_while(&err, LS_EINVAL, "%s", filler);
  assert_int_equal(strlen(err.text), LS_ERROR_TEXT_BYTES - 1);
  assert_string_equal(err.text + LS_ERROR_TEXT_BYTES - 4, "...");
}

static void every_status_has_its_own_name(void **state) {
  (void)state;
  for (int i = 0; i < LS_STATUS_COUNT; i++) {
    const char *name = ls_status_name((enum ls_status)i);
    assert_non_null(name);
    for (int j = 0; j < i; j++) assert_string_not_equal(name, ls_status_name((enum ls_status)j));
  }
  assert_string_equal(ls_status_name((enum ls_status)99), "unknown status");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(failure_keeps_status_and_text),
      cmocka_unit_test(nobody_needs_to_listen),
      cmocka_unit_test(context_goes_in_front),
      cmocka_unit_test(old_text_may_be_an_argument),
      cmocka_unit_test(long_texts_are_cut_visibly),
      cmocka_unit_test(every_status_has_its_own_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
