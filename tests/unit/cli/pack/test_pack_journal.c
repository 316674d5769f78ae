#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../support/journal_of_chunks.h"
#include "cli/pack/pack_journal.h"

/* This one has no inputs: its units have numbers. The last of them failed. */
static void units_are_tasks(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  struct ls_error err = {0};
  if (ls_pack_journal_read(&times, journal_path, &err) != LS_OK) fail_msg("%s", err.text);
  assert_int_equal(times.count, 36);
  assert_int_equal(times.failed, 1);
  assert_int_equal(times.items[35].count, 0);
  assert_true(fabs(times.items[0].mean_s - 0.11) < 1e-9);
  assert_true(fabs(times.items[2].mean_s - 0.1) < 1e-9);
  for (size_t i = 0; i < times.count; i++)
    assert_int_equal(strncmp(ls_task_times_name(&times, i), "unit ", 5), 0);
  ls_task_times_close(&times);
}

static void what_is_no_journal_is_refused(void **state) {
  (void)state;
  struct ls_task_times times = {.items = NULL};
  struct ls_error err = {0};
  assert_int_equal(ls_pack_journal_read(&times, "/no/such/journal", &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "/no/such/journal"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_are_tasks),
      cmocka_unit_test(what_is_no_journal_is_refused),
  };
  return cmocka_run_group_tests(tests, make_journal, remove_journal);
}
