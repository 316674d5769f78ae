/* One iteration in the order of a policy. */
#include "study_fixture.h"

#include "lab/studies/batches.h"

enum { TASKS = 5 };
static const double seconds[TASKS] = {1, 2, 3, 4, 6};

static struct ls_list_schedule play(const char *name, const char *predictor,
                                    const struct ls_ordering_view *view) {
  struct ls_study_order order = {name, predictor};
  struct ls_list_schedule schedule = {0};
  struct ls_error err = {0};
  if (ls_study_batch(&order, view, 2, &schedule, &err) != LS_OK) fail_msg("%s", err.text);
  return schedule;
}

/* In the given order 1 3 6 and 2 4; largest first 6 2 and 4 3 1. */
static void the_order_makes_the_schedule(void **state) {
  (void)state;
  struct ls_ordering_view view = {.units = TASKS, .actual = seconds};
  struct ls_list_schedule given = play("fifo", NULL, &view), largest = play("lptf", NULL, &view);
  assert_true(fabs(given.makespan_s - 10) < 1e-12);
  assert_true(fabs(largest.makespan_s - 8) < 1e-12);
  assert_true(fabs(largest.efficiency - 1) < 1e-12);
  assert_true(fabs(given.useful_cost - 16) < 1e-12);
}

/* By the mean of both iterations the first four tasks are equal and the last one is shorter, so the
 * order is the given one; the last iteration tells the truth. */
static void the_predictor_makes_the_order(void **state) {
  (void)state;
  static const double before[2][TASKS] = {{11, 10, 9, 8, 0}, {1, 2, 3, 4, 6}};
  const struct ls_task_history_setup setup = {0};
  struct ls_task_history *history = NULL;
  assert_int_equal(ls_task_history_create(&setup, &history, NULL), LS_OK);
  assert_int_equal(ls_task_history_reserve(history, TASKS, NULL), LS_OK);
  for (size_t k = 0; k < 2; k++) {
    for (size_t i = 0; i < TASKS; i++) ls_task_history_observe(history, i, before[k][i]);
    ls_task_history_close_iteration(history);
  }
  struct ls_ordering_view view = {
      .units = TASKS, .iteration = 2, .actual = seconds, .history = history};
  assert_true(fabs(play("average", "last", &view).makespan_s - 8) < 1e-12);
  assert_true(fabs(play("average", "mean", &view).makespan_s - 10) < 1e-12);
  assert_true(fabs(play("average", NULL, &view).makespan_s - 10) < 1e-12);
  ls_task_history_destroy(history);
}

/* The faster of two takes 6, 3 and 1, the slower one 4 and 2, each twice as long. */
static void workers_may_have_speeds(void **state) {
  (void)state;
  static const double per_unit[] = {1, 2};
  uint32_t worker_of_task[TASKS];
  struct ls_ordering_view view = {.units = TASKS, .actual = seconds};
  struct ls_study_order order = {"lptf", NULL};
  struct ls_study_crew crew = {2, per_unit, worker_of_task};
  struct ls_list_schedule schedule;
  assert_int_equal(ls_study_batch_on(&order, &view, &crew, &schedule, NULL), LS_OK);
  static const uint32_t expected[TASKS] = {0, 1, 0, 1, 0};
  for (size_t i = 0; i < TASKS; i++) assert_int_equal(worker_of_task[i], expected[i]);
  assert_true(fabs(schedule.makespan_s - 12) < 1e-12);
}

static void what_does_not_exist_is_refused(void **state) {
  (void)state;
  struct ls_ordering_view view = {.units = TASKS, .actual = seconds};
  struct ls_list_schedule schedule;
  struct ls_error err = {0};
  struct ls_study_order order = {"longest", NULL};
  assert_int_equal(ls_study_batch(&order, &view, 2, &schedule, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "longest"));
  order = (struct ls_study_order){"average", "guess"};
  assert_int_equal(ls_study_batch(&order, &view, 2, &schedule, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "guess"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_makes_the_schedule),
      cmocka_unit_test(the_predictor_makes_the_order),
      cmocka_unit_test(workers_may_have_speeds),
      cmocka_unit_test(what_does_not_exist_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
