#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

#include "policies/ordering.h"

static void every_order_is_found_by_its_name(void **state) {
  (void)state;
  size_t count = 0;
  for (; ls_orderings[count] != NULL; count++) {
    assert_ptr_equal(ls_ordering_find(ls_orderings[count]->name), ls_orderings[count]);
    assert_true(strlen(ls_orderings[count]->summary) > 0);
    assert_true(strlen(ls_orderings[count]->reference) > 0);
  }
  assert_true(count >= 2);
  assert_non_null(ls_ordering_find("fifo"));
  assert_non_null(ls_ordering_find("random"));
}

static void an_unknown_order_is_not_found(void **state) {
  (void)state;
  assert_null(ls_ordering_find("lifo"));
  assert_null(ls_ordering_find(""));
}

static void every_order_is_a_permutation(void **state) {
  (void)state;
  uint64_t order[97];
  double seconds[97];
  struct ls_task_history *history = NULL;
  const struct ls_task_history_setup setup = {0};
  assert_int_equal(ls_task_history_create(&setup, &history, NULL), LS_OK);
  assert_int_equal(ls_task_history_reserve(history, 97, NULL), LS_OK);
  for (uint64_t i = 0; i < 97; i++) {
    seconds[i] = (double)(i * 31 % 17);
    if (i % 3 > 0) ls_task_history_observe(history, i, seconds[i]);
  }
  ls_task_history_close_iteration(history);
  for (size_t i = 0; ls_orderings[i] != NULL; i++) {
    if (ls_orderings[i]->arrange == NULL) continue;
    for (uint64_t units = 0; units <= 97; units++) {
      bool is_seen[97] = {false};
      struct ls_ordering_view view = {.units = units,
                                      .iteration = 3,
                                      .seed = 42,
                                      .expected = seconds,
                                      .actual = seconds,
                                      .history = history};
      ls_arguments_init(&view.arguments, ls_orderings[i]->parameters);
      assert_int_equal(ls_orderings[i]->arrange(order, &view, NULL), LS_OK);
      for (uint64_t k = 0; k < units; k++) {
        assert_true(order[k] < units);
        assert_false(is_seen[order[k]]);
        is_seen[order[k]] = true;
      }
    }
  }
  ls_task_history_destroy(history);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_order_is_found_by_its_name),
      cmocka_unit_test(an_unknown_order_is_not_found),
      cmocka_unit_test(every_order_is_a_permutation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
