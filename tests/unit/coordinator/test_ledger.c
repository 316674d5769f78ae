/* The ledger against a plain table of units: sent, taken, returned, settled and lost at random. */
#include "books_fixture.h"

enum { UNITS = 40, SLOTS = 4 };

/* What is known of a unit from outside. */
struct unit {
  enum ls_unit_state state;
  uint32_t slot;
};

struct table {
  struct ls_ledger ledger;
  struct unit units[UNITS];
  struct ls_random random;
};

static uint64_t count_in(const struct table *table, enum ls_unit_state state) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < UNITS; i++) count += table->units[i].state == state;
  return count;
}

/* The walk meets each unit that waits once, from the first that is sent to the last; of those that
 * were sent before there are so many in front, or at the end, where somebody may have them. */
static void walk(const struct table *table) {
  const struct ls_ledger *ledger = &table->ledger;
  struct ls_waiting_walk place = ls_ledger_walk_begin(ledger);
  bool was_met[UNITS] = {false};
  uint64_t unit = 0, count = 0;
  while (ls_ledger_walk(ledger, &place, &unit)) {
    assert_true(unit < UNITS && !was_met[unit]);
    assert_int_equal(ledger->state[unit], LS_UNIT_WAITING);
    was_met[unit] = true;
    if (count++ == 0) assert_int_equal(unit, ls_ledger_peek(ledger));
    uint64_t sure = ls_ledger_count_sure(ledger);
    if (count == ls_ledger_count_back(ledger) - ledger->doubts.units)
      assert_int_equal(place.piece, LS_INDEX_NONE);
    assert_true((place.doubts > 0) == (count > sure));
    if (count == (sure > 0 ? sure : ledger->waiting.units))
      assert_int_equal(unit, ls_ledger_peek_last(ledger));
  }
  assert_int_equal(count, ledger->waiting.units);
  assert_true(ls_ledger_count_back(ledger) <= count);
}

static void compare(const struct table *table) {
  const struct ls_ledger *ledger = &table->ledger;
  assert_true(ls_ledger_is_sound(ledger));
  for (uint64_t i = 0; i < UNITS; i++) {
    assert_int_equal(ledger->state[i], table->units[i].state);
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
      bool is_there = table->units[i].state == LS_UNIT_SENT && table->units[i].slot == slot;
      assert_int_equal(ls_ledger_holding(ledger, slot, i) != LS_INDEX_NONE, is_there);
    }
  }
  assert_int_equal(ledger->waiting.units, count_in(table, LS_UNIT_WAITING));
  assert_int_equal(ledger->done, count_in(table, LS_UNIT_DONE));
  assert_int_equal(ledger->given_up, count_in(table, LS_UNIT_GIVEN_UP));
  walk(table);
}

static void send_some(struct table *table) {
  struct ls_ledger *ledger = &table->ledger;
  uint32_t slot = (uint32_t)ls_random_below(&table->random, SLOTS), chunk, cursor = LS_INDEX_NONE;
  struct ls_range range;
  size_t ranges;
  if (ledger->waiting.units == 0) return;
  uint64_t units = 1 + ls_random_below(&table->random, ledger->waiting.units);
  assert_int_equal(ls_ledger_send(ledger, slot, units, 1.5, &chunk), LS_OK);
  assert_int_equal(count_ranges(ledger, chunk, &ranges), units);
  assert_int_equal(ls_ledger_find(ledger, slot, ledger->chunks[chunk].id), chunk);
  while (ls_ledger_next_range(ledger, &ledger->chunks[chunk], &cursor, &range))
    for (uint64_t i = 0; i < range.count; i++) {
      assert_int_equal(table->units[range.first + i].state, LS_UNIT_WAITING);
      table->units[range.first + i] = (struct unit){LS_UNIT_SENT, slot};
    }
}

/* A part of a chunk comes to an end, or back. */
static void end_some(struct table *table) {
  struct ls_ledger *ledger = &table->ledger;
  uint32_t slot = (uint32_t)ls_random_below(&table->random, SLOTS);
  uint32_t chunk = ledger->slots[slot].first;
  struct ls_range wanted = {ls_random_below(&table->random, UNITS), 1}, taken;
  struct ls_piece_list back;
  if (chunk == LS_INDEX_NONE) return;
  wanted.count += ls_random_below(&table->random, UNITS - wanted.first);
  assert_int_equal(ls_ledger_take(ledger, chunk, &wanted, &taken), LS_OK);
  if (taken.count == 0) return;
  bool is_done = ls_random_below(&table->random, 3) > 0;
  for (uint64_t i = 0; i < taken.count; i++) {
    assert_true(taken.first + i - wanted.first < wanted.count);
    assert_int_equal(table->units[taken.first + i].slot, slot);
    table->units[taken.first + i].state = is_done ? LS_UNIT_DONE : LS_UNIT_WAITING;
  }
  if (is_done) {
    ls_ledger_settle(ledger, &taken, LS_OUTCOME_DONE);
    return;
  }
  ls_piece_list_init(&back);
  assert_int_equal(ls_ledger_gather(ledger, &back, taken), LS_OK);
  ls_ledger_return(ledger, &back);
  assert_int_equal(back.count, 0);
}

