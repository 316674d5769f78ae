/* The worker's queue and the rule of asking. */
#include "harness.h"

#include "coordinator/worker_side.h"

static void arrive(struct ls_worker_side *side, uint64_t chunk, uint64_t first, uint64_t count) {
  struct ls_job job = {.chunk = chunk, .units = {first, count}, .payload = 100 + chunk};
  assert_int_equal(ls_worker_side_arrive(side, &job), LS_OK);
}

static void one_request_is_outstanding(void **state) {
  (void)state;
  struct ls_worker_side side;
  ls_worker_side_init(&side, 2);
  assert_int_equal(ls_worker_side_ask(&side, false), 1);
  assert_int_equal(ls_worker_side_ask(&side, false), 0);
  assert_int_equal(ls_worker_side_ask(&side, true), 0);
  arrive(&side, 0, 0, 1);
  assert_int_equal(ls_worker_side_ask(&side, false), 1);
  arrive(&side, 1, 1, 1);
  assert_int_equal(ls_worker_side_ask(&side, false), 0); /* two wait */
  ls_worker_side_close(&side);
}

static void with_prefetch_it_asks_when_fewer_wait(void **state) {
  (void)state;
  for (uint64_t prefetch = 1; prefetch < 6; prefetch++) {
    for (uint64_t waiting = 0; waiting < 8; waiting++) {
      struct ls_worker_side side;
      ls_worker_side_init(&side, prefetch);
      if (waiting > 0) arrive(&side, 0, 0, waiting);
      assert_int_equal(ls_worker_side_ask(&side, false), waiting < prefetch ? 1 : 0);
      ls_worker_side_close(&side);
    }
  }
}

static void without_prefetch_it_asks_when_everything_is_finished(void **state) {
  (void)state;
  struct ls_worker_side side;
  struct ls_job job;
  ls_worker_side_init(&side, 0);
  arrive(&side, 0, 0, 2);
  assert_int_equal(ls_worker_side_ask(&side, false), 0);
  assert_true(ls_worker_side_take(&side, 9, &job));
  assert_int_equal(ls_worker_side_ask(&side, false), 0);
  ls_worker_side_end(&side);
  assert_int_equal(ls_worker_side_ask(&side, true), 1);
  ls_worker_side_close(&side);
}

static void a_batch_asks_for_all_the_room(void **state) {
  (void)state;
  struct ls_worker_side side;
  struct ls_job job;
  ls_worker_side_init(&side, 64);
  assert_int_equal(ls_worker_side_ask(&side, true), 65); /* one of them runs at once */
  arrive(&side, 0, 0, 10);
  assert_int_equal(ls_worker_side_ask(&side, true), 55);
  arrive(&side, 1, 10, 10);
  assert_true(ls_worker_side_take(&side, 1, &job));
  assert_int_equal(ls_worker_side_ask(&side, true), 45);
  ls_worker_side_close(&side);
}

static void units_run_in_the_order_of_arrival(void **state) {
  (void)state;
  struct ls_worker_side side;
  struct ls_job job;
  ls_worker_side_init(&side, 1);
  arrive(&side, 3, 30, 5);
  arrive(&side, 4, 10, 1);
  const struct ls_range expected[] = {{30, 2}, {32, 2}, {34, 1}, {10, 1}};
  for (size_t i = 0; i < 4; i++) {
    assert_true(ls_worker_side_take(&side, 2, &job));
    assert_int_equal(job.units.first, expected[i].first);
    assert_int_equal(job.units.count, expected[i].count);
    assert_int_equal(job.chunk, i < 3 ? 3 : 4);
    assert_int_equal(job.payload, 100 + job.chunk);
    ls_worker_side_end(&side);
  }
  assert_false(ls_worker_side_take(&side, 2, &job));
  assert_false(side.is_running);
  assert_int_equal(side.units_waiting, 0);
  ls_worker_side_close(&side);
}

