#include "pool_fixture.h"

static struct noted noted[3];
static struct ls_pool_choice choices[3];

/* Of 2, 3 and 4 slots. */
static struct ls_pools open_three(void) {
  struct ls_pools pools = {0};
  for (size_t i = 0; i < 3; ++i) {
    noted[i] = (struct noted){.file = 10 + (int)i, .patience_s = (double)INFINITY};
    choices[i] = (struct ls_pool_choice){&noted_kind, {.slots = 2 + i, .own = &noted[i]}};
  }
  assert_int_equal(ls_pools_count_slots(choices, 3), 9);
  assert_ptr_equal(ls_pools_find_kind(choices, 3, 1), &noted_kind);
  assert_ptr_equal(ls_pools_find_kind(choices, 3, 9), &noted_kind);
  assert_null(ls_pools_find_kind(choices, 3, 10));
  assert_int_equal(ls_pools_open(&pools, choices, 3, NULL), LS_OK);
  return pools;
}

static void slots_of_each_follow_those_before(void **state) {
  (void)state;
  struct ls_pools pools = open_three();
  assert_int_equal(pools.slots, 9);
  assert_int_equal(noted[0].first, 1);
  assert_int_equal(noted[1].first, 3);
  assert_int_equal(noted[2].first, 6);
  ls_pools_kill(&pools, 5);
  ls_pools_kill(&pools, 10);
  assert_false(ls_pools_has_lifeline(&pools, 5) || ls_pools_has_lifeline(&pools, 10));
  ls_pools_kill(&pools, 0);
  assert_int_equal(noted[1].killed, 5);
  assert_int_equal(noted[0].killed + noted[2].killed, 0);
  assert_int_equal(ls_pools_slot(&pools, &(struct ls_pool_claim){.pid = 3}), 3);
  assert_int_equal(ls_pools_slot(&pools, &(struct ls_pool_claim){.pid = 4}), 0);
  ls_pools_close(&pools, 0);
}

static void requests_go_where_there_is_room(void **state) {
  (void)state;
  struct ls_pools pools = open_three();
  noted[1].counts = (struct ls_pool_counts){.wanted = 1, .granted = 1};
  ls_pools_request(&pools, 4);
  assert_int_equal(noted[0].asked, 2);
  assert_int_equal(noted[1].asked, 1);
  assert_int_equal(noted[2].asked, 1);
  /* What nobody has room for is the last one's to refuse. */
  noted[0].counts.granted = 2;
  noted[1].counts.granted = 2;
  ls_pools_request(&pools, 100);
  assert_int_equal(noted[0].asked + noted[1].asked, 3);
  assert_int_equal(noted[2].asked, 101);
  ls_pools_close(&pools, 0);
}

static void each_has_its_turn_to_tell(void **state) {
  (void)state;
  struct ls_pools pools = open_three();
  struct ls_pool_news news;
  noted[2].news_count = 2;
  noted[0].news_count = 1;
  noted[0].news[0] = (struct ls_pool_news){.kind = LS_POOL_GRANTED, .slot = 1};
  noted[2].news[0] = noted[2].news[1] = (struct ls_pool_news){.kind = LS_POOL_LOST, .slot = 6};
  unsigned seen = 0;
  while (ls_pools_poll(&pools, &news)) seen += news.slot;
  assert_int_equal(seen, 13);
  ls_pools_close(&pools, 0);
}

static void time_and_files_are_those_of_all(void **state) {
  (void)state;
  struct ls_pools pools = open_three();
  assert_true(isinf(ls_pools_patience_s(&pools)));
  noted[1].file = -1;
  noted[1].patience_s = 0.25;
  noted[2].patience_s = 3;
  assert_true(ls_pools_patience_s(&pools) == 0.25);
  ls_pools_look_for_files(&pools);
  assert_int_equal(pools.files[0], 10);
  assert_int_equal(pools.files[1], -1);
  assert_int_equal(pools.files[2], 12);
  noted[0].counts = (struct ls_pool_counts){.wanted = 1, .granted = 2};
  noted[1].counts = (struct ls_pool_counts){.wanted = 3, .granted = 4, .why = "full"};
  noted[2].counts = (struct ls_pool_counts){.wanted = 5, .granted = 6, .why = "closed"};
  struct ls_pool_counts counts = ls_pools_counts(&pools);
  assert_true(ls_pools_is_pending(&pools));
  for (int i = 0; i < 3; i++) noted[i].counts.hindered = noted[i].counts.wanted;
  assert_false(ls_pools_is_pending(&pools));
  for (int i = 0; i < 3; i++) noted[i].counts.hindered = 0;
  assert_true(ls_pools_is_pending(&pools));
  for (int i = 0; i < 3; i++) noted[i].counts.wanted = 0;
  assert_false(ls_pools_is_pending(&pools));
  assert_int_equal(counts.wanted, 9);
  assert_int_equal(counts.granted, 12);
  assert_string_equal(counts.why, "full");
  ls_pools_close(&pools, 500);
  assert_true(noted[0].close_patience_s <= 500 && noted[0].close_patience_s > 400);
  assert_true(noted[2].close_patience_s <= noted[0].close_patience_s);
  assert_int_equal(pools.count, 0);
}

static void one_that_does_not_open_closes_the_others(void **state) {
  (void)state;
  struct ls_pools pools = open_three(), none = {0};
  ls_pools_close(&pools, 0);
  struct ls_error err;
  noted[2].does_fail = true;
  assert_int_equal(ls_pools_open(&none, choices, 3, &err), LS_EIO);
  assert_false(noted[0].is_open || noted[1].is_open);
  assert_int_equal(none.count, 0);
}

/* Whoever comes, comes by himself. */
static void no_pool_is_fine(void **state) {
  (void)state;
  struct ls_pools pools = {0};
  struct ls_pool_news news;
  assert_int_equal(ls_pools_open(&pools, NULL, 0, NULL), LS_OK);
  ls_pools_request(&pools, 3);
  ls_pools_look_for_files(&pools);
  assert_false(ls_pools_poll(&pools, &news));
  assert_true(isinf(ls_pools_patience_s(&pools)));
  assert_int_equal(ls_pools_slot(&pools, &(struct ls_pool_claim){.pid = 1}), 0);
  ls_pools_close(&pools, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slots_of_each_follow_those_before),
      cmocka_unit_test(requests_go_where_there_is_room),
      cmocka_unit_test(each_has_its_turn_to_tell),
      cmocka_unit_test(time_and_files_are_those_of_all),
      cmocka_unit_test(one_that_does_not_open_closes_the_others),
      cmocka_unit_test(no_pool_is_fine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
