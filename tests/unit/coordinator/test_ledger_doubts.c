/* Units that a worker may have wait behind all others, until it says what it has. */
#include "books_fixture.h"

enum { UNITS = 12 };

/* Slot 0 has 0 to 3, slot 1 has 4 to 6; in the order of the iteration five more wait. */
static void open_two(struct ls_ledger *ledger) {
  uint32_t chunk;
  open_ledger(ledger, UNITS, 3, NULL);
  assert_int_equal(ls_ledger_send(ledger, 0, 4, 0, &chunk), LS_OK);
  assert_int_equal(ls_ledger_send(ledger, 1, 3, 0, &chunk), LS_OK);
}

/* The slot's worker is away, with all it has or all but the unit that runs. */
static void doubt(struct ls_ledger *ledger, uint32_t slot, bool is_running_kept) {
  struct ls_piece_list list;
  ls_piece_list_init(&list);
  assert_int_equal(is_running_kept ? ls_ledger_withdraw_waiting(ledger, slot, &list)
                                   : ls_ledger_withdraw(ledger, slot, &list),
                   LS_OK);
  assert_int_equal(ls_ledger_doubt(ledger, slot, &list), LS_OK);
  assert_int_equal(list.count, 0);
  assert_true(ls_ledger_is_sound(ledger));
}

/* The units that wait, in the order of sending. */
static void assert_waiting(const struct ls_ledger *ledger, const uint64_t *expected, size_t count) {
  struct ls_waiting_walk walk = ls_ledger_walk_begin(ledger);
  uint64_t unit;
  assert_int_equal(ledger->waiting.units, count);
  for (size_t i = 0; i < count; i++) {
    assert_true(ls_ledger_walk(ledger, &walk, &unit));
    assert_int_equal(unit, expected[i]);
  }
  assert_false(ls_ledger_walk(ledger, &walk, &unit));
  if (count > 0) assert_int_equal(ls_ledger_peek(ledger), expected[0]);
}

static void send_all(struct ls_ledger *ledger, const uint64_t *expected, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uint32_t chunk;
    assert_int_equal(ls_ledger_send(ledger, 2, 1, 0, &chunk), LS_OK);
    assert_int_equal(ledger->chunks[chunk].range.first, expected[i]);
    assert_true(ls_ledger_is_sound(ledger));
  }
  assert_int_equal(ledger->waiting.units, 0);
}

static void what_a_worker_may_have_goes_last(void **state) {
  static const uint64_t expected[] = {7, 8, 9, 10, 11, 5, 6, 0, 1, 2, 3};
  struct ls_ledger ledger;
  (void)state;
  open_two(&ledger);
  doubt(&ledger, 1, true);
  doubt(&ledger, 0, false);
  assert_int_equal(ls_ledger_count_sure(&ledger), 5);
  assert_int_equal(ls_ledger_count_back(&ledger), 6);
  assert_int_equal(ls_ledger_peek_last(&ledger), 11);
  assert_int_equal(ledger.returned, 6);
  assert_waiting(&ledger, expected, 11);
  send_all(&ledger, expected, 11);
  assert_int_equal(ls_ledger_count_sure(&ledger), 0);
  ls_ledger_close(&ledger);
}

static void what_ran_goes_before_what_waited_behind_it(void **state) {
  static const uint64_t expected[] = {7, 8, 9, 10, 11, 4, 5, 6};
  struct ls_ledger ledger;
  (void)state;
  open_two(&ledger);
  doubt(&ledger, 1, true);
  doubt(&ledger, 1, false);
  assert_waiting(&ledger, expected, 8);
  ls_ledger_close(&ledger);
}

