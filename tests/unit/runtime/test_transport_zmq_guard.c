/* Connections are pairs of sockets: what is closed by the guard reads as ended at the other end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/transport/transport_zmq_guard.h"

enum { SMALL = 100 };

/* 0: the master's descriptor; 1: the other end. */
static void connect_pair(int pair[2]) {
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
}

static bool is_closed(const int pair[2]) {
  char byte;
  return recv(pair[1], &byte, 1, MSG_DONTWAIT) == 0;
}

static void close_pair(const int pair[2]) {
  (void)close(pair[0]);
  (void)close(pair[1]);
}

static void the_first_frame_is_delivered_and_the_admitted_have_no_limit(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  int pair[2];
  connect_pair(pair);
  ls_guard_accept(guard, pair[0], 0);
  uint64_t peer = ls_guard_peer(pair[0], 17);
  assert_true(isfinite(ls_guard_patience_s(guard, 0)));
  assert_true(ls_guard_hear(guard, peer, SMALL, 1));
  ls_guard_admit(guard, peer);
  assert_true(isinf(ls_guard_patience_s(guard, 1)));
  for (int i = 0; i < 5; i++) assert_true(ls_guard_hear(guard, peer, (size_t)64 << 20, 2));
  ls_guard_look(guard, true, 1e6);
  assert_false(is_closed(pair));
  assert_int_equal(ls_guard_frames_dropped(guard), 0);
  assert_int_equal(ls_guard_connections_closed(guard), 0);
  close_pair(pair);
  ls_guard_destroy(guard);
}

/* A stranger goes by its time; a descriptor may be another connection's by now. */
static void who_does_not_read_is_cut_if_it_is_ours(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  int pair[2], other[2];
  connect_pair(pair);
  connect_pair(other);
  ls_guard_accept(guard, pair[0], 0);
  uint64_t peer = ls_guard_peer(pair[0], 17);
  assert_true(ls_guard_hear(guard, peer, SMALL, 1));
  ls_guard_cut(guard, peer);
  assert_false(is_closed(pair));
  ls_guard_admit(guard, peer);
  ls_guard_cut(guard, peer);
  assert_true(is_closed(pair));
  assert_true(ls_guard_hear(guard, peer, SMALL, 1)); /* it had said so before */
  assert_int_equal(dup2(other[0], pair[0]), pair[0]);
  ls_guard_cut(guard, peer);
  assert_int_equal(send(other[0], "x", 1, 0), 1);
  assert_false(is_closed(other));
  close_pair(pair);
  close_pair(other);
  ls_guard_destroy(guard);
}

static void who_is_not_admitted_is_heard_once_and_closed_a_moment_later(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  int pair[2];
  connect_pair(pair);
  ls_guard_accept(guard, pair[0], 0);
  uint64_t peer = ls_guard_peer(pair[0], 17);
  assert_true(ls_guard_hear(guard, peer, SMALL, 1));
  for (int i = 0; i < 1000; i++) assert_false(ls_guard_hear(guard, peer, SMALL, 1));
  ls_guard_admit(guard, peer); /* too late */
  assert_false(ls_guard_hear(guard, peer, SMALL, 1));
  assert_int_equal(ls_guard_frames_dropped(guard), 1001);
  ls_guard_look(guard, true, 1.5);
  assert_false(is_closed(pair)); /* it may still read why */
  ls_guard_look(guard, true, 2.5);
  assert_true(is_closed(pair));
  assert_int_equal(ls_guard_connections_closed(guard), 1);
  assert_true(isinf(ls_guard_patience_s(guard, 2.5)));
  close_pair(pair);
  ls_guard_destroy(guard);
}

/* Its frame may wait behind those of a master that was stopped itself. */
static void who_says_nothing_is_closed_in_time_but_only_when_all_is_heard(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  int pair[2];
  connect_pair(pair);
  ls_guard_accept(guard, pair[0], 0);
  ls_guard_look(guard, true, 4);
  assert_false(is_closed(pair));
  ls_guard_look(guard, false, 60);
  assert_false(is_closed(pair));
  ls_guard_look(guard, true, 60);
  assert_true(is_closed(pair));
  close_pair(pair);
  ls_guard_destroy(guard);
}

static void a_first_frame_that_is_too_long_is_dropped_with_its_connection(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  int pair[2];
  connect_pair(pair);
  ls_guard_accept(guard, pair[0], 0);
  assert_false(ls_guard_hear(guard, ls_guard_peer(pair[0], 1), (256 << 10) + 1, 0));
  assert_true(is_closed(pair));
  assert_int_equal(ls_guard_frames_dropped(guard), 1);
  close_pair(pair);
  ls_guard_destroy(guard);
}

