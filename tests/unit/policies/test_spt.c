/* Smallest first by true or declared times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "policies/ordering.h"

static void actual_times_go_before_declared_ones(void **state) {
  const double actual[] = {4, 1, 3, 1}, expected[] = {6, 7, 8, 9};
  const uint64_t by_actual[] = {1, 3, 2, 0}, by_expected[] = {0, 1, 2, 3};
  uint64_t order[4];
  struct ls_ordering_view view = {.units = 4, .actual = actual, .expected = expected};
  const struct ls_ordering *spt = ls_ordering_find("spt");
  (void)state;
  assert_int_equal(spt->arrange(order, &view, NULL), LS_OK);
  assert_memory_equal(order, by_actual, sizeof order);
  view.actual = NULL;
  assert_int_equal(spt->arrange(order, &view, NULL), LS_OK);
  assert_memory_equal(order, by_expected, sizeof order);
}

static void unknown_times_are_refused(void **state) {
  uint64_t order[4];
  struct ls_error err = {0};
  struct ls_ordering_view view = {.units = 4};
  (void)state;
  assert_int_equal(ls_ordering_find("spt")->arrange(order, &view, &err), LS_EINVAL);
  assert_non_null(strstr(err.text, "order spt"));
}

/* When the tasks of a list end on `workers` equal workers, in the mean. */
static double find_mean_end(const uint64_t *order, const double *seconds, size_t tasks,
                            size_t workers) {
  double free_s[4] = {0}, sum = 0;
  for (size_t i = 0; i < tasks; i++) {
    size_t first = 0;
    for (size_t k = 1; k < workers; k++)
      if (free_s[k] < free_s[first]) first = k;
    free_s[first] += seconds[order[i]];
    sum += free_s[first];
  }
  return sum / (double)tasks;
}

/* Smith 1956: no order has a smaller mean; here against a thousand that are drawn. */
static void no_order_has_a_smaller_mean_of_ends(void **state) {
  enum { TASKS = 12 };
  double seconds[TASKS];
  uint64_t order[TASKS], other[TASKS];
  struct ls_random random;
  (void)state;
  ls_random_init(&random, 1, "spt");
  for (size_t i = 0; i < TASKS; i++) seconds[i] = 0.1 + ls_random_real(&random);
  struct ls_ordering_view view = {.units = TASKS, .actual = seconds};
  assert_int_equal(ls_ordering_find("spt")->arrange(order, &view, NULL), LS_OK);
  for (size_t workers = 1; workers <= 4; workers++) {
    double least = find_mean_end(order, seconds, TASKS, workers);
    for (size_t i = 0; i < TASKS; i++) other[i] = i;
    for (int turn = 0; turn < 1000; turn++) {
      size_t a = ls_random_below(&random, TASKS), b = ls_random_below(&random, TASKS);
      uint64_t task = other[a];
      other[a] = other[b];
      other[b] = task;
      assert_true(find_mean_end(other, seconds, TASKS, workers) >= least * (1 - 1e-12));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(actual_times_go_before_declared_ones),
      cmocka_unit_test(unknown_times_are_refused),
      cmocka_unit_test(no_order_has_a_smaller_mean_of_ends),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
