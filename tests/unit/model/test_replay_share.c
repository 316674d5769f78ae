#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>

#include "model/replay_private.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-12;
}

static void alone_a_transfer_takes_latency_and_work(void **state) {
  (void)state;
  struct ls_shared_transfer transfer = {.ready_s = 2, .latency_s = 1, .work_s = 4};
  assert_int_equal(ls_replay_share(&transfer, 1, 0.7, 0, NULL), LS_OK);
  assert_true(is_near(transfer.start_s, 2) && is_near(transfer.end_s, 7));
}

/* Full sharing: the second comes when the first has moved 2 of 4; both run at half rate until the
 * second's 1 is done at 4; the first has 1 left. */
static void two_share_while_both_move(void **state) {
  (void)state;
  struct ls_shared_transfer transfers[] = {{.ready_s = 0, .work_s = 4},
                                           {.worker = 1, .ready_s = 2, .work_s = 1}};
  assert_int_equal(ls_replay_share(transfers, 2, 1, 0, NULL), LS_OK);
  assert_true(is_near(transfers[1].end_s, 4));
  assert_true(is_near(transfers[0].end_s, 5));
}

static void latency_uses_no_bandwidth(void **state) {
  (void)state;
  struct ls_shared_transfer transfers[] = {{.work_s = 4},
                                           {.worker = 1, .latency_s = 10, .work_s = 1}};
  assert_int_equal(ls_replay_share(transfers, 2, 1, 0, NULL), LS_OK);
  assert_true(is_near(transfers[0].end_s, 4));
  assert_true(is_near(transfers[1].end_s, 11));
}

/* A place counts from the start, latency included. */
static void limit_holds_back_the_next(void **state) {
  (void)state;
  struct ls_shared_transfer transfers[] = {{.latency_s = 1, .work_s = 2},
                                           {.worker = 1, .work_s = 8},
                                           {.worker = 2, .work_s = 1},
                                           {.worker = 3, .ready_s = 1, .work_s = 0}};
  assert_int_equal(ls_replay_share(transfers, 4, 0, 2, NULL), LS_OK);
  assert_true(is_near(transfers[0].end_s, 3));
  assert_true(is_near(transfers[2].start_s, 3) && is_near(transfers[2].end_s, 4));
  assert_true(is_near(transfers[3].start_s, 4) && is_near(transfers[3].end_s, 4));
  assert_true(is_near(transfers[1].end_s, 8));
}

/* The second for worker 0 waits for its link, and worker 1 is served meanwhile. */
static void a_link_carries_one_at_a_time(void **state) {
  (void)state;
  struct ls_shared_transfer transfers[] = {
      {.work_s = 4}, {.work_s = 1}, {.work_s = 2}, {.worker = 1, .work_s = 3}};
  assert_int_equal(ls_replay_share(transfers, 4, 0, 0, NULL), LS_OK);
  assert_true(is_near(transfers[1].start_s, 4) && is_near(transfers[1].end_s, 5));
  assert_true(is_near(transfers[2].start_s, 5) && is_near(transfers[2].end_s, 7));
  assert_true(is_near(transfers[3].start_s, 0) && is_near(transfers[3].end_s, 3));
}

static void later_ones_never_start_before_earlier_ones(void **state) {
  (void)state;
  struct ls_shared_transfer transfers[] = {{.ready_s = 5, .work_s = 1},
                                           {.worker = 1, .ready_s = 0, .work_s = 1}};
  assert_int_equal(ls_replay_share(transfers, 2, 0, 0, NULL), LS_OK);
  assert_true(is_near(transfers[1].start_s, 5));
}

static void sharing_at_full_conserves_the_work(void **state) {
  (void)state;
  enum { COUNT = 500 };
  struct ls_shared_transfer transfers[COUNT];
  double work_s = 0, end_s = 0;
  for (int i = 0; i < COUNT; i++) {
    transfers[i] =
        (struct ls_shared_transfer){.worker = (uint32_t)i % 100, .work_s = 1 + (i * 7919) % 13};
    work_s += transfers[i].work_s;
  }
  assert_int_equal(ls_replay_share(transfers, COUNT, 1, 0, NULL), LS_OK);
  for (int i = 0; i < COUNT; i++) end_s = fmax(end_s, transfers[i].end_s);
  assert_true(fabs(end_s - work_s) < 1e-9 * work_s);
}

static void infinite_work_is_refused(void **state) {
  (void)state;
  struct ls_error err;
  const double infinity = (double)INFINITY;
  struct ls_shared_transfer bad[] = {
      {.work_s = infinity}, {.latency_s = infinity}, {.ready_s = infinity}};
  for (size_t i = 0; i < 3; i++) {
    assert_int_equal(ls_replay_share(&bad[i], 1, 0.5, 0, &err), LS_EINVAL);
    assert_string_equal(err.text, "a transfer takes no finite time");
  }
}

static void nothing_takes_no_time(void **state) {
  (void)state;
  assert_int_equal(ls_replay_share(NULL, 0, 1, 0, NULL), LS_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(alone_a_transfer_takes_latency_and_work),
      cmocka_unit_test(two_share_while_both_move),
      cmocka_unit_test(latency_uses_no_bandwidth),
      cmocka_unit_test(limit_holds_back_the_next),
      cmocka_unit_test(a_link_carries_one_at_a_time),
      cmocka_unit_test(later_ones_never_start_before_earlier_ones),
      cmocka_unit_test(sharing_at_full_conserves_the_work),
      cmocka_unit_test(infinite_work_is_refused),
      cmocka_unit_test(nothing_takes_no_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
