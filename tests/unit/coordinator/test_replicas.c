/* Replicas on a ledger alone: due units, ends, and what stays. */
#include "books_fixture.h"

#include "coordinator/books/replicas.h"

static bool has_far_slots;

static bool suits(const void *context, uint32_t holder, uint32_t slot, uint64_t unit) {
  (void)unit;
  assert_ptr_equal(context, &has_far_slots);
  assert_int_not_equal(holder, slot);
  return has_far_slots;
}

static bool take_due(struct ls_replicas *replicas, const struct ls_ledger *ledger, uint32_t slot,
                     struct ls_replica *replica) {
  const struct ls_replica_asker asker = {slot, 0, suits, &has_far_slots};
  has_far_slots = false;
  assert_false(ls_replicas_take_due(replicas, ledger, &asker, replica));
  has_far_slots = true;
  return ls_replicas_take_due(replicas, ledger, &asker, replica);
}

static void due_units_are_the_first_of_the_list(void **state) {
  struct ls_ledger ledger;
  struct ls_replicas replicas = {0};
  struct ls_replica replica;
  uint32_t chunk;
  (void)state;
  open_ledger(&ledger, 6, 3, NULL);
  assert_int_equal(ls_replicas_open(&replicas, &ledger, 2), LS_OK);
  /* Nobody has them yet: they stay due. */
  assert_false(take_due(&replicas, &ledger, 1, &replica));
  assert_int_equal(replicas.due_count, 2);
  assert_int_equal(ls_ledger_send(&ledger, 0, 3, 0, &chunk), LS_OK);
  assert_false(take_due(&replicas, &ledger, 0, &replica)); /* it has them itself */
  assert_true(take_due(&replicas, &ledger, 1, &replica));
  assert_int_equal(replica.unit, 0);
  assert_int_equal(replica.slots[0], 0);
  assert_int_equal(ls_replicas_send(&replicas, &ledger, &replica, 0, &chunk), LS_OK);
  assert_true(ls_replicas_are_sound(&replicas, &ledger));
  assert_true(ls_ledger_is_sound(&ledger));
  assert_int_equal(replicas.due_count, 1);
  ls_replicas_close(&replicas);
  ls_ledger_close(&ledger);
}

static void what_failed_too_often_is_due_no_more(void **state) {
  struct ls_ledger ledger;
  struct ls_replicas replicas = {0};
  struct ls_replica replica;
  uint32_t chunk;
  uint64_t failures;
  (void)state;
  open_ledger(&ledger, 2, 2, NULL);
  assert_int_equal(ls_replicas_open(&replicas, &ledger, 1), LS_OK);
  assert_int_equal(ls_ledger_send(&ledger, 0, 2, 0, &chunk), LS_OK);
  assert_int_equal(ls_ledger_count_failure(&ledger, 0, &failures), LS_OK);
  assert_false(take_due(&replicas, &ledger, 1, &replica));
  assert_int_equal(replicas.due_count, 0);
  ls_replicas_close(&replicas);
  ls_ledger_close(&ledger);
}

static void an_end_takes_the_unit_from_one_slot_only(void **state) {
  (void)state;
  for (int which = 0; which < 2; which++) {
    struct ls_ledger ledger;
    struct ls_replicas replicas = {0};
    struct ls_replica replica = {.unit = 1, .slots = {0, 1}};
    struct ls_replica_end end;
    uint32_t chunk;
    open_ledger(&ledger, 3, 2, NULL);
    assert_int_equal(ls_ledger_send(&ledger, 0, 3, 0, &chunk), LS_OK);
    assert_int_equal(ls_replicas_find_holder(&ledger, 1), 0);
    assert_int_equal(ls_replicas_send(&replicas, &ledger, &replica, 0, &chunk), LS_OK);
    assert_int_equal(ls_replicas_end(&replicas, &ledger, 0, which, &end), LS_OK);
    assert_int_equal(end.slot, which);
    assert_int_equal(end.was_original, which == 0);
    /* The original's chunk holds other units; the replica's held this one. */
    assert_int_equal(end.is_chunk_over, which == 1);
    assert_int_equal(ls_replicas_find_holder(&ledger, 1), 1 - which);
    assert_false(ls_replicas_have(&replicas, 1));
    assert_int_equal(ledger.sent, 3);
    assert_true(ls_ledger_is_sound(&ledger));
    ls_replicas_close(&replicas);
    ls_ledger_close(&ledger);
  }
}

static void a_replica_without_its_chunk_is_not_sound(void **state) {
  struct ls_ledger ledger;
  struct ls_replicas replicas = {0};
  struct ls_replica replica = {.unit = 0, .slots = {0, 1}};
  struct ls_range unit = {0, 1}, taken;
  uint32_t chunk;
  (void)state;
  open_ledger(&ledger, 1, 2, NULL);
  assert_int_equal(ls_ledger_send(&ledger, 0, 1, 0, &chunk), LS_OK);
  assert_int_equal(ls_replicas_send(&replicas, &ledger, &replica, 0, &chunk), LS_OK);
  assert_int_equal(ls_ledger_take(&ledger, chunk, &unit, &taken), LS_OK);
  assert_false(ls_replicas_are_sound(&replicas, &ledger));
  ls_replicas_forget(&replicas, 0);
  assert_true(ls_replicas_are_sound(&replicas, &ledger));
  ls_replicas_close(&replicas);
  ls_ledger_close(&ledger);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(due_units_are_the_first_of_the_list),
      cmocka_unit_test(what_failed_too_often_is_due_no_more),
      cmocka_unit_test(an_end_takes_the_unit_from_one_slot_only),
      cmocka_unit_test(a_replica_without_its_chunk_is_not_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