/* The kernel counts what libzmq has not told of: one frame that does not end. */
static void a_stranger_that_sends_too_much_is_closed_before_its_time(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  struct sockaddr_in name = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
  socklen_t length = sizeof name;
  int listening = socket(AF_INET, SOCK_STREAM, 0), pair[2];
  assert_int_equal(bind(listening, (struct sockaddr *)&name, sizeof name), 0);
  assert_int_equal(listen(listening, 1), 0);
  assert_int_equal(getsockname(listening, (struct sockaddr *)&name, &length), 0);
  pair[1] = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(connect(pair[1], (struct sockaddr *)&name, sizeof name), 0);
  pair[0] = accept(listening, NULL, NULL);
  ls_guard_accept(guard, pair[0], 0);
  static char block[64 << 10];
  double now_s = 0; /* strangers are looked at every 0.05 s */
  for (size_t sent = 0; sent < (2 << 20); sent += sizeof block) {
    ls_guard_look(guard, true, now_s += 0.05);
    if (sent <= (512 << 10)) assert_int_equal(ls_guard_connections_closed(guard), 0);
    if (ls_guard_connections_closed(guard) > 0) break;
    assert_int_equal(send(pair[1], block, sizeof block, MSG_NOSIGNAL), sizeof block);
    assert_int_equal(recv(pair[0], block, sizeof block, MSG_WAITALL), sizeof block);
  }
  assert_int_equal(ls_guard_connections_closed(guard), 1);
  close_pair(pair);
  (void)close(listening);
  ls_guard_destroy(guard);
}

static void beyond_the_limit_the_oldest_strangers_go_and_no_admitted_one(void **state) {
  (void)state;
  enum { LIMIT = 4 };
  struct ls_guard *guard = ls_guard_create(LIMIT);
  int pairs[LIMIT + 3][2];
  for (int i = 0; i < LIMIT + 3; i++) connect_pair(pairs[i]);
  for (uint32_t i = 0; i < 2; i++) {
    ls_guard_accept(guard, pairs[i][0], 0);
    assert_true(ls_guard_hear(guard, ls_guard_peer(pairs[i][0], i), SMALL, 0));
    ls_guard_admit(guard, ls_guard_peer(pairs[i][0], i));
  }
  for (int i = 2; i < LIMIT + 3; i++) ls_guard_accept(guard, pairs[i][0], 0);
  for (int i = 0; i < LIMIT + 3; i++) assert_int_equal(is_closed(pairs[i]), i >= 2 && i < 5);
  /* The limit is one of admitted ones, too, but those that have gone do not count. */
  for (uint32_t i = 5; i < 7; i++) {
    assert_true(ls_guard_hear(guard, ls_guard_peer(pairs[i][0], i), SMALL, 0));
    ls_guard_admit(guard, ls_guard_peer(pairs[i][0], i));
  }
  int late[2], later[2];
  connect_pair(late);
  ls_guard_accept(guard, late[0], 1);
  assert_true(is_closed(late));
  close_pair(pairs[0]);
  ls_guard_look(guard, false, 2); /* its last frames may not have been heard */
  assert_true(ls_guard_hear(guard, ls_guard_peer(pairs[0][0], 0), SMALL, 2));
  ls_guard_look(guard, true, 3);
  connect_pair(later);
  ls_guard_accept(guard, later[0], 3);
  assert_false(is_closed(later));
  for (int i = 1; i < LIMIT + 3; i++) close_pair(pairs[i]);
  close_pair(late);
  close_pair(later);
  ls_guard_destroy(guard);
}

/* Short visits come and go faster than they are looked at. */
static void who_has_gone_is_still_heard_once_and_takes_nobodys_room(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(2);
  int gone[2], pairs[2][2];
  connect_pair(gone);
  close_pair(gone);
  ls_guard_accept(guard, gone[0], 0);
  ls_guard_look(guard, true, 0.1);
  assert_true(ls_guard_hear(guard, ls_guard_peer(gone[0], 1), SMALL, 0.1));
  assert_false(ls_guard_hear(guard, ls_guard_peer(gone[0], 1), SMALL, 0.1));
  connect_pair(pairs[0]);
  close_pair(pairs[0]);
  ls_guard_accept(guard, 1000, 1);
  ls_guard_accept(guard, 1001, 1);
  for (int i = 0; i < 2; i++) {
    connect_pair(pairs[i]);
    ls_guard_accept(guard, pairs[i][0], 2 + i);
  }
  for (int i = 0; i < 2; i++) {
    assert_false(is_closed(pairs[i]));
    close_pair(pairs[i]);
  }
  ls_guard_destroy(guard);
}

