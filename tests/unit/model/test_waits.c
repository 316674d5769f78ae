#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/random.h"
#include "model/waits.h"

static bool is_near(double a, double b) {
  return fabs(a - b) < 1e-9;
}

static void add(struct ls_timeline *timeline, bool is_work, uint32_t worker, double start_s,
                double seconds) {
  ls_timeline_add_span(
      timeline,
      &(struct ls_span){.resource = is_work ? LS_RESOURCE_WORKER : LS_RESOURCE_NETWORK,
                        .operation = is_work ? LS_OPERATION_COMPUTE : LS_OPERATION_TRANSFER,
                        .worker = worker,
                        .chunk = timeline->spans_count,
                        .units = 4,
                        .start_s = start_s,
                        .end_s = start_s + seconds});
}

static void open_timeline(struct ls_timeline *timeline, size_t workers, double makespan_s) {
  static const char *const names[] = {"a", "b", "c", "d"};
  ls_timeline_init(timeline);
  timeline->makespan_s = makespan_s;
  for (size_t i = 0; i < workers; i++)
    ls_timeline_add_worker(timeline, names[i], 0, (double)INFINITY);
}

static struct ls_waits take_waits(struct ls_timeline *timeline) {
  struct ls_account account;
  struct ls_waits waits;
  assert_int_equal(ls_timeline_finish(timeline, NULL), LS_OK);
  assert_int_equal(ls_account_of(timeline, NULL, &account, NULL), LS_OK);
  assert_int_equal(ls_waits_of(timeline, &account, &waits, NULL), LS_OK);
  double sum_s = waits.own_s + waits.port_s + waits.other_s;
  assert_true(
      is_near(sum_s, account.parts_s[LS_ACCOUNT_START_UP] + account.parts_s[LS_ACCOUNT_PORT_WAIT]));
  assert_true(waits.own_s >= 0 && waits.port_s >= 0 && waits.other_s >= 0);
  ls_timeline_close(timeline);
  return waits;
}

/* b waits 2 s for the port, 3 s for its own input, and 1 s for nothing that travels; a 2 s for its
 * own. */
static void a_wait_has_its_cause(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline, 2, 10);
  add(&timeline, false, 0, 0, 2);
  add(&timeline, false, 1, 2, 3);
  add(&timeline, true, 0, 2, 8);
  add(&timeline, true, 1, 6, 4);
  struct ls_waits waits = take_waits(&timeline);
  assert_true(waits.has_transfers);
  assert_true(is_near(waits.own_s, (2 + 3) / 2.0));
  assert_true(is_near(waits.port_s, 1));
  assert_true(is_near(waits.other_s, 0.5));
}

/* Its next input came while it worked: what travels to others keeps it from nothing. */
static void who_has_its_input_waits_for_something_else(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline, 2, 10);
  add(&timeline, false, 0, 0, 1);
  add(&timeline, false, 0, 1, 1);
  add(&timeline, false, 1, 2, 5);
  add(&timeline, true, 0, 1, 2);
  add(&timeline, true, 0, 6, 2);
  add(&timeline, true, 1, 7, 3);
  struct ls_waits waits = take_waits(&timeline);
  assert_true(is_near(waits.own_s, (1 + 5) / 2.0));
  assert_true(is_near(waits.port_s, 2 / 2.0));
  assert_true(is_near(waits.other_s, 3 / 2.0));
}

static void a_slow_link_has_a_name(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline, 3, 20);
  for (uint32_t i = 0; i < 3; i++) {
    add(&timeline, false, i, 0, i == 1 ? 10 : 2);
    add(&timeline, true, i, i == 1 ? 10 : 2, 5);
  }
  struct ls_waits waits = take_waits(&timeline);
  assert_true(waits.has_slow);
  assert_int_equal(waits.slow, 1);
  assert_true(is_near(waits.slow_rate, 0.2));
}

/* Inputs that travel together: twice as slow over one uplink, as fast as alone over separate ones.
 */
static void together_they_tell_the_uplink(void **state) {
  (void)state;
  for (int is_shared = 0; is_shared < 2; is_shared++) {
    struct ls_timeline timeline;
    open_timeline(&timeline, 4, 100);
    for (uint32_t i = 0; i < 24; i++) {
      double seconds = is_shared != 0 && i >= 12 ? 2 : 1;
      double start_s = i < 12 ? 2.0 * i : 24 + (double)(2 * ((i - 12) / 2));
      add(&timeline, false, i % 4, start_s, seconds);
    }
    for (uint32_t i = 0; i < 4; i++) add(&timeline, true, i, 60, 5);
    assert_int_equal(take_waits(&timeline).links, is_shared ? LS_LINKS_SHARED : LS_LINKS_SEPARATE);
  }
}

static void without_transfers_nothing_is_told(void **state) {
  (void)state;
  struct ls_timeline timeline;
  open_timeline(&timeline, 1, 3);
  add(&timeline, true, 0, 1, 2);
  struct ls_waits waits = take_waits(&timeline);
  assert_false(waits.has_transfers);
  assert_true(is_near(waits.other_s, 1));
}

/* The sum is checked by take_waits. */
static void the_causes_add_up(void **state) {
  (void)state;
  struct ls_random random;
  ls_random_init(&random, 1, "waits");
  for (int turn = 0; turn < 500; turn++) {
    struct ls_timeline timeline;
    open_timeline(&timeline, 4, 20);
    for (uint64_t i = ls_random_below(&random, 30); i > 0; i--) {
      uint32_t worker = (uint32_t)ls_random_below(&random, 4);
      add(&timeline, ls_random_below(&random, 2) != 0, worker, 20 * ls_random_real(&random),
          5 * ls_random_real(&random));
    }
    (void)take_waits(&timeline);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_wait_has_its_cause),
      cmocka_unit_test(who_has_its_input_waits_for_something_else),
      cmocka_unit_test(a_slow_link_has_a_name),
      cmocka_unit_test(together_they_tell_the_uplink),
      cmocka_unit_test(without_transfers_nothing_is_told),
      cmocka_unit_test(the_causes_add_up),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