/* One chunk of what came back, what nobody had, and what two workers may have. */
static void a_chunk_may_reach_into_doubt(void **state) {
  struct ls_ledger ledger;
  struct ls_piece_list back;
  uint32_t chunk;
  size_t ranges;
  (void)state;
  open_two(&ledger);
  doubt(&ledger, 1, false);
  ls_piece_list_init(&back);
  assert_int_equal(ls_ledger_withdraw(&ledger, 0, &back), LS_OK);
  ls_ledger_return(&ledger, &back);
  assert_int_equal(ls_ledger_send(&ledger, 2, 11, 0, &chunk), LS_OK);
  assert_int_equal(count_ranges(&ledger, chunk, &ranges), 11);
  assert_int_equal(ranges, 3);
  assert_int_equal(ls_ledger_peek(&ledger), 6);
  assert_int_equal(ls_ledger_peek_last(&ledger), 6);
  assert_true(ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

static void who_has_nothing_is_trusted_in_front(void **state) {
  static const uint64_t expected[] = {4, 5, 6, 7, 8, 9, 10, 11};
  struct ls_ledger ledger;
  (void)state;
  open_two(&ledger);
  doubt(&ledger, 1, false);
  assert_false(ls_ledger_trust(&ledger, 0));
  assert_true(ls_ledger_trust(&ledger, 1));
  assert_int_equal(ls_ledger_count_sure(&ledger), 8);
  assert_waiting(&ledger, expected, 8);
  ls_ledger_close(&ledger);
}

static void a_lost_worker_is_trusted_when_it_has_given_up(void **state) {
  struct ls_ledger ledger;
  (void)state;
  open_two(&ledger);
  doubt(&ledger, 0, false);
  doubt(&ledger, 1, false);
  ls_doubts_orphan(&ledger.doubts, 1, 20);
  assert_false(ls_ledger_trust_overdue(&ledger, 19));
  assert_true(ls_ledger_trust_overdue(&ledger, 20));
  assert_int_equal(ls_ledger_peek(&ledger), 4);
  assert_int_equal(ledger.doubts.units, 4);
  assert_true(ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

/* It is asked, has the second and the third one, and says so. */
static void who_is_back_has_what_it_says(void **state) {
  static const uint64_t expected[] = {0, 3, 7, 8, 9, 10, 11};
  struct ls_ledger ledger;
  struct ls_piece_list asked, missing;
  (void)state;
  open_two(&ledger);
  doubt(&ledger, 0, false);
  ls_piece_list_init(&asked);
  ls_piece_list_init(&missing);
  ls_ledger_ask(&ledger, 0, &asked);
  assert_int_equal(ledger.waiting.units, 5);
  assert_int_equal(ls_piece_pop(&ledger.pieces, &asked).count, 4);
  for (uint64_t unit = 0; unit < 4; unit++) {
    if (unit == 1 || unit == 2)
      assert_int_equal(ls_ledger_adopt(&ledger, 0, 0, unit, 9), LS_OK);
    else
      assert_int_equal(ls_ledger_gather(&ledger, &missing, (struct ls_range){unit, 1}), LS_OK);
  }
  ls_ledger_put_back(&ledger, &missing);
  assert_waiting(&ledger, expected, 7);
  assert_int_equal(ls_ledger_holding(&ledger, 0, 2), ls_ledger_find(&ledger, 0, 0));
  /* Two of the four came back and are to be sent again. */
  assert_int_equal(ledger.returned, 2);
  assert_true(ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

static void a_unit_in_doubt_may_be_claimed(void **state) {
  struct ls_ledger ledger;
  (void)state;
  open_two(&ledger);
  doubt(&ledger, 0, false);
  assert_int_equal(ls_ledger_claim(&ledger, 2), LS_OK);
  ls_ledger_settle(&ledger, &(struct ls_range){2, 1}, LS_OUTCOME_DONE);
  assert_int_equal(ledger.doubts.units, 3);
  assert_int_equal(ledger.waiting.units, 8);
  assert_true(ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_a_worker_may_have_goes_last),
      cmocka_unit_test(what_ran_goes_before_what_waited_behind_it),
      cmocka_unit_test(a_chunk_may_reach_into_doubt),
      cmocka_unit_test(who_has_nothing_is_trusted_in_front),
      cmocka_unit_test(a_lost_worker_is_trusted_when_it_has_given_up),
      cmocka_unit_test(who_is_back_has_what_it_says),
      cmocka_unit_test(a_unit_in_doubt_may_be_claimed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
