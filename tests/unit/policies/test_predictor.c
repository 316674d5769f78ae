/* Predictors: what they say of constant, drifting and scaled series, and which one is chosen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "policies/predictor.h"

enum { TASKS = 12 };

static struct ls_task_history *open_history(size_t recent, double smoothing) {
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {recent, smoothing};
  assert_int_equal(ls_task_history_create(&setup, &history, NULL), LS_OK);
  assert_int_equal(ls_task_history_reserve(history, TASKS, NULL), LS_OK);
  return history;
}

static void observe_all(struct ls_task_history *history, const double *seconds, double factor) {
  for (uint64_t i = 0; i < TASKS; i++) ls_task_history_observe(history, i, factor * seconds[i]);
  ls_task_history_close_iteration(history);
}

static const double series[TASKS] = {3.1, 0.7, 9.3, 1e-3, 4.4, 4.4, 1e6, 2.2, 0.1, 5, 6, 7.7};

static void every_predictor_is_exact_for_constant_times(void **state) {
  struct ls_task_history *history = open_history(0, 0);
  (void)state;
  for (int i = 0; i < 12; i++) observe_all(history, series, 1);
  for (int kind = 0; kind <= LS_PREDICTOR_CHOSEN; kind++) {
    for (uint64_t i = 0; i < TASKS; i++) {
      double predicted = ls_task_history_predict(history, (enum ls_predictor_kind)kind, i);
      assert_true(fabs(predicted - series[i]) <= 1e-12 * series[i]);
    }
  }
  ls_task_history_destroy(history);
}

static double predict(const struct ls_task_history *history, enum ls_predictor_kind kind) {
  return ls_task_history_predict(history, kind, 0);
}

static void predictors_weigh_the_past_each_in_its_way(void **state) {
  struct ls_task_history *history = open_history(2, 0.5);
  const double times[] = {1, 2, 6, 10};
  (void)state;
  for (int i = 0; i < 4; i++) {
    ls_task_history_observe(history, 0, times[i]);
    ls_task_history_close_iteration(history);
  }
  assert_true(fabs(predict(history, LS_PREDICTOR_MEAN) - 4.75) < 1e-12);
  assert_true(fabs(predict(history, LS_PREDICTOR_LAST) - 10) < 1e-12);
  assert_true(fabs(predict(history, LS_PREDICTOR_MEAN_LAST) - 8) < 1e-12);
  /* 1, 1.5, 3.75, 6.875 */
  assert_true(fabs(predict(history, LS_PREDICTOR_SMOOTH) - 6.875) < 1e-12);
  ls_task_history_destroy(history);
}

/* All times doubled: the ranks still say who is large, at the new scale. */
static void ranks_follow_a_change_of_scale(void **state) {
  struct ls_task_history *history = open_history(0, 0);
  (void)state;
  for (int i = 0; i < 6; i++) observe_all(history, series, 1);
  observe_all(history, series, 2);
  for (uint64_t i = 0; i < TASKS; i++) {
    double predicted = ls_task_history_predict(history, LS_PREDICTOR_RANK, i);
    assert_true(fabs(predicted - 2 * series[i]) <= 1e-9 * series[i]);
  }
  ls_task_history_destroy(history);
}

static void nothing_is_known_of_tasks_that_never_ran(void **state) {
  struct ls_task_history *history = open_history(0, 0);
  (void)state;
  assert_true(ls_task_history_is_empty(history));
  assert_true(isnan(predict(history, LS_PREDICTOR_CHOSEN)));
  ls_task_history_observe(history, 3, 1);
  ls_task_history_observe(history, TASKS, 1);
  ls_task_history_observe(history, 4, (double)NAN);
  ls_task_history_observe(history, 5, -1);
  assert_true(ls_task_history_is_empty(history));
  ls_task_history_close_iteration(history);
  assert_false(ls_task_history_is_empty(history));
  for (uint64_t i = 0; i < TASKS + 2; i++) {
    bool is_known = !isnan(ls_task_history_predict(history, LS_PREDICTOR_MEAN, i));
    assert_true(is_known == (i == 3));
  }
  ls_task_history_destroy(history);
}

/* The mean is kept under noise; under a steep trend it is given up for one that follows. */
static void the_choice_follows_the_least_error(void **state) {
  struct ls_task_history *history = open_history(0, 0);
  struct ls_random random;
  double noisy[TASKS];
  (void)state;
  ls_random_init(&random, 3, "noise");
  assert_int_equal(ls_task_history_chosen(history), LS_PREDICTOR_MEAN);
  for (int k = 0; k < 30; k++) {
    for (size_t i = 0; i < TASKS; i++) {
      noisy[i] = series[i] * (0.7 + 0.6 * ls_random_real(&random));
    }
    observe_all(history, noisy, 1);
  }
  assert_int_not_equal(ls_task_history_chosen(history), LS_PREDICTOR_LAST);
  for (int k = 0; k < 15; k++) observe_all(history, series, pow(1.3, k));
  enum ls_predictor_kind chosen = ls_task_history_chosen(history);
  assert_true(chosen == LS_PREDICTOR_LAST || chosen == LS_PREDICTOR_RANK);
  assert_true(fabs(predict(history, LS_PREDICTOR_CHOSEN) - predict(history, chosen)) < 1e-12);
  ls_task_history_destroy(history);
}

static void more_tasks_may_come_later(void **state) {
  struct ls_task_history *history = open_history(0, 0);
  (void)state;
  observe_all(history, series, 1);
  assert_int_equal(ls_task_history_reserve(history, 100, NULL), LS_OK);
  ls_task_history_observe(history, 99, 8);
  ls_task_history_close_iteration(history);
  assert_true(fabs(ls_task_history_predict(history, LS_PREDICTOR_LAST, 99) - 8) < 1e-12);
  assert_true(fabs(predict(history, LS_PREDICTOR_MEAN) - series[0]) < 1e-12);
  ls_task_history_destroy(history);
}

static void impossible_setups_are_refused(void **state) {
  struct ls_task_history *history = NULL;
  struct ls_error err = {0};
  const struct ls_task_history_setup recent = {17, 0.3}, smoothing = {3, 1.5};
  (void)state;
  assert_int_equal(ls_task_history_create(&recent, &history, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "recent is 17"));
  assert_int_equal(ls_task_history_create(&smoothing, &history, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "smoothing is 1.5"));
  assert_null(history);
  ls_task_history_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_predictor_is_exact_for_constant_times),
      cmocka_unit_test(predictors_weigh_the_past_each_in_its_way),
      cmocka_unit_test(ranks_follow_a_change_of_scale),
      cmocka_unit_test(nothing_is_known_of_tasks_that_never_ran),
      cmocka_unit_test(the_choice_follows_the_least_error),
      cmocka_unit_test(more_tasks_may_come_later),
      cmocka_unit_test(impossible_setups_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
