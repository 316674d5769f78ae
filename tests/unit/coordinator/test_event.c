/* Names of events stand in journals and traces. */
#include "harness.h"

static void events_are_named_as_in_the_design(void **state) {
  (void)state;
  assert_string_equal(ls_event_name(LS_EVENT_JOINED), "JOINED");
  assert_string_equal(ls_event_name(LS_EVENT_STOP), "STOP");
  for (int i = 0; i < LS_EVENT_COUNT; i++) {
    const char *name = ls_event_name((enum ls_event_kind)i);
    assert_non_null(name);
    for (const char *c = name; *c != '\0'; c++) assert_in_range(*c, 'A', 'Z');
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(name, ls_event_name((enum ls_event_kind)j));
    }
  }
}

static void reasons_are_words(void **state) {
  (void)state;
  for (int i = 0; i < LS_AWAY_COUNT; i++) {
    const char *name = ls_away_name((enum ls_away)i);
    assert_true(name[0] >= 'a' && name[0] <= 'z');
    for (int j = 0; j < i; j++) assert_string_not_equal(name, ls_away_name((enum ls_away)j));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reasons_are_words),
      cmocka_unit_test(events_are_named_as_in_the_design),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
