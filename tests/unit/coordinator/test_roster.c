/* The roster: slots used again, the order of refusal, who is awaited, time that counts. */
#include "books_fixture.h"

#include <math.h>

#include "coordinator/books/roster.h"

static void open_roster(struct ls_roster *roster, size_t slots) {
  ls_roster_init(roster);
  assert_int_equal(ls_roster_add_slots(roster, slots), LS_OK);
}

static void come(struct ls_roster *roster, uint32_t slot, double now_s) {
  ls_roster_move(roster, slot, LS_PRESENCE_ACTIVE, now_s);
}

static void transitions_are_those_of_the_table(void **state) {
  (void)state;
  assert_true(ls_roster_may_move(LS_PRESENCE_LOST, LS_PRESENCE_ACTIVE));
  assert_true(ls_roster_may_move(LS_PRESENCE_LEAVING, LS_PRESENCE_LOST));
  assert_false(ls_roster_may_move(LS_PRESENCE_LEAVING, LS_PRESENCE_ACTIVE));
  assert_false(ls_roster_may_move(LS_PRESENCE_ACTIVE, LS_PRESENCE_ACTIVE));
  assert_false(ls_roster_may_move(LS_PRESENCE_LOST, LS_PRESENCE_SUSPENDED));
  for (unsigned from = 0; from < LS_PRESENCE_COUNT; from++)
    assert_false(ls_roster_may_move((enum ls_presence)from, LS_PRESENCE_ABSENT));
}

static void a_slot_is_used_again_and_again(void **state) {
  struct ls_roster roster;
  (void)state;
  open_roster(&roster, 2);
  for (int i = 0; i < 1000; i++) {
    come(&roster, 1, i);
    ls_roster_move(&roster, 1, LS_PRESENCE_SUSPENDED, i);
    come(&roster, 1, i);
    ls_roster_move(&roster, 1, LS_PRESENCE_LOST, i);
  }
  assert_int_equal(roster.losses, 1000);
  assert_int_equal(roster.count, 2);
  assert_true(ls_roster_is_sound(&roster));
  ls_roster_close(&roster);
}

/* Whoever was there and went without being told to is one loss, whichever way it went. */
static void each_worker_that_goes_by_itself_is_one_loss(void **state) {
  static const enum ls_presence ways[][2] = {{LS_PRESENCE_LOST, LS_PRESENCE_RELEASED},
                                             {LS_PRESENCE_LEAVING, LS_PRESENCE_LOST},
                                             {LS_PRESENCE_LEAVING, LS_PRESENCE_RELEASED},
                                             {LS_PRESENCE_SUSPENDED, LS_PRESENCE_LOST},
                                             {LS_PRESENCE_SUSPENDED, LS_PRESENCE_LEAVING}};
  enum { WAYS = sizeof ways / sizeof *ways };
  struct ls_roster roster;
  (void)state;
  open_roster(&roster, WAYS + 3);
  for (uint32_t i = 0; i < WAYS; i++) {
    come(&roster, i, 1);
    for (int k = 0; k < 2; k++) ls_roster_move(&roster, i, ways[i][k], 1);
    assert_int_equal(roster.losses, i + 1);
  }
  come(&roster, WAYS, 1);
  ls_roster_move(&roster, WAYS, LS_PRESENCE_RELEASED, 3);
  ls_roster_move(&roster, WAYS + 1, LS_PRESENCE_LOST, 3); /* it never came */
  come(&roster, WAYS + 2, 3);
  ls_roster_move(&roster, WAYS + 2, LS_PRESENCE_SUSPENDED, 3);
  come(&roster, WAYS + 2, 4);
  assert_int_equal(roster.losses, WAYS);
  ls_roster_close(&roster);
}

static void refused_requests_stand_in_their_order(void **state) {
  struct ls_roster roster;
  (void)state;
  open_roster(&roster, 4);
  for (uint32_t i = 0; i < 4; i++) come(&roster, i, 0);
  for (uint32_t i = 4; i > 0; i--) ls_roster_park(&roster, i - 1, i);
  ls_roster_park(&roster, 3, 9); /* keeps its place, asks for other units */
  assert_int_equal(roster.parked_first, 3);
  assert_int_equal(roster.slots[3].parked_units, 9);
  roster.due = 2;
  ls_roster_move(&roster, 2, LS_PRESENCE_LOST, 1); /* who is lost asks no more */
  assert_int_equal(roster.due, 1);
  assert_int_equal(roster.slots[3].parked_next, 1);
  ls_roster_unpark(&roster, 3);
  assert_int_equal(roster.parked_first, 1);
  assert_int_equal(roster.parked_last, 0);
  assert_true(ls_roster_is_sound(&roster));
  ls_roster_close(&roster);
}

