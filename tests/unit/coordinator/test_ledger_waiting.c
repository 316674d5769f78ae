/* What waits is looked at in the order in which it is sent, and nothing moves by that. */
#include "books_fixture.h"

/* 2, 3 came back; 6 to 8 were never sent; the worker of slot 1 may have 4 and 5, that of slot 0 0
 * and 1. */
static void open_all(struct ls_ledger *ledger) {
  struct ls_piece_list list;
  uint32_t chunk;
  open_ledger(ledger, 9, 3, NULL);
  for (uint32_t i = 0; i < 3; i++)
    assert_int_equal(ls_ledger_send(ledger, i == 0 ? 0 : 3 - i, 2, 0, &chunk), LS_OK);
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t slot = (i + 1) % 3;
    ls_piece_list_init(&list);
    assert_int_equal(ls_ledger_withdraw(ledger, slot, &list), LS_OK);
    if (slot == 2)
      ls_ledger_return(ledger, &list);
    else
      assert_int_equal(ls_ledger_doubt(ledger, slot, &list), LS_OK);
  }
  assert_true(ls_ledger_is_sound(ledger));
}

static void the_walk_is_the_order_of_sending(void **state) {
  static const uint64_t expected[] = {2, 3, 6, 7, 8, 4, 5, 0, 1};
  struct ls_ledger ledger;
  (void)state;
  open_all(&ledger);
  struct ls_waiting_walk walk = ls_ledger_walk_begin(&ledger);
  for (size_t i = 0; i < 9; i++) {
    uint64_t unit = 99;
    assert_true(ls_ledger_walk(&ledger, &walk, &unit));
    assert_int_equal(unit, expected[i]);
  }
  assert_false(ls_ledger_walk(&ledger, &walk, &(uint64_t){0}));
  assert_false(ls_ledger_walk(&ledger, &walk, &(uint64_t){0}));
  for (size_t i = 0; i < 9; i++) {
    uint32_t chunk;
    assert_int_equal(ls_ledger_peek(&ledger), expected[i]);
    /* The last of the order, while there is one, then of what a worker may have. */
    assert_int_equal(ls_ledger_peek_last(&ledger), i < 5 ? 8 : 1);
    assert_int_equal(ls_ledger_send(&ledger, 2, 1, 0, &chunk), LS_OK);
  }
  ls_ledger_close(&ledger);
}

/* Up to the first one that has lost a worker, which goes alone. */
static void who_has_lost_a_worker_goes_alone(void **state) {
  struct ls_ledger ledger;
  uint64_t kills;
  uint32_t chunk;
  (void)state;
  open_all(&ledger);
  assert_int_equal(ls_ledger_count_together(&ledger, 9), 9);
  assert_int_equal(ls_ledger_count_kill(&ledger, 3, &kills), LS_OK);
  assert_int_equal(ls_ledger_count_together(&ledger, 9), 1);
  assert_int_equal(ls_ledger_count_kill(&ledger, 2, &kills), LS_OK);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ls_ledger_count_together(&ledger, 9), 1);
    assert_int_equal(ls_ledger_send(&ledger, 2, 1, 0, &chunk), LS_OK);
  }
  assert_int_equal(ls_ledger_count_together(&ledger, 7), 7);
  assert_int_equal(ls_ledger_count_together(&ledger, 2), 2);
  ls_ledger_close(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_walk_is_the_order_of_sending),
      cmocka_unit_test(who_has_lost_a_worker_goes_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
