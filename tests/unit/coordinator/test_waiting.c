/* Which units go first: what came back, then the order of the iteration. */
#include "harness.h"

static void units_go_in_their_order(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 7);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+3");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 3+3");
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 6+1");
  rig_close(&rig);
}

static void a_policy_that_says_too_much_is_clipped(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(UINT64_MAX);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 7);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 0+7");
  rig_close(&rig);
}

static void lost_units_go_first_and_in_their_original_order(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 20);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 0, 0, 1);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  hearing.size = 4;
  /* 1 of chunk 0, 4 and 5 of chunk 2, then new ones. */
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 3: 1+1 4+3");
  rig_close(&rig);
}

/* What came back later stands before what came back earlier. */
static void the_last_loss_goes_first(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(2);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 3, 20);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  rig_worker(&rig, LS_EVENT_LOST, 1);
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 2: 2+2");
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 3: 0+2");
  assert_string_equal(rig_ready(&rig, 2), "send worker 2 chunk 4: 4+2");
  rig_close(&rig);
}

static void a_returned_range_may_be_handed_out_in_parts(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(10);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 12);
  rig_ready(&rig, 0);
  rig_worker(&rig, LS_EVENT_LOST, 0);
  hearing.size = 3;
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 0+3");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 2: 3+3");
  hearing.size = 100;
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 3: 6+6");
  rig_close(&rig);
}

static void an_order_is_followed_and_neighbours_are_joined(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(3);
  config.ordering = &backwards;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 8);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 0: 7+1 6+1 5+1");
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 1: 4+1 3+1 2+1");
  rig_worker(&rig, LS_EVENT_LOST, 0);
  assert_string_equal(rig_ready(&rig, 1), "send worker 1 chunk 2: 7+1 6+1 5+1");
  rig_close(&rig);
}

/* Joined pieces: 5, 6 and 7 come back one by one, last first, and leave as one range. */
static void returned_neighbours_leave_as_one_range(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(8);
  config.retries = 9;
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 8);
  rig_ready(&rig, 0);
  for (uint64_t unit = 7; unit >= 5; unit--) {
    rig_result(&rig, 0, 0, (struct ls_range){unit, 1}, LS_OUTCOME_FAILED);
  }
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 1: 5+3");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(units_go_in_their_order),
      cmocka_unit_test(a_policy_that_says_too_much_is_clipped),
      cmocka_unit_test(lost_units_go_first_and_in_their_original_order),
      cmocka_unit_test(the_last_loss_goes_first),
      cmocka_unit_test(a_returned_range_may_be_handed_out_in_parts),
      cmocka_unit_test(an_order_is_followed_and_neighbours_are_joined),
      cmocka_unit_test(returned_neighbours_leave_as_one_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