static void no_more_are_awaited_than_are_on_their_way(void **state) {
  struct ls_roster roster;
  (void)state;
  open_roster(&roster, 3);
  roster.expected = 2;
  roster.requested = 1;
  come(&roster, 0, 0);
  ls_roster_await(&roster, 3);
  assert_int_equal(roster.awaited, 2);
  assert_true(roster.is_counted[2] && !roster.is_present[2]);
  assert_int_equal(ls_roster_find_forsaken(&roster), LS_SLOT_NONE);
  ls_roster_refuse(&roster, 1);
  assert_true(ls_roster_expect_fewer(&roster));
  assert_int_equal(ls_roster_find_forsaken(&roster), 2);
  assert_true(ls_roster_stop_awaiting(&roster, 2));
  assert_false(ls_roster_stop_awaiting(&roster, 2));
  assert_int_equal(ls_roster_find_forsaken(&roster), LS_SLOT_NONE);
  assert_true(ls_roster_is_sound(&roster));
  ls_roster_close(&roster);
}

static void wanted_are_those_neither_there_nor_coming(void **state) {
  struct ls_roster roster;
  (void)state;
  open_roster(&roster, 5);
  roster.wanted = 5;
  come(&roster, 0, 0);
  come(&roster, 1, 0);
  ls_roster_move(&roster, 1, LS_PRESENCE_SUSPENDED, 0);
  come(&roster, 2, 0);
  ls_roster_move(&roster, 2, LS_PRESENCE_LEAVING, 0);
  assert_int_equal(ls_roster_missing(&roster), 3);
  roster.requested = 2;
  assert_int_equal(ls_roster_grant(&roster, 3), 3); /* one that nobody asked for */
  assert_int_equal(roster.requested, 0);
  assert_int_equal(roster.expected, 3);
  assert_int_equal(ls_roster_missing(&roster), 0);
  ls_roster_close(&roster);
}

static void a_grant_of_one_that_has_joined_is_no_news(void **state) {
  struct ls_roster roster;
  (void)state;
  open_roster(&roster, 4);
  roster.requested = 4;
  assert_true(ls_roster_expect_fewer(&roster));
  assert_true(ls_roster_expect_fewer(&roster));
  assert_int_equal(ls_roster_grant(&roster, 3), 1);
  assert_int_equal(roster.requested, 1);
  assert_int_equal(roster.expected, 1);
  assert_true(ls_roster_expect_fewer(&roster)); /* the granted one */
  assert_int_equal(ls_roster_grant(&roster, 1), 1);
  assert_int_equal(roster.requested, 0);
  /* Of one that has joined and one that has not, the latter is refused. */
  roster.expected = 0;
  roster.requested = 2;
  assert_true(ls_roster_expect_fewer(&roster));
  ls_roster_refuse(&roster, 1);
  assert_int_equal(roster.requested, 0);
  assert_int_equal(ls_roster_grant(&roster, 1), 0);
  assert_int_equal(roster.expected, 0);
  /* Whoever joined was another one than the pool refuses. */
  roster.requested = 1;
  assert_true(ls_roster_expect_fewer(&roster));
  ls_roster_refuse(&roster, 1);
  assert_int_equal(ls_roster_grant(&roster, 1), 1);
  ls_roster_close(&roster);
}

static void only_active_workers_count_as_up(void **state) {
  struct ls_roster roster;
  (void)state;
  open_roster(&roster, 2);
  come(&roster, 0, 1);
  come(&roster, 1, 2);
  ls_roster_move(&roster, 0, LS_PRESENCE_SUSPENDED, 4);
  ls_roster_count_time(&roster, 10);
  assert_true(fabs(roster.up_seconds - (3 + 8)) < 1e-12);
  assert_true(roster.slots[0].suspended_s == 0);
  ls_roster_move(&roster, 0, LS_PRESENCE_ACTIVE, 11);
  assert_true(roster.slots[0].suspended_s == 7);
  ls_roster_move(&roster, 0, LS_PRESENCE_SUSPENDED, 13);
  ls_roster_move(&roster, 0, LS_PRESENCE_LEAVING, 14);
  assert_true(roster.slots[0].suspended_s == 8 && roster.slots[1].suspended_s == 0);
  ls_roster_close(&roster);
}

