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
  ls_arguments_init(&view.arguments, asp->parameters);
  assert_int_equal(asp->wanted(&view, 9), 5); /* nothing measured: it stays */
  assert_int_equal(ls_task_facts(tasks, 5, &view.tasks, NULL), LS_OK);
  assert_int_equal(asp->wanted(&view, 9), 3); /* 14 / 5 */
  assert_int_equal(asp->wanted(&view, 2), 2);
  view.units = 1;
  assert_int_equal(asp->wanted(&view, 9), 1);
  view = (struct ls_sizing_view){.units = 9,
                                 .wanted = 6,
                                 .current = 6,
                                 .tasks = view.tasks,
                                 .speeds = speeds,
                                 .arguments = view.arguments};
  assert_int_equal(asp->wanted(&view, 9), 6); /* 2.8 x 4 of 4 + 1 + 1 + ... */
  view = (struct ls_sizing_view){.is_start = 1, .units = 7};
  assert_int_equal(asp->wanted(&view, 9), 7);
}

/* Sleeping tasks of 1 to 6 shares, whose asp is 7, were measured with 0.1 ms of overhead each. */
static void overhead_of_measured_times_wants_no_worker(void **state) {
  const struct ls_sizing *asp = ls_sizing_find("asp");
  struct ls_sizing_view view = {.units = 28, .wanted = 28, .current = 28};
  (void)state;
  ls_arguments_init(&view.arguments, asp->parameters);
  view.tasks = (struct ls_task_facts){.tasks = 28, .asp = 11.2028 / 1.6001};
  assert_int_equal(asp->wanted(&view, 28), 7);
  view.tasks.asp = 7.1;
  assert_int_equal(asp->wanted(&view, 28), 8);
  view.tasks.asp = 7.0001;
  assert_int_equal(ls_arguments_set(&view.arguments, asp->parameters, "slack", "0", NULL), LS_OK);
  assert_int_equal(asp->wanted(&view, 28), 8); /* as published */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_last_times_decide),
      cmocka_unit_test(overhead_of_measured_times_wants_no_worker),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
