/* Units of several lanes: each stays in its own, wherever it comes from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "coordinator/books/ledger.h"

/* Units 0, 3, 6, ... are in lane 0, 1, 4, ... in lane 1, and so on. */
enum { LANES = 3 };

static void open_lanes(struct ls_ledger *ledger, uint64_t units, const uint64_t *order) {
  struct ls_ledger_page page;
  ls_ledger_init(ledger);
  assert_int_equal(ls_ledger_add_slots(ledger, 4), LS_OK);
  assert_int_equal(ls_ledger_page_init(&page, units), LS_OK);
  page.lane_of = calloc(units, sizeof *page.lane_of);
  assert_non_null(page.lane_of);
  page.lanes_count = LANES;
  for (uint64_t i = 0; i < units; i++) page.lane_of[i] = (uint32_t)(i % LANES);
  if (order != NULL) {
    page.order = malloc(units * sizeof *order);
    assert_non_null(page.order);
    memcpy(page.order, order, units * sizeof *order);
    page.order_count = units;
  }
  assert_int_equal(ls_ledger_open(ledger, &page), LS_OK);
  assert_true(ls_ledger_is_sound(ledger));
}

static uint32_t send(struct ls_ledger *ledger, uint32_t lane, uint32_t slot, uint64_t units) {
  uint32_t chunk;
  (void)ls_ledger_focus(ledger, lane);
  assert_int_equal(ls_ledger_send(ledger, slot, units, 0, &chunk), LS_OK);
  assert_true(ls_ledger_is_sound(ledger));
  return chunk;
}

/* What is at the slot, in the order of sending. */
static void check_slot(const struct ls_ledger *ledger, uint32_t slot, const uint64_t *expected,
                       size_t count) {
  size_t at = 0;
  for (uint32_t i = ledger->slots[slot].first; i != LS_INDEX_NONE; i = ledger->chunks[i].next) {
    uint32_t cursor = LS_INDEX_NONE;
    struct ls_range range;
    while (ls_ledger_next_range(ledger, &ledger->chunks[i], &cursor, &range))
      for (uint64_t k = 0; k < range.count; k++) {
        assert_true(at < count);
        assert_int_equal(range.first + k, expected[at++]);
      }
  }
  assert_int_equal(at, count);
}

static void what_is_sent_is_of_the_lane_in_focus(void **state) {
  struct ls_ledger ledger;
  (void)state;
  open_lanes(&ledger, 9, NULL);
  assert_int_equal(ls_ledger_waiting(&ledger), 9);
  send(&ledger, 1, 0, 2);
  send(&ledger, 2, 0, 1);
  check_slot(&ledger, 0, (const uint64_t[]){1, 4, 2}, 3);
  assert_int_equal(ls_ledger_waiting(&ledger), 6);
  (void)ls_ledger_focus(&ledger, 1);
  assert_int_equal(ls_ledger_peek(&ledger), 7);
  assert_int_equal(ledger.waiting.units, 1);
  ls_ledger_close(&ledger);
}

static void lines_keep_the_order_of_the_iteration(void **state) {
  static const uint64_t order[] = {5, 4, 3, 2, 1, 0};
  struct ls_ledger ledger;
  (void)state;
  open_lanes(&ledger, 6, order);
  send(&ledger, 0, 0, 2);
  send(&ledger, 1, 1, 2);
  check_slot(&ledger, 0, (const uint64_t[]){3, 0}, 2);
  check_slot(&ledger, 1, (const uint64_t[]){4, 1}, 2);
  ls_ledger_close(&ledger);
}

/* Neighbours by number of different lanes are never one piece. */
static void what_comes_back_comes_back_into_its_lanes(void **state) {
  struct ls_ledger ledger;
  struct ls_piece_list back;
  (void)state;
  open_lanes(&ledger, 6, NULL);
  for (uint32_t lane = 0; lane < LANES; lane++) send(&ledger, lane, 0, 2);
  (void)ls_ledger_focus(&ledger, 0);
  ls_piece_list_init(&back);
  assert_int_equal(ls_ledger_withdraw(&ledger, 0, &back), LS_OK);
  ls_ledger_return(&ledger, &back);
  assert_true(ls_ledger_is_sound(&ledger));
  assert_int_equal(ledger.lane, 0);
  assert_int_equal(ledger.returned, 6);
  for (uint32_t lane = 0; lane < LANES; lane++) {
    (void)ls_ledger_focus(&ledger, lane);
    assert_int_equal(ledger.waiting.units, 2);
    assert_int_equal(ls_ledger_peek(&ledger), lane);
    assert_int_equal(ls_ledger_take_returned(&ledger), 2);
    assert_int_equal(ls_ledger_take_returned(&ledger), 0);
  }
  ls_ledger_close(&ledger);
}

