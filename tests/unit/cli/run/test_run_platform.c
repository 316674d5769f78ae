/* A run knows its workers' speeds, rooms and prices by slot, also when auto leaves some out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cli/run/run_platform.h"

static struct ls_run_policy choose(struct ls_run_options *options, uint64_t units) {
  struct ls_run_policy policy;
  struct ls_error err = {0};
  options->order = "fifo";
  if (ls_run_policy_choose(&policy, options, units, &err) != LS_OK) fail_msg("%s", err.text);
  return policy;
}

static void rooms_and_prices_are_those_of_the_slots(void **state) {
  (void)state;
  struct ls_run_options options = {
      .policy = "ss", .platform = "1x(compute=1x, room=7, window=0:3)+2x(compute=1x, cost=2.5)"};
  struct ls_run_policy policy = choose(&options, 10);
  assert_int_equal(policy.config.rooms_count, 3);
  assert_int_equal(policy.config.rooms[0].units, 7);
  assert_int_equal(policy.config.rooms[0].chunk_units, 3);
  assert_int_equal(policy.config.rooms[1].units, 0);
  assert_true(policy.prices[0] < 1.01 && policy.prices[0] > 0.99);
  assert_true(policy.prices[2] > 2.49 && policy.prices[2] < 2.51);
  ls_run_policy_close(&policy);
}

static void without_limits_there_are_no_rooms(void **state) {
  (void)state;
  struct ls_run_options options = {.policy = "ss", .platform = "3x(compute=1x)"};
  struct ls_run_policy policy = choose(&options, 10);
  assert_int_equal(policy.config.rooms_count, 0);
  assert_null(policy.config.rooms);
  ls_run_policy_close(&policy);
  options = (struct ls_run_options){.policy = "ss", .workers = 2};
  policy = choose(&options, 10);
  assert_null(policy.config.rooms);
  assert_null(policy.prices);
  ls_run_policy_close(&policy);
}

static void a_run_of_fewer_workers_has_the_first_ones(void **state) {
  (void)state;
  struct ls_run_options options = {
      .policy = "ss", .workers = 1, .platform = "1x(compute=1x, room=7)+2x(compute=1x, room=9)"};
  struct ls_run_policy policy = choose(&options, 10);
  assert_int_equal(policy.config.rooms_count, 1);
  assert_int_equal(policy.config.rooms[0].units, 7);
  ls_run_policy_close(&policy);
}

/* Four tasks on four fast workers: the slow one that stands first is of no use. */
static void who_is_left_keeps_room_and_price(void **state) {
  (void)state;
  struct ls_run_options options = {
      .policy = "auto",
      .prefetch = 1,
      .has_prefetch = true,
      .platform = "1x(compute=900x, room=2, cost=9)+4x(compute=100x, room=5, cost=3)"};
  struct ls_run_policy policy = choose(&options, 4);
  assert_int_equal(policy.config.workers, 4);
  assert_int_equal(policy.config.rooms_count, 4);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(policy.config.rooms[i].units, 5);
    assert_true(policy.prices[i] > 2.99 && policy.prices[i] < 3.01);
  }
  ls_run_policy_close(&policy);
}

static void a_worker_that_no_task_fits_is_refused(void **state) {
  (void)state;
  struct ls_run_options options = {
      .order = "fifo", .policy = "ss", .platform = "2x(compute=1x, room=0.5)"};
  struct ls_run_policy policy;
  struct ls_error err = {0};
  assert_int_equal(ls_run_policy_choose(&policy, &options, 100, &err), LS_EINVAL);
  assert_string_equal(err.text,
                      "--platform: worker 0: room is 0.5, must be at least 1 for whole units");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rooms_and_prices_are_those_of_the_slots),
      cmocka_unit_test(without_limits_there_are_no_rooms),
      cmocka_unit_test(a_run_of_fewer_workers_has_the_first_ones),
      cmocka_unit_test(who_is_left_keeps_room_and_price),
      cmocka_unit_test(a_worker_that_no_task_fits_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
