#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"

static void blocks_are_zeroed_and_aligned(void **state) {
  struct ls_arena arena = {0};
  (void)state;
  for (size_t bytes = 1; bytes < 100; bytes++) {
    unsigned char *block = ls_arena_take(&arena, bytes);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % alignof(max_align_t), 0);
    for (size_t i = 0; i < bytes; i++) assert_int_equal(block[i], 0);
    memset(block, 0xff, bytes);
  }
  assert_int_equal(ls_arena_bytes(&arena), 99 * 100 / 2);
  ls_arena_close(&arena);
  assert_null(arena.first);
}

static void a_closed_arena_can_be_used_again(void **state) {
  struct ls_arena arena = {0};
  (void)state;
  ls_arena_close(&arena);
  assert_non_null(ls_arena_take(&arena, 8));
  ls_arena_close(&arena);
  assert_int_equal(ls_arena_bytes(&arena), 0);
}

/* Arrays that grow in any order do not touch each other, whichever blocks move. */
static void arrays_grow_beside_each_other(void **state) {
  enum { ARRAYS = 5 };
  struct ls_arena arena = {0};
  struct ls_random random;
  uint32_t *arrays[ARRAYS] = {NULL};
  size_t counts[ARRAYS] = {0};
  (void)state;
  ls_random_init(&random, 7, "arena");
  for (int step = 0; step < 2000; step++) {
    size_t i = ls_random_below(&random, ARRAYS);
    size_t count = counts[i] + ls_random_below(&random, 20) + 1;
    arrays[i] = ls_arena_array(&arena, arrays[i], count, sizeof *arrays[i]);
    assert_non_null(arrays[i]);
    for (size_t j = 0; j < count; j++)
      assert_int_equal(arrays[i][j], j < counts[i] ? 1000 * i + j : 0);
    for (size_t j = counts[i]; j < count; j++) arrays[i][j] = (uint32_t)(1000 * i + j);
    counts[i] = count;
  }
  ls_arena_close(&arena);
}

static void an_array_with_room_stays_where_it_is(void **state) {
  struct ls_arena arena = {0};
  (void)state;
  double *items = ls_arena_array(&arena, NULL, 10, sizeof *items);
  assert_ptr_equal(ls_arena_array(&arena, items, 3, sizeof *items), items);
  assert_ptr_equal(ls_arena_array(&arena, items, 10, sizeof *items), items);
  items = ls_arena_array(&arena, items, 11, sizeof *items);
  assert_int_equal(ls_arena_bytes(&arena), 15 * sizeof *items);
  ls_arena_close(&arena);
}

static void what_is_larger_than_memory_is_refused(void **state) {
  struct ls_arena arena = {0};
  (void)state;
  double *items = ls_arena_array(&arena, NULL, 2, sizeof *items);
  items[1] = 3;
  assert_null(ls_arena_take(&arena, SIZE_MAX));
  assert_null(ls_arena_array(&arena, items, SIZE_MAX / 2, sizeof *items));
  assert_null(ls_arena_array(&arena, NULL, SIZE_MAX / sizeof *items, sizeof *items));
  assert_true(items[1] > 2);
  assert_int_equal(ls_arena_bytes(&arena), 2 * sizeof *items);
  ls_arena_close(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_zeroed_and_aligned),
      cmocka_unit_test(a_closed_arena_can_be_used_again),
      cmocka_unit_test(arrays_grow_beside_each_other),
      cmocka_unit_test(an_array_with_room_stays_where_it_is),
      cmocka_unit_test(what_is_larger_than_memory_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
