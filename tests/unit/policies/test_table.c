/* The static table: its columns, and the rule around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include "policies/sizing.h"
#include "theory/workload.h"

static struct ls_task_facts measure(double share, bool differ) {
  double work[50];
  struct ls_task_facts facts;
  struct ls_workload workload = {50, share, differ, true, 100};
  assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
  assert_int_equal(ls_task_facts(work, 50, &facts, NULL), LS_OK);
  return facts;
}

/* heymann2001, table 4-2. */
static void measured_loads_find_their_column(void **state) {
  const size_t similar[] = {30, 24, 20, 17, 15, 13, 11}, different[] = {20, 14, 11, 9, 8, 7, 6};
  size_t column;
  (void)state;
  /* At 30 % the largest small tasks outgrow the small large ones, and the share that is measured is
   * that of another group: the table is entered at what is measured. */
  for (size_t i = 1; i < 7; i++) {
    struct ls_task_facts facts = measure(30 + 10 * (double)i, true);
    assert_int_equal(ls_sizing_table_workers(&facts, 50, &column), different[i]);
    facts = measure(30 + 10 * (double)i, false);
    assert_int_equal(ls_sizing_table_workers(&facts, 50, &column), similar[i]);
  }
  struct ls_task_facts single = {.tasks = 1, .share_percent = 100};
  assert_int_equal(ls_sizing_table_workers(&single, 1, &column), 1);
}

static size_t want(struct ls_sizing_view *view) {
  return view->wanted = ls_sizing_find("table")->wanted(view, 50);
}

static void one_less_below_the_efficiency_and_back_when_it_was_slower(void **state) {
  struct ls_sizing_memory memory = {0};
  struct ls_sizing_view view = {
      .units = 50, .wanted = 50, .efficiency = 0.5, .iteration_seconds = 10, .memory = &memory};
  (void)state;
  view.tasks = measure(60, true);
  assert_int_equal(want(&view), 9);
  view.current = 9;
  assert_int_equal(want(&view), 8);
  view.current = 8;
  view.iteration_seconds = 10.5;
  assert_int_equal(want(&view), 9);
  /* Good efficiency: it stays, and never above the table. */
  view.current = 9;
  view.efficiency = 0.9;
  assert_int_equal(want(&view), 9);
}

static void much_slower_iterations_bring_the_table_back(void **state) {
  struct ls_sizing_memory memory = {0};
  struct ls_sizing_view view = {
      .units = 50, .wanted = 50, .efficiency = 0.5, .iteration_seconds = 10, .memory = &memory};
  (void)state;
  view.tasks = measure(60, true);
  assert_int_equal(want(&view), 9);
  for (size_t wanted = 8; wanted >= 6; wanted--) {
    view.current = view.wanted;
    assert_int_equal(want(&view), wanted);
  }
  view.current = 6;
  view.iteration_seconds = 11.5;
  assert_int_equal(want(&view), 9);
}

static void another_column_starts_anew(void **state) {
  struct ls_sizing_memory memory = {0};
  struct ls_sizing_view view = {
      .units = 50, .wanted = 50, .efficiency = 0.5, .iteration_seconds = 10, .memory = &memory};
  (void)state;
  view.tasks = measure(60, true);
  assert_int_equal(want(&view), 9);
  view.current = 9;
  assert_int_equal(want(&view), 8);
  view.tasks = measure(80, true);
  assert_int_equal(want(&view), 7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measured_loads_find_their_column),
      cmocka_unit_test(one_less_below_the_efficiency_and_back_when_it_was_slower),
      cmocka_unit_test(much_slower_iterations_bring_the_table_back),
      cmocka_unit_test(another_column_starts_anew),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