/* The ring wraps and grows while it is wrapped. */
static void the_ring_keeps_the_order_however_it_grows(void **state) {
  (void)state;
  struct ls_worker_side side;
  struct ls_job job;
  ls_worker_side_init(&side, 1);
  uint64_t sent = 0, taken = 0;
  for (uint64_t round = 0; round < 40; round++) {
    for (uint64_t i = 0; i < 7; i++, sent++) arrive(&side, sent, sent, 1);
    for (uint64_t i = 0; i < 5; i++, taken++) {
      assert_true(ls_worker_side_take(&side, 3, &job));
      assert_int_equal(job.units.first, taken);
      ls_worker_side_end(&side);
    }
    assert_int_equal(side.units_waiting, sent - taken);
    assert_int_equal(side.count, sent - taken);
  }
  ls_worker_side_close(&side);
}

static uint64_t dropped_payloads[8];
static size_t dropped_count;

static void remember(void *context, uint64_t payload) {
  assert_ptr_equal(context, dropped_payloads);
  dropped_payloads[dropped_count++] = payload;
}

static void cancelling_removes_what_waits_of_a_chunk_only(void **state) {
  (void)state;
  struct ls_worker_side side;
  struct ls_job job;
  ls_worker_side_init(&side, 9);
  dropped_count = 0;
  arrive(&side, 1, 0, 3);
  arrive(&side, 2, 3, 2);
  arrive(&side, 1, 5, 4);
  arrive(&side, 3, 9, 1);
  assert_true(ls_worker_side_take(&side, 1, &job));
  assert_int_equal(ls_worker_side_cancel(&side, 1, remember, dropped_payloads), 6);
  assert_int_equal(dropped_count, 2);
  assert_int_equal(dropped_payloads[1], 101);
  assert_true(side.is_running);
  assert_int_equal(side.units_waiting, 3);
  assert_int_equal(ls_worker_side_cancel(&side, 1, remember, dropped_payloads), 0);
  assert_int_equal(ls_worker_side_cancel(&side, 3, NULL, NULL), 1);
  ls_worker_side_end(&side);
  assert_true(ls_worker_side_take(&side, 9, &job));
  assert_int_equal(job.chunk, 2);
  ls_worker_side_end(&side);
  assert_false(ls_worker_side_take(&side, 9, &job));
  ls_worker_side_close(&side);
}

static void cancelling_an_empty_queue_is_fine(void **state) {
  (void)state;
  struct ls_worker_side side;
  ls_worker_side_init(&side, 1);
  assert_int_equal(ls_worker_side_cancel(&side, 0, NULL, NULL), 0);
  ls_worker_side_close(&side);
  ls_worker_side_close(&side);
}

static void what_waits_can_be_seen_in_its_order(void **state) {
  (void)state;
  struct ls_worker_side side;
  ls_worker_side_init(&side, 4);
  assert_null(ls_worker_side_peek(&side, 0));
  struct ls_job job;
  /* Far enough that the ring has turned. */
  for (uint64_t i = 0; i < 20; i++) {
    arrive(&side, i, 10 * i, 1);
    arrive(&side, 100 + i, 10 * i + 5, 2);
    assert_int_equal(ls_worker_side_peek(&side, 0)->chunk, i);
    assert_int_equal(ls_worker_side_peek(&side, 1)->units.first, 10 * i + 5);
    assert_null(ls_worker_side_peek(&side, 2));
    for (int k = 0; k < 2; k++) {
      assert_true(ls_worker_side_take(&side, 9, &job));
      ls_worker_side_end(&side);
    }
  }
  ls_worker_side_close(&side);
}

static void a_released_worker_asks_no_more(void **state) {
  (void)state;
  struct ls_worker_side side;
  ls_worker_side_init(&side, 1);
  side.is_released = true;
  assert_int_equal(ls_worker_side_ask(&side, false), 0);
  assert_int_equal(ls_worker_side_ask(&side, true), 0);
  ls_worker_side_close(&side);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_request_is_outstanding),
      cmocka_unit_test(with_prefetch_it_asks_when_fewer_wait),
      cmocka_unit_test(without_prefetch_it_asks_when_everything_is_finished),
      cmocka_unit_test(a_batch_asks_for_all_the_room),
      cmocka_unit_test(units_run_in_the_order_of_arrival),
      cmocka_unit_test(the_ring_keeps_the_order_however_it_grows),
      cmocka_unit_test(cancelling_removes_what_waits_of_a_chunk_only),
      cmocka_unit_test(cancelling_an_empty_queue_is_fine),
      cmocka_unit_test(what_waits_can_be_seen_in_its_order),
      cmocka_unit_test(a_released_worker_asks_no_more),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
