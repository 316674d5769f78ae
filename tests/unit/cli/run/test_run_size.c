/* What a run says of the number of its workers, by its report. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/run_size.h"

static struct ls_master_worker workers[2];
static struct ls_master_report report;
static struct ls_run_size_facts facts;
static struct ls_run_size size;

/* Two workers in slots 1 and 3 of their pools, the second and the fifth of the coordinator; 20
 * tasks of a second by turns. */
static int set_up(void **state) {
  (void)state;
  workers[0] = (struct ls_master_worker){.number = 1, .slot = 1, .price_per_s = 1};
  workers[1] = (struct ls_master_worker){.number = 4, .slot = 3, .price_per_s = 1};
  report = (struct ls_master_report){.makespan_s = 10,
                                     .totals = {.done = 20, .grant_s = 0.5, .loss_rate = 1e-6},
                                     .has_begun = true,
                                     .workers = workers,
                                     .workers_count = 2};
  facts = (struct ls_run_size_facts){.seed = 1};
  size = (struct ls_run_size){.tasks = {.entries = NULL}};
  for (uint32_t i = 0; i < 20; i++)
    ls_task_log_add(&size.tasks, &(struct ls_task_log_entry){0, i % 2 == 0 ? 1 : 4, 1, 1});
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  ls_run_size_close(&size);
  return 0;
}

static void the_number_is_told_with_the_start_up(void **state) {
  (void)state;
  ls_run_size_make(&size, &report, &facts);
  assert_true(size.advice.is_known && !size.advice.has_prices);
  assert_true(size.advice.start_up_s == 0.5);
  assert_true(size.advice.asp > 19.9 && size.advice.asp < 20.1);
  assert_int_equal(size.advice.perfect, 20);
}

/* Named as the user knows them. */
static void the_cheapest_slots_are_told_by_their_numbers(void **state) {
  (void)state;
  workers[0].price_per_s = 100;
  workers[1].price_per_s = 2;
  workers[0].speed = workers[1].speed = 1;
  ls_task_log_close(&size.tasks);
  ls_task_log_add(&size.tasks, &(struct ls_task_log_entry){0, 1, 1, 4});
  ls_task_log_add(&size.tasks, &(struct ls_task_log_entry){0, 4, 1, 0.1});
  ls_run_size_make(&size, &report, &facts);
  assert_true(size.advice.has_prices);
  assert_int_equal(size.advice.cheapest_count, 1);
  assert_int_equal(size.advice.cheapest[0], 3);
}

/* Six iterations of a task of 3 s and three of 1 s, the longest of which always goes to the first.
 */
static void add_biased_tasks(void) {
  ls_task_log_close(&size.tasks);
  for (uint32_t k = 0; k < 6; k++) {
    ls_task_log_add(&size.tasks, &(struct ls_task_log_entry){k, 1, 1, 3});
    for (int i = 0; i < 3; i++)
      ls_task_log_add(&size.tasks, &(struct ls_task_log_entry){k, 4, 1, 1});
  }
}

static void the_longest_tasks_make_no_worker_slow(void **state) {
  (void)state;
  for (int is_known = 0; is_known < 2; is_known++) {
    facts.are_alike = is_known == 0;
    /* One is known, and the other one like it. */
    workers[0].speed = is_known;
    add_biased_tasks();
    ls_run_size_make(&size, &report, &facts);
    assert_int_equal(size.advice.perfect, 2);
    assert_true(size.advice.time_s >= 18);
    assert_float_equal(size.advice.asp, 2, 1e-9);
    ls_size_advice_close(&size.advice);
  }
}

/* By the whole run, not by the iteration that could use most workers. */
static void asp_is_that_of_all_iterations(void **state) {
  (void)state;
  facts.are_alike = true;
  ls_task_log_close(&size.tasks);
  for (int i = 0; i < 6; i++) ls_task_log_add(&size.tasks, &(struct ls_task_log_entry){0, 1, 1, 1});
  ls_task_log_add(&size.tasks, &(struct ls_task_log_entry){1, 4, 1, 3});
  ls_run_size_make(&size, &report, &facts);
  assert_float_equal(size.advice.asp, 9.0 / 4, 1e-9);
}

static void assert_silent(void) {
  ls_run_size_make(&size, &report, &facts);
  assert_false(size.advice.is_known);
}

/* Of a run that was stopped, has units left, was short or had one task. */
static void nothing_is_told_of_half_a_run(void **state) {
  (void)state;
  report.was_stopped = true;
  assert_silent();
  report.was_stopped = false;
  report.totals.waiting = 1;
  assert_silent();
  report.totals.waiting = 0;
  report.makespan_s = 0.9;
  assert_silent();
  report.makespan_s = 10;
  report.has_begun = false;
  assert_silent();
  report.has_begun = true;
  ls_task_log_close(&size.tasks);
  assert_silent();
  ls_task_log_add(&size.tasks, &(struct ls_task_log_entry){0, 1, 1, 1});
  assert_silent();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(the_number_is_told_with_the_start_up, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_cheapest_slots_are_told_by_their_numbers, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(the_longest_tasks_make_no_worker_slow, set_up, tear_down),
      cmocka_unit_test_setup_teardown(asp_is_that_of_all_iterations, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nothing_is_told_of_half_a_run, set_up, tear_down)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
