/* The self-adjusting number of workers: steps by hand, and rest on the generator's grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "policies/sizing.h"
#include "theory/workload.h"

enum { TASKS_MAX = 300 };

static size_t step(size_t wanted, size_t current, double seconds, double efficiency) {
  const double tasks[] = {5, 3, 3, 2, 1};
  struct ls_self_step step = {.wanted = wanted,
                              .current = current,
                              .iteration_seconds = seconds,
                              .efficiency = efficiency,
                              .slack = 0.15,
                              .efficiency_least = 0.8};
  assert_int_equal(ls_task_facts(tasks, 5, &step.tasks, NULL), LS_OK);
  return ls_sizing_self_step(&step);
}

static void missing_workers_make_a_coarse_step(void **state) {
  (void)state;
  assert_int_equal(step(7, 5, 6, 0.7), 4);
  assert_int_equal(step(5, 3, 9, 0.9), 4);
}

static void time_goes_before_efficiency(void **state) {
  (void)state;
  assert_int_equal(step(5, 5, 6.2, 0.7), 6);
  assert_int_equal(step(5, 5, 5.9, 0.7), 4);
  assert_int_equal(step(5, 5, 5.9, 0.8), 5);
  assert_int_equal(step(1, 1, 5.9, 0.1), 1);
}

/* An iteration of list scheduling, as a sizing sees it. */
static void play(const double *work, size_t tasks, struct ls_sizing_view *view) {
  uint64_t list[TASKS_MAX];
  struct ls_list_schedule schedule;
  assert_int_equal(ls_list_sort(work, tasks, list, NULL), LS_OK);
  struct ls_list_setup setup = {
      .work = work, .tasks = tasks, .list = list, .workers = view->wanted};
  assert_int_equal(ls_list_schedule(&setup, &schedule, NULL, NULL), LS_OK);
  view->iteration_seconds = schedule.makespan_s;
  view->efficiency = schedule.efficiency;
  view->current = view->wanted;
}

static size_t settle(const double *work, size_t tasks, bool is_literal, double *efficiency,
                     uint32_t *rest) {
  const struct ls_sizing *self = ls_sizing_find("self");
  struct ls_sizing_view view = {.is_start = 1, .units = tasks};
  size_t before = 0, earlier = 0;
  ls_arguments_init(&view.arguments, self->parameters);
  if (is_literal) {
    assert_int_equal(ls_arguments_set(&view.arguments, self->parameters, "literal", "1", NULL),
                     LS_OK);
  }
  assert_int_equal(ls_task_facts(work, tasks, &view.tasks, NULL), LS_OK);
  view.wanted = self->wanted(&view, tasks);
  assert_int_equal(view.wanted, tasks);
  view.is_start = 0;
  *rest = UINT32_MAX;
  for (view.iteration = 0; view.iteration < 40; view.iteration++) {
    play(work, tasks, &view);
    size_t wanted = self->wanted(&view, tasks);
    if (wanted == view.wanted && *rest == UINT32_MAX) *rest = view.iteration;
    /* Never to and fro between two numbers. */
    if (view.iteration > 1 && before != earlier)
      assert_false(wanted == before && earlier == view.wanted);
    earlier = before;
    before = view.wanted;
    view.wanted = wanted;
    *efficiency = view.efficiency;
  }
  return view.wanted;
}

static void it_comes_to_rest_on_the_whole_grid_with_good_efficiency(void **state) {
  const size_t sizes[] = {30, 50, 100, 150, 300};
  (void)state;
  for (size_t i = 0; i < 140; i++) {
    double work[TASKS_MAX], efficiency = 0;
    uint32_t rest;
    struct ls_workload workload = {sizes[i % 5], 30 + 10 * (double)(i / 5 % 7), i / 35 % 2, i / 70,
                                   100};
    assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
    size_t wanted = settle(work, workload.tasks, false, &efficiency, &rest);
    assert_true(rest < 40 && efficiency >= 0.8 - 1e-9);
    assert_true(wanted >= 1 && wanted <= workload.tasks);
  }
}

/* The literal figure lets one go at a time; the corrected one is near its rest at once. */
static void the_literal_rule_is_slow(void **state) {
  double work[50], efficiency;
  uint32_t literal, corrected;
  struct ls_workload workload = {50, 60, true, true, 100};
  (void)state;
  assert_int_equal(ls_workload_make(&workload, work, NULL), LS_OK);
  (void)settle(work, 50, true, &efficiency, &literal);
  (void)settle(work, 50, false, &efficiency, &corrected);
  assert_true(literal > 20 && corrected < 8);
}

static void a_changed_set_of_workers_decides_nothing(void **state) {
  const double tasks[] = {5, 3, 3, 2, 1};
  const struct ls_sizing *self = ls_sizing_find("self");
  struct ls_sizing_view view = {.iteration = 4,
                                .units = 9,
                                .wanted = 4,
                                .current = 4,
                                .iteration_seconds = 50,
                                .efficiency = 0.1,
                                .was_changed = true};
  (void)state;
  ls_arguments_init(&view.arguments, self->parameters);
  assert_int_equal(ls_task_facts(tasks, 5, &view.tasks, NULL), LS_OK);
  assert_int_equal(self->wanted(&view, 9), 4);
  view.was_changed = false;
  assert_int_equal(self->wanted(&view, 9), 5);
  assert_int_equal(self->wanted(&view, 4), 4);
}

/* What changed in the first iteration is its beginning: it is judged.  In a later one the number
 * stays, since its time is not that of so many workers. */
static void a_change_keeps_the_number_but_in_the_first_iteration(void **state) {
  (void)state;
  const double tasks[] = {5, 3, 3, 2, 1};
  const struct ls_sizing *self = ls_sizing_find("self");
  struct ls_sizing_view view = {
      .units = 5, .wanted = 5, .current = 5, .iteration_seconds = 9, .efficiency = 0.9};
  ls_arguments_init(&view.arguments, self->parameters);
  assert_int_equal(ls_task_facts(tasks, 5, &view.tasks, NULL), LS_OK);
  view.was_changed = true;
  assert_int_equal(self->wanted(&view, 5), 4); /* 14/5, rounded up, and one more */
  view.iteration = 1;
  assert_int_equal(self->wanted(&view, 5), 5);
  view.wanted = view.current = 4;
  assert_int_equal(self->wanted(&view, 5), 4);
  view.was_changed = false;
  assert_int_equal(self->wanted(&view, 5), 5); /* one more: 9 s are too long */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_workers_make_a_coarse_step),
      cmocka_unit_test(time_goes_before_efficiency),
      cmocka_unit_test(it_comes_to_rest_on_the_whole_grid_with_good_efficiency),
      cmocka_unit_test(the_literal_rule_is_slow),
      cmocka_unit_test(a_changed_set_of_workers_decides_nothing),
      cmocka_unit_test(a_change_keeps_the_number_but_in_the_first_iteration),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
