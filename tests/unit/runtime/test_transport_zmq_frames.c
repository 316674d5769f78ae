/* What strangers meet at a master over TCP; what all transports do is in tests/suite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <zmq.h>

#include "runtime/os/clock.h"
#include "runtime/transport/transport.h"
#include "runtime/transport/transport_wait.h"

#define ZMQ ls_transport_zmq

static const double limit_s = 60;

static bool receive_in_time(struct ls_endpoint *endpoint, struct ls_frame *frame) {
  double until_s = ls_clock_s() + limit_s;
  while (!ZMQ.receive(endpoint, frame)) {
    if (ls_clock_s() > until_s) return false;
    (void)ls_transport_wait(&ZMQ, endpoint, &(struct ls_wait_files){0}, 1);
  }
  return true;
}

static void say(struct ls_endpoint *worker, const char *text) {
  const struct ls_frame frame = {0, text, strlen(text)};
  assert_int_equal(ZMQ.send(worker, &frame, limit_s, NULL), LS_OK);
}

static void who_is_not_admitted_gets_an_answer_and_is_cut(void **state) {
  (void)state;
  struct ls_endpoint *master, *stranger, *worker;
  struct ls_frame frame, answer;
  struct ls_strangers strangers = {0};
  assert_int_equal(ZMQ.listen("tcp://127.0.0.1:*", NULL, &master, NULL), LS_OK);
  assert_int_equal(ZMQ.connect(ZMQ.address(master), NULL, &stranger, NULL), LS_OK);
  for (int i = 0; i < 20; i++) say(stranger, "let me in");
  assert_true(receive_in_time(master, &frame));
  uint64_t refused = frame.peer;
  assert_int_equal(ZMQ.send(master, &(struct ls_frame){refused, "no", 2}, 0, NULL), LS_OK);
  assert_true(receive_in_time(stranger, &answer));
  assert_memory_equal(answer.data, "no", 2);
  assert_int_equal(ZMQ.connect(ZMQ.address(master), NULL, &worker, NULL), LS_OK);
  say(worker, "me");
  assert_true(receive_in_time(master, &frame));
  assert_int_equal(frame.length, 2);
  assert_true(frame.peer != refused);
  ZMQ.admit(master, frame.peer);
  double until_s = ls_clock_s() + limit_s;
  while (!ZMQ.is_cut(stranger) && ls_clock_s() < until_s) {
    assert_false(ZMQ.receive(master, &frame));
    (void)ls_transport_wait(&ZMQ, master, &(struct ls_wait_files){0}, 0.1);
  }
  assert_true(ZMQ.is_cut(stranger));
  assert_false(ZMQ.is_cut(worker));
  ZMQ.count_strangers(master, &strangers);
  assert_int_equal(strangers.frames_dropped, 19);
  assert_int_equal(strangers.connections_closed, 1);
  say(worker, "still here");
  assert_true(receive_in_time(master, &frame));
  ZMQ.close(stranger, 0);
  ZMQ.close(worker, 0);
  ZMQ.close(master, 0);
}

/* A connection that is cut takes nothing more, and nobody waits for it. */
static void sending_after_a_cut_fails_at_once(void **state) {
  (void)state;
  struct ls_endpoint *master, *worker;
  struct ls_frame frame;
  struct ls_error err = {0};
  assert_int_equal(ZMQ.listen("tcp://127.0.0.1:*", NULL, &master, NULL), LS_OK);
  assert_int_equal(ZMQ.connect(ZMQ.address(master), NULL, &worker, NULL), LS_OK);
  say(worker, "me");
  assert_true(receive_in_time(master, &frame));
  ZMQ.close(master, 0);
  enum ls_status status;
  do {
    status = ZMQ.send(worker, &(struct ls_frame){0, "x", 1}, 1e6, &err);
  } while (status == LS_OK);
  assert_int_equal(status, LS_EIO);
  assert_non_null(strstr(err.text, "is broken"));
  ZMQ.close(worker, 0);
}

