/* Units and workers meet by names that become known in any order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "coordinator/books/needs.h"

static uint32_t find_lane(struct ls_needs *needs, const char *label) {
  uint32_t lane = 0;
  assert_int_equal(ls_needs_find_lane(needs, label, &lane, NULL), LS_OK);
  return lane;
}

static void labels_have_lanes_in_the_order_in_which_they_are_needed(void **state) {
  struct ls_needs needs = {0};
  (void)state;
  assert_int_equal(find_lane(&needs, "gpu"), 1);
  assert_int_equal(find_lane(&needs, "big"), 2);
  assert_int_equal(find_lane(&needs, "gpu"), 1);
  assert_int_equal(needs.count, 2);
  ls_needs_close(&needs);
}

static void who_comes_before_and_who_comes_behind_a_need_is_known(void **state) {
  struct ls_needs needs = {0};
  (void)state;
  assert_int_equal(ls_needs_add_slots(&needs, 3), LS_OK);
  assert_int_equal(ls_needs_tell(&needs, 1, "a,gpu"), LS_OK);
  uint32_t gpu = find_lane(&needs, "gpu"), big = find_lane(&needs, "big");
  assert_int_equal(ls_needs_tell(&needs, 2, "big"), LS_OK);
  static const bool gpus[] = {false, true, false}, bigs[] = {false, false, true};
  for (uint32_t i = 0; i < 3; i++) {
    assert_true(ls_needs_are_met(&needs, i, 0));
    assert_int_equal(ls_needs_are_met(&needs, i, gpu), gpus[i]);
    assert_int_equal(ls_needs_are_met(&needs, i, big), bigs[i]);
  }
  assert_false(ls_needs_are_met(&needs, 3, gpu));
  ls_needs_close(&needs);
}

static void the_next_worker_in_a_slot_has_its_own(void **state) {
  struct ls_needs needs = {0};
  (void)state;
  uint32_t gpu = find_lane(&needs, "gpu");
  assert_int_equal(ls_needs_add_slots(&needs, 1), LS_OK);
  assert_int_equal(ls_needs_tell(&needs, 0, "gpu"), LS_OK);
  assert_true(ls_needs_are_met(&needs, 0, gpu));
  assert_int_equal(ls_needs_tell(&needs, 0, "gpus"), LS_OK);
  assert_false(ls_needs_are_met(&needs, 0, gpu));
  assert_int_equal(ls_needs_tell(&needs, 0, NULL), LS_OK);
  assert_false(ls_needs_are_met(&needs, 0, gpu));
  ls_needs_close(&needs);
}

static void too_many_labels_and_bad_ones_are_refused(void **state) {
  struct ls_needs needs = {0};
  struct ls_error err;
  uint32_t lane;
  char label[16];
  (void)state;
  assert_int_equal(ls_needs_find_lane(&needs, "a b", &lane, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "label is 'a b', expected a label of"));
  assert_int_equal(ls_needs_add_slots(&needs, 1), LS_OK);
  assert_int_equal(ls_needs_tell(&needs, 0, "l62"), LS_OK);
  for (int i = 0; i < LS_NEEDS_MAX; i++) {
    (void)snprintf(label, sizeof label, "l%d", i);
    assert_int_equal(find_lane(&needs, label), i + 1);
  }
  assert_true(ls_needs_are_met(&needs, 0, LS_NEEDS_MAX));
  assert_int_equal(ls_needs_find_lane(&needs, "one-more", &lane, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "label is 'one-more', expected one of the 63"));
  ls_needs_close(&needs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_have_lanes_in_the_order_in_which_they_are_needed),
      cmocka_unit_test(who_comes_before_and_who_comes_behind_a_need_is_known),
      cmocka_unit_test(the_next_worker_in_a_slot_has_its_own),
      cmocka_unit_test(too_many_labels_and_bad_ones_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
