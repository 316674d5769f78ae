/* Who has the keys comes in, nobody else does, and what libzmq asks is answered some at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <zmq.h>

#include "runtime/os/clock.h"
#include "runtime/os/keys.h"
#include "runtime/transport/transport_wait.h"
#include "runtime/transport/transport_zmq_zap.h"

#define ZMQ ls_transport_zmq

static const double limit_s = 60;

struct scene {
  struct ls_key_file keys, others;
  struct ls_endpoint *master;
};

static struct ls_endpoint *connect_with(const struct scene *scene, const struct ls_curve *curve) {
  struct ls_endpoint *worker = NULL;
  struct ls_error err = {0};
  if (ZMQ.connect(ZMQ.address(scene->master), curve, &worker, &err) != LS_OK)
    fail_msg("%s", err.text);
  /* Who is refused may have heard that before it has said a word. */
  enum ls_status status = ZMQ.send(worker, &(struct ls_frame){0, "hello", 5}, limit_s, NULL);
  assert_true(status == LS_OK || ZMQ.is_cut(worker));
  return worker;
}

static int open_scene(void **state) {
  static struct scene scene;
  scene = (struct scene){.master = NULL};
  assert_int_equal(ls_keys_make(&scene.keys, NULL), LS_OK);
  assert_int_equal(ls_keys_make(&scene.others, NULL), LS_OK);
  const struct ls_curve curve = ls_keys_of_master(&scene.keys);
  assert_int_equal(ZMQ.listen("tcp://127.0.0.1:*", &curve, &scene.master, NULL), LS_OK);
  *state = &scene;
  return 0;
}

static int close_scene(void **state) {
  struct scene *scene = *state;
  ZMQ.close(scene->master, 0);
  return 0;
}

/* The master's loop goes on until its worker is heard, or cut. */
static bool is_heard(const struct scene *scene, struct ls_endpoint *worker) {
  double until_s = ls_clock_s() + limit_s;
  struct ls_frame frame;
  while (ls_clock_s() < until_s && !ZMQ.is_cut(worker)) {
    (void)ls_transport_wait(&ZMQ, scene->master, &(struct ls_wait_files){0}, 0.005);
    if (!ZMQ.receive(scene->master, &frame)) continue;
    assert_int_equal(frame.length, 5);
    assert_memory_equal(frame.data, "hello", 5);
    ZMQ.admit(scene->master, frame.peer);
    assert_int_equal(ZMQ.send(scene->master, &(struct ls_frame){frame.peer, "well", 4}, 0, NULL),
                     LS_OK);
    return true;
  }
  return false;
}

static void who_has_the_keys_comes_in(void **state) {
  const struct scene *scene = *state;
  const struct ls_curve curve = ls_keys_of_worker(&scene->keys);
  struct ls_endpoint *workers[3];
  struct ls_frame frame = {0};
  for (size_t i = 0; i < 3; i++) {
    workers[i] = connect_with(scene, &curve);
    assert_true(is_heard(scene, workers[i]));
    double until_s = ls_clock_s() + limit_s;
    while (!ZMQ.receive(workers[i], &frame) && ls_clock_s() < until_s)
      (void)ls_transport_wait(&ZMQ, workers[i], &(struct ls_wait_files){0}, 0.1);
    assert_int_equal(frame.length, 4);
    assert_int_equal(ZMQ.handshake(workers[i]), LS_HANDSHAKE_WELL);
  }
  for (size_t i = 0; i < 3; i++) ZMQ.close(workers[i], 0);
}

/* What is wrong, and what the worker learns of it. A master that cannot read what a worker says
 * closes the connection, or libzmq sees first that the mechanisms differ. */
static void who_has_not_does_not(void **state) {
  const struct scene *scene = *state;
  const struct ls_curve right = ls_keys_of_worker(&scene->keys);
  const struct ls_curve foreign = ls_keys_of_worker(&scene->others);
  struct ls_curve client = foreign, server = right, secret = right;
  client.server_public = right.server_public;
  server.server_public = foreign.server_public;
  secret.client_secret = foreign.client_secret;
  const struct {
    const struct ls_curve *curve;
    enum ls_handshake handshake, other;
  } cases[] = {{&client, LS_HANDSHAKE_REFUSED, LS_HANDSHAKE_REFUSED},
               {&server, LS_HANDSHAKE_BROKEN, LS_HANDSHAKE_BROKEN},
               {&secret, LS_HANDSHAKE_BROKEN, LS_HANDSHAKE_BROKEN},
               {&foreign, LS_HANDSHAKE_BROKEN, LS_HANDSHAKE_BROKEN},
               {NULL, LS_HANDSHAKE_BROKEN, LS_HANDSHAKE_FOREIGN}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct ls_endpoint *worker = connect_with(scene, cases[i].curve);
    assert_false(is_heard(scene, worker));
    assert_true(ZMQ.is_cut(worker));
    if (ZMQ.handshake(worker) != cases[i].other)
      assert_int_equal(ZMQ.handshake(worker), cases[i].handshake);
    ZMQ.close(worker, 0);
    worker = connect_with(scene, &right);
    assert_true(is_heard(scene, worker));
    ZMQ.close(worker, 0);
  }
}