/* Reads nothing that does not fit into a few kilobytes. */
static void *connect_deaf(void *context, const char *address) {
  void *deaf = zmq_socket(context, ZMQ_DEALER);
  const int frames = 1, bytes = 4096, never = -1, none = 0;
  assert_int_equal(zmq_setsockopt(deaf, ZMQ_RCVHWM, &frames, sizeof frames), 0);
  assert_int_equal(zmq_setsockopt(deaf, ZMQ_RCVBUF, &bytes, sizeof bytes), 0);
  assert_int_equal(zmq_setsockopt(deaf, ZMQ_RECONNECT_IVL, &never, sizeof never), 0);
  assert_int_equal(zmq_setsockopt(deaf, ZMQ_LINGER, &none, sizeof none), 0);
  assert_int_equal(zmq_connect(deaf, address), 0);
  assert_int_equal(zmq_send(deaf, "me", 2, 0), 2);
  return deaf;
}

/* What is queued for one peer is bounded; it is cut, so that it misses no frame between others, and
 * what is sent to everybody else leaves as before. */
static void who_does_not_read_is_cut(void **state) {
  (void)state;
  enum { FRAMES_MAX = 3000000 };
  struct ls_endpoint *master, *worker;
  struct ls_frame frame;
  struct ls_error err = {0};
  void *context = zmq_ctx_new();
  assert_int_equal(ZMQ.listen("tcp://127.0.0.1:*", NULL, &master, NULL), LS_OK);
  void *deaf = connect_deaf(context, ZMQ.address(master)), *monitor = zmq_socket(context, ZMQ_PAIR);
  assert_int_equal(zmq_socket_monitor(deaf, "inproc://deaf", ZMQ_EVENT_DISCONNECTED), 0);
  assert_int_equal(zmq_connect(monitor, "inproc://deaf"), 0);
  assert_true(receive_in_time(master, &frame));
  const uint64_t peer = frame.peer;
  ZMQ.admit(master, peer);
  assert_int_equal(ZMQ.connect(ZMQ.address(master), NULL, &worker, NULL), LS_OK);
  say(worker, "and me");
  assert_true(receive_in_time(master, &frame));
  ZMQ.admit(master, frame.peer);
  uint32_t sent = 0, number = 0, heard = 0;
  while (sent < FRAMES_MAX &&
         ZMQ.send(master, &(struct ls_frame){peer, &sent, sizeof sent}, 0, &err) == LS_OK)
    sent++;
  assert_in_range(sent, 1 << 16, FRAMES_MAX - 1);
  assert_non_null(strstr(err.text, "does not read"));
  /* Its connection ends, and all that it gets is what was sent first. */
  zmq_pollitem_t items[] = {{.socket = deaf, .events = ZMQ_POLLIN},
                            {.socket = monitor, .events = ZMQ_POLLIN}};
  while ((items[1].revents & ZMQ_POLLIN) == 0) {
    assert_true(zmq_poll(items, 2, (long)(limit_s * 1e3)) > 0);
    while (zmq_recv(deaf, &number, sizeof number, ZMQ_DONTWAIT) == (int)sizeof number)
      assert_int_equal(number, heard++);
  }
  assert_true(heard <= sent);
  assert_int_equal(ZMQ.send(master, &(struct ls_frame){frame.peer, "hi", 2}, 0, &err), LS_OK);
  assert_true(receive_in_time(worker, &frame));
  assert_int_equal(zmq_socket_monitor(deaf, NULL, 0), 0);
  zmq_close(monitor);
  zmq_close(deaf);
  zmq_ctx_term(context);
  ZMQ.close(worker, 0);
  ZMQ.close(master, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_is_not_admitted_gets_an_answer_and_is_cut),
      cmocka_unit_test(sending_after_a_cut_fails_at_once),
      cmocka_unit_test(who_does_not_read_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
