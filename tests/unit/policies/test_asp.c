/* Sizing by achievable speedup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "policies/sizing.h"

static void the_last_times_decide(void **state) {
  const double tasks[] = {5, 3, 3, 2, 1}, speeds[] = {4, 1, 1, 1, 1, 1};
  const struct ls_sizing *asp = ls_sizing_find("asp");
  struct ls_sizing_view view = {.units = 5, .wanted = 5, .current = 5};
  (void)state;
  assert_int_equal(asp->wanted(&view, 9), 5); /* nothing measured: it stays */
  assert_int_equal(ls_task_facts(tasks, 5, &view.tasks, NULL), LS_OK);
  assert_int_equal(asp->wanted(&view, 9), 3); /* 14 / 5 */
  assert_int_equal(asp->wanted(&view, 2), 2);
  view.units = 1;
  assert_int_equal(asp->wanted(&view, 9), 1);
  view = (struct ls_sizing_view){
      .units = 9, .wanted = 6, .current = 6, .tasks = view.tasks, .speeds = speeds};
  assert_int_equal(asp->wanted(&view, 9), 6); /* 2.8 x 4 of 4 + 1 + 1 + ... */
  view = (struct ls_sizing_view){.is_start = 1, .units = 7};
  assert_int_equal(asp->wanted(&view, 9), 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_times_decide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
