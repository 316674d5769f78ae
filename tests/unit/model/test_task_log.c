/* test_task_log.c: what the tasks of a run took. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/task_log.h"

static void add(struct ls_task_log *log, uint32_t iteration, uint64_t units, double seconds) {
  const struct ls_task_log_entry entry = {iteration, 3, units, seconds};
  ls_task_log_add(log, &entry);
}

static void entries_are_kept_in_order(void **state) {
  struct ls_task_log log = {.entries = NULL};
  (void)state;
  add(&log, 0, 2, 4);
  add(&log, 0, 1, 0);
  add(&log, 2, 5, 1);
  assert_int_equal(log.count, 3);
  assert_int_equal(log.units, 8);
  assert_int_equal(log.entries[2].iteration, 2);
  assert_int_equal(log.entries[2].slot, 3);
  assert_true(log.entries[0].seconds == 4);
  assert_false(log.is_short);
  ls_task_log_close(&log);
  assert_null(log.entries);
}

/* A late result of an earlier iteration, and what has no time, tells nothing. */
static void what_tells_nothing_is_no_entry(void **state) {
  struct ls_task_log log = {.entries = NULL};
  (void)state;
  add(&log, 1, 1, 1);
  add(&log, 0, 1, 1);
  add(&log, 1, 0, 1);
  add(&log, 1, 1, -1);
  add(&log, 1, 1, (double)NAN);
  add(&log, 1, 1, (double)INFINITY);
  assert_int_equal(log.count, 1);
  assert_false(log.is_short);
  ls_task_log_close(&log);
}

static void a_full_log_is_short(void **state) {
  struct ls_task_log log = {.entries = NULL};
  (void)state;
  add(&log, 0, LS_TASK_LOG_MOST - 1, 1);
  assert_false(log.is_short);
  add(&log, 0, 2, 1);
  assert_true(log.is_short);
  assert_int_equal(log.units, LS_TASK_LOG_MOST - 1);
  add(&log, 0, 1, 1);
  assert_int_equal(log.count, 1);
  ls_task_log_close(&log);
  add(&log, 0, UINT64_MAX, 1);
  assert_true(log.is_short);
  assert_int_equal(log.count, 0);
  ls_task_log_close(&log);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(entries_are_kept_in_order),
                                     cmocka_unit_test(what_tells_nothing_is_no_entry),
                                     cmocka_unit_test(a_full_log_is_short)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
