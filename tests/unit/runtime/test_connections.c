/* test_connections.c: who is in which slot. */
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "coordinator/event.h"
#include "runtime/master/guests/connections.h"

static struct ls_newcomer make_newcomer(uint64_t peer, uint32_t place, double now_s) {
  return (struct ls_newcomer){.peer = {0, peer},
                              .name = {"worker", 6},
                              .process_id = 1000 + peer,
                              .place = place,
                              .price_per_s = 2,
                              .now_s = now_s};
}

static void join(struct ls_connections *connections, uint32_t slot, uint64_t peer, double now_s) {
  struct ls_newcomer newcomer = make_newcomer(peer, slot + 1, now_s);
  assert_int_equal(ls_connections_join(connections, slot, &newcomer, NULL), LS_OK);
}

static uint32_t find(const struct ls_connections *connections, uint64_t peer) {
  return ls_connections_find(connections, (struct ls_peer){0, peer});
}

static void a_worker_is_found_by_its_peer_until_it_leaves(void **state) {
  struct ls_connections connections = {0};
  (void)state;
  assert_int_equal(find(&connections, 70), LS_WORKER_NONE);
  join(&connections, 3, 70, 1);
  join(&connections, 0, 71, 1);
  assert_int_equal(connections.count, 4);
  assert_int_equal(find(&connections, 70), 3);
  assert_int_equal(find(&connections, 71), 0);
  assert_int_equal(ls_connections_find(&connections, (struct ls_peer){1, 70}), LS_WORKER_NONE);
  assert_true(ls_connections_leave(&connections, 3, 2));
  assert_int_equal(find(&connections, 70), LS_WORKER_NONE);
  assert_false(ls_connections_leave(&connections, 3, 5));
  assert_true(connections.items[3].facts.left_s == 2);
  ls_connections_close(&connections);
}

/* Times when somebody was there, and what was done, remain; the rest is the new worker's. */
static void a_slot_is_used_again(void **state) {
  struct ls_connections connections = {0};
  (void)state;
  join(&connections, 0, 70, 1);
  connections.items[0].facts.busy_s = 4;
  connections.items[0].answer_s = 9;
  assert_true(ls_connections_leave(&connections, 0, 6));
  join(&connections, 0, 71, 8);
  const struct ls_connection *worker = &connections.items[0];
  assert_true(worker->facts.joined_s == 1 && worker->facts.away_s == 2);
  assert_true(isnan(worker->facts.left_s) && worker->facts.busy_s == 4);
  assert_true(worker->since_s == 8 && worker->answer_s == 0 && worker->facts.price_per_s == 2);
  assert_string_equal(worker->facts.name, "worker");
  ls_connections_close(&connections);
}

/* A guest names itself, and the name is shown on the master's terminal. */
static void a_name_is_shown_without_control_characters(void **state) {
  struct ls_connections connections = {0};
  (void)state;
  struct ls_newcomer newcomer = make_newcomer(1, 1, 0);
  newcomer.name = (struct ls_blob){"\x1b[31m\nn\xc3\xa9\x7f", 10};
  assert_int_equal(ls_connections_join(&connections, 0, &newcomer, NULL), LS_OK);
  assert_string_equal(connections.items[0].facts.name, "?[31m?n\xc3\xa9?");
  ls_connections_close(&connections);
}

static void a_long_name_is_cut(void **state) {
  struct ls_connections connections = {0};
  char name[200];
  (void)state;
  memset(name, 'n', sizeof name);
  struct ls_newcomer newcomer = make_newcomer(1, 1, 0);
  newcomer.name = (struct ls_blob){name, sizeof name};
  assert_int_equal(ls_connections_join(&connections, 0, &newcomer, NULL), LS_OK);
  assert_int_equal(strlen(connections.items[0].facts.name),
                   sizeof connections.items[0].facts.name - 1);
  ls_connections_close(&connections);
}

static void a_worker_of_the_pool_gets_the_slot_of_its_place(void **state) {
  struct ls_connections connections = {0};
  (void)state;
  assert_int_equal(ls_connections_choose(&connections, 3, 4, 4), 2);
  /* From outside: past the slots that are kept for the pool. */
  assert_int_equal(ls_connections_choose(&connections, 5, 4, 4), 4);
  assert_int_equal(ls_connections_choose(&connections, 5, 4, 0), 0);
  join(&connections, 2, 70, 0);
  assert_int_equal(ls_connections_choose(&connections, 3, 4, 4), 4);
  /* Once its worker came and went, a slot is anybody's. */
  assert_true(ls_connections_leave(&connections, 2, 1));
  assert_int_equal(ls_connections_choose(&connections, 5, 4, 4), 2);
  ls_connections_close(&connections);
}

/* Else it would not be known whose end the pool tells of. */
static void a_slot_is_taken_until_the_pool_told_of_the_end(void **state) {
  struct ls_connections connections = {0};
  (void)state;
  struct ls_newcomer newcomer = make_newcomer(70, 1, 0);
  newcomer.has_process = true;
  assert_int_equal(ls_connections_join(&connections, 0, &newcomer, NULL), LS_OK);
  assert_int_equal(ls_connections_find_process(&connections, 1, 1070), 0);
  assert_int_equal(ls_connections_find_process(&connections, 2, 1070), LS_WORKER_NONE);
  assert_int_equal(ls_connections_find_process(&connections, 1, 1071), LS_WORKER_NONE);
  assert_true(ls_connections_leave(&connections, 0, 1));
  assert_int_equal(ls_connections_choose(&connections, 1, 1, 1), 1);
  assert_true(ls_connection_end_process(&connections.items[0]));
  assert_int_equal(ls_connections_find_process(&connections, 1, 1070), LS_WORKER_NONE);
  assert_int_equal(ls_connections_choose(&connections, 1, 1, 1), 0);
  ls_connections_close(&connections);
}

