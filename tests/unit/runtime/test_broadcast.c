#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/worker/broadcast.h"

static enum ls_status add(struct ls_broadcast *broadcast, uint32_t iteration, uint64_t offset,
                          const char *text, uint64_t total) {
  return ls_broadcast_add(broadcast,
                          &(struct ls_message){.kind = LS_MESSAGE_BROADCAST,
                                               .iteration = iteration,
                                               .offset = offset,
                                               .total = total,
                                               .input = {text, strlen(text)}},
                          NULL);
}

static void pieces_become_a_whole(void **state) {
  (void)state;
  struct ls_broadcast broadcast = {0};
  assert_false(ls_broadcast_has(&broadcast, 0));
  assert_int_equal(add(&broadcast, 0, 0, "abc", 5), LS_OK);
  assert_false(ls_broadcast_has(&broadcast, 0));
  assert_int_equal(add(&broadcast, 0, 3, "de", 5), LS_OK);
  assert_true(ls_broadcast_has(&broadcast, 0));
  assert_string_equal(ls_bytes_text(&broadcast.bytes), "abcde");
  assert_int_equal(add(&broadcast, 7, 0, "next", 4), LS_OK);
  assert_true(ls_broadcast_has(&broadcast, 7));
  assert_false(ls_broadcast_has(&broadcast, 0));
  assert_string_equal(ls_bytes_text(&broadcast.bytes), "next");
  ls_broadcast_close(&broadcast);
}

static void nothing_can_be_broadcast_too(void **state) {
  (void)state;
  struct ls_broadcast broadcast = {0};
  assert_int_equal(add(&broadcast, 2, 0, "", 0), LS_OK);
  assert_true(ls_broadcast_has(&broadcast, 2));
  assert_int_equal(broadcast.bytes.length, 0);
  ls_broadcast_close(&broadcast);
}

/* After a cut the master says all of it again: units may read the first one meanwhile. */
static void one_that_is_whole_is_not_touched_again(void **state) {
  (void)state;
  struct ls_broadcast broadcast = {0};
  assert_int_equal(add(&broadcast, 1, 0, "whole", 5), LS_OK);
  assert_int_equal(add(&broadcast, 1, 0, "WH", 5), LS_OK);
  assert_int_equal(add(&broadcast, 1, 2, "OLE", 5), LS_OK);
  assert_string_equal(ls_bytes_text(&broadcast.bytes), "whole");
  ls_broadcast_close(&broadcast);
}

static void one_that_was_cut_begins_anew(void **state) {
  (void)state;
  struct ls_broadcast broadcast = {0};
  assert_int_equal(add(&broadcast, 1, 0, "who", 5), LS_OK);
  assert_int_equal(add(&broadcast, 1, 0, "whole", 5), LS_OK);
  assert_true(ls_broadcast_has(&broadcast, 1));
  assert_string_equal(ls_bytes_text(&broadcast.bytes), "whole");
  ls_broadcast_close(&broadcast);
}

static void pieces_that_no_master_sends_are_refused(void **state) {
  (void)state;
  struct ls_broadcast broadcast = {0};
  assert_int_equal(add(&broadcast, 1, 3, "late", 7), LS_ECORRUPT);
  assert_int_equal(add(&broadcast, 1, 0, "too long", 7), LS_ECORRUPT);
  assert_int_equal(add(&broadcast, 1, 0, "abc", 7), LS_OK);
  assert_int_equal(add(&broadcast, 1, 4, "gap", 7), LS_ECORRUPT);
  assert_int_equal(add(&broadcast, 1, 2, "overlap", 9), LS_ECORRUPT);
  assert_int_equal(add(&broadcast, 2, 3, "next", 7), LS_ECORRUPT);
  assert_int_equal(add(&broadcast, 0, 0, "back", 4), LS_ECORRUPT);
  assert_int_equal(add(&broadcast, 1, 3, "", 7), LS_ECORRUPT);
  assert_int_equal(add(&broadcast, 1, 3, "defg", 7), LS_OK);
  assert_string_equal(ls_bytes_text(&broadcast.bytes), "abcdefg");
  ls_broadcast_close(&broadcast);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_become_a_whole),
      cmocka_unit_test(nothing_can_be_broadcast_too),
      cmocka_unit_test(one_that_is_whole_is_not_touched_again),
      cmocka_unit_test(one_that_was_cut_begins_anew),
      cmocka_unit_test(pieces_that_no_master_sends_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