static void lose_some(struct table *table) {
  struct ls_ledger *ledger = &table->ledger;
  uint32_t slot = (uint32_t)ls_random_below(&table->random, SLOTS);
  struct ls_piece_list back;
  ls_piece_list_init(&back);
  assert_int_equal(ls_ledger_withdraw(ledger, slot, &back), LS_OK);
  ls_ledger_return(ledger, &back);
  for (uint64_t i = 0; i < UNITS; i++)
    if (table->units[i].state == LS_UNIT_SENT && table->units[i].slot == slot)
      table->units[i].state = LS_UNIT_WAITING;
}

/* What waits at a slot whose worker is away; it comes back with none of it, or is asked. */
static void doubt_some(struct table *table) {
  struct ls_ledger *ledger = &table->ledger;
  uint32_t slot = (uint32_t)ls_random_below(&table->random, SLOTS);
  struct ls_piece_list back;
  ls_piece_list_init(&back);
  assert_int_equal(ls_ledger_withdraw_waiting(ledger, slot, &back), LS_OK);
  assert_int_equal(ls_ledger_doubt(ledger, slot, &back), LS_OK);
  for (uint64_t i = 0; i < UNITS; i++)
    if (table->units[i].state == LS_UNIT_SENT && table->units[i].slot == slot &&
        ls_ledger_holding(ledger, slot, i) == LS_INDEX_NONE)
      table->units[i].state = LS_UNIT_WAITING;
}

static void trust_some(struct table *table) {
  struct ls_ledger *ledger = &table->ledger;
  uint32_t slot = (uint32_t)ls_random_below(&table->random, SLOTS);
  uint64_t sure = ls_ledger_count_sure(ledger);
  struct ls_piece_list asked;
  ls_piece_list_init(&asked);
  if (ls_random_below(&table->random, 2) == 0) {
    bool is_any = ls_ledger_trust(ledger, slot);
    assert_int_equal(is_any, ls_ledger_count_sure(ledger) > sure);
    return;
  }
  ls_ledger_ask(ledger, slot, &asked);
  (void)ls_ledger_put_back(ledger, &asked);
}

static void every_verb_keeps_the_books_sound(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 200; seed++) {
    struct table table = {.units = {{LS_UNIT_WAITING, 0}}};
    ls_random_init(&table.random, seed, "ledger");
    open_ledger(&table.ledger, UNITS, SLOTS, seed % 2 == 0 ? &table.random : NULL);
    for (int step = 0; step < 120; step++) {
      uint64_t kind = ls_random_below(&table.random, 10);
      if (kind < 3) send_some(&table);
      if (kind >= 3 && kind < 7) end_some(&table);
      if (kind == 7) lose_some(&table);
      if (kind == 8) doubt_some(&table);
      if (kind == 9) trust_some(&table);
      compare(&table);
    }
    ls_ledger_close(&table.ledger);
  }
}

static void what_came_back_goes_first_and_in_its_order(void **state) {
  struct ls_ledger ledger;
  struct ls_piece_list back;
  uint32_t chunk, cursor = LS_INDEX_NONE;
  struct ls_range range;
  (void)state;
  open_ledger(&ledger, 20, 2, NULL);
  assert_int_equal(ls_ledger_send(&ledger, 0, 3, 0, &chunk), LS_OK);
  assert_int_equal(ls_ledger_send(&ledger, 1, 3, 0, &chunk), LS_OK);
  assert_int_equal(ls_ledger_send(&ledger, 0, 3, 0, &chunk), LS_OK);
  ls_piece_list_init(&back);
  assert_int_equal(ls_ledger_withdraw(&ledger, 0, &back), LS_OK);
  ls_ledger_return(&ledger, &back);
  assert_int_equal(ls_ledger_send(&ledger, 1, 8, 0, &chunk), LS_OK);
  const struct ls_range expected[] = {{0, 3}, {6, 5}};
  for (size_t i = 0; i < 2; i++) {
    assert_true(ls_ledger_next_range(&ledger, &ledger.chunks[chunk], &cursor, &range));
    assert_int_equal(range.first, expected[i].first);
    assert_int_equal(range.count, expected[i].count);
  }
  assert_false(ls_ledger_next_range(&ledger, &ledger.chunks[chunk], &cursor, &range));
  assert_int_equal(ledger.returned, 6);
  ls_ledger_close(&ledger);
}

