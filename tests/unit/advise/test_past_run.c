#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "advise/past_run.h"

static void a_slot_tells_of_its_worker_once_it_did_enough(void **state) {
  (void)state;
  struct ls_run_slot slots[] = {{5, 10}, {4, 40}, {9, 0}, {6, 3}};
  struct ls_run_history history = {.mean_seconds = 7, .slots = slots, .slots_count = 4};
  assert_true(ls_run_history_tells(&history, 0));
  assert_float_equal(ls_run_history_slot(&history, 0), 2, 0);
  /* Too few units; no time at all; no such slot. */
  for (size_t slot = 1; slot < 6; slot++) {
    if (slot == 3) continue;
    assert_false(ls_run_history_tells(&history, slot));
    assert_float_equal(ls_run_history_slot(&history, slot), 7, 0);
  }
  assert_float_equal(ls_run_history_slot(&history, 3), 0.5, 0);
}

static void closing_leaves_nothing(void **state) {
  (void)state;
  struct ls_run_history history = {.lessons = calloc(1, sizeof *history.lessons),
                                   .slots = calloc(1, sizeof *history.slots),
                                   .shares = calloc(1, sizeof *history.shares)};
  ls_run_history_close(&history);
  assert_null(history.lessons);
  ls_run_history_close(&history);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_slot_tells_of_its_worker_once_it_did_enough),
      cmocka_unit_test(closing_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