static void units_are_set_aside_from_any_lane(void **state) {
  struct ls_ledger ledger;
  struct ls_piece_list aside;
  (void)state;
  open_lanes(&ledger, 9, NULL);
  ls_piece_list_init(&aside);
  assert_int_equal(ls_ledger_set_aside(&ledger, 4, &aside), LS_OK);
  assert_int_equal(ls_ledger_set_aside(&ledger, 5, &aside), LS_OK);
  assert_int_equal(ledger.lane, 0);
  assert_int_equal(ls_ledger_waiting(&ledger), 7);
  assert_int_equal(ls_ledger_put_back(&ledger, &aside), 2);
  assert_true(ls_ledger_is_sound(&ledger));
  (void)ls_ledger_focus(&ledger, 1);
  assert_int_equal(ls_ledger_peek(&ledger), 4);
  assert_int_equal(ls_ledger_take_returned(&ledger), 0);
  ls_ledger_close(&ledger);
}

/* A worker that is away may have units of several lanes: they wait behind the others of each. */
static void doubts_are_of_all_lanes(void **state) {
  struct ls_ledger ledger;
  struct ls_piece_list list;
  (void)state;
  open_lanes(&ledger, 9, NULL);
  for (uint32_t lane = 0; lane < 2; lane++) send(&ledger, lane, 1, 2);
  ls_piece_list_init(&list);
  assert_int_equal(ls_ledger_withdraw(&ledger, 1, &list), LS_OK);
  assert_int_equal(ls_ledger_doubt(&ledger, 1, &list), LS_OK);
  assert_true(ls_ledger_is_sound(&ledger));
  assert_int_equal(ls_ledger_doubtful(&ledger), 4);
  assert_true(ls_ledger_is_doubtful(&ledger, 4) && !ls_ledger_is_doubtful(&ledger, 7));
  (void)ls_ledger_focus(&ledger, 1);
  assert_int_equal(ls_ledger_peek(&ledger), 7);
  ls_ledger_orphan(&ledger, 1, 20);
  assert_true(ls_ledger_overdue_s(&ledger) == 20);
  assert_true(ls_ledger_recognise(&ledger, 2, 0));
  ls_piece_list_init(&list);
  ls_ledger_ask(&ledger, 2, &list);
  assert_int_equal(ls_ledger_doubtful(&ledger), 2);
  ls_ledger_return(&ledger, &list);
  assert_false(ls_ledger_trust_overdue(&ledger, 19));
  assert_true(ls_ledger_trust_overdue(&ledger, 20));
  assert_int_equal(ledger.lane, 1);
  assert_int_equal(ls_ledger_peek(&ledger), 1);
  assert_int_equal(ls_ledger_doubtful(&ledger), 0);
  assert_int_equal(ls_ledger_waiting(&ledger), 9);
  assert_true(ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

static void units_are_added_behind_and_to_new_lanes(void **state) {
  static const uint32_t more[] = {1, 3, 0, 1};
  struct ls_ledger ledger;
  (void)state;
  open_lanes(&ledger, 3, NULL);
  send(&ledger, 1, 0, 1);
  assert_int_equal(ls_ledger_add_to_lanes(&ledger, more, 4, 4), LS_OK);
  assert_true(ls_ledger_is_sound(&ledger));
  assert_int_equal(ls_ledger_waiting(&ledger), 6);
  send(&ledger, 1, 1, 2);
  send(&ledger, 3, 1, 1);
  check_slot(&ledger, 1, (const uint64_t[]){3, 6, 4}, 3);
  ls_ledger_close(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_sent_is_of_the_lane_in_focus),
      cmocka_unit_test(lines_keep_the_order_of_the_iteration),
      cmocka_unit_test(what_comes_back_comes_back_into_its_lanes),
      cmocka_unit_test(units_are_set_aside_from_any_lane),
      cmocka_unit_test(doubts_are_of_all_lanes),
      cmocka_unit_test(units_are_added_behind_and_to_new_lanes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
