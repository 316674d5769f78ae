/* Live chunks: numbered in the order of the decisions, found in any order of the results. */
#include "harness.h"

static void results_in_any_order_find_their_chunk(void **state) {
  (void)state;
  const uint64_t orders[][5] = {{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}, {3, 1, 2, 4, 0}};
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    struct ls_coordinator_config config = rig_config(2);
    struct rig rig;
    rig_open(&rig, &config);
    rig_start(&rig, 1, 20);
    rig_step(&rig, (struct ls_event){.kind = LS_EVENT_READY, .units.count = 10});
    for (size_t j = 0; j < 5; j++) {
      rig_done(&rig, 0, orders[i][j], 2 * orders[i][j], 2);
      assert_int_equal(rig_totals(&rig).done, 2 * (j + 1));
    }
    assert_int_equal(rig_totals(&rig).results_dropped, 0);
    rig_close(&rig);
  }
}

static void a_chunk_number_is_never_used_again(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 1, 2);
  rig_ready(&rig, 0);
  rig_done(&rig, 0, 0, 0, 1);
  rig_ready(&rig, 0);
  assert_string_equal(rig_done(&rig, 0, 1, 1, 1),
                      "settle worker 0 chunk 1: 1+1 done; iteration done 0");
  rig_iteration(&rig, 1);
  assert_string_equal(rig_ready(&rig, 0), "send worker 0 chunk 2: 0+1");
  assert_int_equal(rig_totals(&rig).chunks, 3);
  rig_close(&rig);
}

static void a_chunk_of_another_worker_is_not_found(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_ready(&rig, 0);
  assert_string_equal(rig_done(&rig, 0, 1, 1, 1), "");
  assert_string_equal(rig_done(&rig, 1, 0, 0, 1), "");
  assert_string_equal(rig_done(&rig, 1, 2, 2, 1), "");
  assert_int_equal(rig_totals(&rig).results_dropped, 3);
  rig_close(&rig);
}

static void a_chunk_is_cancelled_once(void **state) {
  (void)state;
  struct ls_coordinator_config config = rig_config(1);
  struct rig rig;
  rig_open(&rig, &config);
  rig_start(&rig, 2, 9);
  rig_ready(&rig, 0);
  rig_ready(&rig, 1);
  rig_ready(&rig, 0);
  struct ls_event stop = {.kind = LS_EVENT_STOP, .is_hard = true};
  assert_string_equal(rig_step(&rig, stop),
                      "cancel worker 0 chunk 0; cancel worker 0 chunk 2; cancel worker 1 chunk 1");
  assert_string_equal(rig_step(&rig, stop), "");
  rig_close(&rig);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_in_any_order_find_their_chunk),
      cmocka_unit_test(a_chunk_number_is_never_used_again),
      cmocka_unit_test(a_chunk_of_another_worker_is_not_found),
      cmocka_unit_test(a_chunk_is_cancelled_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
