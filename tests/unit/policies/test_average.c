/* Random & Average: random first, then largest first by what was measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "policies/ordering.h"

enum { UNITS = 30 };

static void arrange(const char *name, struct ls_ordering_view *view, uint64_t *order) {
  const struct ls_ordering *ordering = ls_ordering_find(name);
  ls_arguments_init(&view->arguments, ordering->parameters);
  assert_int_equal(ordering->arrange(order, view, NULL), LS_OK);
}

static void the_first_iteration_is_random(void **state) {
  uint64_t average[UNITS], random[UNITS];
  struct ls_ordering_view view = {.units = UNITS, .seed = 5};
  (void)state;
  arrange("average", &view, average);
  arrange("random", &view, random);
  assert_memory_equal(average, random, sizeof random);
}

/* Without noise nothing is left to learn after one iteration. */
static void from_the_second_iteration_on_it_equals_lptf_without_noise(void **state) {
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {0};
  struct ls_random random;
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    double seconds[UNITS];
    uint64_t average[UNITS], lptf[UNITS];
    ls_random_init(&random, seed, "times");
    for (size_t i = 0; i < UNITS; i++) seconds[i] = (double)ls_random_below(&random, 40);
    assert_int_equal(ls_task_history_create(&setup, &history, NULL), LS_OK);
    assert_int_equal(ls_task_history_reserve(history, UNITS, NULL), LS_OK);
    struct ls_ordering_view view = {
        .units = UNITS, .seed = seed, .actual = seconds, .history = history};
    for (view.iteration = 1; view.iteration < 6; view.iteration++) {
      for (size_t i = 0; i < UNITS; i++) ls_task_history_observe(history, i, seconds[i]);
      ls_task_history_close_iteration(history);
      arrange("average", &view, average);
      arrange("lptf", &view, lptf);
      assert_memory_equal(average, lptf, sizeof lptf);
    }
    ls_task_history_destroy(history);
  }
}

/* What is unknown is treated as large. */
static void new_tasks_go_first(void **state) {
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {0};
  const uint64_t expected[] = {2, 4, 1, 3, 0};
  uint64_t order[5];
  (void)state;
  assert_int_equal(ls_task_history_create(&setup, &history, NULL), LS_OK);
  assert_int_equal(ls_task_history_reserve(history, 5, NULL), LS_OK);
  ls_task_history_observe(history, 0, 1);
  ls_task_history_observe(history, 1, 7);
  ls_task_history_observe(history, 3, 7);
  ls_task_history_close_iteration(history);
  struct ls_ordering_view view = {.units = 5, .iteration = 1, .history = history};
  arrange("average", &view, order);
  assert_memory_equal(order, expected, sizeof order);
  ls_task_history_destroy(history);
}

static void the_predictor_is_a_parameter(void **state) {
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {0};
  const struct ls_ordering *average = ls_ordering_find("average");
  const uint64_t by_mean[] = {0, 1}, by_last[] = {1, 0};
  uint64_t order[2];
  struct ls_error err = {0};
  (void)state;
  assert_int_equal(ls_task_history_create(&setup, &history, NULL), LS_OK);
  assert_int_equal(ls_task_history_reserve(history, 2, NULL), LS_OK);
  const double times[2][2] = {{9, 1}, {4, 5}};
  for (int k = 0; k < 2; k++) {
    for (uint64_t i = 0; i < 2; i++) ls_task_history_observe(history, i, times[k][i]);
    ls_task_history_close_iteration(history);
  }
  struct ls_ordering_view view = {.units = 2, .iteration = 2, .history = history};
  arrange("average", &view, order);
  assert_memory_equal(order, by_mean, sizeof order);
  assert_int_equal(
      ls_arguments_set(&view.arguments, average->parameters, "predictor", "last", &err), LS_OK);
  assert_int_equal(average->arrange(order, &view, NULL), LS_OK);
  assert_memory_equal(order, by_last, sizeof order);
  assert_int_equal(
      ls_arguments_set(&view.arguments, average->parameters, "predictor", "oracle", &err),
      LS_EINVAL);
  assert_non_null(strstr(err.text, "chosen"));
  ls_task_history_destroy(history);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_iteration_is_random),
      cmocka_unit_test(from_the_second_iteration_on_it_equals_lptf_without_noise),
      cmocka_unit_test(new_tasks_go_first),
      cmocka_unit_test(the_predictor_is_a_parameter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
