#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zmq.h>

#include "runtime/transport/transport_zmq_monitor.h"

enum { LIMIT_MS = 60000 };

/* The next event within the limit; 0: none came. */
static int wait_for_event(struct ls_monitor *monitor, int *value) {
  int event;
  while (!ls_monitor_next(monitor, &event, value)) {
    struct pollfd item = {monitor->file, POLLIN, 0};
    if (poll(&item, 1, LIMIT_MS) <= 0) return 0;
  }
  return event;
}

static void connections_are_told_in_their_order(void **state) {
  (void)state;
  void *context = zmq_ctx_new(), *others = zmq_ctx_new();
  void *server = zmq_socket(context, ZMQ_ROUTER), *client = zmq_socket(others, ZMQ_DEALER);
  struct ls_monitor monitor = {0};
  struct ls_error err;
  char address[128];
  size_t length = sizeof address;
  int value = -1, never = -1;
  assert_int_equal(
      ls_monitor_open(&monitor, context, server, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_DISCONNECTED, &err),
      LS_OK);
  assert_false(ls_monitor_next(&monitor, &value, &never));
  assert_int_equal(zmq_bind(server, "tcp://127.0.0.1:*"), 0);
  assert_int_equal(zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, address, &length), 0);
  assert_int_equal(zmq_setsockopt(client, ZMQ_RECONNECT_IVL, &never, sizeof never), 0);
  assert_int_equal(zmq_connect(client, address), 0);
  assert_int_equal(wait_for_event(&monitor, &value), ZMQ_EVENT_ACCEPTED);
  assert_true(value > 2); /* the descriptor */
  int accepted = value;
  zmq_close(client);
  assert_int_equal(wait_for_event(&monitor, &value), ZMQ_EVENT_DISCONNECTED);
  assert_int_equal(value, accepted);
  ls_monitor_close(&monitor, server);
  assert_null(monitor.socket);
  assert_false(ls_monitor_next(&monitor, &value, &never));
  ls_monitor_close(&monitor, server);
  zmq_close(server);
  zmq_ctx_term(others);
  zmq_ctx_term(context);
}

/* One that nobody reads must not hold up the end. */
static void a_monitor_that_is_not_read_can_be_closed(void **state) {
  (void)state;
  enum { CLIENTS = 50 };
  void *context = zmq_ctx_new(), *others = zmq_ctx_new(), *clients[CLIENTS];
  void *server = zmq_socket(context, ZMQ_ROUTER);
  struct ls_monitor monitor = {0};
  struct ls_error err;
  char address[128];
  size_t length = sizeof address;
  assert_int_equal(ls_monitor_open(&monitor, context, server, ZMQ_EVENT_ALL, &err), LS_OK);
  assert_int_equal(zmq_bind(server, "tcp://127.0.0.1:*"), 0);
  assert_int_equal(zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, address, &length), 0);
  for (int i = 0; i < CLIENTS; i++) {
    clients[i] = zmq_socket(others, ZMQ_DEALER);
    assert_int_equal(zmq_connect(clients[i], address), 0);
    assert_int_equal(zmq_send(clients[i], "x", 1, 0), 1);
  }
  char frame[8];
  for (int i = 0; i < 2 * CLIENTS; i++) assert_true(zmq_recv(server, frame, sizeof frame, 0) >= 0);
  for (int i = 0; i < CLIENTS; i++) zmq_close(clients[i]);
  ls_monitor_close(&monitor, server);
  zmq_close(server);
  zmq_ctx_term(others);
  zmq_ctx_term(context);
}

static void a_monitor_without_room_fails_in_words(void **state) {
  (void)state;
  void *context = zmq_ctx_new();
  struct ls_monitor monitor = {0};
  struct ls_error err = {0};
  /* The watched socket is the only one that the context allows. */
  assert_int_equal(zmq_ctx_set(context, ZMQ_MAX_SOCKETS, 1), 0);
  void *server = zmq_socket(context, ZMQ_ROUTER);
  assert_non_null(server);
  assert_int_equal(ls_monitor_open(&monitor, context, server, ZMQ_EVENT_ALL, &err), LS_EIO);
  assert_non_null(strstr(err.text, "cannot watch"));
  assert_null(monitor.socket);
  zmq_close(server);
  zmq_ctx_term(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(connections_are_told_in_their_order),
      cmocka_unit_test(a_monitor_that_is_not_read_can_be_closed),
      cmocka_unit_test(a_monitor_without_room_fails_in_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