/* Descriptors are used again: each connection is judged by itself. */
static void a_new_connection_of_an_old_descriptor_is_a_stranger(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  int pair[2], other[2];
  connect_pair(pair);
  ls_guard_accept(guard, pair[0], 0);
  uint64_t old = ls_guard_peer(pair[0], 7), young = ls_guard_peer(pair[0], 9);
  assert_true(ls_guard_hear(guard, old, SMALL, 0));
  ls_guard_admit(guard, old);
  connect_pair(other);
  (void)close(pair[1]);
  assert_int_equal(dup2(other[0], pair[0]), pair[0]);
  ls_guard_accept(guard, pair[0], 1);
  /* What the old one had still sent is delivered. */
  assert_true(ls_guard_hear(guard, old, SMALL, 1));
  assert_true(ls_guard_hear(guard, young, SMALL, 1));
  assert_false(ls_guard_hear(guard, young, SMALL, 1));
  /* A number from before is not a new connection. */
  assert_false(ls_guard_hear(guard, ls_guard_peer(pair[0], 8), SMALL, 1));
  ls_guard_look(guard, true, 10);
  assert_true(is_closed(other));
  (void)close(pair[0]);
  close_pair(other);
  ls_guard_destroy(guard);
}

/* By number, and all in constant time: a search would take minutes. */
/* A connection was closed in the moment in which it spoke: what it said is heard when its
 * descriptor is another one's already, and taken for that one's first frame. */
static void a_late_word_of_a_former_connection_does_not_silence_the_next(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  int former[2], next[2];
  connect_pair(former);
  ls_guard_accept(guard, former[0], 0);
  ls_guard_look(guard, true, 60);
  assert_true(is_closed(former));
  assert_false(ls_guard_hear(guard, ls_guard_peer(former[0], 16), SMALL, 60));
  connect_pair(next);
  assert_int_equal(dup2(next[0], former[0]), former[0]);
  ls_guard_accept(guard, former[0], 60);
  uint64_t late = ls_guard_peer(former[0], 17), peer = ls_guard_peer(former[0], 18);
  assert_true(ls_guard_hear(guard, late, SMALL, 61));
  ls_guard_admit(guard, late);
  assert_true(ls_guard_hear(guard, peer, SMALL, 61));
  assert_false(ls_guard_hear(guard, peer, SMALL, 61)); /* once */
  ls_guard_look(guard, true, 63);
  assert_true(is_closed(next));
  close_pair(former);
  close_pair(next);
  ls_guard_destroy(guard);
}

static void a_hundred_thousand_may_come_and_go(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(10);
  for (uint32_t i = 0; i < 100000; i++) {
    int pair[2];
    connect_pair(pair);
    uint64_t peer = ls_guard_peer(pair[0], UINT32_MAX - 50000 + i);
    ls_guard_accept(guard, pair[0], i);
    if (!ls_guard_hear(guard, peer, SMALL, i)) fail_msg("%u", i);
    ls_guard_admit(guard, peer);
    if (!ls_guard_hear(guard, peer, SMALL, i)) fail_msg("%u", i);
    close_pair(pair);
    ls_guard_look(guard, true, i);
  }
  assert_int_equal(ls_guard_connections_closed(guard), 0);
  ls_guard_destroy(guard);
}

/* News may be late. */
static void a_descriptor_that_is_no_socket_is_left_alone(void **state) {
  (void)state;
  struct ls_guard *guard = ls_guard_create(1);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  ls_guard_accept(guard, ends[0], 0);
  ls_guard_accept(guard, 100000, 0);
  ls_guard_accept(guard, -1, 0);
  assert_false(ls_guard_hear(guard, ls_guard_peer(-1, 1), SMALL, 0));
  ls_guard_look(guard, true, 100);
  assert_int_equal(ls_guard_connections_closed(guard), 0);
  assert_int_equal(write(ends[1], "x", 1), 1);
  (void)close(ends[0]);
  (void)close(ends[1]);
  ls_guard_destroy(guard);
  ls_guard_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_first_frame_is_delivered_and_the_admitted_have_no_limit),
      cmocka_unit_test(who_does_not_read_is_cut_if_it_is_ours),
      cmocka_unit_test(who_is_not_admitted_is_heard_once_and_closed_a_moment_later),
      cmocka_unit_test(who_says_nothing_is_closed_in_time_but_only_when_all_is_heard),
      cmocka_unit_test(a_first_frame_that_is_too_long_is_dropped_with_its_connection),
      cmocka_unit_test(a_stranger_that_sends_too_much_is_closed_before_its_time),
      cmocka_unit_test(beyond_the_limit_the_oldest_strangers_go_and_no_admitted_one),
      cmocka_unit_test(who_has_gone_is_still_heard_once_and_takes_nobodys_room),
      cmocka_unit_test(a_new_connection_of_an_old_descriptor_is_a_stranger),
      cmocka_unit_test(a_late_word_of_a_former_connection_does_not_silence_the_next),
      cmocka_unit_test(a_hundred_thousand_may_come_and_go),
      cmocka_unit_test(a_descriptor_that_is_no_socket_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
