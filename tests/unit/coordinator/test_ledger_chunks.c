/* Chunks: one range needs no piece; many need no more memory than they did once. */
#include "books_fixture.h"

static void a_chunk_of_one_range_needs_no_piece(void **state) {
  struct ls_ledger ledger;
  struct ls_range taken, first = {0, 2};
  uint32_t chunk;
  (void)state;
  open_ledger(&ledger, 1000, 1, NULL);
  for (uint64_t i = 0; i < 1000; i += 4) {
    assert_int_equal(ls_ledger_send(&ledger, 0, 4, 0, &chunk), LS_OK);
    first.first = i;
    first.count = 2;
    assert_int_equal(ls_ledger_take(&ledger, chunk, &first, &taken), LS_OK);
    assert_int_equal(taken.count, 2);
    first.count = 4;
    assert_int_equal(ls_ledger_take(&ledger, chunk, &first, &taken), LS_OK);
    assert_int_equal(taken.first, i + 2);
    ls_ledger_settle(&ledger, &(struct ls_range){i, 4}, LS_OUTCOME_DONE);
  }
  assert_int_equal(ledger.pieces.capacity, 0);
  assert_int_equal(ledger.chunks_used, 1);
  assert_true(ls_ledger_is_settled(&ledger));
  ls_ledger_close(&ledger);
}

static void a_part_of_the_middle_leaves_both_ends(void **state) {
  struct ls_ledger ledger;
  struct ls_range taken, wanted = {3, 2};
  uint32_t chunk, cursor = LS_INDEX_NONE;
  (void)state;
  open_ledger(&ledger, 10, 1, NULL);
  assert_int_equal(ls_ledger_send(&ledger, 0, 10, 0, &chunk), LS_OK);
  assert_int_equal(ls_ledger_take(&ledger, chunk, &wanted, &taken), LS_OK);
  ls_ledger_settle(&ledger, &taken, LS_OUTCOME_DONE);
  struct ls_range range;
  assert_true(ls_ledger_next_range(&ledger, &ledger.chunks[chunk], &cursor, &range));
  assert_int_equal(range.count, 3);
  assert_true(ls_ledger_next_range(&ledger, &ledger.chunks[chunk], &cursor, &range));
  assert_int_equal(range.first, 5);
  assert_true(ls_ledger_is_sound(&ledger));
  /* What has left cannot leave again. */
  assert_int_equal(ls_ledger_take(&ledger, chunk, &wanted, &taken), LS_OK);
  assert_int_equal(taken.count, 0);
  ls_ledger_close(&ledger);
}

static void chunks_are_found_by_number_at_their_slot_only(void **state) {
  struct ls_ledger ledger;
  uint32_t chunks[6];
  struct ls_range all = {0, 100}, taken;
  (void)state;
  open_ledger(&ledger, 12, 2, NULL);
  for (uint32_t i = 0; i < 6; i++)
    assert_int_equal(ls_ledger_send(&ledger, i % 2, 2, 0, &chunks[i]), LS_OK);
  assert_int_equal(ls_ledger_take(&ledger, chunks[2], &all, &taken), LS_OK);
  ls_ledger_settle(&ledger, &taken, LS_OUTCOME_DONE);
  assert_int_equal(ls_ledger_find(&ledger, 0, 0), chunks[0]);
  assert_int_equal(ls_ledger_find(&ledger, 0, 2), LS_INDEX_NONE);
  assert_int_equal(ls_ledger_find(&ledger, 0, 4), chunks[4]);
  assert_int_equal(ls_ledger_find(&ledger, 0, 3), LS_INDEX_NONE);
  assert_int_equal(ls_ledger_find(&ledger, 1, 3), chunks[3]);
  assert_int_equal(ls_ledger_find(&ledger, 1, 99), LS_INDEX_NONE);
  ls_ledger_close(&ledger);
}

