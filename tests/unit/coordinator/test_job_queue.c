/* test_job_queue.c: what waits at a worker, in its order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "coordinator/job_queue.h"

static void push(struct ls_job_queue *queue, uint64_t chunk, uint64_t first, uint64_t count) {
  assert_int_equal(ls_job_queue_reserve(queue, 1), LS_OK);
  struct ls_job job = {
      .chunk = chunk, .units = {first, count}, .payload = 100 + chunk, .is_first = true};
  ls_job_queue_push(queue, &job);
}

static void units_leave_in_the_order_of_arrival(void **state) {
  (void)state;
  struct ls_job_queue queue = {0};
  push(&queue, 3, 30, 5);
  push(&queue, 4, 10, 1);
  assert_int_equal(queue.units, 6);
  const struct ls_range expected[] = {{30, 2}, {32, 2}, {34, 1}, {10, 1}};
  for (size_t i = 0; i < 4; i++) {
    struct ls_job job;
    ls_job_queue_take(&queue, 2, &job);
    assert_int_equal(job.units.first, expected[i].first);
    assert_int_equal(job.units.count, expected[i].count);
    assert_int_equal(job.chunk, i < 3 ? 3 : 4);
    assert_int_equal(job.payload, 100 + job.chunk);
    assert_int_equal(job.is_first, i == 0 || i == 3);
  }
  assert_int_equal(queue.count + queue.units, 0);
  ls_job_queue_close(&queue);
}

/* The ring wraps and grows while it is wrapped. */
static void the_ring_keeps_the_order_however_it_grows(void **state) {
  (void)state;
  struct ls_job_queue queue = {0};
  uint64_t sent = 0, taken = 0;
  for (uint64_t round = 0; round < 40; round++) {
    for (uint64_t i = 0; i < 7; i++, sent++) push(&queue, sent, sent, 1);
    for (uint64_t i = 0; i < 5; i++, taken++) {
      struct ls_job job;
      ls_job_queue_take(&queue, 3, &job);
      assert_int_equal(job.units.first, taken);
    }
    assert_int_equal(queue.units, sent - taken);
    assert_int_equal(queue.count, sent - taken);
    for (size_t i = 0; i < queue.count; i++)
      assert_int_equal(ls_job_queue_at(&queue, i)->units.first, taken + i);
    assert_null(ls_job_queue_at(&queue, queue.count));
  }
  ls_job_queue_close(&queue);
}

/* Also where the ring begins at its first place. */
static void what_is_put_back_is_taken_next(void **state) {
  (void)state;
  struct ls_job_queue queue = {0};
  struct ls_job job;
  push(&queue, 3, 30, 5);
  push(&queue, 4, 10, 2);
  for (int round = 0; round < 3; round++) {
    ls_job_queue_take(&queue, UINT64_MAX, &job);
    assert_int_equal(job.units.count, 5 - round);
    struct ls_job rest = job;
    rest.units.first++;
    rest.units.count--;
    assert_int_equal(ls_job_queue_reserve(&queue, 1), LS_OK);
    ls_job_queue_put_back(&queue, &rest);
    assert_int_equal(queue.units, rest.units.count + 2);
    assert_int_equal(ls_job_queue_at(&queue, 0)->units.first, 31 + round);
    assert_false(ls_job_queue_at(&queue, 0)->is_first);
    assert_int_equal(ls_job_queue_at(&queue, 1)->chunk, 4);
  }
  ls_job_queue_close(&queue);
}

static void only_the_jobs_of_the_chunk_are_removed(void **state) {
  (void)state;
  struct ls_job_queue queue = {0};
  /* Far enough that the ring has turned. */
  for (uint64_t i = 0; i < 3; i++) {
    struct ls_job job;
    push(&queue, 9, i, 1);
    ls_job_queue_take(&queue, 1, &job);
  }
  push(&queue, 1, 0, 3);
  push(&queue, 2, 3, 2);
  push(&queue, 1, 5, 4);
  ls_job_queue_remove(&queue, 1);
  assert_int_equal(queue.count, 1);
  assert_int_equal(queue.units, 2);
  assert_int_equal(ls_job_queue_at(&queue, 0)->chunk, 2);
  ls_job_queue_remove(&queue, 7);
  assert_int_equal(queue.units, 2);
  ls_job_queue_clear(&queue);
  assert_null(ls_job_queue_at(&queue, 0));
  assert_int_equal(queue.units, 0);
  ls_job_queue_close(&queue);
}

static void room_for_more_than_memory_holds_is_refused(void **state) {
  (void)state;
  struct ls_job_queue queue = {0};
  push(&queue, 1, 0, 3);
  assert_int_equal(ls_job_queue_reserve(&queue, SIZE_MAX), LS_ENOMEM);
  assert_int_equal(ls_job_queue_reserve(&queue, SIZE_MAX / sizeof(struct ls_job)), LS_ENOMEM);
  assert_int_equal(queue.units, 3);
  ls_job_queue_close(&queue);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_leave_in_the_order_of_arrival),
      cmocka_unit_test(the_ring_keeps_the_order_however_it_grows),
      cmocka_unit_test(what_is_put_back_is_taken_next),
      cmocka_unit_test(only_the_jobs_of_the_chunk_are_removed),
      cmocka_unit_test(room_for_more_than_memory_holds_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
