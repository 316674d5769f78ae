/* What left a chunk may still come; not for ever, and not from anybody. */
#include "books_fixture.h"

#include "base/random.h"
#include "coordinator/books/late.h"

static void add(struct ls_late *late, const struct ls_ledger *ledger, uint64_t chunk,
                struct ls_range units, uint32_t slot) {
  const struct ls_late_entry entry = {.chunk = chunk, .units = units, .slot = slot};
  assert_int_equal(ls_late_add(late, ledger, &entry), LS_OK);
}

static void only_the_worker_that_had_it_may_deliver(void **state) {
  struct ls_ledger ledger;
  struct ls_late late = {0};
  (void)state;
  open_ledger(&ledger, 10, 2, NULL);
  add(&late, &ledger, 7, (struct ls_range){3, 2}, 1);
  assert_true(ls_late_has(&late, 1, 7, 3) && ls_late_has(&late, 1, 7, 4));
  assert_false(ls_late_has(&late, 1, 7, 2) || ls_late_has(&late, 1, 7, 5));
  assert_false(ls_late_has(&late, 1, 6, 3) || ls_late_has(&late, 0, 7, 3));
  /* Once it is lost it may be in any slot. */
  ls_late_free(&late, 1);
  assert_true(ls_late_has(&late, 0, 7, 3));
  ls_late_clear(&late);
  assert_false(ls_late_has(&late, 1, 7, 3));
  ls_late_close(&late);
  ls_ledger_close(&ledger);
}

/* It had the unit twice: what it has now is the later one. */
static void the_last_chunk_of_a_unit_is_found(void **state) {
  struct ls_ledger ledger;
  struct ls_late late = {0};
  (void)state;
  open_ledger(&ledger, 10, 3, NULL);
  add(&late, &ledger, 3, (struct ls_range){2, 4}, 1);
  add(&late, &ledger, 4, (struct ls_range){3, 1}, 2);
  add(&late, &ledger, 7, (struct ls_range){3, 2}, 1);
  assert_int_equal(ls_late_find(&late, 1, 3), 7);
  assert_int_equal(ls_late_find(&late, 1, 2), 3);
  assert_int_equal(ls_late_find(&late, 2, 3), 4);
  assert_int_equal(ls_late_find(&late, 1, 6), LS_LATE_NONE);
  assert_int_equal(ls_late_find(&late, 0, 3), LS_LATE_NONE);
  ls_late_free(&late, 2);
  assert_int_equal(ls_late_find(&late, 0, 3), 4);
  ls_late_close(&late);
  ls_ledger_close(&ledger);
}

/* Machines that are taken back for ever need no more memory. */
static void the_oldest_are_forgotten(void **state) {
  struct ls_ledger ledger;
  struct ls_late late = {0};
  uint32_t chunk;
  struct ls_range first = {0, 1}, taken;
  (void)state;
  open_ledger(&ledger, 10, 1, NULL);
  assert_int_equal(ls_ledger_send(&ledger, 0, 1, 0, &chunk), LS_OK);
  assert_int_equal(ls_ledger_take(&ledger, chunk, &first, &taken), LS_OK);
  ls_ledger_settle(&ledger, &first, LS_OUTCOME_DONE);
  for (uint64_t i = 0; i < LS_LATE_MAX; i++) add(&late, &ledger, i, (struct ls_range){i % 2, 1}, 0);
  size_t capacity = late.capacity;
  add(&late, &ledger, LS_LATE_MAX, (struct ls_range){1, 1}, 0);
  /* Half of them were of the settled unit. */
  assert_true(ls_late_has(&late, 0, 1, 1));
  assert_false(ls_late_has(&late, 0, 0, 0));
  for (uint64_t i = 0; i < 10 * LS_LATE_MAX; i++)
    add(&late, &ledger, LS_LATE_MAX + i, (struct ls_range){1, 1}, 0);
  assert_false(ls_late_has(&late, 0, 1, 1));
  assert_true(ls_late_has(&late, 0, 11 * LS_LATE_MAX - 1, 1));
  assert_int_equal(late.capacity, capacity);
  assert_true(ls_late_is_sound(&late));
  ls_late_close(&late);
  ls_ledger_close(&ledger);
}

/* Workers that are lost, beside others that were so before and others that stay. */
static void whoever_is_lost_is_known_by_its_chunks_alone(void **state) {
  enum { SLOTS = 5, STEPS = 400 };
  struct ls_ledger ledger;
  struct ls_late late = {0};
  struct ls_random random;
  uint32_t slots[STEPS];
  uint64_t count = 0;
  (void)state;
  open_ledger(&ledger, 10, SLOTS, NULL);
  ls_random_init(&random, 1, "late");
  for (int step = 0; step < STEPS; step++) {
    uint32_t slot = (uint32_t)ls_random_below(&random, SLOTS);
    if (ls_random_below(&random, 3) > 0) {
      slots[count] = slot;
      add(&late, &ledger, count, (struct ls_range){count % 10, 1}, slot);
      count++;
    } else {
      ls_late_free(&late, slot);
      for (uint64_t i = 0; i < count; i++)
        if (slots[i] == slot) slots[i] = LS_INDEX_NONE;
    }
    assert_true(ls_late_is_sound(&late));
    for (uint64_t i = 0; i < count; i++)
      for (uint32_t who = 0; who < SLOTS; who++)
        assert_true(ls_late_has(&late, who, i, i % 10) ==
                    (slots[i] == who || slots[i] == LS_INDEX_NONE));
  }
  ls_late_close(&late);
  ls_ledger_close(&ledger);
}