static void a_replica_is_at_two_slots_and_counts_once(void **state) {
  struct ls_ledger ledger;
  uint32_t original, replica;
  struct ls_range unit = {0, 1}, taken;
  (void)state;
  open_ledger(&ledger, 3, 2, NULL);
  assert_int_equal(ls_ledger_send(&ledger, 0, 3, 0, &original), LS_OK);
  assert_int_equal(ls_ledger_send_replica(&ledger, 1, 0, 0, &replica), LS_OK);
  assert_int_equal(ledger.sent, 3);
  assert_true(ls_ledger_is_sound(&ledger));
  assert_int_equal(ls_ledger_take(&ledger, replica, &unit, &taken), LS_OK);
  assert_int_equal(ledger.slots[1].chunks, 0);
  assert_int_equal(ledger.slots[0].units, 3);
  assert_true(ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

static void a_slot_may_be_used_ten_thousand_times(void **state) {
  struct ls_ledger ledger;
  struct ls_piece_list back;
  uint32_t chunk;
  (void)state;
  open_ledger(&ledger, 100, 2, NULL);
  for (int i = 0; i < 10000; i++) {
    assert_int_equal(ls_ledger_send(&ledger, 1, 7, 0, &chunk), LS_OK);
    ls_piece_list_init(&back);
    assert_int_equal(ls_ledger_withdraw(&ledger, 1, &back), LS_OK);
    ls_ledger_return(&ledger, &back);
  }
  assert_true(ledger.pieces.used <= 4);
  assert_int_equal(ledger.chunks_used, 1);
  assert_int_equal(ledger.slots_count, 2);
  ls_ledger_close(&ledger);
}

/* Whatever a worker has again stands where it was: chunks in the order of their numbers, each in
 * the order of its units, and what they cost goes by what they were. */
static void what_is_adopted_goes_to_its_place(void **state) {
  struct ls_ledger ledger;
  struct ls_piece_list back;
  uint32_t chunks[3], at;
  size_t ranges;
  (void)state;
  open_ledger(&ledger, 12, 1, NULL);
  for (int i = 0; i < 3; i++) assert_int_equal(ls_ledger_send(&ledger, 0, 3, 0, &chunks[i]), LS_OK);
  ls_piece_list_init(&back);
  assert_int_equal(ls_ledger_withdraw_waiting(&ledger, 0, &back), LS_OK);
  ls_ledger_return(&ledger, &back);
  const struct { uint64_t chunk, unit; } kept[] = {{2, 7}, {1, 3}, {0, 2}, {1, 5}};
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(ls_ledger_claim(&ledger, kept[i].unit), LS_OK);
    assert_int_equal(ls_ledger_adopt(&ledger, 0, kept[i].chunk, kept[i].unit, 5), LS_OK);
    assert_true(ls_ledger_is_sound(&ledger));
  }
  at = ledger.slots[0].first;
  for (uint64_t id = 0; id < 3; id++, at = ledger.chunks[at].next) {
    assert_int_equal(ledger.chunks[at].id, id);
    assert_int_equal(count_ranges(&ledger, at, &ranges), id == 2 ? 1 : 2);
  }
  assert_int_equal(at, LS_INDEX_NONE);
  at = ls_ledger_find(&ledger, 0, 0);
  assert_int_equal(ledger.chunks[at].range.first, 0);
  assert_int_equal(ledger.chunks[at].units_sent, 3);
  assert_true(ledger.chunks[at].sent_s == 0);
  assert_int_equal(ledger.chunks[ls_ledger_find(&ledger, 0, 1)].units_sent, 2);
  assert_int_equal(ledger.returned, 4);
  assert_int_equal(ls_ledger_send(&ledger, 0, 1, 6, &at), LS_OK);
  assert_int_equal(ledger.chunks[at].id, 3);
  ls_ledger_close(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chunk_of_one_range_needs_no_piece),
      cmocka_unit_test(a_part_of_the_middle_leaves_both_ends),
      cmocka_unit_test(chunks_are_found_by_number_at_their_slot_only),
      cmocka_unit_test(a_replica_is_at_two_slots_and_counts_once),
      cmocka_unit_test(what_is_adopted_goes_to_its_place),
      cmocka_unit_test(a_slot_may_be_used_ten_thousand_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