/* Whoever is not wanted may be sent home before its first word: the next one need not wait. */
static void an_end_is_untimely_before_the_first_word_only(void **state) {
  (void)state;
  static const struct {
    bool has_spoken, is_released, is_untimely;
  } cases[] = {
      {false, false, true}, {true, false, false}, {false, true, false}, {true, true, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    struct ls_connections connections = {0};
    struct ls_newcomer newcomer = make_newcomer(70, 1, 0);
    newcomer.has_process = true;
    assert_int_equal(ls_connections_join(&connections, 0, &newcomer, NULL), LS_OK);
    struct ls_connection *worker = &connections.items[0];
    worker->has_spoken = cases[i].has_spoken;
    worker->is_released = cases[i].is_released;
    assert_true(ls_connections_leave(&connections, 0, 1));
    assert_int_equal(ls_connection_end_process(worker), cases[i].is_untimely);
    /* Its successor has said nothing, and nobody sent it home. */
    assert_int_equal(ls_connections_join(&connections, 0, &newcomer, NULL), LS_OK);
    assert_true(ls_connection_end_process(worker));
    ls_connections_close(&connections);
  }
}

static void who_leaves_takes_its_spools_along(void **state) {
  struct ls_connections connections = {0};
  (void)state;
  join(&connections, 0, 70, 0);
  assert_int_equal(ls_spool_add(&connections.items[0].spools[1], "x", 1, NULL), LS_OK);
  int file = connections.items[0].spools[1].file;
  assert_true(ls_connections_leave(&connections, 0, 1));
  assert_int_equal(fcntl(file, F_GETFD), -1);
  ls_connections_close(&connections);
}

/* Also where the one before was heard late: whoever reads them moves them apart. */
static void a_span_ends_when_the_master_hears_of_it(void **state) {
  struct ls_connection worker = {.last_end_s = 10};
  (void)state;
  assert_true(ls_connection_place_span(&worker, 12, 1) == 11);
  assert_true(worker.last_end_s == 12);
  assert_true(ls_connection_place_span(&worker, 13, 5) == 8);
  assert_true(worker.last_end_s == 13);
  assert_true(ls_connection_place_span(&worker, 13, 0) == 13);
}

static void only_who_is_connected_gets_a_message_for_all(void **state) {
  struct ls_connections connections = {0};
  struct ls_outbox outbox = {0};
  const struct ls_message pulse = {.kind = LS_MESSAGE_PULSE};
  (void)state;
  for (uint32_t i = 0; i < 4; ++i) join(&connections, i, 70 + i, 0);
  assert_true(ls_connections_leave(&connections, 1, 1));
  ls_connections_post(&connections, &outbox, &pulse);
  assert_int_equal(outbox.count, 3);
  assert_true(outbox.items[0].to.number == 70 && outbox.items[1].to.number == 72);
  ls_outbox_close(&outbox);
  ls_connections_close(&connections);
}

static struct ls_event beat(struct ls_connection *worker, double answer_s, double send_s) {
  struct ls_event event = {.kind = LS_EVENT_HEARTBEAT};
  ls_connection_hear_beat(worker, &(struct ls_message){.answer_s = answer_s, .send_s = send_s}, 1,
                          &event);
  return event;
}

/* Each one that is passed on is a row of the journal. */
static void what_a_beat_tells_is_passed_on_when_it_changes_markedly(void **state) {
  struct ls_connections connections = {0};
  (void)state;
  join(&connections, 0, 70, 1);
  struct ls_connection *worker = &connections.items[0];
  assert_true(beat(worker, 0, 0).answer_s == 0);
  assert_true(beat(worker, 0.9, 0).answer_s == 0); /* at first 1 s */
  assert_true(beat(worker, 0.02, 0).answer_s == 0.02);
  for (int i = 0; i < 100; i++) assert_true(beat(worker, 0.01 + 0.002 * i, 0).answer_s == 0);
  assert_true(beat(worker, 0.5, 0).answer_s == 0.5);
  assert_true(beat(worker, 0.5, 0.1).send_s == 0);
  assert_true(beat(worker, 0.5, 2).send_s == 2);
  assert_true(beat(worker, 0.5, 2.1).send_s == 0);
  assert_true(beat(worker, 1e300, 2).answer_s == 60);
  assert_true(beat(worker, 1e5, 2).answer_s == 0);
  ls_connections_close(&connections);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_worker_is_found_by_its_peer_until_it_leaves),
      cmocka_unit_test(a_slot_is_used_again),
      cmocka_unit_test(a_name_is_shown_without_control_characters),
      cmocka_unit_test(a_long_name_is_cut),
      cmocka_unit_test(a_worker_of_the_pool_gets_the_slot_of_its_place),
      cmocka_unit_test(a_slot_is_taken_until_the_pool_told_of_the_end),
      cmocka_unit_test(an_end_is_untimely_before_the_first_word_only),
      cmocka_unit_test(who_leaves_takes_its_spools_along),
      cmocka_unit_test(a_span_ends_when_the_master_hears_of_it),
      cmocka_unit_test(what_a_beat_tells_is_passed_on_when_it_changes_markedly),
      cmocka_unit_test(only_who_is_connected_gets_a_message_for_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
