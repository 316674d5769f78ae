#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/array.h"

static void growing_keeps_what_was_there(void **state) {
  (void)state;
  int *numbers = NULL;
  size_t capacity = 0;
  for (int i = 0; i < 1000; i++) {
    void *items = numbers;
    assert_int_equal(ls_array_reserve(&items, &capacity, (size_t)i + 1, sizeof *numbers), LS_OK);
    numbers = items;
    assert_true(capacity > (size_t)i);
    numbers[i] = i;
  }
  for (int i = 0; i < 1000; i++) assert_int_equal(numbers[i], i);
  free(numbers);
}

static void growing_is_rare(void **state) {
  (void)state;
  void *items = NULL;
  size_t capacity = 0;
  int moves = 0;
  for (size_t needed = 1; needed <= 100000; needed++) {
    size_t before = capacity;
    assert_int_equal(ls_array_reserve(&items, &capacity, needed, 1), LS_OK);
    moves += capacity != before;
  }
  assert_true(moves < 40);
  free(items);
}

static void overflow_is_refused_and_changes_nothing(void **state) {
  (void)state;
  void *items = NULL;
  size_t capacity = 0;
  assert_int_equal(ls_array_reserve(&items, &capacity, SIZE_MAX / 2, 16), LS_ENOMEM);
  assert_int_equal(ls_array_reserve(&items, &capacity, SIZE_MAX, 1), LS_ENOMEM);
  assert_null(items);
  assert_int_equal(capacity, 0);
}

static void enough_room_moves_nothing(void **state) {
  (void)state;
  void *items = NULL;
  size_t capacity = 0;
  assert_int_equal(ls_array_reserve(&items, &capacity, 100, 4), LS_OK);
  void *before = items;
  assert_int_equal(ls_array_reserve(&items, &capacity, 50, 4), LS_OK);
  assert_ptr_equal(items, before);
  free(items);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(growing_keeps_what_was_there),
      cmocka_unit_test(growing_is_rare),
      cmocka_unit_test(overflow_is_refused_and_changes_nothing),
      cmocka_unit_test(enough_room_moves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