/* What is left of a range may be two. */
static void what_was_told_is_forgotten(void **state) {
  enum { UNITS = 10, CHUNKS = 3 };
  struct ls_ledger ledger;
  struct ls_random random;
  (void)state;
  open_ledger(&ledger, UNITS, 2, NULL);
  ls_random_init(&random, 1, "forgotten");
  for (int play = 0; play < 200; play++) {
    struct ls_late late = {0};
    bool has[CHUNKS][UNITS] = {{false}};
    for (uint64_t chunk = 0; chunk < CHUNKS; chunk++) {
      struct ls_range units = {ls_random_below(&random, UNITS), 0};
      units.count = 1 + ls_random_below(&random, UNITS - units.first);
      add(&late, &ledger, chunk, units, (uint32_t)(chunk % 2));
      for (uint64_t i = 0; i < units.count; i++) has[chunk][units.first + i] = true;
    }
    for (int step = 0; step < 4; step++) {
      uint64_t chunk = ls_random_below(&random, CHUNKS);
      struct ls_late_entry told = {.chunk = chunk, .slot = (uint32_t)(chunk % 2)};
      told.units.first = ls_random_below(&random, UNITS);
      told.units.count = 1 + ls_random_below(&random, UNITS - told.units.first);
      assert_int_equal(ls_late_forget(&late, &ledger, &told), LS_OK);
      for (uint64_t i = 0; i < told.units.count; i++) has[chunk][told.units.first + i] = false;
      assert_true(ls_late_is_sound(&late));
      for (uint64_t i = 0; i < CHUNKS * UNITS; i++)
        assert_true(ls_late_has(&late, (uint32_t)(i / UNITS % 2), i / UNITS, i % UNITS) ==
                    has[i / UNITS][i % UNITS]);
    }
    ls_late_close(&late);
  }
  ls_ledger_close(&ledger);
}

/* What a lost worker says counts as a result, and as a failure only while it is there. */
static void the_worker_is_known_until_it_is_lost(void **state) {
  struct ls_ledger ledger;
  struct ls_late late = {0};
  (void)state;
  open_ledger(&ledger, 10, 2, NULL);
  add(&late, &ledger, 7, (struct ls_range){3, 2}, 1);
  add(&late, &ledger, 8, (struct ls_range){3, 2}, 0);
  assert_true(ls_late_is_known(&late, 1, 7, 3) && ls_late_is_known(&late, 1, 7, 4));
  assert_false(ls_late_is_known(&late, 1, 7, 2) || ls_late_is_known(&late, 1, 7, 5));
  assert_false(ls_late_is_known(&late, 0, 7, 3) || ls_late_is_known(&late, 1, 8, 3));
  ls_late_free(&late, 1);
  assert_true(ls_late_has(&late, 1, 7, 3) && ls_late_has(&late, 0, 7, 3));
  assert_false(ls_late_is_known(&late, 1, 7, 3) || ls_late_is_known(&late, 0, 7, 3));
  assert_true(ls_late_is_known(&late, 0, 8, 3));
  ls_late_close(&late);
  ls_ledger_close(&ledger);
}

/* Of a lost worker any slot may tell; of one that is there only its own. */
static void only_its_own_units_are_forgotten(void **state) {
  struct ls_ledger ledger;
  struct ls_late late = {0};
  (void)state;
  open_ledger(&ledger, 10, 3, NULL);
  add(&late, &ledger, 7, (struct ls_range){2, 6}, 1);
  add(&late, &ledger, 8, (struct ls_range){2, 6}, 2);
  ls_late_free(&late, 1);
  assert_int_equal(late.present, 1);
  struct ls_late_entry told = {.chunk = 7, .units = {4, 2}, .slot = 0};
  assert_int_equal(ls_late_forget(&late, &ledger, &told), LS_OK);
  told.chunk = 8;
  assert_int_equal(ls_late_forget(&late, &ledger, &told), LS_OK);
  for (uint64_t unit = 2; unit < 8; unit++) {
    bool is_told = unit == 4 || unit == 5;
    assert_true(ls_late_has(&late, 1, 7, unit) == !is_told);
    assert_true(ls_late_is_known(&late, 2, 8, unit));
  }
  /* Both parts are of a lost one still, and the rest goes as it was. */
  assert_int_equal(late.count, 3);
  assert_int_equal(late.present, 1);
  told = (struct ls_late_entry){.chunk = 7, .units = {0, 10}, .slot = 2};
  assert_int_equal(ls_late_forget(&late, &ledger, &told), LS_OK);
  told.chunk = 8;
  assert_int_equal(late.count, 1);
  assert_int_equal(ls_late_forget(&late, &ledger, &told), LS_OK);
  assert_int_equal(late.count, 0);
  assert_int_equal(late.present, 0);
  assert_true(ls_late_is_sound(&late));
  ls_late_close(&late);
  ls_ledger_close(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(only_the_worker_that_had_it_may_deliver),
      cmocka_unit_test(the_last_chunk_of_a_unit_is_found),
      cmocka_unit_test(the_oldest_are_forgotten),
      cmocka_unit_test(whoever_is_lost_is_known_by_its_chunks_alone),
      cmocka_unit_test(what_was_told_is_forgotten),
      cmocka_unit_test(the_worker_is_known_until_it_is_lost),
      cmocka_unit_test(only_its_own_units_are_forgotten),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