static void settled_units_of_a_page_are_not_handed_out(void **state) {
  struct ls_ledger ledger;
  struct ls_ledger_page page;
  uint32_t chunk;
  size_t ranges;
  (void)state;
  ls_ledger_init(&ledger);
  assert_int_equal(ls_ledger_add_slots(&ledger, 1), LS_OK);
  assert_int_equal(ls_ledger_page_init(&page, 10), LS_OK);
  ls_ledger_page_settle(&page, (struct ls_range){2, 3}, LS_OUTCOME_DONE);
  ls_ledger_page_settle(&page, (struct ls_range){4, 2}, LS_OUTCOME_FAILED); /* 4 is done already */
  assert_int_equal(page.done, 3);
  assert_int_equal(page.failed, 1);
  assert_int_equal(ls_ledger_open(&ledger, &page), LS_OK);
  assert_int_equal(ledger.waiting.units, 6);
  assert_int_equal(ls_ledger_send(&ledger, 0, 6, 0, &chunk), LS_OK);
  assert_int_equal(count_ranges(&ledger, chunk, &ranges), 6);
  assert_int_equal(ranges, 2);
  assert_false(ls_ledger_is_settled(&ledger));
  assert_true(ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

static void a_wrong_book_is_not_sound(void **state) {
  struct ls_ledger ledger;
  uint32_t chunk;
  (void)state;
  open_ledger(&ledger, 5, 1, NULL);
  assert_int_equal(ls_ledger_send(&ledger, 0, 2, 0, &chunk), LS_OK);
  ledger.state[1] = LS_UNIT_DONE;
  assert_false(ls_ledger_is_sound(&ledger));
  ledger.state[1] = LS_UNIT_SENT;
  ledger.slots[0].units = 3;
  assert_false(ls_ledger_is_sound(&ledger));
  ledger.slots[0].units = 2;
  ledger.chunks[chunk].range.first = 1;
  assert_false(ls_ledger_is_sound(&ledger));
  ledger.chunks[chunk].range.first = 0;
  assert_true(ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

static void failures_and_kills_are_counted_by_unit(void **state) {
  struct ls_ledger ledger;
  uint64_t count;
  (void)state;
  open_ledger(&ledger, 5, 1, NULL);
  assert_int_equal(ls_ledger_failures(&ledger, 3), 0);
  assert_int_equal(ls_ledger_count_failure(&ledger, 3, &count), LS_OK);
  assert_int_equal(ls_ledger_count_failure(&ledger, 3, &count), LS_OK);
  assert_int_equal(count, 2);
  assert_int_equal(ls_ledger_failures(&ledger, 2), 0);
  assert_int_equal(ls_ledger_count_kill(&ledger, 2, &count), LS_OK);
  assert_int_equal(ls_ledger_kills(&ledger, 2), 1);
  ls_ledger_close(&ledger);
}

static void units_that_were_set_aside_wait_in_front_and_did_not_return(void **state) {
  struct ls_ledger ledger;
  struct ls_piece_list aside;
  uint32_t chunk;
  (void)state;
  open_ledger(&ledger, 6, 1, NULL);
  ls_piece_list_init(&aside);
  assert_int_equal(ls_ledger_set_aside(&ledger, 3, &aside), LS_OK);
  assert_int_equal(ls_ledger_set_aside(&ledger, 1, &aside), LS_OK);
  assert_int_equal(ledger.waiting.units, 4);
  assert_int_equal(ls_ledger_send(&ledger, 0, 2, 0, &chunk), LS_OK);
  assert_int_equal(ls_ledger_holding(&ledger, 0, 2), chunk);
  assert_int_equal(ls_ledger_put_back(&ledger, &aside), 2);
  assert_int_equal(ls_ledger_peek(&ledger), 3);
  assert_int_equal(ls_ledger_peek_last(&ledger), 5);
  assert_int_equal(ls_ledger_count_back(&ledger), 2);
  assert_true(ledger.waiting.units == 4 && ledger.returned == 0 && ls_ledger_is_sound(&ledger));
  ls_ledger_close(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_verb_keeps_the_books_sound),
      cmocka_unit_test(what_came_back_goes_first_and_in_its_order),
      cmocka_unit_test(settled_units_of_a_page_are_not_handed_out),
      cmocka_unit_test(a_wrong_book_is_not_sound),
      cmocka_unit_test(failures_and_kills_are_counted_by_unit),
      cmocka_unit_test(units_that_were_set_aside_wait_in_front_and_did_not_return),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