/* Who is away is there until another one is asked for in its place. */
static void a_replaced_worker_is_missing(void **state) {
  struct ls_roster roster;
  (void)state;
  open_roster(&roster, 2);
  roster.wanted = 2;
  come(&roster, 0, 1);
  come(&roster, 1, 1);
  ls_roster_park(&roster, 0, 3);
  ls_roster_move(&roster, 0, LS_PRESENCE_SUSPENDED, 4);
  assert_int_equal(roster.slots[0].owed_units, 3);
  assert_int_equal(ls_roster_missing(&roster), 0);
  ls_roster_replace(&roster, 0);
  assert_int_equal(ls_roster_missing(&roster), 1);
  ls_roster_owe(&roster, 0, 5);
  assert_true(ls_roster_is_sound(&roster));
  ls_roster_move(&roster, 0, LS_PRESENCE_ACTIVE, 5);
  assert_int_equal(ls_roster_missing(&roster), 0);
  assert_true(ls_roster_is_sound(&roster));
  ls_roster_close(&roster);
}

static void random_moves_keep_the_roster_sound(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    struct ls_roster roster;
    struct ls_random random;
    ls_random_init(&random, seed, "roster");
    open_roster(&roster, 5);
    for (int step = 0; step < 200; step++) {
      uint32_t slot = (uint32_t)ls_random_below(&random, 5);
      enum ls_presence to = (enum ls_presence)ls_random_below(&random, LS_PRESENCE_COUNT);
      if (ls_roster_may_move(roster.slots[slot].presence, to))
        ls_roster_move(&roster, slot, to, step);
      if (roster.is_present[slot] && ls_random_below(&random, 2)) ls_roster_park(&roster, slot, 1);
      if (roster.is_present[slot]) (void)ls_roster_greet(&roster, slot);
      if (ls_random_below(&random, 9) == 0) ls_roster_await(&roster, 5);
      if (ls_random_below(&random, 5) == 0) (void)ls_roster_stop_awaiting(&roster, slot);
      assert_true(ls_roster_is_sound(&roster));
    }
    ls_roster_close(&roster);
  }
}

static void those_who_wait_are_asked_by_a_key(void **state) {
  (void)state;
  static const double keys[] = {1, 3, 1, 2, 9};
  static const uint32_t expected[] = {1, 3, 2, 0};
  struct ls_roster roster;
  ls_roster_init(&roster);
  assert_int_equal(ls_roster_add_slots(&roster, 5), LS_OK);
  assert_int_equal(ls_roster_order_parked(&roster, keys), LS_OK);
  for (uint32_t i = 4; i > 0; i--) {
    ls_roster_move(&roster, i - 1, LS_PRESENCE_ACTIVE, 0);
    ls_roster_park(&roster, i - 1, 10 + i);
  }
  assert_int_equal(ls_roster_order_parked(&roster, keys), LS_OK);
  assert_true(ls_roster_is_sound(&roster));
  uint32_t slot = roster.parked_first;
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(slot, expected[i]);
    assert_int_equal(roster.slots[slot].parked_units, 11 + slot);
    slot = roster.slots[slot].parked_next;
  }
  assert_int_equal(slot, LS_SLOT_NONE);
  ls_roster_close(&roster);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(those_who_wait_are_asked_by_a_key),
      cmocka_unit_test(transitions_are_those_of_the_table),
      cmocka_unit_test(a_slot_is_used_again_and_again),
      cmocka_unit_test(each_worker_that_goes_by_itself_is_one_loss),
      cmocka_unit_test(refused_requests_stand_in_their_order),
      cmocka_unit_test(no_more_are_awaited_than_are_on_their_way),
      cmocka_unit_test(wanted_are_those_neither_there_nor_coming),
      cmocka_unit_test(a_grant_of_one_that_has_joined_is_no_news),
      cmocka_unit_test(only_active_workers_count_as_up),
      cmocka_unit_test(a_replaced_worker_is_missing),
      cmocka_unit_test(random_moves_keep_the_roster_sound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
