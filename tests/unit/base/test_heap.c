#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/heap.h"
#include "base/random.h"

static void empty_heap_gives_nothing(void **state) {
  (void)state;
  struct ls_heap heap = {0};
  struct ls_heap_item item;
  assert_false(ls_heap_pop(&heap, &item));
  assert_null(ls_heap_first(&heap));
  ls_heap_close(&heap);
}

static void equal_times_come_by_priority_then_by_age(void **state) {
  (void)state;
  struct ls_heap heap = {0};
  assert_int_equal(ls_heap_push(&heap, 1, 2, 10), LS_OK);
  assert_int_equal(ls_heap_push(&heap, 1, 1, 11), LS_OK);
  assert_int_equal(ls_heap_push(&heap, 1, 2, 12), LS_OK);
  assert_int_equal(ls_heap_push(&heap, 0.5, 9, 13), LS_OK);
  assert_int_equal(ls_heap_push(&heap, 1, 1, 14), LS_OK);
  const uint64_t expected[] = {13, 11, 14, 10, 12};
  struct ls_heap_item item;
  for (int i = 0; i < 5; i++) {
    assert_int_equal(ls_heap_first(&heap)->payload, expected[i]);
    assert_true(ls_heap_pop(&heap, &item));
    assert_int_equal(item.payload, expected[i]);
  }
  assert_false(ls_heap_pop(&heap, &item));
  ls_heap_close(&heap);
}

/* Pushes and pops in random turns; what comes out between two pushes is in order, and nothing is
 * lost or doubled. */
static void random_pushes_come_out_in_order(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 1, "heap");
  for (int round = 0; round < 50; round++) {
    struct ls_heap heap = {0};
    uint64_t count = 1 + ls_random_below(&random, 300);
    uint64_t payload_sum = 0;
    for (uint64_t i = 0; i < count; i++) {
      double time_s = (double)ls_random_below(&random, 20);
      uint32_t priority = (uint32_t)ls_random_below(&random, 3);
      assert_int_equal(ls_heap_push(&heap, time_s, priority, i), LS_OK);
    }
    struct ls_heap_item before = {.time_s = -1};
    struct ls_heap_item item;
    while (ls_heap_pop(&heap, &item)) {
      assert_true(item.time_s >= before.time_s);
      if (!(item.time_s > before.time_s)) {
        assert_true(item.rank > before.rank);
      }
      payload_sum += item.payload;
      before = item;
    }
    assert_int_equal(payload_sum, count * (count - 1) / 2);
    ls_heap_close(&heap);
  }
}

/* The hole that a pop leaves is filled by a push or by the next pop, whichever comes. */
static void pops_and_pushes_in_turns_keep_the_order(void **state) {
  (void)state;
  struct ls_random random;
  struct ls_heap heap = {0};
  struct ls_heap_item item = {0};
  ls_random_init(&random, 2, "turns");
  double now_s = 0;
  for (int turn = 0; turn < 20000; turn++) {
    if (heap.count > 0 && ls_random_below(&random, 2 + (heap.count < 40)) > 0) {
      double first_s = ls_heap_first(&heap)->time_s;
      assert_true(ls_heap_pop(&heap, &item));
      assert_false(item.time_s < first_s || item.time_s > first_s || item.time_s < now_s);
      now_s = item.time_s;
    } else {
      double time_s = now_s + (double)ls_random_below(&random, 5);
      assert_int_equal(ls_heap_push(&heap, time_s, 0, (uint64_t)turn), LS_OK);
    }
  }
  ls_heap_close(&heap);
}

/* Sequence numbers have 32 bits: what is in the heap when they are used up keeps its order. */
static void sequence_numbers_may_be_used_up(void **state) {
  (void)state;
  for (uint32_t before = 0; before < 12; before++) {
    struct ls_heap heap = {.next_sequence = UINT32_MAX - before};
    struct ls_heap_item item;
    for (uint64_t i = 0; i < 5; i++) assert_int_equal(ls_heap_push(&heap, 1, 1, i), LS_OK);
    assert_true(ls_heap_pop(&heap, &item));
    assert_int_equal(item.payload, 0);
    for (uint64_t i = 5; i < 10; i++) assert_int_equal(ls_heap_push(&heap, 1, 1, i), LS_OK);
    for (uint64_t i = 1; i < 10; i++) {
      assert_true(ls_heap_pop(&heap, &item));
      assert_int_equal(item.payload, i);
    }
    ls_heap_close(&heap);
  }
}

static void infinite_times_come_last(void **state) {
  (void)state;
  struct ls_heap heap = {0};
  assert_int_equal(ls_heap_push(&heap, (double)INFINITY, 0, 1), LS_OK);
  assert_int_equal(ls_heap_push(&heap, 1e300, 0, 2), LS_OK);
  assert_int_equal(ls_heap_first(&heap)->payload, 2);
  ls_heap_close(&heap);
}

static void delay_moves_all_times_and_keeps_the_order(void **state) {
  (void)state;
  struct ls_heap heap = {0};
  struct ls_heap_item item;
  for (uint64_t i = 0; i < 8; i++)
    assert_int_equal(ls_heap_push(&heap, (double)(i * 5 % 8), 0, i), LS_OK);
  assert_true(ls_heap_pop(&heap, &item));
  ls_heap_delay(&heap, 10);
  for (int time = 1; time < 8; time++) {
    assert_true(ls_heap_pop(&heap, &item));
    assert_true(item.time_s == 10 + time);
  }
  assert_false(ls_heap_pop(&heap, &item));
  ls_heap_close(&heap);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(empty_heap_gives_nothing),
      cmocka_unit_test(equal_times_come_by_priority_then_by_age),
      cmocka_unit_test(random_pushes_come_out_in_order),
      cmocka_unit_test(pops_and_pushes_in_turns_keep_the_order),
      cmocka_unit_test(sequence_numbers_may_be_used_up),
      cmocka_unit_test(infinite_times_come_last),
      cmocka_unit_test(delay_moves_all_times_and_keeps_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