/* A master that does without is none of this key. */
static void a_master_without_keys_is_another_one(void **state) {
  struct scene *scene = *state;
  const struct ls_curve right = ls_keys_of_worker(&scene->keys);
  ZMQ.close(scene->master, 0);
  assert_int_equal(ZMQ.listen("tcp://127.0.0.1:*", NULL, &scene->master, NULL), LS_OK);
  struct ls_endpoint *worker = connect_with(scene, &right);
  assert_false(is_heard(scene, worker));
  assert_int_not_equal(ZMQ.handshake(worker), LS_HANDSHAKE_WELL);
  ZMQ.close(worker, 0);
}

/* ---- what libzmq asks ---- */

static void ask(void *socket, const char *const *parts, size_t count, const unsigned char *key) {
  for (size_t i = 0; i < count; i++) {
    bool is_key = strcmp(parts[i], "KEY") == 0;
    assert_true(zmq_send(socket, is_key ? (const void *)key : parts[i],
                         is_key ? LS_ZAP_KEY_BYTES : strlen(parts[i]),
                         i + 1 < count ? ZMQ_SNDMORE : 0) >= 0);
  }
}

/* The status of the answer, which has six parts and the number of the question. */
static void expect_answer(void *socket, const char *number, const char *status) {
  char part[300];
  for (int i = 0; i < 6; i++) {
    int more, length = zmq_recv(socket, part, sizeof part - 1, 0);
    size_t size = sizeof more;
    assert_true(length >= 0);
    part[length] = '\0';
    if (i == 1) assert_string_equal(part, number);
    if (i == 2) assert_string_equal(part, status);
    assert_int_equal(zmq_getsockopt(socket, ZMQ_RCVMORE, &more, &size), 0);
    assert_int_equal(more, i < 5);
  }
}

static void only_a_right_question_is_answered_well(void **state) {
  const struct scene *scene = *state;
  static const char text[] = "0123456789012345678901234567890123456789";
  static char longer[600];
  memset(longer, 'x', sizeof longer - 1);
  static const char *const questions[][8] = {
      {"1.0", "7", "loadstar", "127.0.0.1", "", "CURVE", "KEY", NULL},
      {"1.0", "7", "loadstar", "127.0.0.1", "", "CURVE", text, NULL},
      {"1.0", "7", "loadstar", "127.0.0.1", "", "CURVE", "", NULL},
      {"2.0", "7", "loadstar", "127.0.0.1", "", "CURVE", "KEY", NULL},
      {"1.0", "7", "other", "127.0.0.1", "", "CURVE", "KEY", NULL},
      {"1.0", "7", "loadstar", "127.0.0.1", "", "PLAIN", "KEY", NULL},
      {"1.0", "7", "loadstar", "127.0.0.1", "", "NULL", NULL},
      {"1.0", "7", "loadstar", "127.0.0.1", "", "CURVE", longer, NULL},
      {"1.0", "7", NULL},
      {"1.0", "7", "loadstar", "127.0.0.1", "", "CURVE", "KEY", "KEY"}};
  const struct ls_curve curve = ls_keys_of_master(&scene->keys);
  void *context = zmq_ctx_new(), *asker = zmq_socket(context, ZMQ_REQ);
  struct ls_zap zap = {0};
  assert_int_equal(ls_zap_open(&zap, context, &curve, NULL), LS_OK);
  assert_int_equal(zmq_connect(asker, "inproc://zeromq.zap.01"), 0);
  for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
    size_t count = 0;
    while (count < 8 && questions[i][count] != NULL) count++;
    ask(asker, questions[i], count, zap.client);
    assert_false(ls_zap_answer(&zap));
    expect_answer(asker, "7", i == 0 ? "200" : "400");
  }
  (void)zmq_close(asker);
  ls_zap_close(&zap);
  (void)zmq_ctx_term(context);
}

/* A flood is answered in portions, so that the master's loop comes to its other work. */
static void a_flood_is_answered_in_portions(void **state) {
  const struct scene *scene = *state;
  enum { ASKERS = 100 };
  static const char *const question[] = {"1.0", "1", "loadstar", "", "", "CURVE", "KEY"};
  const struct ls_curve curve = ls_keys_of_master(&scene->keys);
  void *context = zmq_ctx_new(), *askers[ASKERS];
  struct ls_zap zap = {0};
  int portions = 1;
  assert_int_equal(ls_zap_open(&zap, context, &curve, NULL), LS_OK);
  for (size_t i = 0; i < ASKERS; i++) {
    askers[i] = zmq_socket(context, ZMQ_REQ);
    assert_int_equal(zmq_connect(askers[i], "inproc://zeromq.zap.01"), 0);
    ask(askers[i], question, 7, zap.client);
  }
  while (ls_zap_answer(&zap)) portions++;
  assert_int_equal(portions, 4);
  for (size_t i = 0; i < ASKERS; i++) {
    expect_answer(askers[i], "1", "200");
    (void)zmq_close(askers[i]);
  }
  ls_zap_close(&zap);
  (void)zmq_ctx_term(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(who_has_the_keys_comes_in, open_scene, close_scene),
      cmocka_unit_test_setup_teardown(who_has_not_does_not, open_scene, close_scene),
      cmocka_unit_test_setup_teardown(a_master_without_keys_is_another_one, open_scene,
                                      close_scene),
      cmocka_unit_test_setup_teardown(only_a_right_question_is_answered_well, open_scene,
                                      close_scene),
      cmocka_unit_test_setup_teardown(a_flood_is_answered_in_portions, open_scene, close_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
