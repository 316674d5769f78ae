/* Why there are not more workers, in a sentence. */
#include "pool_fixture.h"

#include "runtime/pool/shortage.h"

static void say_little(const struct ls_pool *pool, bool has_times, struct ls_bytes *out) {
  (void)pool;
  ls_bytes_append_text(out, has_times ? "4 pending since 0:10" : "4 pending");
}

static void expect(const struct ls_pools *pools, bool has_times, const char *expected) {
  struct ls_coordinator_totals totals = {.workers_wanted = 32, .workers_present = 20};
  struct ls_bytes out = {0};
  ls_shortage_write(&totals, pools, has_times, &out);
  assert_string_equal(ls_bytes_text(&out), expected);
  ls_bytes_close(&out);
}

static void each_pool_has_its_say(void **state) {
  (void)state;
  struct noted noted[3] = {{.counts = {.why = "there is room for 2"}}, {.file = 0}, {.file = 0}};
  struct ls_pool_kind plain = noted_kind, talker = noted_kind;
  talker.explain = say_little;
  struct ls_pools_item items[] = {{&plain, (struct ls_pool *)&noted[0], 1, 2},
                                  {&plain, (struct ls_pool *)&noted[1], 3, 2},
                                  {&talker, (struct ls_pool *)&noted[2], 5, 2}};
  struct ls_pools pools = {.items = items, .count = 3};
  expect(&pools, true, "32 wanted: 20 work, there is room for 2, 4 pending since 0:10");
  expect(&pools, false, "32 wanted: 20 work, there is room for 2, 4 pending");
  pools.count = 0;
  expect(&pools, true, "32 wanted: 20 work");
}

static void a_task_that_nobody_has_time_for_is_named(void **state) {
  (void)state;
  const struct ls_pools none = {.count = 0};
  struct ls_coordinator_totals totals = {
      .workers_wanted = 2, .workers_present = 2, .expired_s = 58, .lacking_s = 116};
  struct ls_bytes out = {0};
  ls_shortage_write(&totals, &none, true, &out);
  assert_string_equal(ls_bytes_text(&out),
                      "2 wanted: 2 work; a task ran 58 s when its worker's time was over, and "
                      "no worker has the 116 s left that it needs");
  ls_bytes_close(&out);
}

static void an_absent_worker_does_not_work(void **state) {
  (void)state;
  const struct ls_pools none = {.count = 0};
  struct ls_coordinator_totals totals = {
      .workers_wanted = 4, .workers_present = 4, .workers_suspended = 3, .workers_unheard = 2};
  struct ls_bytes out = {0};
  ls_shortage_write(&totals, &none, true, &out);
  assert_string_equal(ls_bytes_text(&out), "4 wanted: 1 work, 2 cut off or silent");
  ls_bytes_close(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_pool_has_its_say),
                                     cmocka_unit_test(an_absent_worker_does_not_work),
                                     cmocka_unit_test(a_task_that_nobody_has_time_for_is_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
